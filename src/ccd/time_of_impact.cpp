#include "ccd/time_of_impact.hpp"

#include <algorithm>
#include <cmath>

#include "contact/update_manifolds.hpp"
#include "narrow/convex/advance.hpp"

// The inequality. Let s be the signed distance of two convex colliders, and h their thickness. Two that are apart at
// first keep s > 0. Two that touch may overlap, as contacts need it, and slide, roll and rest: they keep
// s >= -touching_fraction h or, where they are deeper already, no deeper. To pass each other, s would have to go down
// to -2 h. All of it is conservative advancement to a floor of s.
namespace carom::ccd {
namespace {

using convex::MovingCore;
using convex::MovingPair;

/// Of the smaller of two sizes.
constexpr double stop_fraction = 0.002;
/// Of the thickness of two colliders that touch: the overlap that they may reach.
constexpr double touching_fraction = 0.5;
/// The same for springs, which give way under a load by more than half of a thin card.
constexpr double spring_fraction = 1;
/// Of the same: an overlap as deep as this does not grow, but for the slack of what is not asked for; 1.25 is the
/// bound.
constexpr double max_fraction = 1.2;
/// Of the distance at which bodies stop and of the overlap they may reach.
constexpr double slack_fraction = 0.05;
/// Of the distance that is asked for: how exact an impact is.
constexpr double tolerance_fraction = 0.25;
constexpr int max_iterations = 256;

Eigen::Isometry3d in_frame(const Path& path, const rigid::Collider& c) {
  return path.local * pose(Motion{}, c.rotation, c.place);
}

void keep_separation(Candidate& candidate, const Path& a, const Path& b, const MovingPair& pair,
                     const Eigen::Vector3d& normal, double begin) {
  candidate.separation = {.normal = normal,
                          .extents = pair.extents(normal, begin),
                          .rounding = 2 * pair.rounding(),
                          .turns_a = a.turns,
                          .turns_b = b.turns};
}

/// Balls about the centres of mass that hold the colliders stay farther apart than a distance: a yes is sure. (A path
/// whose frame has its origin elsewhere says nothing.)
bool balls_apart(const rigid::Collider& a, const Path& path_a, const rigid::Collider& b, const Path& path_b,
                 double begin, double min_gap) {
  if (!path_a.local.translation().isZero(0) || !path_b.local.translation().isZero(0)) return false;
  const Eigen::Vector3d travel = path_b.swept_pose.travel - path_a.swept_pose.travel;
  const Eigen::Vector3d start = path_b.swept_pose.from - path_a.swept_pose.from;
  const double square = travel.squaredNorm();
  const double t = square > 0 ? std::clamp(-start.dot(travel) / square, begin, 1.0) : begin;
  const double reach = a.reach + b.reach + min_gap;
  return (start + t * travel).squaredNorm() > (1 + 1e-12) * reach * reach;
}

/// A yes is sure.
bool still_apart(const Candidate& candidate, const Path& a, const Path& b, double begin) {
  if (!candidate.known || !candidate.separation) return false;
  const Scratch::Separation& s = *candidate.separation;
  if (s.turns_a != a.turns || s.turns_b != b.turns) return false;
  const Eigen::Vector3d travel = b.swept_pose.travel - a.swept_pose.travel;
  const Eigen::Vector3d end = b.swept_pose.from - a.swept_pose.from + travel;
  const double approach = -(1 - begin) * s.normal.dot(travel);
  const double last = s.normal.dot(end);
  const double smallest = std::min(last, last + approach);
  return smallest - s.extents > candidate.floor + s.rounding + 8e-15 * (end.norm() + travel.norm());
}

}  // namespace

double stop_distance(const rigid::Collider& a, const rigid::Collider& b) {
  return stop_fraction * std::min(a.size, b.size);
}

double deep_slack(const rigid::Collider& a, const rigid::Collider& b) {
  const double stop = stop_distance(a, b);
  const double thick = touching_fraction * thickness(a, b);
  return slack_fraction * (thick > 0 ? std::min(stop, thick) : stop);
}

TimeOfImpact::Side TimeOfImpact::side(ColliderIndex collider) const {
  const rigid::Collider& c = bodies_.colliders[collider];
  return {c, s_.paths[s_.path_of[c.body]], collider};
}

void TimeOfImpact::find(Candidate& candidate, double begin) const {
  const Side a = side(candidate.a);
  const Side b = side(candidate.b);
  candidate.impact = {};
  if (a.path.frame == b.path.frame || !(begin < 1)) return;
  if (a.path.state == Path::State::held && b.path.state == Path::State::held) return;
  // A body with locked axes does not move rigidly with its carrier, and slides along it.
  if ((a.path.scripted && b.path.carrier == a.path.body) || (b.path.scripted && a.path.carrier == b.path.body)) return;
  if (a.collider.mesh != nullptr) {
    find_at_mesh(candidate, b, a, begin);
    candidate.impact.normal = -candidate.impact.normal;
  } else if (b.collider.mesh != nullptr) {
    find_at_mesh(candidate, a, b, begin);
  } else {
    find_convex(candidate, a, b, begin);
  }
}

void TimeOfImpact::find_convex(Candidate& candidate, const Side& a, const Side& b, double begin) const {
  if (still_apart(candidate, a.path, b.path, begin)) return;
  const double apart = stop_distance(a.collider, b.collider);
  if (balls_apart(a.collider, a.path, b.collider, b.path, begin, apart)) return;
  const MovingCore core_a(*a.collider.core, a.path.swept_pose, in_frame(a.path, a.collider));
  const MovingCore core_b(*b.collider.core, b.path.swept_pose, in_frame(b.path, b.collider));
  const MovingPair pair(core_a, core_b);
  const auto take = [&](const CastResult& r) {
    if (!r.hit) return;
    candidate.impact = {r.time, math::to_vec3(0.5 * (r.closest.point_a + r.closest.point_b)),
                        math::to_vec3(r.closest.normal)};
  };
  const auto impact = [&](double floor, double tolerance) {
    Eigen::Vector3d normal;
    const CastResult r = convex::advance(pair, {floor, tolerance, max_iterations, begin, 1}, &normal);
    keep_separation(candidate, a.path, b.path, pair, normal, begin);
    return r;
  };
  if (!candidate.known) {
    candidate.known = true;
    candidate.floor = apart;
    if (stays_apart(candidate, a, b, pair, begin, apart)) return;
    candidate.touching = begin == 0 && touches_at_start(candidate);
    if (!candidate.touching) {
      const CastResult r = impact(apart, tolerance_fraction * apart);
      candidate.touching = r.hit && !(r.time > begin);
      if (!candidate.touching) return take(r);
    }
    const double thick = thickness(a.collider, b.collider);
    const double overlap = (springs_ ? spring_fraction : touching_fraction) * thick;
    const double slack = std::max(deep_slack(a.collider, b.collider), 64 * pair.rounding());
    const double now = convex::closest_at(pair, begin).distance;
    // Contacts have not been asked to hold a body that others take along.
    const bool taken = Paths::taken_along(a.path) || Paths::taken_along(b.path);
    candidate.floor = taken ? now - slack : std::min(-overlap, now - slack);
    const double deepest = max_fraction * thick;
    if (candidate.floor < -deepest) candidate.floor = std::min(-deepest, now - 64 * pair.rounding());
  }
  if (stays_apart(candidate, a, b, pair, begin, candidate.floor)) return;
  take(impact(candidate.floor,
              tolerance_fraction * (candidate.touching ? deep_slack(a.collider, b.collider) : candidate.floor)));
}

/// At the beginning of the step, as the narrow phase has found: what it says of points that were moved with their
/// bodies is wrong by less than the distance at which a body stops.
bool TimeOfImpact::touches_at_start(const Candidate& candidate) const {
  static_assert(2 * contact::keep_fraction <= stop_fraction);
  if (!candidate.manifold.valid()) return false;
  const contact::CachedManifold& pair = pairs_.manifolds[candidate.manifold];
  // Springs that are pressed hold what a body has lost of its speed: stopped outside of them, it would not get it back.
  if (pair.stored != 0) return true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
    if (pair.points[i].distance <= 0) return true;
  }
  return false;
}

/// A yes is sure, and cheaper than closest points: along the normal of the contacts, and along the line between the
/// centres where they come nearest.
bool TimeOfImpact::stays_apart(Candidate& candidate, const Side& a, const Side& b, const MovingPair& pair, double begin,
                               double min_gap) const {
  const auto along = [&](const Eigen::Vector3d& n) {
    if (!pair.apart_along(n, begin, 1, min_gap)) return false;
    keep_separation(candidate, a.path, b.path, pair, n, begin);
    return true;
  };
  if (candidate.manifold.valid()) {
    const contact::CachedManifold& known = pairs_.manifolds[candidate.manifold];
    if (known.count > 0 && along(math::to_eigen(known.normal))) return true;
  }
  const Eigen::Vector3d from = pair.offset(begin);
  const Eigen::Vector3d travel = pair.offset(1) - from;
  const double squared = travel.squaredNorm();
  const double t = squared > 0 ? std::clamp(-from.dot(travel) / squared, 0.0, 1.0) : 0;
  const Eigen::Vector3d nearest = from + t * travel;
  const double distance = nearest.norm();
  return distance > 0 && along(nearest / distance);
}

}  // namespace carom::ccd
