#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "math/vec3.hpp"

/// Rotations, each operation written out in one fixed order.
namespace carom::math {

struct Mat3 {
  Vec3 x, y, z;  ///< columns

  Vec3 operator*(const Vec3& v) const {
    return {x.x * v.x + y.x * v.y + z.x * v.z, x.y * v.x + y.y * v.y + z.y * v.z, x.z * v.x + y.z * v.y + z.z * v.z};
  }
  /// The transpose times v: for a rotation, back into its frame.
  Vec3 back(const Vec3& v) const { return {dot(x, v), dot(y, v), dot(z, v)}; }
};

inline Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {a * b.x, a * b.y, a * b.z};
}

struct Quat {
  double w = 1;
  double x = 0;
  double y = 0;
  double z = 0;
};

/// b first, then a.
inline Quat operator*(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quat conjugate(const Quat& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
inline Quat normalized(const Quat& q) {
  const double k = 1 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {k * q.w, k * q.x, k * q.y, k * q.z};
}
inline Mat3 matrix(const Quat& q) {
  const double xx = q.x * q.x;
  const double yy = q.y * q.y;
  const double zz = q.z * q.z;
  const double xy = q.x * q.y;
  const double xz = q.x * q.z;
  const double yz = q.y * q.z;
  const double wx = q.w * q.x;
  const double wy = q.w * q.y;
  const double wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
          {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
          {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
}
inline Quat to_quat(const Eigen::Matrix3d& m) {
  const Eigen::Quaterniond q(m);
  return normalized({q.w(), q.x(), q.y(), q.z()});
}

/// The rotation by |v| radians about v.
inline Quat rotation_by(const Vec3& v) {
  const double squared = dot(v, v);
  double c;
  double s;  // sin(|v| / 2) / |v|
  if (squared < 0.25) {
    // Series in the half angle, to rounding. Beyond, the library: its last bit may differ from machine to machine.
    const double u = 0.25 * squared;
    c = 1 - u * (1. / 2) * (1 - u * (1. / 12) * (1 - u * (1. / 30) * (1 - u * (1. / 56) * (1 - u * (1. / 90)))));
    s = 0.5 *
        (1 - u * (1. / 6) * (1 - u * (1. / 20) * (1 - u * (1. / 42) * (1 - u * (1. / 72) * (1 - u * (1. / 110))))));
  } else {
    const double angle = std::sqrt(squared);
    c = std::cos(0.5 * angle);
    s = std::sin(0.5 * angle) / angle;
  }
  return {c, s * v.x, s * v.y, s * v.z};
}

/// The shortest v with rotation_by(v) = q, for a unit q.
inline Vec3 rotation_vector(const Quat& q) {
  const double sine = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  if (sine == 0) return {};
  const double k = 2 * std::atan2(q.w < 0 ? -sine : sine, std::abs(q.w)) / sine;
  return {k * q.x, k * q.y, k * q.z};
}

}  // namespace carom::math
