#pragma once

#include "narrow/convex/convex_manifold.hpp"
#include "narrow/mesh/mesh_convex.hpp"

namespace carom::mesh {

/// Where a convex shape touches one triangle of a mesh, or is near it. The normal points from the mesh to the shape.
struct FaceManifold {
  Index triangle = none;
  convex::ConvexManifold patch;
};

/// Triangles of a mesh with what is asked of each of them again and again, side by side: in the mesh it is far apart.
struct Candidates {
  enum Flag : std::uint8_t { sharp_front = 1, sharp_behind = 2, closed = 4 };
  std::vector<std::uint32_t> places;  ///< in the tree
  std::vector<std::uint8_t> flags;    ///< as MeshData::sharp and is_closed()
  std::vector<double> planes;         ///< as kernels::PlaneRows; normals are zero where there is none
  std::size_t stride = 0;
};

/// Every triangle that may be within `reach` of a box around the shape.
void find_candidates(const PlacedMesh& a, const PlacedCore& b, double reach, Candidates& out);

/// One for each of the candidates within `within` that has something of its own to say, ascending, as
/// carom/query/mesh_contacts.hpp promises of mesh_manifolds(); `out` is cleared.
void find_face_manifolds(const PlacedMesh& a, const PlacedCore& b, double within, const Candidates& candidates,
                         std::vector<FaceManifold>& out);

void find_triangles_near(const PlacedMesh& a, const AxisBox& box, std::vector<Index>& out);

}  // namespace carom::mesh
