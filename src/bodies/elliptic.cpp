#include "bodies/elliptic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace carom::elliptic {
namespace {

/// Complementary modulus, squared, below which the functions are hyperbolic to rounding up to any argument in reach.
constexpr double hyperbolic_below = 1e-280;
/// Argument beyond which sech is below 1e-130, so that products of two of them are still numbers.
constexpr double max_hyperbolic = 300;
/// Argument below which the square of cn / sn would be out of range.
constexpr double tiny_argument = 1e-100;

/// R_C(1, 1 + e) for e >= 0.
double rc_of_one(double e) {
  if (e < 1e-5) return 1 - e * (1. / 3 - e * (1. / 5 - e / 7));
  const double root = std::sqrt(e);
  return std::atan(root) / root;
}

}  // namespace

Modulus::Modulus(double complement_squared) {
  if (!(complement_squared > hyperbolic_below)) {
    quarter_ = std::numeric_limits<double>::infinity();
    return;
  }
  double a = 1;
  double g = std::sqrt(std::min(complement_squared, 1.0));
  while (true) {
    arithmetic_[levels_] = a;
    geometric_[levels_] = g;
    ++levels_;
    mean_ = 0.5 * (a + g);
    // The next difference is the square of this one.
    if (!(std::abs(a - g) > 1e-8 * a) || levels_ == max_levels) break;
    g = std::sqrt(a * g);
    a = mean_;
  }
  quarter_ = 0.5 * std::numbers::pi / mean_;
}

Jacobi Modulus::functions(double u) const {
  if (levels_ == 0) {
    const double v = std::clamp(u, -max_hyperbolic, max_hyperbolic);
    const double sech = 1 / std::cosh(v);
    return {std::tanh(v), sech, sech};
  }
  if (std::abs(u) < tiny_argument) return {u, 1, 1};
  const double angle = mean_ * u;
  const double sine = std::sin(angle);
  double dn = 1;
  double ratio = std::cos(angle) / sine;  // cn / sn
  double scaled = mean_ * ratio;          // times the mean of the level
  for (int i = levels_ - 1; i >= 0; --i) {
    const double square = ratio * scaled;
    scaled *= dn;
    dn = (geometric_[i] + square) / (arithmetic_[i] + square);
    ratio = scaled / arithmetic_[i];
  }
  Jacobi j;
  j.sn = std::copysign(1 / std::sqrt(1 + scaled * scaled), sine);
  j.cn = scaled * j.sn;
  j.dn = dn;
  return j;
}

double carlson_rj(double x, double y, double z, double p) {
  double delta = (p - x) * (p - y) * (p - z);
  double mean = 0.2 * (x + y + z + 2 * p);
  const double first = mean;
  const double dx = first - x;
  const double dy = first - y;
  const double dz = first - z;
  // Sixth root of a quarter of the rounding error: the terms left out of the series below are of the sixth order.
  double spread = std::max({std::abs(dx), std::abs(dy), std::abs(dz), std::abs(first - p)}) / 0.0019;
  double power = 1;  // 4^-n
  double sum = 0;
  while (spread >= std::abs(mean)) {
    const double rx = std::sqrt(x);
    const double ry = std::sqrt(y);
    const double rz = std::sqrt(z);
    const double rp = std::sqrt(p);
    const double d = (rp + rx) * (rp + ry) * (rp + rz);
    sum += power / d * rc_of_one(delta / (d * d));
    const double lambda = rx * ry + rx * rz + ry * rz;
    x = 0.25 * (x + lambda);
    y = 0.25 * (y + lambda);
    z = 0.25 * (z + lambda);
    p = 0.25 * (p + lambda);
    mean = 0.25 * (mean + lambda);
    delta *= 1.0 / 64;
    spread *= 0.25;
    power *= 0.25;
  }
  const double a = power * dx / mean;
  const double b = power * dy / mean;
  const double c = power * dz / mean;
  const double q = -0.5 * (a + b + c);
  const double e2 = a * b + a * c + b * c - 3 * q * q;
  const double e3 = a * b * c + 2 * e2 * q + 4 * q * q * q;
  const double e4 = (2 * a * b * c + e2 * q + 3 * q * q * q) * q;
  const double e5 = a * b * c * q * q;
  const double series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26;
  return power * series / (mean * std::sqrt(mean)) + 6 * sum;
}

}  // namespace carom::elliptic
