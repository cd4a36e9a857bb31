#pragma once

#include <algorithm>

#include "bodies/rigid.hpp"

/// Contact margins of shapes: up to which distance two of them make a contact.
namespace carom::bounds {

/// Largest distance of a speculative contact, as a fraction of the size of the smaller body.
inline constexpr double ahead_fraction = 0.5;

/// Contact margin of a pair at rest, m. `size` is that of the smaller collider.
inline double margin_at_rest(double size, double speculative_distance) {
  return std::min(speculative_distance, 0.1 * size);
}

/// Contact margin of a pair in this step, m.
inline double margin_in_step(const rigid::Bodies& bodies, const rigid::Collider& a, const rigid::Collider& b,
                             double speculative_distance, double dt) {
  const double size = std::min(a.size, b.size);
  const double speed = rigid::fastest(bodies, a.body, a.reach) + rigid::fastest(bodies, b.body, b.reach);
  return margin_at_rest(size, speculative_distance) + std::min(speed * dt, ahead_fraction * size);
}

}  // namespace carom::bounds
