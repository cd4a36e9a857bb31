#include "math/orientation.hpp"

#include <algorithm>
#include <cmath>

// The filters. Let e = 2^-53. A sum or difference is wrong by a factor (1 + e) at most, even where it
// is subnormal; a product by that factor and by 2^-1075.
//
// 3D: the determinant is a sum of six products of three differences. Each of them passes through at
// most 8 roundings: three differences, two multiplications, the difference that makes a minor, two
// sums. So the computed value is off by at most ((1 + e)^8 - 1) times the sum of the absolute values,
// and that sum, itself computed with at most 8 roundings, is at most (1 + e)^8 times too small: the
// factor 10 e covers both and the rounding of the bound. With differences below 1e90 nothing
// overflows, and each of at most 12 underflows is multiplied by at most 1e90: below 12 * 2^-1075 * 1e90 < 1e-200.
//
// 2D: the same with 4 roundings, covered by 6 e, and underflows that are multiplied by nothing. An
// overflow gives an infinite bound or NaN, and no comparison with these is true.
namespace carom::math {
namespace {

using Eigen::Vector3d;

constexpr double e = 0x1p-53;

/// det(p, q, r) multiplied out, times `factor`, a sign.
void add_determinant(ExactSum& sum, double factor, const Vector3d& p, const Vector3d& q, const Vector3d& r) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    sum.add_product(factor * p[i], q[j], r[k]);
    sum.add_product(-factor * p[i], q[k], r[j]);
  }
}

/// Whether p - q, computed, is the difference itself: what was lost is itself a double (Knuth), computed
/// here without error. An overflow gives NaN and with it `false`.
bool is_exact_difference(const Vector3d& p, const Vector3d& q, const Vector3d& difference) {
  for (int k = 0; k < 3; ++k) {
    const double virtual_q = p[k] - difference[k];
    const double virtual_p = difference[k] + virtual_q;
    const double lost = (p[k] - virtual_p) + (virtual_q - q[k]);
    if (!(lost == 0)) return false;
  }
  return true;
}

/// det(b - a, c - a, d - a) = det(b, c, d) - det(a, c, d) + det(a, b, d) - det(a, b, c): no difference of
/// coordinates, so no rounding.
ExactSum sum3d(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  ExactSum sum;
  add_determinant(sum, 1, b, c, d);
  add_determinant(sum, -1, a, c, d);
  add_determinant(sum, 1, a, b, d);
  add_determinant(sum, -1, a, b, c);
  return sum;
}

ExactSum sum2d(const Vector3d& a, const Vector3d& b, const Vector3d& c, int axis) {
  const int i = (axis + 1) % 3;
  const int j = (axis + 2) % 3;
  ExactSum sum;
  sum.add_product(b[i], c[j]);
  sum.add_product(-b[i], a[j]);
  sum.add_product(-a[i], c[j]);
  sum.add_product(-b[j], c[i]);
  sum.add_product(b[j], a[i]);
  sum.add_product(a[j], c[i]);
  return sum;
}

}  // namespace

int orient3d(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  const double ux = b.x() - a.x(), uy = b.y() - a.y(), uz = b.z() - a.z();
  const double vx = c.x() - a.x(), vy = c.y() - a.y(), vz = c.z() - a.z();
  const double wx = d.x() - a.x(), wy = d.y() - a.y(), wz = d.z() - a.z();
  const double yz = vy * wz, zy = vz * wy;
  const double zx = vz * wx, xz = vx * wz;
  const double xy = vx * wy, yx = vy * wx;
  const double det = ux * (yz - zy) + uy * (zx - xz) + uz * (xy - yx);
  const double size = std::abs(ux) * (std::abs(yz) + std::abs(zy)) + std::abs(uy) * (std::abs(zx) + std::abs(xz)) +
                      std::abs(uz) * (std::abs(xy) + std::abs(yx));
  const double largest = std::max({std::abs(ux), std::abs(uy), std::abs(uz), std::abs(vx), std::abs(vy), std::abs(vz),
                                   std::abs(wx), std::abs(wy), std::abs(wz)});
  if (largest < 1e90 && std::abs(det) > 10 * e * size + 1e-200) return det > 0 ? 1 : -1;
  // In a plane of the axes, which is common and would always fail the filter. A computed difference is
  // zero only if the two numbers are equal.
  if ((ux == 0 && vx == 0 && wx == 0) || (uy == 0 && vy == 0 && wy == 0) || (uz == 0 && vz == 0 && wz == 0)) return 0;
  // Features that share a vertex ask this all the time.
  if (a == b || a == c || a == d || b == c || b == d || c == d) return 0;
  const Vector3d u(ux, uy, uz), v(vx, vy, vz), w(wx, wy, wz);
  if (is_exact_difference(b, a, u) && is_exact_difference(c, a, v) && is_exact_difference(d, a, w)) {
    ExactSum sum;  // a quarter of the terms; near neighbours mostly allow it
    add_determinant(sum, 1, u, v, w);
    return sum.sign();
  }
  return sum3d(a, b, c, d).sign();
}

int orient2d(const Vector3d& a, const Vector3d& b, const Vector3d& c, int axis) {
  const int i = (axis + 1) % 3;
  const int j = (axis + 2) % 3;
  const double left = (b[i] - a[i]) * (c[j] - a[j]);
  const double right = (b[j] - a[j]) * (c[i] - a[i]);
  const double det = left - right;
  if (std::abs(det) > 6 * e * (std::abs(left) + std::abs(right)) + 1e-300) return det > 0 ? 1 : -1;
  if ((a[i] == b[i] && a[i] == c[i]) || (a[j] == b[j] && a[j] == c[j])) return 0;
  if (a == b || a == c || b == c) return 0;
  return sum2d(a, b, c, axis).sign();
}

Scaled exact_orient3d(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  return sum3d(a, b, c, d).value();
}

Scaled exact_orient2d(const Vector3d& a, const Vector3d& b, const Vector3d& c, int axis) {
  return sum2d(a, b, c, axis).value();
}

}  // namespace carom::math
