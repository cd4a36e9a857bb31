#pragma once

#include <vector>

#include "bodies/rigid.hpp"

namespace carom::rigid {

/// Poses of the bodies at the beginning of a step.
struct Poses {
  BySlot<Mat3> rotation;

  /// Pose of the shape of a collider. Computed at each call: few are needed, and all of them would be as much as the
  /// bodies.
  Eigen::Isometry3d shape(const Bodies& bodies, ColliderIndex collider) const;
};

}  // namespace carom::rigid
