#pragma once

#include <array>
#include <vector>

#include "mesh/voxel_links.hpp"

/// Surface of voxels that links join, closed and manifold for every pattern of links (methods/cutting.md).
namespace carom::mesh {

/// Point of the lattice as seen from the voxels around it that share a vertex of the surface there.
struct LinkVertex {
  std::array<std::int32_t, 3> place{};  ///< twice the coordinates in units of voxels, so that middles are numbers
  std::vector<Index> voxels{};          ///< ascending
};

struct LinkSurface {
  std::vector<LinkVertex> vertices;
  std::vector<Triangle> triangles;
  std::vector<VoxelLink> sides;  ///< voxel and direction of each face of a voxel that is on the surface
  std::vector<Index> side_of_triangle;
  std::vector<std::uint8_t> is_cut;  ///< of each side: there is a voxel behind it, and the link was cut
};

/// Each face of a voxel whose link is cut, or that has no neighbor, is a square with a vertex in its middle; squares
/// are glued along edges of the lattice by turning about the edge through material; vertices are the corners that are
/// glued around a point.
LinkSurface make_surface(const VoxelLinks& links);
/// The same of some voxels, ascending, which no link joins to others.
LinkSurface make_surface(const VoxelLinks& links, std::span<const Index> voxels);

/// Positions of the vertices in units of voxels, each moved towards the middle of its voxels by `kerf` / 2, as a
/// fraction of a voxel: the width of a cut.
std::vector<Eigen::Vector3d> positions_of(const LinkSurface& surface, const VoxelLinks& links, double kerf);

/// Nodes, the corners of voxels: one for each part of the voxels around a corner that links join there.
struct LinkNodes {
  std::vector<std::array<Index, 8>> corners;        ///< nodes of each voxel, in the order of VoxelLattice
  std::vector<std::array<std::int32_t, 3>> places;  ///< of each node, in units of voxels
};
LinkNodes make_nodes(const VoxelLinks& links);

}  // namespace carom::mesh
