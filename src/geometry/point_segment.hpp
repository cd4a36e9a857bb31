#pragma once

#include "math/vec3.hpp"

namespace carom::geometry {

using math::Vec3;

/// The point of a segment closest to the origin: weight_u * u + weight_v * v.
struct SegmentPoint {
  double weight_u = 1;
  double weight_v = 0;
  Vec3 point;
  double squared_distance = 0;
};

/// Point of the segment from u to v that is nearest to the origin. Both weights come from their own dot product and
/// share one sum, instead of v's being one minus u's: swapping u and v then swaps the weights and leaves every other
/// bit as it was. The error of the point is a few roundings of the longer of u and v, however short or long the
/// segment. A segment of zero length, or one lost in rounding, acts as its nearer end.
inline SegmentPoint closest_to_origin(const Vec3& u, const Vec3& v) {
  const Vec3 along = v - u;
  const double past_u = -dot(u, along);
  const double before_v = dot(v, along);
  const bool inside = past_u > 0 && before_v > 0;
  const bool u_is_nearer = dot(u, u) <= dot(v, v);
  const double sum = inside ? past_u + before_v : 1.0;
  SegmentPoint result;
  result.weight_u = inside ? before_v / sum : (u_is_nearer ? 1.0 : 0.0);
  result.weight_v = inside ? past_u / sum : (u_is_nearer ? 0.0 : 1.0);
  result.point = result.weight_u * u + result.weight_v * v;
  result.squared_distance = dot(result.point, result.point);
  return result;
}

}  // namespace carom::geometry
