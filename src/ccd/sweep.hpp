#pragma once

#include "bodies/rigid.hpp"
#include "narrow/convex/moving_pair.hpp"

/// Continuous collision detection of rigid bodies over a step: sweeps, times of impact, and motion that ends there.
namespace carom::ccd {

using math::Mat3;
using math::Quat;
using math::Vec3;
using rigid::Motion;

/// The motion of a body over a step: its centre of mass goes straight, and it turns about it at a constant rate.
struct Sweep {
  Motion from;
  Motion to;
  Vec3 turn;  ///< rotation vector from the beginning to the end; more than half a turn if the spin says so
  convex::SweptPose swept_pose;

  Sweep(const Motion& begin, const Motion& end, double dt);

  /// `time` from 0 to 1.
  Motion at(double time) const;
};

/// Pose of a collider that is turned and placed so in its body.
Eigen::Isometry3d pose(const Motion& m, const Mat3& local, const Vec3& place);
/// Pose of the body itself.
Eigen::Isometry3d pose(const Motion& m);

}  // namespace carom::ccd
