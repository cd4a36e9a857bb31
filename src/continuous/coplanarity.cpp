#include "continuous/coplanarity.hpp"

#include <algorithm>
#include <cmath>

#include "math/safe_range.hpp"

// The error. Let u = 2^-53 and M, F, G the largest coordinates of corner 0 and of the sides. Corners and sides are
// wrong by u relatively. A component of f x g is below 2FG and wrong by at most 8u FG; the mean of two such by
// 10u FG. Its product with the corner is below 6 MFG and wrong by at most 30u + 24u MFG; the weighted
// mean of two such by 72u MFG. A blossom takes three levels of (1 - t) x + t y, each of which adds 4u of the
// largest value: 72u MFG more. 256u MFG covers these. Underflow is far below as M is in the safe range, or F or
// G is so small that c is lost in it; then nothing is certain.
namespace carom::continuous {
namespace {

using namespace math;

double blossom(const std::array<double, 4>& c, double x, double y, double z) {
  const double x1 = 1 - x, y1 = 1 - y, z1 = 1 - z;
  const double a0 = x1 * c[0] + x * c[1], a1 = x1 * c[1] + x * c[2], a2 = x1 * c[2] + x * c[3];
  const double b0 = y1 * a0 + y * a1, b1 = y1 * a1 + y * a2;
  return z1 * b0 + z * b1;
}

/// Where a cubic with b[0] > 0 first comes down to zero in [0, 1], or near to it: roughly, the caller verifies it.
struct RoughZero {
  double at = 2;         ///< beyond 1 if it does not seem to come down
  bool is_dip = false;   ///< a smallest value that is not below zero
  double curvature = 0;  ///< of the dip
};

/// In the power basis: d + c s + b s^2 + a s^3.
struct Cubic {
  double a, b, c, d;
  double value(double s) const { return ((a * s + b) * s + c) * s + d; }
  double slope(double s) const { return (3 * a * s + 2 * b) * s + c; }
  /// Where the slope goes from minus to plus; 2 if nowhere.
  double minimum() const {
    const double discriminant = b * b - 3 * a * c;
    if (!(discriminant > 0)) return 2;
    const double root = std::sqrt(discriminant);
    if (b >= 0) return b + root > 0 ? -c / (b + root) : 2;
    return a != 0 ? (root - b) / (3 * a) : 2;
  }
};

/// The zero in (low, high), the only one and downward: Newton, kept inside by bisection.
double newton(const Cubic& f, double s, double low, double high) {
  for (int i = 0; i < 30; ++i) {
    const double v = f.value(s);
    (v > 0 ? low : high) = s;
    double next = s - v / f.slope(s);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double step = std::abs(next - s);
    s = next;
    if (step < 1e-15 || high - low < 1e-15) return s;
    if (step < 1e-9) break;  // one more step is all it takes
  }
  return std::clamp(s - f.value(s) / f.slope(s), low, high);
}

RoughZero first_zero(const std::array<double, 4>& b) {
  const Cubic f{b[3] - 3 * b[2] + 3 * b[1] - b[0], 3 * (b[2] - 2 * b[1] + b[0]), 3 * (b[1] - b[0]), b[0]};
  // One change of sign in the coefficients is one zero.
  const bool one_zero = b[3] < 0 && !(b[1] < 0 && b[2] > 0);
  if (one_zero) return {.at = newton(f, b[0] / (b[0] - b[3]), 0, 1)};
  const double minimum = f.minimum();
  if (minimum > 0 && minimum < 1) {
    if (f.value(minimum) >= 0) {
      return {.at = minimum, .is_dip = true, .curvature = 6 * f.a * minimum + 2 * f.b};
    }
    return {.at = newton(f, 0.5 * minimum, 0, minimum)};
  }
  if (b[3] < 0) return {.at = newton(f, 0.5, 0, 1)};
  return {};
}

}  // namespace

Coplanarity coplanarity(const RelativeMotion& m) {
  Coplanarity p;
  const Vec3& v0 = m.start[0];
  const Vec3& v1 = m.end[0];
  const auto same = [](const Vec3& a, const Vec3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
  const bool f_rigid = same(m.side_f_start, m.side_f_end);
  const bool g_rigid = same(m.side_g_start, m.side_g_end);
  double normal_size = 0;
  const Vec3 n0 = cross(m.side_f_start, m.side_g_start);
  if (f_rigid && g_rigid) {
    p.degree = 1;
    const double c0 = dot(v0, n0), c3 = dot(v1, n0);
    p.c = {c0, (2 * c0 + c3) / 3, (c0 + 2 * c3) / 3, c3};
    normal_size = dot(n0, n0);
  } else {
    const Vec3 n2 = cross(m.side_f_end, m.side_g_end);
    const Vec3 n1 = f_rigid || g_rigid
                        ? 0.5 * (n0 + n2)
                        : 0.5 * (cross(m.side_f_start, m.side_g_end) + cross(m.side_f_end, m.side_g_start));
    p.degree = f_rigid || g_rigid ? 2 : 3;
    p.c = {dot(v0, n0), (dot(v1, n0) + 2 * dot(v0, n1)) / 3, (2 * dot(v1, n1) + dot(v0, n2)) / 3, dot(v1, n2)};
    normal_size = std::max({dot(n0, n0), dot(n1, n1), dot(n2, n2)});
  }
  const double unit = m.size * m.size_f * m.size_g;
  p.error = 256 * unit_roundoff * unit + 1e-290;
  // |c| = distance of the plane times |f x g|, and |f x g| is below its largest Bernstein coefficient.
  p.margin = p.error;
  if (m.separation > 0)
    p.margin +=
        m.separation * (std::sqrt(normal_size + 1e-290) * (1 + 1e-14) + 64 * unit_roundoff * m.size_f * m.size_g);
  return p;
}

std::array<double, 4> restrict_to(const std::array<double, 4>& c, double t0, double t1) {
  return {blossom(c, t0, t0, t0), blossom(c, t0, t0, t1), blossom(c, t0, t1, t1), blossom(c, t1, t1, t1)};
}

double value_at(const std::array<double, 4>& c, double t) {
  return blossom(c, t, t, t);
}

int certain_sign(const std::array<double, 4>& c, double margin) {
  const double low = std::min(std::min(c[0], c[1]), std::min(c[2], c[3]));
  const double high = std::max(std::max(c[0], c[1]), std::max(c[2], c[3]));
  return low > margin ? 1 : high < -margin ? -1 : 0;
}

double skip_to_first_zero(const Coplanarity& p, double t0) {
  std::array<double, 4> b = t0 == 0 ? p.c : restrict_to(p.c, t0, 1);
  if (certain_sign(b, p.margin) != 0) return 1;
  if (!(std::abs(b[0]) > p.margin)) return t0;
  const double sign = b[0] > 0 ? 1 : -1;
  // The zero of c - margin is where the features may come within the separation.
  for (double& x : b) x = sign * x - 2 * p.margin;
  if (!(b[0] > 0)) return t0;
  const RoughZero zero = first_zero(b);
  const double length = 1 - t0;
  double s = std::min(zero.at, 1.0);
  if (!zero.is_dip && zero.at <= 1) s -= 4 * unit_roundoff;
  const auto free_until = [&](double local) {
    const double t = std::min(t0 + local * length, 1.0);
    return t > t0 && certain_sign(restrict_to(p.c, t0, t), p.margin) != 0 ? t : t0;
  };
  double t = free_until(s);
  // Near a dip that touches zero, step back until the value is certain.
  if (t == t0 && zero.is_dip && zero.curvature > 0) t = free_until(s - std::sqrt(8 * p.margin / zero.curvature));
  if (t == t0) t = free_until(0.5 * s);
  return t;
}

}  // namespace carom::continuous
