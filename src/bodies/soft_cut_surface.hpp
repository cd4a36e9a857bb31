#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "bodies/soft_cut.hpp"
#include "core/at.hpp"

/// The surface of a lattice while it is cut: numbers of vertices, their places at rest, and where triangles intersect.
namespace carom::solid {

using LatticePlace = std::array<std::int32_t, 3>;

inline std::size_t element_of(const CutLattice& lattice, Index voxel) {
  if (lattice.voxels.size() == lattice.links.voxel_count()) return at(voxel);  // of which nothing came off
  const auto found = std::lower_bound(lattice.voxels.begin(), lattice.voxels.end(), voxel);
  return static_cast<std::size_t>(found - lattice.voxels.begin());
}
inline bool has_voxel(const CutLattice& lattice, Index voxel) {
  if (voxel == none || lattice.voxels.size() == lattice.links.voxel_count()) return voxel != none;
  return std::binary_search(lattice.voxels.begin(), lattice.voxels.end(), voxel);
}

/// Voxels around a corner of the lattice: that in octant o is at (o & 1, o >> 1 & 1, o >> 2 & 1) - 1 from it, and has
/// it as its corner 7 - o.
inline std::array<Index, 8> voxels_around(const mesh::VoxelLinks& links, const LatticePlace& place) {
  std::array<Index, 8> around{};
  for (std::size_t o = 0; o < 8; ++o) {
    LatticePlace cell = place;
    for (std::size_t k = 0; k < 3; ++k) cell[k] += static_cast<std::int32_t>(o >> k & 1) - 1;
    around[o] = links.find(cell);
  }
  return around;
}

/// Part of a surface around corners of the lattice.
struct SurfaceRegion {
  std::vector<LatticePlace> corners;  ///< ascending, in units of voxels
  std::vector<Index> sides;           ///< that have one of them
  std::vector<Index> vertices;        ///< at them, in edges that end there, and in the middles of the sides; ascending
};
SurfaceRegion region_at(std::vector<LatticePlace> corners, const CutLattice& lattice);
/// All of it.
SurfaceRegion whole_surface(const CutLattice& lattice);

/// Places at rest of the vertices of a region. `kerf`: width of a cut, as a fraction of a voxel.
void place_vertices(double kerf, const SurfaceRegion& region, CutLattice& lattice);

/// Voxels of triangles near the vertices of a region that intersect, at rest or where the nodes are now (m).
std::vector<Index> crossing_voxels(const CutLattice& lattice, const SurfaceRegion& region,
                                   std::span<const Eigen::Vector3d> nodes);

}  // namespace carom::solid
