#pragma once

#include <Eigen/Geometry>
#include <array>
#include <string_view>

namespace carom {

/// Forms that a rotation may have in a scene file. A scene holds an axis and an angle, so a file that is written again
/// has those.
struct AxisRotation {
  Eigen::Vector3d axis = Eigen::Vector3d::UnitY();  ///< any length but zero
  double degrees = 0;                               ///< counter-clockwise, seen from the tip of the axis
};
struct QuaternionRotation {
  Eigen::Vector4d quaternion{1, 0, 0, 0};  ///< w x y z, any length but zero
};

/// Axes in the order in which a body is turned about them.
enum class EulerOrder { xyz, xzy, yxz, yzx, zxy, zyx };
inline constexpr std::array<std::string_view, 6> euler_order_names{"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};

/// Turns about the axes of the frame that the body is placed in, which do not turn with it: with the order xyz, the
/// matrix is Rz Ry Rx.
struct EulerRotation {
  Eigen::Vector3d euler_degrees = Eigen::Vector3d::Zero();  ///< about x, y and z, whatever the order
  EulerOrder order = EulerOrder::xyz;
};

AxisRotation to_axis_rotation(const QuaternionRotation& rotation);
AxisRotation to_axis_rotation(const EulerRotation& rotation);

}  // namespace carom
