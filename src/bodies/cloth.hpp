#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bodies/cloth_loads.hpp"
#include "carom/body/fabric.hpp"
#include "carom/mesh/mesh.hpp"
#include "core/parallel.hpp"
#include "core/phased_loop.hpp"
#include "kernels/cloth_constraints.hpp"

/// Cloth: compliant constraints over the triangles and inner edges of a mesh, projected once in each of many small
/// inner steps (adr/0014). Nothing here knows of contacts.
namespace carom::cloth {

/// Throws Error(invalid_argument) that names the body and the field, which `path` precedes.
void check(const std::string& body, const Fabric& fabric, const std::string& path = {});

/// Shape at rest, of any triangle mesh. Triangles without an area have no constraints; at an edge with more than two
/// triangles each bends against the next.
struct RestShape {
  std::span<const Eigen::Vector3d> positions;
  std::span<const Triangle> triangles;
  /// The warp runs along this direction, as far as it lies in each triangle; where the triangle is perpendicular to it,
  /// along the next axis of the world.
  Eigen::Vector3d warp{1, 0, 0};
  /// Corners whose positions are the shape of each triangle at rest, if these are others than its own: panels that are
  /// sewn together keep the shapes that they had apart. An edge between triangles whose corners differ is flat at rest.
  std::span<const Triangle> rest_triangles{};
  std::span<const Index> fabric_of_triangle{};  ///< number among the fabrics; empty: the first, of all

  const Eigen::Vector3d& corner(std::size_t triangle, std::size_t k) const {
    const std::span<const Triangle> of = rest_triangles.empty() ? triangles : rest_triangles;
    return positions[static_cast<std::size_t>(of[triangle][k])];
  }
  std::size_t fabric(std::size_t triangle) const {
    return fabric_of_triangle.empty() ? 0 : static_cast<std::size_t>(fabric_of_triangle[triangle]);
  }
};

/// Vertices at exactly the same position are one: the lowest number of each, of every vertex.
std::vector<Index> leaders(std::span<const Eigen::Vector3d> positions);

/// Triangle with an area: its strains along warp and weft, and the shear between the two.
struct StretchElement {
  std::array<Index, 3> corners{};
  double gradient[2][2] = {};          ///< 1/m, see kernels::StretchBatch
  double area = 0;                     ///< m^2
  std::array<double, 3> compliance{};  ///< 1/J
  std::array<double, 3> damping{};     ///< s
  double limit = std::numeric_limits<double>::infinity();
};

/// Edge between two triangles that bends.
struct BendElement {
  std::array<Index, 4> vertices{};
  std::array<double, 4> weight{};
  double area = 0;        ///< m^2, of both triangles
  double rest = 0;        ///< m, see kernels::BendBatch
  double compliance = 0;  ///< m^2/J
  double damping = 0;     ///< s
};

/// Constraint of a triangle; none where it has no area.
std::optional<StretchElement> stretch_element(const RestShape& rest, std::span<const Fabric> fabrics, std::size_t t);
/// Constraint of an edge between two triangles; none where it does not bend.
std::optional<BendElement> bend_element(const RestShape& rest, std::span<const Fabric> fabrics, const Edge& edge,
                                        std::size_t a, std::size_t b);

/// Constraints in colors, such that no two of a color have a vertex in common: those of a color can be projected in
/// any order, in vectors and by several threads, with one result. Made once; a step does not change it.
class Model {
 public:
  Model() = default;
  Model(const RestShape& rest, std::span<const Fabric> fabrics);
  Model(const RestShape& rest, const Fabric& fabric) : Model(rest, std::span(&fabric, 1)) {}

  /// Makes this the model of a shape that a cut changed: of these triangles, ascending; those that are new have the
  /// numbers after all others. `around`, ascending: all triangles within two vertices of them, and they themselves. Of
  /// what is farther away all stays, colors too. False, and nothing is changed, where all has to be made again.
  bool change(const RestShape& rest, std::span<const Fabric> fabrics, std::span<const Index> changed,
              std::span<const Index> around);

  /// Whether every constraint has one lane, as it is, all others are empty, and no two of a color have a vertex in
  /// common: for tests.
  bool is_sound() const;

  std::size_t vertex_count() const { return vertex_count_; }
  std::size_t triangle_count() const { return triangles_.size(); }  ///< with an area
  std::size_t hinge_count() const { return hinges_.size(); }
  std::size_t color_count() const { return stretch_colors_.size() + bend_colors_.size(); }

  /// s; both as below, for a model that change() has changed: of most constraints it is known from the last call.
  /// `vertices`, ascending, are those whose masses may have changed since, and `triangles` are at them; where others
  /// have, all is done again.
  struct Steps {
    double inner = 0;
    double bend = 0;
  };
  Steps update_steps(std::span<const double> inverse_mass, std::span<const Index> vertices,
                     std::span<const Index> triangles);

  /// s; longest inner step that keeps the extra strain of a single projection near a hundredth, for these masses.
  double inner_step(std::span<const double> inverse_mass) const;
  /// s; interval in which bending turns by half a radian at most, for these masses: often far longer than an inner
  /// step.
  double bend_step(std::span<const double> inverse_mass) const;

  /// J; what stretch, shear and bending hold.
  double energy(std::span<const Eigen::Vector3d> positions) const;
  /// Strain of each triangle with an area: the larger of warp and weft, in the order of the triangles.
  std::vector<double> strains(std::span<const Eigen::Vector3d> positions) const;

