#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bodies/soft.hpp"
#include "carom/body/soft.hpp"

/// Soft bodies in a world: nodes and elements, and a surface that is embedded in them. The surface collides as that of
/// cloth does; what contacts do to its vertices goes on to the nodes (adr/0016).
namespace carom::solid {

/// Vertices of a surface as weighted sums of nodes.
struct Embedding {
  /// Place of a vertex in the lists of nodes and weights, with room for as many as it ever had.
  struct Range {
    std::uint32_t begin = 0;
    std::uint16_t count = 0;
    std::uint16_t room = 0;
    std::uint32_t end() const { return begin + count; }
  };
  std::vector<Range> ranges;  ///< of each vertex
  std::vector<Index> nodes;
  std::vector<double> weights;

  std::size_t count() const { return ranges.size(); }
  void add(std::span<const Index> of, std::span<const double> by);
  /// Gives a vertex other nodes: in its place, or at the end of the lists if there is no room. All others stay.
  void set(std::size_t vertex, std::span<const Index> of, std::span<const double> by);
  Eigen::Vector3d mean(std::size_t vertex, std::span<const Eigen::Vector3d> values) const {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::uint32_t i = ranges[vertex].begin; i < ranges[vertex].end(); ++i)
      sum += weights[i] * values[static_cast<std::size_t>(nodes[i])];
    return sum;
  }
};

/// Actuator, and the elements in its box.
struct ActiveElements {
  Actuator actuator;
  std::vector<std::size_t> elements;
};

/// What a soft body is, made once.
struct BodyModel {
  Model elements;
  double voxel_size = 0;
  std::vector<double> mass;  ///< kg, of each node, fixed or not
  Embedding surface;
  double rest_volume = 0;  ///< m^3
  std::vector<ActiveElements> actuators;
  Plasticity plasticity;
  Elements rest;                       ///< as made; only where there is a field
  std::optional<DistanceField> field;  ///< of the surface at rest
};

struct CutLattice;

/// Nodes of a soft body between two steps.
struct BodyState {
  std::shared_ptr<const BodyModel> model;  ///< none: the body is not soft
  std::vector<Eigen::Vector3d> nodes;      ///< m
  std::vector<Eigen::Vector3d> velocities;
  std::vector<Eigen::Matrix3d> flowed;   ///< of each element: inverse of what its shape at rest has flowed; or empty
  std::vector<kernels::RestBatch> rest;  ///< of each batch; empty if all are as made
  std::shared_ptr<const CutLattice> lattice;  ///< of a body that can be cut (bodies/soft_cut.hpp); or none
  std::vector<Eigen::AlignedBox3d> boxes;     ///< of such a body, see place_boxes()
};

/// Triangles of a soft body, and its state at rest. Throws Error that names the body and the field. Takes the mesh of
/// the description, which gets the boundary of its tetrahedra if it has these.
BodyState make_state(SoftBody& description);

/// 1/kg of each vertex of the surface as contacts see it, if all of `vertices` are touched: 0 of those whose nodes
/// never move.
///
/// Contacts are solved on vertices that do not know of each other, as if each had this mass; then all momentum goes to
/// the nodes. With A the true inverse masses of these vertices, those that nodes in common join included, and D the
/// diagonal of its row sums, D - A has no negative eigenvalue, so each pass over contacts with D lowers the same
/// objective as one with A, and a single touched vertex has its true mass. `work` is empty at first, and kept.
void contact_masses(const BodyModel& model, std::span<const std::uint32_t> vertices, std::vector<double>& work,
                    std::span<double> inverse_mass);

/// Part of the stage `edits`: shapes at rest as actuators have them at a time (s), and as plastic flow over dt (s)
/// leaves them.
void update_rest(Workers& workers, double time, double dt, BodyState& state);

/// Where a point is to the surface, by the field of the model, which there must be; none if no element holds it.
std::optional<SoftDepth> depth_at(const BodyState& state, const Eigen::Vector3d& point);

/// Motion of a soft body in a step.
class Motion {
 public:
  std::vector<Eigen::Vector3d> start;             ///< nodes, m
  std::vector<Eigen::Vector3d> start_velocities;  ///< m/s
  std::vector<Eigen::Vector3d> displacements;     ///< m, in the step
  std::vector<Eigen::Vector3d> velocities;        ///< m/s

  void begin(const BodyState& state);
  /// Vertices that contacts may move, with their velocities now; `inverse_mass` gets that of each of them.
  void touch(const BodyState& state, std::span<const std::uint8_t> touched, std::span<const Eigen::Vector3d> body,
             std::span<const Eigen::Vector3d> vertex_velocities, std::span<double> inverse_mass);
  /// Gives nodes the momentum that touched vertices have got since the last call.
  void transfer(const BodyModel& model, std::span<const Eigen::Vector3d> vertex_velocities);
  /// The same, then these get the velocities of nodes.
  void collect(const BodyModel& model, std::span<Eigen::Vector3d> vertex_velocities);
  /// Displacements of all vertices as those of the nodes have them, for forces on the surface.
  void place(const BodyModel& model, std::span<Eigen::Vector3d> vertex_displacements) const;
  /// Forces (N) on all vertices over an interval (s).
  void push(const BodyModel& model, double interval, std::span<const Eigen::Vector3d> forces);
  /// Damping of the material over an inner step of h (s): once in four, for as long as all of them. Before other
  /// forces.
  void damp(Workers& workers, const BodyState& state, double h);
  /// Forces of the elements over an inner step of h (s).
  void project(Workers& workers, const BodyState& state, double h);
  /// Nodes go on for an interval (s).
  void move(double interval);
  /// Velocities and displacements of all vertices from those of the nodes. Vertices that are off their places, because
  /// continuous detection has stopped them, come back to them within about a tenth of a second.
  void finish(Workers& workers, const BodyModel& model, double dt, std::span<const Eigen::Vector3d> vertex_start,
              std::span<Eigen::Vector3d> vertex_displacements, std::span<Eigen::Vector3d> vertex_velocities) const;
  bool touches() const { return !touched_.empty(); }

 private:
  std::vector<std::uint32_t> touched_;  ///< vertices
  std::vector<double> mass_;            ///< kg, of each of them
  std::vector<Eigen::Vector3d> known_;  ///< velocities that nodes know of, of each of them
  std::vector<double> work_;
  std::vector<double> inverse_;
  Projection projection_;
  int since_damping_ = 0;  ///< inner steps
};

}  // namespace carom::solid
