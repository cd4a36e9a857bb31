#pragma once

#include "narrow/convex/patch.hpp"
#include "narrow/mesh/mesh_convex.hpp"

namespace carom::mesh {

/// Where a convex shape touches one triangle of a mesh, or is near it. The normal points from the mesh to the shape.
struct TrianglePatch {
  Index triangle = none;
  convex::Patch patch;
};

/// Every triangle, by its place in the tree, that may be within `reach` of a box around the shape.
void find_candidates(const PlacedMesh& a, const PlacedCore& b, double reach, std::vector<std::uint32_t>& out);

/// One for each of the candidates within `within` that has something of its own to say, ascending, as
/// carom/mesh_contacts.hpp promises of mesh_manifolds(); `out` is cleared.
void find_patches(const PlacedMesh& a, const PlacedCore& b, double within, std::span<const std::uint32_t> candidates,
                  std::vector<TrianglePatch>& out);

void find_triangles_near(const PlacedMesh& a, const AxisBox& box, std::vector<Index>& out);

}  // namespace carom::mesh
