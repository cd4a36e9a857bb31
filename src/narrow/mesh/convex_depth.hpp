#pragma once

#include "narrow/mesh/convex_traverse.hpp"

namespace carom::mesh {

/// How deep a convex shape is in a mesh, where their cores overlap or the one is inside the other.
///
/// Triangles that overlap the core, joined at their vertices, are regions. Moving the shape by the depth along the
/// normal takes it off the triangles of the deepest region, and off whatever it meets there on the way, but for
/// triangles nearer to another region; and the shape is not inside the mesh then. This is tried out. The direction is
/// the best of some: the mean normal of the triangles, normals of single ones, the way out of the middle.
struct ConvexRegion {
  double depth = INFINITY;  ///< of the cores; infinite if the mesh is a room and no place in it was found
  double lower = 0;
  Vec3 normal{1, 0, 0};
  Vec3 point_a;  ///< on the mesh
  Vec3 point_b;  ///< on the core: point_a - depth * normal, if that is finite
  Index triangle = none;
  bool limited = false;
  std::vector<Index> triangles;  ///< ascending; none if the core is inside as a whole
};
std::vector<ConvexRegion> convex_regions(const PlacedMesh& a, const PlacedCore& b, ConvexWalk& traverse);

/// Depth of the deepest region.
void convex_depth(const PlacedMesh& a, const PlacedCore& b, ConvexWalk& traverse, QueryResult& result);

}  // namespace carom::mesh
