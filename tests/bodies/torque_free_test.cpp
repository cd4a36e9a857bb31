#include "bodies/torque_free.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "bodies/elliptic.hpp"
#include "oracle/soup.hpp"

// Rotations without torque in closed form, against a slow twin and against closed forms of their own.
namespace carom::rigid {
namespace {

using math::Quat;
using math::Vec3;
using Real = long double;

Vec3 times(const Vec3& a, const Vec3& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

/// rad, between two attitudes.
double angle_between(const Quat& p, const Quat& q) {
  const Quat d = math::conjugate(p) * q;
  return 2 * std::atan2(std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z), std::abs(d.w));
}

struct Case {
  Vec3 inertia;
  Vec3 inverse;
  Vec3 momentum;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double number(double low, double high) { return low + (high - low) * oracle::uniform(engine_); }
  double power(double low, double high) { return std::pow(10, number(low, high)); }

  /// Moments of a body of any extents, by kind: any, plates, needles, nearly symmetric, symmetric, about the middle
  /// axis. The spin is of the size 1.
  Case body(int kind, double slender) {
    Vec3 square{power(-slender, 0), power(-slender, 0), power(-slender, 0)};
    if (kind == 1) square.y = 1e-12;
    if (kind == 2) square = {1, power(-slender, 0), power(-slender, 0)};
    if (kind == 3) square.y = square.x * (1 + power(-12, -5));
    if (kind == 4) square.z = square.y;
    Case c;
    c.inertia = {square.y + square.z, square.x + square.z, square.x + square.y};
    c.inverse = {1 / c.inertia.x, 1 / c.inertia.y, 1 / c.inertia.z};
    Vec3 w{number(-1, 1), number(-1, 1), number(-1, 1)};
    if (kind == 5) {
      std::array<double Vec3::*, 3> axis{&Vec3::x, &Vec3::y, &Vec3::z};
      std::sort(axis.begin(), axis.end(), [&](auto i, auto j) { return c.inertia.*i < c.inertia.*j; });
      w.*axis[0] *= 1e-5;
      w.*axis[2] *= 1e-5;
    }
    c.momentum = times(c.inertia, (1 / length(w)) * w);
    return c;
  }

