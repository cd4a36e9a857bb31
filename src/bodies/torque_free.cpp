#include "bodies/torque_free.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bodies/elliptic.hpp"

// The momentum m, seen from the body, goes round one of the two extreme axes of inertia, the pole, and its components
// are Jacobi's functions of the time (Jacobi 1850; van Zon and Schofield 2007). Subscripts: p the pole, d the middle
// axis, e the other extreme. All differences of inverse moments have the sign of that of the pole, so their sizes serve
// for both poles.
//
// The attitude follows from m, which is fixed in the world, and the angle psi about it. Let P(m) be the shortest
// rotation that takes m to the pole: it is smooth everywhere but opposite the pole, where m never gets. Then the body
// turns by P(m0)^-1 Rot(pole, psi) P(m1), with psi + chi the precession, an integral of the third kind, and chi the
// azimuth of m about the pole.
namespace carom::rigid {
namespace {

using math::Quat;
using math::Vec3;

/// Axes of the body by their role, and the sizes that do not change.
struct Orbit {
  std::size_t p = 0;
  std::size_t d = 1;
  std::size_t e = 2;
  double sign = 1;        ///< 1 if the pole has the largest inverse moment, -1 if the least
  double handedness = 1;  ///< of (p, d, e)
  double pd = 0;          ///< |inverse[p] - inverse[d]|
  double de = 0;
  double pe = 0;
  // Sizes of the differences between 2 E / |m|^2 and the inverse moments, times |m|^2.
  double to_p = 0;
  double to_d = 0;
  double to_e = 0;
};

Orbit orbit_of(const std::array<double, 3>& m, const std::array<double, 3>& inverse) {
  std::array<std::size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return inverse[i] > inverse[j]; });
  const double above = (inverse[order[0]] - inverse[order[1]]) * m[order[0]] * m[order[0]];
  const double below = (inverse[order[1]] - inverse[order[2]]) * m[order[2]] * m[order[2]];
  Orbit o;
  o.sign = above > below ? 1 : -1;
  o.p = above > below ? order[0] : order[2];
  o.d = order[1];
  o.e = above > below ? order[2] : order[0];
  o.handedness = (o.p + 1) % 3 == o.d ? 1 : -1;
  o.pd = std::abs(inverse[o.p] - inverse[o.d]);
  o.de = std::abs(inverse[o.d] - inverse[o.e]);
  o.pe = o.pd + o.de;
  o.to_d = std::abs(above - below);
  o.to_p = o.pd * m[o.d] * m[o.d] + o.pe * m[o.e] * m[o.e];
  o.to_e = o.pe * m[o.p] * m[o.p] + o.de * m[o.d] * m[o.d];
  return o;
}

/// The shortest rotation that takes the unit vector `from` to `pole`.
Quat shortest(const Vec3& from, const Vec3& pole) {
  const Vec3 axis = cross(from, pole);
  return math::normalized({1 + dot(from, pole), axis.x, axis.y, axis.z});
}

/// Functions at the sum of two arguments. The denominator is 1 - k^2 sn^2 sn^2, as a sum of squares.
elliptic::Jacobi at_sum(const elliptic::Jacobi& a, const elliptic::Jacobi& b, double k_squared) {
  const double denominator = a.cn * a.cn + a.sn * a.sn * b.dn * b.dn;
  return {(a.sn * b.cn * b.dn + b.sn * a.cn * a.dn) / denominator,
          (a.cn * b.cn - a.sn * a.dn * b.sn * b.dn) / denominator,
          (a.dn * b.dn - k_squared * a.sn * a.cn * b.sn * b.cn) / denominator};
}

/// (1 + alpha) times the integral of sn^2 / (1 + alpha sn^2) from 0 to the argument of `j`, which is at most K.
double third_kind(const elliptic::Jacobi& j, double alpha) {
  const double square = j.sn * j.sn;
  return (1 + alpha) / 3 * j.sn * square * elliptic::carlson_rj(j.cn * j.cn, j.dn * j.dn, 1, 1 + alpha * square);
}

}  // namespace

Quat torque_free_rotation(const Vec3& momentum, const Vec3& inverse_inertia, double time) {
  const std::array<double, 3> m{momentum.x, momentum.y, momentum.z};
  const std::array<double, 3> inverse{inverse_inertia.x, inverse_inertia.y, inverse_inertia.z};
  const Vec3 w{m[0] * inverse[0], m[1] * inverse[1], m[2] * inverse[2]};
  const Orbit o = orbit_of(m, inverse);
  const double rate = std::sqrt(o.pd * o.to_e);
  if (!(rate * time > 0) || !(o.to_p > 0)) return math::rotation_by(time * w);  // about an axis of inertia

  const double size = length(momentum);
  const double side = m[o.p] < 0 ? -1 : 1;  // of the pole on which m is
  const double flow = o.sign * o.handedness * side;
  const double alpha = o.de / o.pd;
  const double k_squared = alpha * o.to_p / o.to_e;
  const elliptic::Modulus modulus(o.pe * o.to_d / (o.pd * o.to_e));

  // Largest components, and the functions at the beginning, with an argument that grows.
  const double max_p = std::sqrt(o.to_e / o.pe);
  const double max_d = std::sqrt(o.to_p / o.pd);
  const double max_e = std::sqrt(o.to_p / o.pe);
  const elliptic::Jacobi begin{flow * m[o.d] / max_d, m[o.e] / max_e, side * m[o.p] / max_p};

  const double half = 2 * modulus.quarter_period();
  const double halves = std::round(rate * time / half);
  const elliptic::Jacobi passed = modulus.functions(halves == 0 ? rate * time : rate * time - halves * half);
  const elliptic::Jacobi end = at_sum(begin, passed, k_squared);

  // The precession about the momentum: the integral over the time passed, and what the addition theorem adds.
  double integral = third_kind(passed, alpha);
  if (halves != 0) {
    const double complement = std::sqrt(std::max(0.0, o.pe * o.to_d / (o.pd * o.to_e)));
    integral += 2 * halves * third_kind({1, 0, complement}, alpha);
  }
  const double root = alpha * size * o.pe / std::sqrt(o.pd * o.to_e);
  const double product = begin.sn * passed.sn;
  const double added = std::atan2(root * product * end.sn, 1 + alpha * (end.sn * end.sn - product * end.cn * end.dn));
  const double precession = size * inverse[o.e] * time + o.sign * (o.de * size / rate * integral + added);

  const double mirrored = std::fmod(halves, 2) == 0 ? 1 : -1;
  std::array<double, 3> at_end{};
  at_end[o.p] = side * max_p * end.dn;
  at_end[o.d] = mirrored * flow * max_d * end.sn;
  at_end[o.e] = mirrored * max_e * end.cn;
  const double azimuth =
      o.handedness * side *
      std::atan2(m[o.d] * at_end[o.e] - m[o.e] * at_end[o.d], m[o.d] * at_end[o.d] + m[o.e] * at_end[o.e]);
  std::array<double, 3> pole{};
  pole[o.p] = side;
  const Vec3 axis{pole[0], pole[1], pole[2]};
  const Vec3 ended{at_end[0], at_end[1], at_end[2]};
  const Quat first = shortest((1 / size) * momentum, axis);
  const Quat last = shortest((1 / length(ended)) * ended, axis);
  return math::conjugate(first) * math::rotation_by((precession - azimuth) * axis) * last;
}

}  // namespace carom::rigid
