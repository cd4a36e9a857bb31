#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "carom/mesh/closest.hpp"
#include "oracle/exact_distance.hpp"

/// Compares the distance kernels with rational arithmetic.
///
/// The bound is 1e-15 times the size of the problem, the largest distance between its points: nine units of
/// rounding (2^-53). What makes it up is the difference of two coordinates (1), the weights (about 3), their
/// sum of products (2), and the norm (3), when all errors point the same way. The shape of the triangle
/// or the angle of the edges must not be in it.
namespace carom::closest_check {

using Eigen::Vector3d;

inline constexpr double bound = 1e-15;
inline constexpr double epsilon = 0x1p-52;

inline oracle::ExactVector combine(std::initializer_list<double> weights, std::initializer_list<Vector3d> points) {
  oracle::ExactVector sum{0, 0, 0};
  mpq_class total = 0;
  auto w = weights.begin();
  for (const Vector3d& p : points) {
    sum = sum + mpq_class(*w) * oracle::exact(p);
    total += *w++;
  }
  return mpq_class(1 / total) * sum;
}

/// Whether the point is what its weights say, to the rounding of its coordinates.
inline void expect_point(const Vector3d& point, const oracle::ExactVector& truth, double largest_coordinate) {
  const oracle::ExactVector d = oracle::exact(point) - truth;
  for (const mpq_class& x : {d.x, d.y, d.z}) EXPECT_LE(std::abs(x.get_d()), 4 * epsilon * largest_coordinate);
}

inline double largest_coordinate(std::initializer_list<Vector3d> points) {
  double largest = 0;
  for (const Vector3d& p : points) largest = std::max(largest, p.lpNorm<Eigen::Infinity>());
  return largest;
}

/// Checks everything that is promised of one answer. Returns the error of the distance over the size.
inline double check_vertex_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const VertexTriangleClosest result = closest_vertex_triangle(p, a, b, c);
  const Vector3d& w = result.weights;
  EXPECT_TRUE(w.allFinite() && result.point.allFinite() && std::isfinite(result.distance));
  if (::testing::Test::HasFailure()) return 1;
  EXPECT_GE(w.minCoeff(), 0);
  EXPECT_LE(w.maxCoeff(), 1);
  EXPECT_NEAR(w.sum(), 1, 2 * epsilon);

  const double size = std::max({(a - p).stableNorm(), (b - p).stableNorm(), (c - p).stableNorm()});
  const oracle::ExactVector exact_p = oracle::exact(p);
  const double error = oracle::error_of(
      result.distance, oracle::point_triangle_squared(exact_p, oracle::exact(a), oracle::exact(b), oracle::exact(c)));
  EXPECT_LE(std::abs(error), bound * size);
  const oracle::ExactVector weighted = combine({w[0], w[1], w[2]}, {a, b, c});
  EXPECT_LE(std::abs(oracle::error_of(result.distance, oracle::squared_distance(exact_p, weighted))), bound * size);
  expect_point(result.point, weighted, largest_coordinate({a, b, c}));
  return size > 0 ? error / size : 0;
}

inline double check_edge_edge(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0, const Vector3d& b1) {
  const EdgeEdgeClosest result = closest_edge_edge(a0, a1, b0, b1);
  EXPECT_TRUE(result.point_a.allFinite() && result.point_b.allFinite() && std::isfinite(result.distance));
  EXPECT_TRUE(result.s >= 0 && result.s <= 1) << result.s;
  EXPECT_TRUE(result.t >= 0 && result.t <= 1) << result.t;
  if (::testing::Test::HasFailure()) return 1;

  const double size = std::max({(a0 - b0).stableNorm(), (a0 - b1).stableNorm(), (a1 - b0).stableNorm(),
                                (a1 - b1).stableNorm(), (a1 - a0).stableNorm(), (b1 - b0).stableNorm()});
  const double error = oracle::error_of(
      result.distance,
      oracle::segment_segment_squared(oracle::exact(a0), oracle::exact(a1), oracle::exact(b0), oracle::exact(b1)));
  EXPECT_LE(std::abs(error), bound * size);
  const oracle::ExactVector on_a = combine({1 - result.s, result.s}, {a0, a1});
  const oracle::ExactVector on_b = combine({1 - result.t, result.t}, {b0, b1});
  EXPECT_LE(std::abs(oracle::error_of(result.distance, oracle::squared_distance(on_a, on_b))), bound * size);
  expect_point(result.point_a, on_a, largest_coordinate({a0, a1}));
  expect_point(result.point_b, on_b, largest_coordinate({b0, b1}));
  return size > 0 ? error / size : 0;
}

/// The worst errors seen, printed at the end of a test so that a slow loss of digits can be noticed.
class Worst {
 public:
  explicit Worst(const char* what) : what_(what) {}
  ~Worst() { std::printf("    %s: error / size in [%.2e, %.2e]\n", what_, low_, high_); }
  Worst(const Worst&) = delete;
  Worst& operator=(const Worst&) = delete;
  void add(double error) {
    low_ = std::min(low_, error);
    high_ = std::max(high_, error);
  }

 private:
  const char* what_;
  double low_ = 0;
  double high_ = 0;
};

/// Seeded: every run sees the same numbers.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  double magnitude(double low, double high) { return std::exp(in(std::log(low), std::log(high))); }
  Vector3d vector() { return {in(-1, 1), in(-1, 1), in(-1, 1)}; }
  Vector3d lattice(int n) {
    return {static_cast<double>(integer(-n, n)), static_cast<double>(integer(-n, n)),
            static_cast<double>(integer(-n, n))};
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace carom::closest_check
