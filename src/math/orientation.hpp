#pragma once

#include <Eigen/Core>

#include "math/exact_sum.hpp"

/// On which side a point is: the sign, exact for every finite input, from the smallest subnormal to the
/// largest double. A floating-point filter decides nearly all cases, an exact sum the rest.
namespace carom::math {

/// Sign of det(b - a, c - a, d - a), six times the volume of the tetrahedron: positive if d sees a, b, c turn
/// counter-clockwise, that is if d is on the side to which the normal of (a, b, c) points. Swapping two points
/// changes the sign and nothing else.
int orient3d(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, const Eigen::Vector3d& d);

/// Sign of component `axis` of (b - a) x (c - a): the orientation of the triangle as projected along that
/// axis, which only drops a coordinate and therefore rounds nothing.
int orient2d(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, int axis);

/// The determinants themselves, without a filter.
Scaled exact_orient3d(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                      const Eigen::Vector3d& d);
Scaled exact_orient2d(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, int axis);

}  // namespace carom::math
