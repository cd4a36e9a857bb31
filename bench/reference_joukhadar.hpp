#pragma once

#include <Eigen/Geometry>

#include "carom/shape/shape.hpp"

namespace carom::bench {

struct JoukhadarDepth {
  double depth = 0;
  Eigen::Vector3d normal;
  int iterations = 0;  ///< distances that were asked for
};

/// Joukhadar and Laugier's depth of two shapes that overlap: b is moved out along a direction, the closest points of
/// the two as they are then give a better direction, until it stays the same. The direction at the start is that
/// between their centres. `beyond` (m) is how far b is moved out more than is needed: the closest points need a gap.
JoukhadarDepth joukhadar_depth(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                               const Eigen::Isometry3d& pose_b, double beyond);

}  // namespace carom::bench
