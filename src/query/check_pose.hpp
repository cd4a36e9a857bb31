#pragma once

#include <Eigen/Geometry>

#include "core/check.hpp"

namespace carom {

/// Farther out than this the differences of two places overflow when squared.
inline constexpr double farthest_place = 1e60;

/// The sum is finite, and small, exactly if all are, but for a factor: cheap enough for every query.
inline bool is_good_pose(const Eigen::Isometry3d& pose) {
  const double* m = pose.matrix().data();
  double sum = 0;
  for (int i = 0; i < 16; ++i) sum += std::abs(m[i]);
  return sum <= farthest_place;
}

inline void check_pose(const Eigen::Isometry3d& pose, const char* which) {
  require(is_good_pose(pose), ErrorCode::not_finite, "query: the pose of {} is not finite, or beyond {}", which,
          farthest_place);
}

inline void check_pose(const Eigen::Isometry3d& pose, const char* which, std::size_t i) {
  require(is_good_pose(pose), ErrorCode::not_finite, "query: pose {} of {} is not finite, or beyond {}", i, which,
          farthest_place);
}

}  // namespace carom
