#include "io/scene/scene_rotation.hpp"

#include <cmath>
#include <numbers>

namespace carom {
namespace {

AxisRotation from_unit_quaternion(const Eigen::Quaterniond& q) {
  const Eigen::AngleAxisd turn(q);
  return {turn.axis(), turn.angle() * 180 / std::numbers::pi};
}

}  // namespace

AxisRotation to_axis_rotation(const QuaternionRotation& rotation) {
  const Eigen::Vector4d unit = rotation.quaternion.stableNormalized();
  return from_unit_quaternion(Eigen::Quaterniond(unit[0], unit[1], unit[2], unit[3]));
}

AxisRotation to_axis_rotation(const EulerRotation& rotation) {
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
  for (const char letter : euler_order_names[static_cast<std::size_t>(rotation.order)]) {
    const int axis = letter - 'x';
    const double radians = std::fmod(rotation.euler_degrees[axis], 360.0) * std::numbers::pi / 180;
    q = Eigen::AngleAxisd(radians, Eigen::Vector3d::Unit(axis)) * q;
  }
  return from_unit_quaternion(q.normalized());
}

}  // namespace carom
