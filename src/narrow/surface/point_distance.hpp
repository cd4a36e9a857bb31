#pragma once

#include "shapes/core.hpp"

namespace carom::narrow::surface {

using shapes::Core;
using shapes::Vec3;

/// Signed distance of a point from a convex shape, in the frame of the shape.
///
/// The signed distance of a convex shape is a convex function: d(x) >= distance + normal . (x - p) for every point x.
/// Callers rule out whole edges and triangles by this inequality.
struct PointDistance {
  double distance = 0;  ///< m, negative inside: the length of the shortest path out of the shape
  Vec3 normal;          ///< unit, outward: the gradient of the distance
  bool exact = true;    ///< false: `distance` is a lower bound above `within`, and the inequality above holds for it
};

/// Closed forms, except for points outside a hull, which take GJK. Of several shortest paths out of the shape the
/// choice depends on the point alone. Points that are farther than `within` may get a lower bound.
PointDistance point_distance(const Core& core, const Vec3& p, double within);

}  // namespace carom::narrow::surface
