#include "narrow/convex/moving_pair.hpp"

#include <algorithm>
#include <cmath>

#include "narrow/convex/free_interval.hpp"
#include "shapes/support.hpp"

namespace carom::convex {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using shapes::CoreKind;

Vector3d turned(const Vector3d& v, const Vector3d& axis, double angle) {
  if (angle == 0) return v;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return c * v + s * axis.cross(v) + ((1 - c) * axis.dot(v)) * axis;
}

/// A half-space ends nowhere; what its normal does to others is counted where it is the axis.
double reach_of(const shapes::Core& core) {
  return core.kind == CoreKind::half_space ? 0 : core.reach;
}

double skew_of(const Matrix3d& r) {
  return (r.transpose() * r - Matrix3d::Identity()).cwiseAbs().maxCoeff();
}

}  // namespace

SweptPose::SweptPose(const Eigen::Isometry3d& pose_from, const Eigen::Isometry3d& pose_to)
    : start(pose_from.linear()),
      from(pose_from.translation()),
      travel(pose_to.translation() - pose_from.translation()) {
  axis = Vector3d::UnitX();
  skew = skew_of(start);
  // Not to be asked of rounding: the same rotation is no turn at all.
  if (pose_to.linear() == pose_from.linear()) return;
  const Eigen::AngleAxisd turn(Eigen::Quaterniond(pose_to.linear() * start.transpose()).normalized());
  axis = turn.axis();
  angle = turn.angle();
  skew = std::max(skew, skew_of(pose_to.linear()));
}

SweptPose::SweptPose(const Eigen::Isometry3d& pose_from, const Vector3d& turn, const Vector3d& goes)
    : start(pose_from.linear()),
      axis(Vector3d::UnitX()),
      angle(turn.norm()),
      skew(skew_of(start)),
      from(pose_from.translation()),
      travel(goes) {
  if (angle > 0) axis = turn / angle;
}

Matrix3d SweptPose::rotation(double t) const {
  if (angle == 0 || t <= 0) return start;
  return Eigen::AngleAxisd(t * angle, axis) * start;
}

MovingCore::MovingCore(const shapes::Core& solid, const SweptPose& goes)
    : core(solid), swept_pose(goes), start(goes.start), lever(Vector3d::Zero()), reach(reach_of(solid)) {}

MovingCore::MovingCore(const shapes::Core& solid, const SweptPose& goes, const Eigen::Isometry3d& part)
    : core(solid), swept_pose(goes), start(goes.start * part.linear()), lever(goes.start * part.translation()) {
  reach = reach_of(solid) + lever.norm();
}

Eigen::Isometry3d MovingCore::pose(double t) const {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  if (swept_pose.angle == 0 || t <= 0) {
    pose.linear() = start;
    pose.translation() = lever;
  } else {
    const Matrix3d turn = Eigen::AngleAxisd(t * swept_pose.angle, swept_pose.axis).toRotationMatrix();
    pose.linear() = turn * start;
    pose.translation() = turn * lever;
  }
  return pose;
}

double MovingCore::extent(const Vector3d& n, double t) const {
  // The body stands still and the axis turns back.
  const Vector3d back = turned(n, swept_pose.axis, -t * swept_pose.angle);
  const math::Vec3 d = math::to_vec3(start.transpose() * back);
  return back.dot(lever) + dot(d, shapes::support(core, d).p);
}

MovingPair::MovingPair(const MovingCore& a, const MovingCore& b)
    : a_(a), b_(b), offset_(b.swept_pose.from - a.swept_pose.from), travel_(b.swept_pose.travel - a.swept_pose.travel) {
  farthest_ = std::max(offset_.norm(), (offset_ + travel_).norm());
}

double MovingPair::path() const {
  // Even a half-space, which has no reach, turns what is over it.
  const double turning = a_.swept_pose.angle * a_.reach + b_.swept_pose.angle * b_.reach;
  const bool half_space = a_.core.kind == CoreKind::half_space || b_.core.kind == CoreKind::half_space;
  return travel_.norm() + turning + (half_space ? (a_.swept_pose.angle + b_.swept_pose.angle) * farthest_ : 0);
}

double MovingPair::rounding() const {
  const double scale = a_.reach + b_.reach + a_.core.radius + b_.core.radius + std::abs(a_.core.offset) +
                       std::abs(b_.core.offset) + farthest_;
  return (4e-15 + a_.swept_pose.skew + b_.swept_pose.skew) * scale;
}

