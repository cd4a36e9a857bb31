#pragma once

#include <Eigen/Geometry>

#include "carom/query/cast.hpp"
#include "shapes/core.hpp"

/// Two cores on their way, and how far apart they are along an axis, at a time and over an interval of time.
///
/// Along a fixed axis n, the place of a point r of a body is n.(p(t) + R(t) r): a linear function and a sinusoid of the
/// angle. Its second derivative is at most angle^2 |n x axis| |r|, whatever the point. So over an interval of length h
/// no point is farther along n than the chord between its two ends says, plus M u (h - u) / 2 with M that bound; what
/// holds for every point holds for the farthest. Two farthest points, at the two ends, thus bound the gap of the whole
/// interval, to second order in h; and for straight motion exactly.
namespace carom::convex {

/// How a body goes: shared by the parts of a compound.
struct SweptPose {
  Eigen::Matrix3d start;         ///< rotation at time 0
  Eigen::Vector3d axis;          ///< unit, in the world; any if it does not turn
  double angle = 0;              ///< not negative
  double skew = 0;               ///< how far the given rotations are from being some
  Eigen::Vector3d from, travel;  ///< of the origin

  /// The shorter way round, at most half a turn.
  SweptPose(const Eigen::Isometry3d& pose_from, const Eigen::Isometry3d& pose_to);
  /// Any turn, by its rotation vector.
  SweptPose(const Eigen::Isometry3d& pose_from, const Eigen::Vector3d& turn, const Eigen::Vector3d& goes);
  Eigen::Matrix3d rotation(double t) const;
};

/// A convex part of a body.
struct MovingCore {
  const shapes::Core& core;
  const SweptPose& swept_pose;
  Eigen::Matrix3d start;  ///< rotation of the part at time 0
  Eigen::Vector3d lever;  ///< from the body's origin to the part's, at time 0
  double reach = 0;       ///< no point of the core is farther from the body's origin

  MovingCore(const shapes::Core& solid, const SweptPose& goes);
  MovingCore(const shapes::Core& solid, const SweptPose& goes, const Eigen::Isometry3d& part);

  /// The origin of the body at the origin of the world.
  Eigen::Isometry3d pose(double t) const;
  /// How far the core reaches along n from the origin of the body.
  double extent(const Eigen::Vector3d& n, double t) const;
};

class MovingPair {
 public:
  MovingPair(const MovingCore& a, const MovingCore& b);

  /// From the origin of a's body to that of b's.
  Eigen::Vector3d offset(double t) const { return offset_ + t * travel_; }
  /// The longest way of a point as seen from the other body.
  double path() const;
  /// Rounding of a gap, m.
  double rounding() const;

  /// A direction in which the gap is measured. It is fixed in the world, unless one of the two is a half-space: then it
  /// is the normal of that one, and turns with it.
  struct Axis {
    Eigen::Vector3d n;      ///< from a to b, unit; not used with a half-space
    double approach = 0;    ///< no gap shrinks faster
    double curvature = 0;   ///< no point has a larger second derivative of its place along the axis
    bool attached = false;  ///< to the half-space
  };
  Axis axis(const Eigen::Vector3d& n) const;

  /// Negative if they overlap along the axis. -infinity if nothing can be said.
  double gap(const Axis& axis, double t) const;
  /// A time in (t, end], perhaps t itself, such that the gap along the axis is at least `target` from t to there.
  /// `now` is the gap at t; what is at most `aim` (above the target) is near enough to it.
  double free_until(const Axis& axis, double t, double now, double end, double target, double aim) const;

  /// Whether the direction n alone (unit, from a to b) shows that they stay farther apart than `least`: a yes is sure,
  /// a no says nothing. Four support points where it is as easy as that.
  bool apart_along(const Eigen::Vector3d& n, double begin, double end, double smallest) const;

  /// How far the two reach toward each other along n from the origins of their bodies, at no time from `begin` to 1
  /// farther: the gap is at least the distance of the origins along n, less this. Infinite with a half-space.
  double extents(const Eigen::Vector3d& n, double begin) const;

  const MovingCore& a() const { return a_; }
  const MovingCore& b() const { return b_; }

 private:
  /// Gap along an axis with a ball for what turns: it is as far as this whatever the turn, and the gap changes evenly.
  double gap_of_balls(const Axis& axis, double t) const;

  const MovingCore& a_;
  const MovingCore& b_;
  Eigen::Vector3d offset_;
  Eigen::Vector3d travel_;
  double farthest_ = 0;  ///< |offset| at any time
};

}  // namespace carom::convex
