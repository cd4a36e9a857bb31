#pragma once

#include <algorithm>
#include <cmath>

#include "bodies/rigid.hpp"
#include "bounds/contact_margin.hpp"

namespace carom::contact {

/// Thickness of a collider, m: radius of a ball inside it, or less. Moved by no more, it is not on the other side of
/// anything. Infinite for a collider without an inside.
inline double thickness(const rigid::Collider& c) {
  return c.inner > 0 && c.inner < INFINITY ? std::min(c.inner, bounds::ahead_fraction * c.size) : INFINITY;
}

/// Thickness of two colliders, m: that of the thinner. Half of it where the other has no inside, and is through at the
/// middle.
inline double thickness(const rigid::Collider& a, const rigid::Collider& b) {
  const double thinner = std::min(thickness(a), thickness(b));
  if (thinner == INFINITY) return 0;
  return a.inner == 0 || b.inner == 0 ? 0.5 * thinner : thinner;
}

/// Overlap, as a fraction of the thickness of a pair, beyond which the continuous stage watches it however slow the
/// bodies are.
inline constexpr double deep_fraction = 0.125;

}  // namespace carom::contact
