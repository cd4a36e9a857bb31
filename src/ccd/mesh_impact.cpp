#include <algorithm>
#include <cmath>

#include "carom/query/cast.hpp"
#include "ccd/time_of_impact.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/support.hpp"

// A mesh has no thickness, and triangles that are smaller than what touches them: no overlap with a single one of them
// says how far a body is in. So the inequality is one of the body: the inner shape of a body that touches, smaller by
// the share of it that may overlap, stays off the mesh. Where it is nearer than the slack, or in already, it is moved
// out along the contacts first, and comes no nearer than it was by more than the slack.
namespace carom::ccd {
namespace {

/// Of a body that touches a mesh: this much of it, about its middle, stays off.
constexpr double inner_fraction = 0.75;
/// A hull no larger than this times a ball inside of it: then the ball will do.
constexpr double nearly_round = 1.5;
/// Of the coordinates of a body and a mesh: distances below are rounding.
constexpr double rounding_fraction = 1e-12;
constexpr double mesh_tolerance_fraction = 0.25;

/// A cast moves the origin of a shape straight, which goes in an arc if it is not the centre of the turn. The path is
/// cut into pieces so that these differ by this part of the size, and none is as much as half a turn (rad). Beyond so
/// many pieces the path ends.
constexpr double max_sagitta = 0.01;
constexpr double max_turn = 2.5;
constexpr double max_pieces = 256;

double pieces(double turn, double arm, double size) {
  if (turn == 0) return 1;
  const double max = arm > 0 ? std::min(max_turn, std::sqrt(8 * max_sagitta * size / arm)) : max_turn;
  return std::ceil(turn / max);
}

ShapeMotion motion(const Path& path, const Mat3& turn, const Vec3& place, double begin, double end) {
  return {pose(Paths::at(path, begin), turn, place), pose(Paths::at(path, end), turn, place)};
}

}  // namespace

Inner make_inner(const rigid::Collider& c, const Shape& shape) {
  const shapes::CoreKind kind = c.core->kind;
  // A half-space has no middle.
  const bool ball = kind == shapes::CoreKind::point || kind == shapes::CoreKind::half_space ||
                    (kind == shapes::CoreKind::hull && c.size < nearly_round * c.inner);
  if (ball) return {Shape::sphere(inner_fraction * c.inner), c.place + c.rotation * c.middle};
  return {shape.scaled(inner_fraction), c.place + c.rotation * ((1 - inner_fraction) * c.middle)};
}

void TimeOfImpact::find_at_mesh(Candidate& candidate, const Side& own, const Side& other, double begin) const {
  const rigid::Collider& c = own.collider;
  const rigid::Collider& m = other.collider;
  const Inner& inner = *s_.inner[own.number];
  const double apart = stop_distance(c, m);
  const Shape& shape = collider_shape(bodies_, own.number);
  const Shape& mesh = collider_shape(bodies_, other.number);
  const double rest = 1 - begin;
  const double turn = Paths::turn(own.path, begin);
  const double mesh_turn = Paths::turn(other.path, begin);
  const auto arm = [](const Side& side) { return side.path.local.translation().norm() + length(side.collider.place); };
  const double count = std::max(pieces(turn, arm(own), c.size), pieces(mesh_turn, arm(other), m.size));
  // A cast takes its tolerance as a part of the longest path of a point.
  const double longest = rest * (own.path.swept_pose.travel - other.path.swept_pose.travel).norm() +
                         turn * (arm(own) + c.reach) + mesh_turn * (arm(other) + m.reach);
  const auto fraction = [&](double tolerance) {
    return longest > 0 ? std::min(1e-5, mesh_tolerance_fraction * tolerance / longest) : 1e-5;
  };
  const auto poses = [&](const Side& side, const Vec3& place, double from, double to) {
    return motion(side.path, side.collider.rotation, place, from, to);
  };
  // A body that turns often is a ball from afar.
  if (count > 1 && mesh_turn == 0 && own.path.local.translation().isZero(0)) {
    const auto straight = [&](double time) {
      return Eigen::Isometry3d(Eigen::Translation3d(math::to_eigen(Paths::at(own.path, time).x)));
    };
    if (!cast(Shape::sphere(c.reach), {straight(begin), straight(1)}, mesh, poses(other, m.place, begin, 1),
              {.separation = apart})
             .hit)
      return;
  }
  const Room room = room_at_mesh(candidate, own, other, inner);
  const auto take = [&](double time, const QueryResult& closest) {
    candidate.impact = {time, math::to_vec3(closest.point_b), math::to_vec3(closest.normal)};
  };
  for (int i = 0; i < std::min(count, max_pieces); ++i) {
    const double from = begin + rest * i / count;
    const double to = begin + rest * (i + 1) / count;
    const ShapeMotion there = poses(other, m.place, from, to);
    const auto hits = [&](const Shape& part, const Vec3& place, const Vec3& shift, double separation,
                          double tolerance) {
      ShapeMotion here = poses(own, place, from, to);
      here.from.translation() += math::to_eigen(shift);
      here.to.translation() += math::to_eigen(shift);
      return cast(part, here, mesh, there, {.separation = separation, .tolerance = fraction(tolerance)});
    };
    CastResult r = hits(shape, c.place, {}, apart, apart);
    const bool touching = r.hit && r.time == 0;
    if (i == 0 && !candidate.known) {
      candidate.known = true;
      candidate.touching = begin > 0 ? touches_mesh_at_start(candidate) : touching;
    }
    if (i == 0 && touching && !candidate.touching) {
      // The body came here in this step.
      const Vec3 point = math::to_vec3(r.closest.point_b);
      const Vec3 speed = Paths::velocity(own.path, point, from) - Paths::velocity(other.path, point, from);
      if (dot(math::to_vec3(r.closest.normal), speed) > 0) return take(begin, r.closest);
    }
    if (touching) r = hits(inner.shape, inner.place, room.shift, 0, room.width);
    if (r.hit && r.time > 0) return take(from + r.time * (to - from), r.closest);
  }
  // A path that is not looked at is not gone.
  if (count > max_pieces) candidate.impact = {begin + rest * max_pieces / count, own.path.at.x, {}};
}

bool TimeOfImpact::touches_mesh_at_start(const Candidate& candidate) const {
  if (!candidate.mesh_pair.valid()) return false;
  const std::vector<ManifoldIndex>& parts = pairs_.mesh_pairs[candidate.mesh_pair.offset()].parts;
  return std::any_of(parts.begin(), parts.end(), [&](ManifoldIndex part) { return pairs_.manifolds[part].count > 0; });
}

TimeOfImpact::Room TimeOfImpact::room_at_mesh(const Candidate& candidate, const Side& own, const Side& other,
                                              const Inner& inner) const {
  const double slack = deep_slack(own.collider, other.collider);
  Room room{.shift = {}, .width = slack};
  if (!candidate.mesh_pair.valid()) return room;
  const Motion& start = bodies_.motion[own.path.body];
  const Motion& mesh_start = bodies_.motion[other.path.body];
  const Eigen::Isometry3d place = pose(start, own.collider.rotation, inner.place);
  const double rounding = rounding_fraction * (own.collider.reach + other.collider.reach +
                                               length(start.x - mesh_start.x) + own.path.travel);
  for (const ManifoldIndex part : pairs_.mesh_pairs[candidate.mesh_pair.offset()].parts) {
    const contact::CachedManifold& pair = pairs_.manifolds[part];
    if (pair.count == 0) continue;
    const Vec3 n = -pair.normal;
    double surface = INFINITY;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i)
      surface = std::min(surface, dot(n, pair.points[i].middle) + 0.5 * pair.points[i].distance);
    const shapes::Core& core = inner.shape.data().core;
    const Vec3 d = math::to_vec3(place.linear().transpose() * math::to_eigen(n));
    const double extent =
        dot(n, math::to_vec3(place.translation()) + room.shift) + dot(d, shapes::support(core, d).p) + core.radius;
    const double gap = surface - extent;
    const double nearer = std::max(slack, rounding);
    // A gap that is more than rounding is kept open: a mesh has no inside to be in.
    if (gap > rounding) {
      room.width = std::min({room.width, gap, nearer});
    } else {
      room.shift = room.shift - (nearer - gap) * n;
      room.width = std::min(room.width, nearer);
    }
  }
  return room;
}

}  // namespace carom::ccd
