#pragma once

#include <Eigen/Geometry>
#include <algorithm>

#include "carom/query/separating_axes.hpp"
#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "narrow/convex/contact_times.hpp"

/// Steps that moving polygons and polyhedra have in common once their times of contact are known.
namespace carom {

/// Slack, relative to the sizes, of lying along the line or in the plane of contact: well above rounding, well
/// below what anyone would call a tilt.
inline constexpr double along_contact = 1e-10;
/// Closer than this, relative to the sizes, is a touch.
inline constexpr double touching = 1e-13;

template <int D>
void check_motion(const Eigen::Matrix<double, D, 1>& velocity_a, const Eigen::Matrix<double, D, 1>& velocity_b,
                  double end) {
  const auto check = [](const auto& v, const char* which) {
    require(v.allFinite() && v.cwiseAbs().maxCoeff() <= farthest_place, ErrorCode::not_finite,
            "contact_interval: {} is not finite, or beyond {}", which, farthest_place);
  };
  check(velocity_a, "velocity_a");
  check(velocity_b, "velocity_b");
  require(end >= 0, ErrorCode::invalid_argument, "contact_interval: end is {}, expected a time that is not negative",
          end);
}

/// Where the two are at their first touch.
template <int D>
struct FirstTouch {
  using Pose = Eigen::Transform<double, D, Eigen::Isometry>;
  using Vector = Eigen::Matrix<double, D, 1>;
  Pose pose_a;
  Pose pose_b;

  void advance(double time, const Vector& velocity_a, const Vector& velocity_b) {
    pose_a.translation() += time * velocity_a;
    pose_b.translation() += time * velocity_b;
  }
  bool within_reach() const {
    const auto near = [](const Pose& pose) { return pose.translation().cwiseAbs().maxCoeff() <= farthest_place; };
    return near(pose_a) && near(pose_b);
  }
};

/// All of the result but the contact set. True if there is one to be found, at `touch`, which comes with the poses at
/// the start; `normal` is in the frame of a, of any length.
template <int D>
bool start_interval(const convex::ContactTimes& times, AxisKind kind, const Eigen::Matrix<double, D, 1>& normal,
                    const Eigen::Matrix<double, D, 1>& velocity_a, const Eigen::Matrix<double, D, 1>& velocity_b,
                    FirstTouch<D>& touch, ContactInterval<D>& result) {
  if (!times.meet) return false;
  result.meet = true;
  result.first = std::max(times.first, 0.0);
  result.last = times.last;
  result.overlap_at_start = times.first < 0;
  if (result.overlap_at_start) return false;
  result.kind = kind;
  result.normal = (touch.pose_a.linear() * normal).normalized();
  touch.advance(result.first, velocity_a, velocity_b);
  return touch.within_reach();
}

}  // namespace carom
