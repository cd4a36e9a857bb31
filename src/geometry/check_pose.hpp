#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <string>
#include <type_traits>

/// Poses that callers hand over: a rotation and a translation, and nothing else.
namespace carom {

/// m: beyond, squares of differences of two coordinates overflow.
inline constexpr double farthest_place = 1e60;

/// Deviation of a column from unit length, of two columns from a right angle, of the third from the cross product of
/// the other two. Products of many rotations drift and single precision rounds to 1e-7; more than this is a mistake.
inline constexpr double rotation_tolerance = 1e-6;

/// Fifteen multiplications: cheap enough for every query. NaN fails each comparison.
inline bool is_rigid(const Eigen::Isometry3d& pose) {
  const double* x = pose.matrix().data();
  const double* y = x + 4;
  const double* z = x + 8;
  const double* t = x + 12;
  const auto small = [](double deviation) { return std::abs(deviation) <= rotation_tolerance; };
  return small(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1) && small(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1) &&
         small(x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) && small(z[0] - (x[1] * y[2] - x[2] * y[1])) &&
         small(z[1] - (x[2] * y[0] - x[0] * y[2])) && small(z[2] - (x[0] * y[1] - x[1] * y[0])) &&
         std::abs(t[0]) <= farthest_place && std::abs(t[1]) <= farthest_place && std::abs(t[2]) <= farthest_place;
}

/// In the plane, a rotation [c -s; s c].
inline bool is_rigid(const Eigen::Isometry2d& pose) {
  const double* x = pose.matrix().data();
  const double* y = x + 3;
  const double* t = x + 6;
  const auto small = [](double deviation) { return std::abs(deviation) <= rotation_tolerance; };
  return small(x[0] * x[0] + x[1] * x[1] - 1) && small(y[0] + x[1]) && small(y[1] - x[0]) &&
         std::abs(t[0]) <= farthest_place && std::abs(t[1]) <= farthest_place;
}

/// Throws Error, not_finite or invalid_argument, for a pose that is not rigid: "name is not ...: why".
[[noreturn]] void refuse_pose(const Eigen::Isometry3d& pose, const std::string& name);
[[noreturn]] void refuse_pose(const Eigen::Isometry2d& pose, const std::string& name);

/// The name of the pose is made by `name`, only if it is needed.
template <class Pose, class Name, std::enable_if_t<std::is_invocable_v<Name>, int> = 0>
void check_pose(const Pose& pose, Name&& name) {
  if (!is_rigid(pose)) refuse_pose(pose, name());
}

/// Checks the pose that is an argument of a function.
template <class Pose>
void check_pose(const Pose& pose, const char* function, const char* argument) {
  check_pose(pose, [&] { return std::string(function) + ": " + argument; });
}

/// Checks the pose that is element i of an argument.
template <class Pose>
void check_pose(const Pose& pose, const char* function, const char* argument, std::size_t i, const char* field = "") {
  check_pose(pose, [&] { return std::string(function) + ": " + argument + "[" + std::to_string(i) + "]" + field; });
}

}  // namespace carom
