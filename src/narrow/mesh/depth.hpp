#pragma once

#include "narrow/mesh/regions.hpp"

namespace carom::mesh {

using math::Vec3;

/// How deep a region is. In the frame of a.
///
/// Moving b by `depth` along `normal` takes the two apart here: no triangles cross any more but those nearer to another
/// region, and the region's vertices are not inside. This was tried out, not just estimated, unless `limited`. The
/// direction is the best of some: normal to the contour, out of the deepest point of either, normals of the largest
/// faces. No translation shorter than `lower` can do it: so deep is `deepest`, a vertex of one inside the other, below
/// the surface.
struct RegionDepth {
  double depth = 0;  ///< infinite if one is a room and no place in it was found for the other
  double lower = 0;
  Vec3 normal{1, 0, 0};
  Vec3 point_a;  ///< where they part last: point_a - point_b = depth * normal
  Vec3 point_b;
  Index triangle_a = none;
  Index triangle_b = none;
  Vec3 deepest;
  bool deepest_of_a = true;  ///< a vertex of a in b, or one of b in a
  bool limited = false;
};

/// Depth of each region.
std::vector<RegionDepth> measure(const MeshData& a, const MeshData& b, const RelativePose& pose,
                                 const std::vector<Region>& regions);

/// Depth of two meshes that collide: that of the deepest region.
void depth(const PlacedMesh& a, const PlacedMesh& b, const RelativePose& pose, QueryResult& result);

}  // namespace carom::mesh
