#pragma once

#include <string>

#include "carom/mesh/mesh.hpp"

namespace carom {

/// Corners such that (b - a) x (c - a) . (d - a) is positive.
using Tetrahedron = std::array<Index, 4>;

/// Volume mesh.
struct TetrahedralMesh {
  std::vector<Eigen::Vector3d> positions;
  std::vector<Tetrahedron> tetrahedra;
};

/// Triangles that are the side of one tetrahedron only, facing outward, over all positions of the mesh. Those of
/// tetrahedra with a positive volume are closed.
std::vector<Triangle> boundary_triangles(const TetrahedralMesh& mesh);

/// m^3, signed, of one tetrahedron.
double volume_of(const TetrahedralMesh& mesh, std::size_t tetrahedron);

/// Turns the tetrahedra that are inside out, and returns how many. Throws Error that names the mesh and the tetrahedron
/// which has no volume, whose corner is none of the vertices, or whose position is not finite.
std::size_t orient(const std::string& name, TetrahedralMesh& mesh);

}  // namespace carom
