#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"

/// Links between neighboring voxels, which a blade cuts, and the surface of what they join.
namespace carom::mesh {

/// Directions from a voxel to its neighbors: -x, +x, -y, +y, -z, +z. Direction d ^ 1 is the opposite one.
inline constexpr int direction_count = 6;

/// Voxels of a lattice and whether neighbors hang together.
class VoxelLinks {
 public:
  /// Cells ascending by z, then y, then x, as in VoxelLattice; all neighbors are joined.
  explicit VoxelLinks(std::vector<std::array<std::int32_t, 3>> cells);

  std::size_t voxel_count() const { return cells_.size(); }
  const std::array<std::int32_t, 3>& cell(Index voxel) const { return cells_[static_cast<std::size_t>(voxel)]; }
  Index neighbor(Index voxel, int direction) const {
    return neighbors_[static_cast<std::size_t>(voxel)][static_cast<std::size_t>(direction)];
  }
  /// Whether there is a neighbor and the link to it is whole.
  bool joined(Index voxel, int direction) const {
    return neighbor(voxel, direction) != none && (cut_[static_cast<std::size_t>(voxel)] >> direction & 1) == 0;
  }
  /// Voxel of a cell, or none.
  Index find(const std::array<std::int32_t, 3>& cell) const;
  /// Cuts a link, for both of its voxels. False if there is none, or if it is cut already.
  bool cut(Index voxel, int direction);

 private:
  std::vector<std::array<std::int32_t, 3>> cells_;
  std::vector<std::array<Index, direction_count>> neighbors_;
  std::vector<std::uint8_t> cut_;  // a bit for each direction
};

/// Link from a voxel in a positive direction.
struct VoxelLink {
  Index voxel = none;
  int direction = 0;
  friend bool operator==(const VoxelLink&, const VoxelLink&) = default;
};

/// Link that a blade passes through, and where.
struct LinkCrossing {
  VoxelLink link;
  double fraction = 0.5;  ///< of the way from the center of the voxel to that of its neighbor
};

/// Motion of a blade, a chain of points, over a step.
struct BladeMotion {
  std::span<const Eigen::Vector3d> start;
  std::span<const Eigen::Vector3d> end;
};

/// Links whose segment, from center to center of two voxels, the blade passes through while centers go from start to
/// end. Decided by the exact test of two edges in motion: none is missed at any speed, and none that is not met is
/// named. Ascending by voxel and direction; links that are cut are left out.
std::vector<VoxelLink> crossed_links(const VoxelLinks& links, std::span<const Eigen::Vector3d> start,
                                     std::span<const Eigen::Vector3d> end, const BladeMotion& blade);
/// The same of links between some voxels, ascending; centers are theirs, in this order.
std::vector<LinkCrossing> link_crossings(const VoxelLinks& links, std::span<const Index> voxels,
                                         std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> end,
                                         const BladeMotion& blade);

/// Parts that links hold together: number of the part of each voxel, numbered by the first voxel.
std::vector<Index> parts_of(const VoxelLinks& links);

/// Voxels that came off when these links of one part were cut, a list for each new part but the largest. Searches run
/// from both ends of each link in turn until all but one are exhausted: time grows with the parts that came off, and
/// with the way around a cut that separates nothing.
std::vector<std::vector<Index>> parts_that_came_off(const VoxelLinks& links, std::span<const VoxelLink> cut);

}  // namespace carom::mesh
