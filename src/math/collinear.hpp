#pragma once

#include <Eigen/Core>

namespace carom::math {

/// Whether three points are on one line (or are one point): exact for every finite input, from the
/// smallest subnormal to the largest double. The points must be finite.
bool collinear(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);

}  // namespace carom::math
