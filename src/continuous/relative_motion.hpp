#pragma once

#include "carom/detect/continuous.hpp"
#include "math/vec3.hpp"

/// Relative motion of both kinds of pairs as one problem: does a moving convex polygon meet the origin?
///
/// Two features have a point in common if and only if the origin is in the set of all differences of a
/// point of a and a point of b. For a vertex and a triangle this is the triangle of the differences p - a_i, for
/// two edges the parallelogram of a_i - b_j; their distance is that of the polygon from the origin. The
/// corners of the polygon move straight as the vertices do.
namespace carom::continuous {

using math::Vec3;

inline constexpr double unit_roundoff = 0x1p-53;

struct RelativeMotion {
  int corners = 3;
  /// Around the polygon, at the start and at the end. vertex_face: p - a0, p - a1, p - a2.
  /// edge_edge: a0 - b0, a0 - b1, a1 - b1, a1 - b0. Each coordinate is one difference of the input:
  /// wrong by a relative 2^-53 at most.
  std::array<Vec3, 4> start;
  std::array<Vec3, 4> end;
  /// First two sides, corner 1 - corner 0 and corner 2 - corner 1, also as differences of the input.
  Vec3 side_f_start, side_f_end;
  Vec3 side_g_start, side_g_end;
  double size = 0;    ///< largest coordinate of a corner
  double size_f = 0;  ///< largest coordinate of side f
  double size_g = 0;
  double motion = 0;  ///< longest path of a corner
  double separation = 0;
  int exponent = 0;  ///< lengths were divided by 2^exponent to be of a size that can be multiplied
};

/// Finite input. Lengths are left as they are if the largest is in the safe range (math/safe_range.hpp).
RelativeMotion relative_motion(ContactKind kind, const FeatureMotion& motion, double separation);

/// Corner i at time t; every coordinate is wrong by less than 8 * 2^-53 of the size.
inline Vec3 corner_at(const RelativeMotion& m, int i, double t) {
  const auto k = static_cast<std::size_t>(i);
  return (1 - t) * m.start[k] + t * m.end[k];
}

}  // namespace carom::continuous
