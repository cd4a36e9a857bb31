#pragma once

#include <cmath>
#include <limits>

#include "math/vec3.hpp"

/// Common part of a line and a convex set: a span of times, and the normal where it enters.
namespace carom::rays {

using math::Vec3;

/// All x = origin + t direction, the direction of unit length. The origin is near the shape, so that times are not much
/// larger than the shape.
struct Line {
  Vec3 origin;
  Vec3 direction;

  Vec3 at(double t) const { return origin + t * direction; }
};

struct Span {
  double enter = INFINITY;
  double leave = -INFINITY;
  Vec3 normal;  ///< unit, where it enters

  bool empty() const { return !(enter <= leave); }
  static Span whole() { return {-INFINITY, INFINITY, {}}; }
};

/// Span of the union of two sets, if that is convex.
inline void join(Span& all, const Span& one) {
  if (one.empty()) return;
  if (one.enter < all.enter) {
    all.enter = one.enter;
    all.normal = one.normal;
  }
  all.leave = std::fmax(all.leave, one.leave);
}

/// Span of the intersection of two sets.
inline void cut(Span& all, const Span& one) {
  if (one.enter > all.enter) {
    all.enter = one.enter;
    all.normal = one.normal;
  }
  all.leave = std::fmin(all.leave, one.leave);
}

}  // namespace carom::rays
