#pragma once

#include <algorithm>
#include <array>

namespace carom::bounds {

/// A part of a step: from when to when something may happen. Empty if it ends before it begins.
struct Interval {
  double begin = 0;
  double end = 1;
  bool empty() const { return begin > end; }
};

/// A box whose faces move straight from where they are at the start of a step to where they are at its end. It holds
/// every point that moves straight between points of the two boxes: the lowest of several coordinates that change
/// linearly is never below the line between its values at the start and at the end.
struct MovingBox {
  std::array<float, 3> min_start, max_start, min_end, max_end;
};

/// Time is widened by this where it is cut, far more than rounding can do.
inline constexpr double time_slack = 1e-9;

/// Keeps the part in which a gap that changes linearly, from `at_start` to `at_end`, is not positive.
inline void cut_where_apart(double at_start, double at_end, Interval& part) {
  if (at_start <= 0 && at_end <= 0) return;
  if (at_start > 0 && at_end > 0) {
    part.end = -1;  // never
    return;
  }
  const double crossing = at_start / (at_start - at_end);
  if (at_start > 0) {
    part.begin = std::max(part.begin, crossing - time_slack);
  } else {
    part.end = std::min(part.end, crossing + time_slack);
  }
}

/// The part of `within` in which the two boxes may overlap: six inequalities, each linear in time.
inline Interval overlap_interval(const MovingBox& a, const MovingBox& b, Interval within) {
  const auto gap = [](float low, float high) { return static_cast<double>(low) - static_cast<double>(high); };
  for (std::size_t k = 0; k < 3; ++k) {
    cut_where_apart(gap(a.min_start[k], b.max_start[k]), gap(a.min_end[k], b.max_end[k]), within);
    cut_where_apart(gap(b.min_start[k], a.max_start[k]), gap(b.min_end[k], a.max_end[k]), within);
  }
  return within;
}

}  // namespace carom::bounds
