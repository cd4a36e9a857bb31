#pragma once

#include <algorithm>
#include <cmath>

/// Gap along an axis over an interval of time, bounded from below by its values at the two ends and by bounds of its
/// first and second derivative.
namespace carom::convex {

/// How often an axis is asked for one interval; the time found by then is safe.
inline constexpr int max_interval_tries = 24;

/// The lowest value between two ends of an interval of length h with a chord from `first` to `last`, if the second
/// derivative is at most `curvature`.
inline double lowest(double first, double last, double h, double curvature) {
  const double slope = (last - first) / h - 0.5 * curvature * h;
  if (slope >= 0 || curvature == 0) return std::min(first, last);
  if (-slope >= curvature * h) return last;
  return first - slope * slope / (2 * curvature);
}

/// A time in (t, end], perhaps t itself, such that gap(time) is at least `target` from t to there. `now` is gap(t); the
/// gap shrinks no faster than `approach`, and over an interval of length h it is below its chord by no more than
/// curvature u (h - u) / 2 (if `curvature` is 0: it is nowhere below the chord). A gap of at most `aim`, above the
/// target, is near enough to it.
template <class Gap>
double free_until(Gap&& gap, double approach, double curvature, double t, double now, double end, double target,
                  double aim) {
  if (!(approach > 0)) return end;
  double h = end - t;
  for (int i = 0; i < max_interval_tries; ++i) {
    const double sure = (now - target) / approach;
    if (sure >= end - t) return end;
    // Straight motion: the gap falls as fast as it may.
    if (curvature == 0) return t + std::max(sure, 0.0);
    if (h <= sure) return t + sure;
    const double then = gap(t + h);
    const bool free = lowest(now, then, h, curvature) >= target;
    const double slope = (then - now) / h;
    if (free) {
      t += h;
      if (t >= end) return end;
      now = then;
      if (now <= aim) return t;
      h = end - t;
    }
    // To where the chord meets what is aimed at; and not so far that nothing could be said of what is between.
    const double middle = 0.5 * (target + aim);
    const double wanted = slope < 0 ? (now - middle) / -slope : h;
    const double bend = std::sqrt(4 * (now - target) / curvature);
    h = free ? std::min({h, wanted, bend}) : std::min({0.9 * h, wanted, std::max(bend, 0.5 * h)});
  }
  return t;
}

}  // namespace carom::convex