 private:
  friend class Projection;
  /// Batches [begin, end) of one color.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  /// Largest rate of each block of constraints, 1/s^2, of models that were cut.
  struct BlockRates {
    std::vector<double> inverse_mass;  ///< of which they are; empty: nothing is known
    std::vector<double> stretch;
    std::vector<double> bend;
    std::vector<Index> triangles;  ///< that changed since
    std::vector<Index> hinges;     ///< likewise
  };

  friend class ModelEdit;
  Index* hinge_at(const Edge& edge);
  bool know_rates(std::span<const double> inverse_mass, std::span<const Index> vertices,
                  std::span<const Index> triangles);
  void set_lane(const StretchElement& element, std::size_t lane);
  void set_lane(const BendElement& element, std::size_t lane);
  void add_triangles(const RestShape& rest, std::span<const Fabric> fabrics);
  void add_hinges(const RestShape& rest, std::span<const Fabric> fabrics);

  std::size_t vertex_count_ = 0;
  /// Point of lanes without a constraint: with room before it for vertices that cuts add.
  std::size_t spare_point_ = 0;
  std::vector<StretchElement> triangles_;
  std::vector<BendElement> hinges_;
  std::vector<kernels::StretchBatch> stretch_;
  std::vector<kernels::BendBatch> bend_;
  std::vector<Range> stretch_colors_;
  std::vector<Range> bend_colors_;
  std::vector<kernels::StretchGradient> gradients_;  ///< of `stretch_`
  std::vector<kernels::BendWeight> weights_;         ///< of `bend_`
  std::vector<std::uint32_t> stretch_lane_;          ///< of each of `triangles_`, among those of all batches
  std::vector<std::uint32_t> bend_lane_;             ///< of each of `hinges_`
  std::vector<Edge> hinge_edges_;                    ///< as made: ascending
  std::vector<Index> hinge_of_edge_;                 ///< of these; none: there is none any more
  std::map<Edge, Index> later_hinges_;               ///< of other edges
  bool one_hinge_an_edge_ = true;                    ///< of `hinge_edges_`
  BlockRates rates_;
  bool damped_ = false;
  bool limited_ = false;
  bool flat_ = true;
};

/// kg of each vertex: a third of each triangle at it; 0 for a vertex in no triangle. Throws Error(bad_mesh) that names
/// a vertex whose triangles have no area.
std::vector<double> masses(const std::string& body, const RestShape& rest, std::span<const Fabric> fabrics);

/// Working memory of an inner step.
class Projection {
 public:
  /// Before the first of a multiple of four inner steps from one start. Bending acts in each, in every second or in
  /// every fourth of them, with the impulse of all, as `bend_step` (s) allows; with 0 in each.
  void begin(double bend_step) {
    bend_step_ = bend_step;
    since_bending_ = 0;
    known_start_ = false;
    momentum_.setZero();
    wind_.begin();
  }
  /// Accelerations by the wind, as WindLoad::find().
  WindLoad& wind() { return wind_; }
  /// Changes velocities (m/s) as the constraints do over an inner step of h (s): vertices that would go from
  /// start + displacement to there + h velocities go to where the constraints have moved these ends. `start` and
  /// inverse masses are the same from begin() on. Linear momentum is kept to rounding over four inner steps. Vertices
  /// with no inverse mass keep their velocities, along which they move. The result does not depend on the number of
  /// threads. Loads act before the constraints; returns the impulse of the air.
  Impulse run(Workers& workers, const Model& model, const Loads& loads, double h,
              std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
              std::span<const double> inverse_mass, std::span<Eigen::Vector3d> velocities);
  /// The same from other positions each time, with momentum kept in each.
  void run(Workers& workers, const Model& model, double h, std::span<const Eigen::Vector3d> positions,
           std::span<const double> inverse_mass, std::span<Eigen::Vector3d> velocities);

 private:
  void note_start(Workers& workers, const Model& model, std::span<const Eigen::Vector3d> start,
                  std::span<const double> inverse_mass);
  /// Rounding in single precision adds momentum to free cloth; takes it out again.
  void keep_momentum(Workers& workers, std::span<const double> inverse_mass, std::span<Eigen::Vector3d> velocities);

  kernels::BendEdges* edges_from(std::size_t batch) {
    return bend_edges_.empty() ? nullptr : bend_edges_.data() + batch;
  }

  std::vector<kernels::ClothOffset> points_;  ///< and more, for lanes without a constraint
  std::vector<kernels::ClothOffset> before_;
  std::vector<kernels::StretchBase> stretch_;
  std::vector<kernels::BendBase> bend_;
  std::vector<kernels::BendEdges> bend_edges_;  ///< of cloth that is bent at rest
  std::vector<kernels::ClothPoint> start_;      ///< and more
  std::vector<kernels::ClothImpulse> air_;      ///< of each block of vertices
  std::vector<kernels::ClothImpulse> gained_;   ///< by the constraints in an inner step, of each block of vertices
  Eigen::Vector3d momentum_{0, 0, 0};           ///< N s, gained since momentum was last taken out
  WindLoad wind_;
  std::vector<std::uint32_t> blocks_;
  bool known_start_ = false;
  double free_mass_ = 0;  ///< kg, of all that moves; 0 if a vertex that has constraints does not
  double bend_step_ = 0;
  int since_bending_ = 0;  ///< inner steps
  PhasedLoop loop_;
};

}  // namespace carom::cloth