MovingPair::Axis MovingPair::axis(const Vector3d& n) const {
  Axis axis;
  axis.n = n;
  const double turn_a = a_.swept_pose.angle;
  const double turn_b = b_.swept_pose.angle;
  axis.attached = a_.core.kind == CoreKind::half_space || b_.core.kind == CoreKind::half_space;
  if (axis.attached) {
    const bool first = a_.core.kind == CoreKind::half_space;
    const double turn = first ? turn_a : turn_b;
    const double reach = first ? b_.reach : a_.reach;
    if (turn == 0) {
      const Vector3d normal = (first ? a_ : b_).start * math::to_eigen((first ? a_ : b_).core.size);
      axis.approach = first ? -normal.dot(travel_) : normal.dot(travel_);
    } else {
      axis.approach = travel_.norm() + turn * farthest_;
    }
    axis.approach += (turn_a + turn_b) * reach;
    axis.curvature =
        turn * turn * farthest_ + 2 * turn * travel_.norm() + (turn_a + turn_b) * (turn_a + turn_b) * reach;
    return axis;
  }
  axis.approach = -n.dot(travel_);
  if (turn_a > 0) {
    const double across = turn_a * n.cross(a_.swept_pose.axis).norm() * a_.reach;
    axis.approach += across;
    axis.curvature += turn_a * across;
  }
  if (turn_b > 0) {
    const double across = turn_b * n.cross(b_.swept_pose.axis).norm() * b_.reach;
    axis.approach += across;
    axis.curvature += turn_b * across;
  }
  return axis;
}

double MovingPair::gap(const Axis& axis, double t) const {
  const double radii = a_.core.radius + b_.core.radius;
  if (!axis.attached) return axis.n.dot(offset(t)) - a_.extent(axis.n, t) - b_.extent(-axis.n, t) - radii;
  const bool first = a_.core.kind == CoreKind::half_space;
  const MovingCore& ground = first ? a_ : b_;
  const MovingCore& other = first ? b_ : a_;
  const Vector3d normal_at_start = ground.start * math::to_eigen(ground.core.size);
  const Vector3d normal = turned(normal_at_start, ground.swept_pose.axis, t * ground.swept_pose.angle);
  const Vector3d place = first ? offset(t) : Vector3d(-offset(t));
  const double height = normal.dot(place) - ground.core.offset - normal_at_start.dot(ground.lever);
  if (other.core.kind == CoreKind::half_space) {
    const Vector3d facing =
        turned(other.start * math::to_eigen(other.core.size), other.swept_pose.axis, t * other.swept_pose.angle);
    const bool opposite = facing.dot(normal) < 0 && ground.swept_pose.angle == 0 && other.swept_pose.angle == 0 &&
                          facing.cross(normal).isZero(0);
    return opposite ? height - other.core.offset - facing.dot(other.lever) - radii : -INFINITY;
  }
  return height - other.extent(-normal, t) - radii;
}

double MovingPair::free_until(const Axis& axis, double t, double now, double end, double target, double aim) const {
  const auto gap_at = [&](double time) { return gap(axis, time); };
  return convex::free_until(gap_at, axis.approach, axis.curvature, t, now, end, target, aim);
}

double MovingPair::gap_of_balls(const Axis& axis, double t) const {
  const auto reach = [](const MovingCore& core, const Vector3d& n) {
    return core.swept_pose.angle > 0 ? core.reach : core.extent(n, 0);
  };
  const double radii = a_.core.radius + b_.core.radius;
  if (!axis.attached) return axis.n.dot(offset(t)) - reach(a_, axis.n) - reach(b_, -axis.n) - radii;
  const bool first = a_.core.kind == CoreKind::half_space;
  const MovingCore& ground = first ? a_ : b_;
  const MovingCore& other = first ? b_ : a_;
  if (ground.swept_pose.angle > 0 || other.core.kind == CoreKind::half_space) return -INFINITY;
  const Vector3d normal = ground.start * math::to_eigen(ground.core.size);
  const double height = (first ? 1 : -1) * normal.dot(offset(t)) - ground.core.offset - normal.dot(ground.lever);
  return height - reach(other, -normal) - radii;
}

double MovingPair::extents(const Vector3d& n, double begin) const {
  if (a_.core.kind == CoreKind::half_space || b_.core.kind == CoreKind::half_space) return INFINITY;
  const auto farthest = [&](const MovingCore& core, const Vector3d& d) {
    const double now = core.extent(d, begin);
    const double angle = (1 - begin) * core.swept_pose.angle;
    if (angle == 0) return now;
    const double bulge = angle * angle * d.cross(core.swept_pose.axis).norm() * core.reach / 8;
    return std::max(now, core.extent(d, 1)) + bulge;
  };
  return farthest(a_, n) + farthest(b_, -n) + a_.core.radius + b_.core.radius;
}

bool MovingPair::apart_along(const Vector3d& n, double begin, double end, double smallest) const {
  const Axis along = axis(n);
  const double target = smallest + rounding();
  // Nothing else can be said of many turns.
  if (a_.swept_pose.angle + b_.swept_pose.angle > 1 &&
      std::min(gap_of_balls(along, begin), gap_of_balls(along, end)) > target)
    return true;
  const double now = gap(along, begin);
  return now > target && free_until(along, begin, now, end, target, target) >= end;
}

}  // namespace carom::convex
