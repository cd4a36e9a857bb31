#pragma once

#include "geometry/vec3.hpp"

namespace carom::detail {

/// The point of a segment closest to the origin: weight_u * u + weight_v * v.
struct SegmentPoint {
  double weight_u = 1;
  double weight_v = 0;
  Vec3 point;
  double squared_distance = 0;
};

/// Below this a reciprocal may overflow. Lengths of a problem are up to 1e-60 (geometry/safe_range.hpp), so what has so
/// small a product is lost in the rounding of the rest.
inline constexpr double smallest_sum = 1e-300;

/// Both weights come from their own dot product and share one reciprocal, instead of v's being one minus
/// u's: swapping u and v then swaps the weights and leaves every other bit as it was. The error of
/// the point is a few roundings of the longer of u and v, however short or long the segment.
/// A segment of zero length, or one lost in rounding, acts as its nearer end.
inline SegmentPoint closest_to_origin(const Vec3& u, const Vec3& v) {
  const Vec3 along = v - u;
  const double past_u = -dot(u, along);
  const double before_v = dot(v, along);
  const double sum = past_u + before_v;
  const bool inside = past_u > 0 && before_v > 0 && sum >= smallest_sum;
  const bool u_is_nearer = dot(u, u) <= dot(v, v);
  const double per_sum = 1 / sum;  // of no use, but harmless, where it is not inside
  SegmentPoint result;
  result.weight_u = inside ? before_v * per_sum : (u_is_nearer ? 1.0 : 0.0);
  result.weight_v = inside ? past_u * per_sum : (u_is_nearer ? 0.0 : 1.0);
  result.point = result.weight_u * u + result.weight_v * v;
  result.squared_distance = dot(result.point, result.point);
  return result;
}

}  // namespace carom::detail
