#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace carom {

using Index = std::int32_t;
using Triangle = std::array<Index, 3>;  ///< corners, counter-clockwise seen from outside
using Edge = std::array<Index, 2>;      ///< end points, the smaller index first

inline constexpr Index none = -1;

struct TriangleMesh {
  std::vector<Eigen::Vector3d> positions;
  std::vector<Triangle> triangles;
};

/// Lists of variable length end to end: list i is items[offsets[i] .. offsets[i + 1]).
struct IndexLists {
  std::vector<Index> offsets;
  std::vector<Index> items;

  std::span<const Index> operator[](std::size_t i) const {
    return {items.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
};

/// Who is next to whom. Made from indices alone, so a deformation does not change it.
/// Any list of triangles is welcome: open, non-manifold, with repeated corners.
struct Topology {
  std::vector<Edge> edges;  ///< each once, sorted
  std::vector<std::array<Index, 3>>
      triangle_edges;               ///< edge k joins corners k and k + 1; `none` if these are one vertex
  IndexLists edge_triangles;        ///< triangles at each edge, ascending
  IndexLists vertex_triangles;      ///< triangles at each vertex, ascending, each once
  std::vector<Index> vertex_owner;  ///< the one triangle that tests this vertex: the lowest that uses it, or `none`
  std::vector<Index> edge_owner;    ///< the one triangle that tests this edge: the lowest that uses it
  std::vector<Index>
      component;  ///< connected component (through shared vertices) of each triangle, numbered by first triangle
  Index component_count = 0;
  /// Vertices along each loop of edges with one triangle, in the direction of the triangles where
  /// these agree. Each such edge is in exactly one loop, and no loop visits a vertex twice. A chain
  /// that cannot close (there is a non-manifold edge next to it) ends with `none`.
  std::vector<std::vector<Index>> boundary_loops;
};

/// Throws Error(bad_index) that names the triangle whose corner is not in [0, vertex_count).
Topology build_topology(std::size_t vertex_count, std::span<const Triangle> triangles);

/// Report on what is right and what is wrong with a mesh. Every list holds the offending elements in
/// ascending order; an empty list is good news.
struct MeshReport {
  std::size_t vertices = 0;
  std::size_t edges = 0;
  std::size_t triangles = 0;
  std::size_t components = 0;
  std::size_t boundary_loops = 0;
  Eigen::Vector3d box_min = Eigen::Vector3d::Zero();  ///< of the used vertices
  Eigen::Vector3d box_max = Eigen::Vector3d::Zero();
  double area = 0;    ///< m^2
  double volume = 0;  ///< m^3, signed; only meaningful if watertight and oriented

  std::vector<Index> not_finite_vertices;               ///< NaN or infinite position
  std::vector<Index> unused_vertices;                   ///< in no triangle
  std::vector<std::vector<Index>> coincident_vertices;  ///< groups at exactly the same position
  std::vector<Index> repeated_corner_triangles;         ///< two corners are one vertex
  std::vector<Index> zero_area_triangles;  ///< three different vertices on one line (exactly, in real arithmetic)
  std::vector<std::vector<Index>> duplicate_triangles;  ///< groups over the same three vertices
  std::vector<Edge> boundary_edges;                     ///< one triangle only: the surface is open here
  std::vector<Edge> nonmanifold_edges;                  ///< more than two triangles
  std::vector<Edge> inconsistent_edges;     ///< two triangles that run along it the same way: one is inside out
  std::vector<Index> nonmanifold_vertices;  ///< the triangles around it form more than one fan

  bool watertight() const { return triangles > 0 && boundary_edges.empty() && nonmanifold_edges.empty(); }
  bool manifold() const { return nonmanifold_edges.empty() && nonmanifold_vertices.empty(); }
  bool oriented() const { return inconsistent_edges.empty(); }
  /// Whether there is nothing to complain of: watertight, manifold, oriented and no degenerate or doubled part.
  bool clean() const;
};

/// Throws Error(bad_index) as build_topology does; everything else is reported, not thrown.
MeshReport inspect(const TriangleMesh& mesh);

}  // namespace carom
