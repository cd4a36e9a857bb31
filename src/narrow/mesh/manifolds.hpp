#pragma once

#include "carom/mesh_contacts.hpp"
#include "narrow/mesh/mesh_convex.hpp"

namespace carom::mesh {

void find_manifolds(const PlacedMesh& a, const PlacedCore& b, double within, std::vector<TriangleManifold>& out);

void find_triangles_near(const PlacedMesh& a, const AxisBox& box, std::vector<Index>& out);

}  // namespace carom::mesh
