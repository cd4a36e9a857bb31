#pragma once

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "mesh/voxel_links.hpp"

/// Surface of voxels that links join, closed and manifold for every pattern of links (methods/cutting.md).
namespace carom::mesh {

/// Point of the lattice as seen from the voxels around it that share a vertex of the surface there.
struct LinkVertex {
  std::array<std::int32_t, 3> place{};  ///< twice the coordinates in units of voxels, so that middles are numbers
  std::vector<Index> voxels{};          ///< ascending
};

/// Triangles of a face: of each of its edges, from corner i to the next, that at 2 i, and one at 2 i + 1 if there is a
/// vertex in the middle of the edge; otherwise none. The last corner of each is the middle of the face.
using SideTriangles = std::array<Index, 8>;

struct LinkSurface {
  std::vector<LinkVertex> vertices;
  std::vector<Triangle> triangles;
  std::vector<VoxelLink> sides;  ///< voxel and direction of each face of a voxel that is on the surface
  std::vector<Index> side_of_triangle;
  std::vector<std::uint8_t> is_cut;  ///< of each side: there is a voxel behind it, and the link was cut
  std::vector<SideTriangles> triangles_of_side;
  std::size_t ordered_sides = 0;  ///< those before ascend by voxel and direction
  std::map<std::pair<Index, int>, Index> later_sides;

  /// Number of a side; none if it is not on the surface.
  Index side(Index voxel, int direction) const;
};

/// Each face of a voxel whose link is cut, or that has no neighbor, is a square with a vertex in its middle; squares
/// are glued along edges of the lattice by turning about the edge through material; vertices are the corners that are
/// glued around a point.
LinkSurface make_surface(const VoxelLinks& links);
/// The same of some voxels, ascending, which no link joins to others.
LinkSurface make_surface(const VoxelLinks& links, std::span<const Index> voxels);

/// Sides that have one of these corners of the lattice (in units of voxels), ascending by voxel and direction.
std::vector<Index> sides_at(const VoxelLinks& links, const LinkSurface& surface,
                            std::span<const std::array<std::int32_t, 3>> corners);
/// Their vertices that are at these corners, in edges that end there, or in the middle of a side; ascending. `corners`
/// ascend.
std::vector<Index> vertices_at(const LinkSurface& surface, std::span<const Index> sides,
                               std::span<const std::array<std::int32_t, 3>> corners);

/// What cuts changed of a surface.
struct LinkSurfaceChange {
  std::vector<Index> gone;  ///< vertices that are in no triangle any more: they keep their places, and have no voxels
  std::vector<Index> triangles;  ///< all that are other than before or new, ascending; some are the same
};
/// Makes a surface that of the links after these were cut, in time that grows with their number only. `corners`,
/// ascending: those of the faces of the links. Vertices and triangles keep their numbers. Of several vertices that were
/// one, the first keeps it; new ones come last.
LinkSurfaceChange update_surface(const VoxelLinks& links, std::span<const VoxelLink> cut,
                                 std::span<const std::array<std::int32_t, 3>> corners, LinkSurface& surface);

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
