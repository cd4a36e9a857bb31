#pragma once

#include <cmath>

#include "math/vec3.hpp"

/// Numbers of about 31 digits, as the sum of two doubles (Dekker 1971, Knuth 4.2.2), and vectors of them. For
/// determinants of what is thin, where doubles lose all digits. Magnitudes from 1e-100 to 1e100; no fused operations,
/// so that every processor has the same bits.
namespace carom::math {

struct DoubleDouble {
  double high = 0;
  double low = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : high(value) {}  // NOLINT(google-explicit-constructor): as a double does
  DoubleDouble(double h, double l) : high(h), low(l) {}
  explicit operator double() const { return high; }
};

/// The sum without rounding, of any two numbers.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
/// Sum of two doubles without loss, for |a| >= |b|.
inline DoubleDouble quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
/// The product without rounding.
inline DoubleDouble two_product(double a, double b) {
  constexpr double splitter = 134217729;  // 2^27 + 1
  const double ta = splitter * a;
  const double tb = splitter * b;
  const double ah = ta - (ta - a);
  const double bh = tb - (tb - b);
  const double al = a - ah;
  const double bl = b - bh;
  const double product = a * b;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  DoubleDouble s = two_sum(a.high, b.high);
  const DoubleDouble t = two_sum(a.low, b.low);
  s = quick_two_sum(s.high, s.low + t.high);
  return quick_two_sum(s.high, s.low + t.low);
}
inline DoubleDouble operator-(const DoubleDouble& a) {
  return {-a.high, -a.low};
}
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
  return a + -b;
}
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble p = two_product(a.high, b.high);
  return quick_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.high / b.high;
  DoubleDouble rest = a - b * first;
  const double second = rest.high / b.high;
  rest = rest - b * second;
  return quick_two_sum(first, second) + DoubleDouble(rest.high / b.high);
}
inline DoubleDouble square_root(const DoubleDouble& a) {
  if (!(a.high > 0)) return 0;
  const double root = std::sqrt(a.high);
  return quick_two_sum(root, (a - two_product(root, root)).high / (2 * root));
}
inline bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}
inline bool operator>(const DoubleDouble& a, const DoubleDouble& b) {
  return b < a;
}
inline bool operator<=(const DoubleDouble& a, const DoubleDouble& b) {
  return a.high < b.high || (a.high == b.high && a.low <= b.low);
}
inline bool operator>=(const DoubleDouble& a, const DoubleDouble& b) {
  return b <= a;
}

struct WideVec3 {
  DoubleDouble x, y, z;

  WideVec3() = default;
  WideVec3(const DoubleDouble& a, const DoubleDouble& b, const DoubleDouble& c) : x(a), y(b), z(c) {}
  explicit WideVec3(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}
  Vec3 rounded() const { return {x.high, y.high, z.high}; }
};

inline WideVec3 operator+(const WideVec3& a, const WideVec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline WideVec3 operator-(const WideVec3& a, const WideVec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline WideVec3 operator-(const WideVec3& a) {
  return {-a.x, -a.y, -a.z};
}
inline WideVec3 operator*(const DoubleDouble& s, const WideVec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline DoubleDouble dot(const WideVec3& a, const WideVec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline WideVec3 cross(const WideVec3& a, const WideVec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// The difference of two vectors of doubles, without rounding.
inline WideVec3 wide_difference(const Vec3& a, const Vec3& b) {
  return {two_sum(a.x, -b.x), two_sum(a.y, -b.y), two_sum(a.z, -b.z)};
}

}  // namespace carom::math