 private:
  std::mt19937_64 engine_;
};
constexpr int kinds = 6;

/// The method of Runge and Kutta in small pieces, of the attitude, with the momentum fixed in the world.
Quat slow_twin(const Case& c, double time, int pieces) {
  using Four = std::array<Real, 4>;
  const auto rate = [&](const Four& q) {
    const auto [w, x, y, z] = q;
    const Real m[3] = {c.momentum.x, c.momentum.y, c.momentum.z};
    // Rows of the transposed matrix.
    const Real r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                          {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                          {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    const Real inverse[3] = {c.inverse.x, c.inverse.y, c.inverse.z};
    Real s[3];
    for (int i = 0; i < 3; ++i) s[i] = inverse[i] * (r[i][0] * m[0] + r[i][1] * m[1] + r[i][2] * m[2]) / 2;
    return Four{-x * s[0] - y * s[1] - z * s[2], w * s[0] + y * s[2] - z * s[1], w * s[1] + z * s[0] - x * s[2],
                w * s[2] + x * s[1] - y * s[0]};
  };
  const auto plus = [](const Four& q, Real h, const Four& d) {
    Four r;
    for (std::size_t i = 0; i < 4; ++i) r[i] = q[i] + h * d[i];
    return r;
  };
  Four q{1, 0, 0, 0};
  const Real h = static_cast<Real>(time) / pieces;
  for (int i = 0; i < pieces; ++i) {
    const Four a = rate(q);
    const Four b = rate(plus(q, h / 2, a));
    const Four d = rate(plus(q, h / 2, b));
    const Four e = rate(plus(q, h, d));
    Real size = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      q[k] += h / 6 * (a[k] + 2 * b[k] + 2 * d[k] + e[k]);
      size += q[k] * q[k];
    }
    for (Real& x : q) x /= std::sqrt(size);
  }
  return {static_cast<double>(q[0]), static_cast<double>(q[1]), static_cast<double>(q[2]), static_cast<double>(q[3])};
}

TEST(TorqueFree, IsWhatSmallPiecesAddUpTo) {
  Random random(3);
  for (int i = 0; i < 120; ++i) {
    const Case c = random.body(i % kinds, 4);
    const Vec3 w = times(c.inverse, c.momentum);
    const double fastest =
        std::sqrt(dot(w, c.momentum) * std::max({c.inverse.x, c.inverse.y, c.inverse.z}));  // rad/s, at any time
    const double time = random.power(-2, 1) / fastest;
    const int pieces = 100 + static_cast<int>(fastest * time * 1000);
    EXPECT_LT(angle_between(torque_free_rotation(c.momentum, c.inverse, time), slow_twin(c, time, pieces)), 1e-9)
        << "case " << i << ", " << fastest * time << " rad";
  }
}

/// One long turn is two shorter ones, and it keeps the energy, for turns by ten thousand radians.
TEST(TorqueFree, LongTurnsAreMadeOfShorterOnes) {
  Random random(4);
  for (int i = 0; i < 3000; ++i) {
    const Case c = random.body(i % kinds, 6);
    const Vec3 w = times(c.inverse, c.momentum);
    const double time = random.power(-2, 4);
    const double part = random.number(0, 1) * time;
    const Quat all = torque_free_rotation(c.momentum, c.inverse, time);
    const Quat first = torque_free_rotation(c.momentum, c.inverse, part);
    const Vec3 there = math::matrix(first).back(c.momentum);
    const Vec3 end = math::matrix(all).back(c.momentum);
    const double energy = dot(w, c.momentum);
    ASSERT_NEAR(dot(times(c.inverse, end), end), energy, 1e-11 * energy) << "case " << i;
    // Near the middle axis what rounding changes grows exponentially with the time.
    if (i % kinds == 5) continue;
    ASSERT_LT(angle_between(all, first * torque_free_rotation(there, c.inverse, time - part)), 1e-6)
        << "case " << i << ", " << time << " rad";
  }
}

/// A symmetric body: its axis goes round the momentum at |m| / I, and it turns about the axis at a constant rate.
TEST(TorqueFree, SymmetricBodiesPrecess) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const double along = random.power(-6, 0.3);
    const Vec3 inertia{1, 1, along};
    const Vec3 inverse{1, 1, 1 / along};
    const Vec3 w{random.number(-1, 1), random.number(-1, 1), random.number(-1, 1)};
    const Vec3 m = times(inertia, w);
    const double time = random.power(-3, 4);
    const Quat expected = math::rotation_by(time * m) * math::rotation_by({0, 0, time * (w.z - m.z)});
    EXPECT_LT(angle_between(torque_free_rotation(m, inverse, time), expected), 1e-10) << i << ", " << time << " s";
  }
}

TEST(TorqueFree, AboutAnAxisOfInertiaItIsAPlainTurn) {
  const Vec3 inverse{1, 0.5, 0.4};
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, -1}}) {
    const Quat q = torque_free_rotation(axis, inverse, 100);
    EXPECT_LT(angle_between(q, math::rotation_by(100.0 * times(inverse, axis))), 1e-12);
  }
}

// Values of R_J and K: Carlson 1995, table; Abramowitz and Stegun, table 17.1.
TEST(Elliptic, KnownValues) {
  EXPECT_NEAR(elliptic::carlson_rj(2, 3, 4, 5), 0.14297579667156753833, 1e-15);
  EXPECT_NEAR(elliptic::carlson_rj(0, 1, 2, 3), 0.77688623778582332014, 1e-15);
  EXPECT_NEAR(elliptic::Modulus(0.5).quarter_period(), 1.85407467730137192, 1e-14);
  EXPECT_NEAR(elliptic::Modulus(1).quarter_period(), std::numbers::pi / 2, 1e-15);
}

/// Their squares, and their derivatives by differences, for every modulus.
TEST(Elliptic, FunctionsFulfilTheirEquations) {
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    const double complement = i % 10 == 0 ? 0.0 : i % 10 == 1 ? 1.0 : random.power(-30, 0);
    const double k_squared = 1 - complement;
    const elliptic::Modulus modulus(complement);
    const double u = random.number(-1, 1) * std::min(modulus.quarter_period(), 20.0);
    const elliptic::Jacobi f = modulus.functions(u);
    EXPECT_NEAR(f.sn * f.sn + f.cn * f.cn, 1, 1e-14);
    EXPECT_NEAR(f.dn * f.dn, complement + k_squared * f.cn * f.cn, 1e-13 * f.dn * f.dn);
    constexpr double h = 1e-5;
    const elliptic::Jacobi low = modulus.functions(u - h);
    const elliptic::Jacobi high = modulus.functions(u + h);
    EXPECT_NEAR((high.sn - low.sn) / (2 * h), f.cn * f.dn, 1e-9) << complement << ' ' << u;
    EXPECT_NEAR((high.cn - low.cn) / (2 * h), -f.sn * f.dn, 1e-9) << complement << ' ' << u;
    EXPECT_NEAR((high.dn - low.dn) / (2 * h), -k_squared * f.sn * f.cn, 1e-9) << complement << ' ' << u;
  }
}

}  // namespace
}  // namespace carom::rigid
