#include "math/collinear.hpp"

#include "math/orientation.hpp"

namespace carom::math {

// The cross product of two sides is zero: the signed area is zero seen along each axis.
bool collinear(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  return orient2d(a, b, c, 2) == 0 && orient2d(a, b, c, 0) == 0 && orient2d(a, b, c, 1) == 0;
}

}  // namespace carom::math
