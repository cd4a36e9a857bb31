#include "continuous/coplanarity.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/safe_range.hpp"

// The error. Let u = 2^-53 and M, F, G the largest coordinates of corner 0 and of the sides. Corners and sides are
// wrong by u relatively. A component of f x g is below 2FG and wrong by at most 8u FG; the mean of two such by
// 10u FG. Its product with the corner is below 6 MFG and wrong by at most 30u + 24u MFG; the weighted
// mean of two such by 72u MFG. A blossom takes three levels of (1 - t) x + t y, each of which adds 4u of the
// largest value: 72u MFG more. 256u MFG covers these. Underflow is far below as M is in the safe range, or F or
// G is so small that c is lost in it; then nothing is certain.
namespace carom::continuous {
namespace {

using namespace detail;

double blossom(const std::array<double, 4>& c, double x, double y, double z) {
  const double x1 = 1 - x, y1 = 1 - y, z1 = 1 - z;
  const double a0 = x1 * c[0] + x * c[1], a1 = x1 * c[1] + x * c[2], a2 = x1 * c[2] + x * c[3];
  const double b0 = y1 * a0 + y * a1, b1 = y1 * a1 + y * a2;
  return z1 * b0 + z * b1;
}

/// The first zero in [0, 1] of the cubic with b[0] > 0, roughly; 2 if there seems to be none. What comes out is
/// verified by the caller.
struct RoughZero {
  double at = 2;
  double slope = 0;      ///< there, not positive
  bool is_dip = false;   ///< a smallest value above or near zero
  double curvature = 0;  ///< of the dip
};

RoughZero first_zero(const std::array<double, 4>& b) {
  // Power basis about 0: b0 + p s + q s^2 + r s^3.
  const double p = 3 * (b[1] - b[0]);
  const double q = 3 * (b[2] - 2 * b[1] + b[0]);
  const double r = b[3] - 3 * b[2] + 3 * b[1] - b[0];
  const auto value = [&](double s) { return ((r * s + q) * s + p) * s + b[0]; };
  const auto slope = [&](double s) { return (3 * r * s + 2 * q) * s + p; };
  double low = 0, high = 1;
  if (!(b[3] < 0) || !(std::min(b[1], b[2]) > 0 || std::max(b[1], b[2]) < 0 || (b[1] > 0 && b[2] < 0))) {
    // More than one change of sign is possible: look at the first minimum. Zeros of p + 2q s + 3r s^2.
    const double discriminant = q * q - 3 * p * r;
    if (discriminant > 0) {
      // The minimum is where the slope goes from minus to plus.
      const double root = std::sqrt(discriminant);
      const double at = q >= 0 ? (q + root != 0 ? -p / (q + root) : 2.0) : (r != 0 ? (root - q) / (3 * r) : 2.0);
      if (at > 0 && at < 1) {
        const double v = value(at);
        if (v >= 0) {
          RoughZero zero{.at = at, .is_dip = true, .curvature = 6 * r * at + 2 * q};
          if (b[3] >= 0 || v == 0) return zero;
          low = at;  // past the dip, down to the end
          zero.at = at;
          if (b[3] < 0) return zero;
        } else {
          high = at;
        }
      } else if (b[3] >= 0) {
        return {};
      }
    } else if (b[3] >= 0) {
      return {};
    }
  }
  // Exactly one zero in [low, high], downward: Newton, kept inside by bisection.
  double s = 0.5 * (low + high);
  if (b[3] < 0 && low == 0 && high == 1) s = b[0] / (b[0] - b[3]);
  for (int i = 0; i < 30; ++i) {
    const double v = value(s);
    if (v > 0) {
      low = s;
    } else {
      high = s;
    }
    const double d = slope(s);
    double next = s - v / d;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double step = std::abs(next - s);
    s = next;
    if (step < 1e-15 || high - low < 1e-15) break;
    if (step < 1e-9) {  // one more step is all it takes
      s = std::clamp(s - value(s) / slope(s), low, high);
      break;
    }
  }
  return {.at = s, .slope = slope(s)};
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
    const double t = t0 + local * length;
    return t > t0 && certain_sign(restrict_to(p.c, t0, t), p.margin) != 0 ? t : t0;
  };
  if (s > 0) {
    const double t = free_until(s);
    if (t > t0) return t;
    // Near a dip that touches zero, step back until the value is certain.
    if (zero.is_dip && zero.curvature > 0) {
      const double back = s - std::sqrt(8 * p.margin / zero.curvature);
      if (back > 0) {
        const double earlier = free_until(back);
        if (earlier > t0) return earlier;
      }
    }
    return free_until(0.5 * s);
  }
  return t0;
}

}  // namespace carom::continuous
