#pragma once

#include <Eigen/Core>
#include <cmath>

namespace carom::math {

/// Three doubles with plain operators, each written out in one fixed order. The distance kernels
/// use these instead of Eigen so that a SIMD version can do the same operations, lane by lane,
/// and come to the same bits.
struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;
};

inline Vec3 to_vec3(const Eigen::Vector3d& p) {
  return {p.x(), p.y(), p.z()};
}
inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator-(const Vec3& a) {
  return {-a.x, -a.y, -a.z};
}
inline Vec3 operator*(double s, const Vec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline double length(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

/// Zero if v is, or if its length overflows.
inline Vec3 unit_or_zero(const Vec3& v) {
  const double size = length(v);
  return size > 0 && std::isfinite(size) ? (1 / size) * v : Vec3{};
}
/// cross(b, a) is -cross(a, b) to the last bit.
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Coordinate by coordinate; of two equal ones (0 and -0) the first.
inline Vec3 lower(const Vec3& a, const Vec3& b) {
  return {b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z};
}
inline Vec3 higher(const Vec3& a, const Vec3& b) {
  return {a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y, a.z < b.z ? b.z : a.z};
}
inline Eigen::Vector3d to_eigen(const Vec3& a) {
  return {a.x, a.y, a.z};
}

}  // namespace carom::math
