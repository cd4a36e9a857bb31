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

  /// s; longest inner step that resolves most elements, see kernels::ElementStep::resolved_rate.
  double inner_step() const { return inner_step_; }
  /// J; 0 at rest, with shapes at rest of all batches or as made.
  double energy(std::span<const Eigen::Vector3d> positions, std::span<const kernels::RestBatch> rest = {}) const;
  /// m^3, of all elements, as far as they are full.
  double volume(std::span<const Eigen::Vector3d> positions) const;
  /// Lane of an element among those of all batches, by its number in Elements.
  std::size_t lane_of(std::size_t element) const { return lane_[element]; }
  std::size_t batch_count() const { return voxels_.size() + tetrahedra_.size(); }
  /// Deformation gradient of the element of a lane, as made, in the middle of it.
  Eigen::Matrix3d gradient(std::size_t lane, std::span<const Eigen::Vector3d> positions) const;

 private:
  friend class Projection;
  /// Batches [begin, end) of one color.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  template <class Visit>
  void each_element(std::span<const Eigen::Vector3d> positions, const Visit& visit) const;
  void add_voxels(const Elements& elements, std::span<const double> shear, std::span<const double> volume);
  void add_tetrahedra(const Elements& elements, std::span<const double> shear, std::span<const double> volume);

  std::size_t element_count_ = 0;
  std::vector<std::uint32_t> lane_;
  std::vector<double> inverse_mass_;
  std::vector<kernels::VoxelBatch> voxels_;
  std::vector<kernels::TetrahedronBatch> tetrahedra_;
  std::vector<Range> colors_;
  double damping_ = 0;
  double inverse_size_ = 0;
  double inner_step_ = 0;
  double resolved_rate_ = 0;    ///< see kernels::ElementStep
  std::vector<double> volume_;  ///< m^3, of the element of each lane, as far as it is full
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
