#pragma once

#include "narrow/ray/span.hpp"
#include "shapes/core.hpp"

namespace carom::rays {

/// A ball about `center`.
Span ball(const Line& line, const Vec3& center, double radius);
/// All within `radius` of the segment from p to q.
Span capsule(const Line& line, const Vec3& p, const Vec3& q, double radius);
/// Every core but hulls and half-spaces, with its radius.
Span solid(const Line& line, const shapes::Core& core);

}  // namespace carom::rays
