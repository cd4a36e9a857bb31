#include "narrow/convex/advance.hpp"

#include <algorithm>

#include "narrow/convex/convex.hpp"

namespace carom::convex {
namespace {

/// Bodies are put near the origin: so that pairs far from it lose nothing.
void measure(const MovingPair& pair, double t, QueryCache& cache, QueryResult& result) {
  const Eigen::Isometry3d pose_a = pair.a().pose(t);
  Eigen::Isometry3d pose_b = pair.b().pose(t);
  pose_b.translation() += pair.offset(t);
  query(Question::distance, pair.a().core, pose_a, pair.b().core, pose_b, &cache, result);
}

CastResult hit_at(const MovingPair& pair, double t, const QueryResult& closest, double separation) {
  CastResult result;
  result.hit = true;
  result.time = t;
  result.tolerance = std::max(closest.distance - separation, 0.0);
  result.closest = closest;
  const Eigen::Vector3d origin = pair.a().swept_pose.from + t * pair.a().swept_pose.travel;
  result.closest.point_a += origin;
  result.closest.point_b += origin;
  return result;
}

}  // namespace

QueryResult closest_at(const MovingPair& pair, double time) {
  QueryCache cache;
  QueryResult result;
  measure(pair, time, cache, result);
  return result;
}

CastResult advance(const MovingPair& pair, const AdvanceOptions& options, Eigen::Vector3d* last_normal) {
  const double rounding = pair.rounding();
  const double tolerance = std::max(options.tolerance, 8 * rounding);
  const double end = options.end;
  const double near = options.separation + tolerance;
  // Steps end here: well before the separation is reached, and near enough to count.
  const double target = options.separation + 0.5 * tolerance;
  const double aim = options.separation + 0.75 * tolerance;
  QueryCache cache;
  QueryResult closest;
  double t = options.start;
  for (int i = 1;; ++i) {
    measure(pair, t, cache, closest);
    const MovingPair::Axis axis = pair.axis(closest.normal);
    if (last_normal != nullptr) *last_normal = closest.normal;
    const auto end_at_hit = [&](bool limited) {
      CastResult result = hit_at(pair, t, closest, options.separation);
      result.iterations = i;
      result.limited = limited;
      return result;
    };
    const auto end_free = [&] {
      CastResult result;
      result.time = 1;
      result.tolerance = 0;
      result.iterations = i;
      return result;
    };
    if (closest.distance <= options.separation) return end_at_hit(false);
    const double now = pair.gap(axis, t);
    if (closest.distance <= near || now <= target) {
      // Near, but is it a hit? Not if they part from here on.
      const double smallest = options.separation + rounding;
      if (now > smallest && pair.free_until(axis, t, now, end, smallest, smallest) >= end) return end_free();
      return end_at_hit(closest.distance - options.separation > options.tolerance);
    }
    if (i >= options.budget) return end_at_hit(true);
    const double next = pair.free_until(axis, t, now, end, target, aim);
    if (next >= end) return end_free();
    if (!(next > t)) return end_at_hit(true);
    t = next;
  }
}

}  // namespace carom::convex
