#pragma once

#include <vector>

#include "carom/query/separating_axes.hpp"
#include "math/vec3.hpp"
#include "shapes/core.hpp"

namespace carom::convex {

using math::Vec3;

/// A polytope with everything that is next to everything, in its own frame.
struct Polyhedron {
  explicit Polyhedron(const Shape& shape);

  Shape shape;
  const shapes::Core* core = nullptr;  ///< of the shape: corners have the same numbers
  int dimension = 3;
  bool closed = true;  ///< a solid whose edges all have a face on either side
  double size = 0;     ///< no corner is farther from the origin

  std::vector<Eigen::Vector3d> corners;
  IndexLists faces;
  /// Not of unit length: twice the area each, so that integers stay integers.
  std::vector<Vec3> normals;
  std::vector<double> inverse_lengths;  ///< of the normals
  std::vector<Vec3> units;              ///< the normals with unit length

  std::vector<carom::Edge> edges;
  /// The face that runs along the edge from its first end to its second, and the other one.
  std::vector<std::array<Index, 2>> edge_faces;
  std::vector<Vec3> edge_units;  ///< from the first end to the second
  /// Unit, in the plane of each of the two faces, at right angles to the edge and out of the face.
  std::vector<std::array<Vec3, 2>> edge_outs;
  IndexLists vertex_edges;
  IndexLists face_edges;  ///< side k of a face, from its corner k to the next

  /// Normals and edge directions of shapes without volume, as of a prism or a box of no height over them. Their
  /// difference may have no volume either, and then has sides that no solid has.
  std::vector<Vec3> flat_normals;
  std::vector<Vec3> flat_edges;

  Vec3 corner(Index i) const { return math::to_vec3(corners[static_cast<std::size_t>(i)]); }
  Vec3 along(std::size_t edge) const { return corner(edges[edge][1]) - corner(edges[edge][0]); }
};

}  // namespace carom::convex
