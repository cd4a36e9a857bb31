#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "carom/body/elasticity.hpp"
#include "carom/mesh/tetrahedra.hpp"
#include "core/parallel.hpp"
#include "core/phased_loop.hpp"
#include "kernels/soft_elements.hpp"
#include "mesh/voxels.hpp"

/// Soft bodies: nodes and elements, projected once in each of many small inner steps (adr/0016). Nothing here knows of
/// contacts.
namespace carom::solid {

/// Throws Error(invalid_argument) that names the body and the field.
void check(const std::string& body, const Elasticity& elasticity, std::span<const SoftRegion> regions,
           std::span<const FixedRegion> fixed);

/// Nodes, and elements of one kind: voxels or tetrahedra.
struct Elements {
  std::vector<Eigen::Vector3d> nodes;  ///< m, at rest
  std::vector<double> node_volume;     ///< m^3 of material
  double voxel_size = 0;               ///< m
  std::vector<std::array<Index, 8>> voxels;
  std::vector<std::array<std::int32_t, 3>> cells;  ///< of voxels
  std::vector<double> fill;                        ///< of voxels
  std::vector<Tetrahedron> tetrahedra;

  std::size_t count() const { return voxels.size() + tetrahedra.size(); }
};
Elements elements_of(const mesh::VoxelLattice& lattice);
/// All volumes are positive.
Elements elements_of(const TetrahedralMesh& mesh);

/// 1/kg of each node: density times its volume; 0 of nodes within a fixed region.
std::vector<double> inverse_masses(const Elements& elements, double density, std::span<const FixedRegion> fixed);

/// The same of one node, by its place at rest (m).
double inverse_mass_at(const Eigen::Vector3d& place, double volume, double density, std::span<const FixedRegion> fixed);
struct NodeMass {
  Index node = none;
  double inverse = 0;  ///< 1/kg
};

/// Elements in colors, such that no two of a color have a node in common: those of a color can be projected in any
/// order, in vectors and by several threads, with one result. Made once; a step does not change it.
class Model {
 public:
  Model() = default;
  Model(const Elements& elements, const Elasticity& elasticity, std::span<const SoftRegion> regions,
        std::vector<double> inverse_mass);

  std::size_t node_count() const { return inverse_mass_.size(); }
  std::size_t element_count() const { return element_count_; }
  std::size_t color_count() const { return colors_.size(); }
  /// 1/kg of each node; 0 of those that never move.
  std::span<const double> inverse_mass() const { return inverse_mass_; }

  /// Number of those that never move.
  std::size_t fixed_count() const { return fixed_count_; }

  /// s; longest inner step that resolves most of the body, see kernels::ElementStep.
  double inner_step() const { return inner_step_; }
  /// 1/s^2; bound on the squares of all frequencies of the body at rest.
  double largest_rate() const;
  /// J; 0 at rest, with shapes at rest of all batches or as made.
  double energy(std::span<const Eigen::Vector3d> positions, std::span<const kernels::RestBatch> rest = {}) const;
  /// m^3, of all elements, as far as they are full.
  double volume(std::span<const Eigen::Vector3d> positions) const;
  /// Lane of an element among those of all batches, by its number in Elements.
  std::size_t lane_of(std::size_t element) const { return lane_[element]; }
  std::size_t batch_count() const { return voxels_.size() + tetrahedra_.size(); }
  /// Gives voxels other nodes, and nodes other masses. New nodes have numbers from node_count() on, all of them have a
  /// mass here; all voxels that have a node whose mass changes are here. The model is then as if made of these.
  void change_voxels(std::span<const std::uint32_t> elements, std::span<const std::array<Index, 8>> nodes,
                     std::span<const NodeMass> masses);
  /// Deformation gradient of the element of a lane, as made, in the middle of it.
  Eigen::Matrix3d gradient(std::size_t lane, std::span<const Eigen::Vector3d> positions) const;

 private:
  friend class Projection;
  /// Batches [begin, end) of one color.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  /// What inner steps follow of the rate of an element, and what it holds of the body, in whole numbers.
  struct FollowedRate {
    double rate = 0;  ///< 1/s^2
    std::uint64_t share = 0;
  };
  /// The rate that inner steps resolve, and how much of all that is not fixed has less, and the same.
  struct ResolvedRate {
    double rate = 0;
    std::uint64_t below = 0;
    std::uint64_t equal = 0;
    std::uint64_t all = 0;
  };
  static ResolvedRate resolved_rate_of(std::vector<FollowedRate> rates);
  void set_inner_step();
  FollowedRate rate_of_lane(std::size_t lane) const;
  /// Adds the stiffness of the voxel of a lane to its nodes, or takes it away.
  void add_stiffness(std::size_t lane, bool comes);
  void set_nodes(std::size_t lane, const std::array<Index, 8>& nodes);
  /// Once its nodes have the stiffness of all voxels.
  void set_rate(std::size_t lane);
  template <class Visit>
  void each_element(std::span<const Eigen::Vector3d> positions, const Visit& visit) const;
  void set_volumes(std::span<const double> sizes);
  void add_voxels(const Elements& elements, std::span<const double> sizes, std::span<const double> shear,
                  std::span<const double> volume);
  void add_tetrahedra(const Elements& elements, std::span<const double> sizes, std::span<const double> shear,
                      std::span<const double> volume);

  std::size_t element_count_ = 0;
  std::vector<std::uint32_t> lane_;
  std::vector<double> inverse_mass_;
  std::size_t fixed_count_ = 0;
  std::vector<kernels::VoxelBatch> voxels_;
  std::vector<kernels::TetrahedronBatch> tetrahedra_;
  std::vector<Range> colors_;
  double damping_ = 0;
  double inverse_size_ = 0;
  double inner_step_ = 0;
  ResolvedRate resolved_rate_;
  /// Of each node of a lattice: shear of the voxels there, in units of `stiffness_unit_` (J). Whole numbers, so that
  /// sums do not depend on the order in which voxels come and go.
  std::vector<std::uint64_t> stiffness_;
  double stiffness_unit_ = 0;
  std::vector<double> volume_;  ///< m^3, of the element of each lane, as far as it is full
  double volume_unit_ = 0;      ///< m^3
};

/// Working memory of an inner step.
class Projection {
 public:
  /// Changes velocities (m/s) as the elements do over an inner step of h (s): nodes that would go from
  /// start + displacements to start + displacements + h velocities go to where the elements have moved these ends.
  /// Linear momentum is kept to rounding. The result does not depend on the number of threads. `rest`: shapes at rest
  /// of all batches; empty if they are as made.
  void run(Workers& workers, const Model& model, double h, std::span<const Eigen::Vector3d> start,
           std::span<const Eigen::Vector3d> displacements, std::span<Eigen::Vector3d> velocities,
           std::span<const kernels::RestBatch> rest = {});
  /// Viscous forces of the velocities over an interval (s), for materials with damping. To be called before forces act:
  /// what is at rest is not changed. Linear momentum is kept to rounding.
  void damp(Workers& workers, const Model& model, double interval, std::span<const Eigen::Vector3d> start,
            std::span<const Eigen::Vector3d> displacements, std::span<Eigen::Vector3d> velocities);

 private:
  void list_blocks(const Model& model);

  std::vector<kernels::ElementPoint> points_;  ///< and one more, for lanes without an element
  std::vector<kernels::ElementPoint> before_;
  std::vector<kernels::ElementPoint> ends_;  ///< without elements
  std::vector<std::uint32_t> blocks_;
  PhasedLoop loop_;
};

}  // namespace carom::solid
