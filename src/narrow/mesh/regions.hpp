#pragma once

#include "carom/detect/intersect.hpp"
#include "narrow/mesh/mesh_mesh.hpp"

/// Where two meshes overlap, piece by piece.
///
/// A region is a connected piece of the overlap: pairs of triangles that cross, joined where the curve of intersection
/// goes from one triangle to its neighbour, and the pieces of each surface inside the other that these cut out. A piece
/// of a mesh that is inside the other as a whole is a region without crossings.
namespace carom::mesh {

/// Triangles that meet, by their numbers in the meshes.
struct TriangleCrossing {
  Index a = none;
  Index b = none;
  TriangleIntersection where;  ///< in the frame of a
};

/// One mesh's share of a region.
struct RegionSide {
  std::vector<Index> triangles;  ///< those that cross, and those inside the other; ascending
  std::vector<Index> vertices;   ///< inside the other; ascending, and of several at one place the first
};

struct Region {
  std::vector<TriangleCrossing> crossings;  ///< sorted by a, b
  RegionSide a;
  RegionSide b;
};

/// Every two triangles that meet, sorted.
std::vector<TriangleCrossing> find_crossings(const MeshData& a, const MeshData& b, const RelativePose& pose);

/// Sorted by their lowest triangle of a, then of b. All in all the triangles must meet or one mesh be inside the other.
std::vector<Region> find_regions(const MeshData& a, const MeshData& b, const RelativePose& pose);

}  // namespace carom::mesh
