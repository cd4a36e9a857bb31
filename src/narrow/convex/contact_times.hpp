#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::convex {

/// The times of contact of two shapes that go straight, narrowed down axis by axis.
struct ContactTimes {
  double first = -INFINITY;  ///< negative while no axis has kept them apart at the start
  double last = INFINITY;
  bool meet = true;

  /// `gap` along an axis at time 0, and how fast it grows. A gap of less than `slack` below 0 is a touch. True if the
  /// axis is the last so far along which they come together.
  bool narrow(double gap, double speed, double slack, double end) {
    double enter = gap >= -slack ? 0 : -INFINITY;
    if (gap > 0) {
      if (!(speed < 0)) {
        meet = false;
        return false;
      }
      enter = gap / -speed;
    }
    // Shapes that touch to rounding and part have met.
    if (speed > 0) last = std::min(last, std::max(-gap, 0.0) / speed);
    const bool later = enter > first;
    if (later) first = enter;
    // Too slow to get there in any time that there is.
    meet = std::max(first, 0.0) <= std::min({last, end, std::numeric_limits<double>::max()});
    return later;
  }
};

}  // namespace carom::convex
