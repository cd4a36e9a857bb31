#pragma once

#include <memory>

#include "carom/shape/decompose.hpp"
#include "core/memo.hpp"
#include "shapes/mesh_tree.hpp"

namespace carom::shapes {

/// Sine of the angle up to which neighbours count as flat.
inline constexpr double flat_tilt = 0.1;

/// Data of a mesh for queries: made with the shape, shared by its copies.
///
/// Vertices at exactly the same place count as one here, so that a file without shared vertices (STL) is as closed as
/// the surface it describes.
struct MeshData {
  TriangleMesh mesh;
  MeshOptions options;
  MeshTree tree;
  std::vector<Index> vertex_at;           ///< for each vertex the first one at its place
  IndexLists vertex_triangles;            ///< of each first vertex, ascending
  std::vector<Index> component;           ///< of each triangle, numbered by first triangle
  std::vector<Index> component_triangle;  ///< the first of each
  /// Whether each component is closed: every edge is run along as often one way as the other, so that each point off
  /// the surface has a winding number. Triangles that meet in fours along an edge may be closed. None with
  /// MeshSolid::surface.
  std::vector<std::uint8_t> closed;
  bool any_closed = false;
  /// Whether the solid has no end: it is all points but those with a negative winding number. See MeshSolid.
  bool room = false;
  /// Bits of each triangle: bit 0 if a vertex of it, or an edge there, can be touched from its front along a normal
  /// that is not nearly its own (by `flat_tilt`): the surface falls off there, or ends. Bit 1 from behind.
  std::vector<std::uint8_t> sharp;
  double reach = 0;  ///< no vertex is farther from the origin of the mesh
  /// Results of decompose(), which follow from the mesh alone.
  std::shared_ptr<Memo<DecomposeOptions, Decomposition>> decompositions =
      std::make_shared<Memo<DecomposeOptions, Decomposition>>();

  bool is_closed(Index triangle) const {
    return closed[static_cast<std::size_t>(component[static_cast<std::size_t>(triangle)])] != 0;
  }
  Eigen::Vector3d corner(Index triangle, std::size_t k) const {
    return mesh.positions[static_cast<std::size_t>(mesh.triangles[static_cast<std::size_t>(triangle)][k])];
  }
};

MeshData build_mesh_data(const TriangleMesh& mesh, const MeshOptions& options);

}  // namespace carom::shapes
