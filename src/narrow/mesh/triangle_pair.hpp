#pragma once

#include <cmath>

#include "carom/detect/intersect.hpp"
#include "narrow/convex/pair.hpp"
#include "shapes/mesh_tree.hpp"

namespace carom::mesh {

using math::Vec3;
using shapes::TriangleCorners;

struct TriangleClosest {
  double distance = 0;
  Vec3 point_a;
  Vec3 point_b;
  std::uint32_t corners_a = 0;  ///< those that carry the point: bit k for corner k
  std::uint32_t corners_b = 0;
};

/// Closest points of two triangles that do not meet: the least of the distances of their features. `distance` is that
/// of the points.
TriangleClosest closest_of(const TriangleCorners& a, const TriangleCorners& b);

/// From a to b, of unit length. Where the gap is but rounding, the features tell more than the points.
Vec3 direction_of(const TriangleCorners& a, const TriangleCorners& b, const TriangleClosest& closest);

/// The same, to the last bit.
double distance_of(const TriangleCorners& a, const TriangleCorners& b);

/// Exact, for the numbers given.
bool meet(const TriangleCorners& a, const TriangleCorners& b);
/// Where, if they do.
TriangleIntersection intersection(const TriangleCorners& a, const TriangleCorners& b);

/// Where b, moved along n, last meets a: b + time * n. `point` is common to both then.
struct LastContact {
  double time = -INFINITY;
  Vec3 point;
};
LastContact last_contact(const TriangleCorners& a, const TriangleCorners& b, const Vec3& n);

inline TriangleCorners moved(const TriangleCorners& t, const convex::RelativePose& pose) {
  return {pose.rotate(t[0]) + pose.t, pose.rotate(t[1]) + pose.t, pose.rotate(t[2]) + pose.t};
}

}  // namespace carom::mesh
