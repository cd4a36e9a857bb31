#include "math/collinear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "oracle/exact_distance.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

bool truly_collinear(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const oracle::ExactVector u = oracle::exact(b) - oracle::exact(a);
  const oracle::ExactVector v = oracle::exact(c) - oracle::exact(a);
  return u.x * v.y == u.y * v.x && u.y * v.z == u.z * v.y && u.z * v.x == u.x * v.z;
}

TEST(Collinear, AgreesWithRationalArithmeticOnNearMisses) {
  std::mt19937_64 random(11);
  std::uniform_int_distribution<int> small(-8, 8);
  std::uniform_int_distribution<int> nudge(0, 5);
  int on_a_line = 0;
  int beside = 0;
  for (int i = 0; i < 100'000; ++i) {
    // Points on a line through the lattice, scaled by a number that rounds; some coordinates are off by one ulp.
    const double scale = std::ldexp(i % 2 == 0 ? 1.0 : 0.1, small(random) * (i % 5));
    const Vector3d origin(small(random), small(random), small(random));
    const Vector3d step(small(random), small(random), small(random));
    Vector3d points[3];
    for (Vector3d& p : points) {
      p = scale * (origin + small(random) * step);
      const int k = nudge(random);
      if (k < 3 && i % 3 == 0) p[k] = std::nextafter(p[k], 1e9);
    }
    const bool truth = truly_collinear(points[0], points[1], points[2]);
    (truth ? on_a_line : beside) += 1;
    ASSERT_EQ(math::collinear(points[0], points[1], points[2]), truth) << "case " << i;
  }
  EXPECT_GT(on_a_line, 10'000);
  EXPECT_GT(beside, 10'000);
}

TEST(Collinear, AgreesWithRationalArithmeticOverTheWholeRange) {
  std::mt19937_64 random(12);
  std::uniform_int_distribution<int> exponent(-1074, 1021);
  std::uniform_int_distribution<int> digit(-3, 3);
  for (int i = 0; i < 20'000; ++i) {
    const int e[3] = {exponent(random), exponent(random), exponent(random)};
    Vector3d points[3];
    for (Vector3d& p : points)
      for (int k = 0; k < 3; ++k) p[k] = std::ldexp(digit(random), e[i % 2 == 0 ? k : (k + digit(random) + 3) % 3]);
    ASSERT_EQ(math::collinear(points[0], points[1], points[2]), truly_collinear(points[0], points[1], points[2]))
        << "case " << i;
  }
}

TEST(Collinear, DecidesAtBothEndsOfTheRange) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double huge = std::numeric_limits<double>::max();
  EXPECT_FALSE(math::collinear({0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}));
  EXPECT_TRUE(math::collinear({0, 0, 0}, {tiny, tiny, 0}, {2 * tiny, 2 * tiny, 0}));
  EXPECT_TRUE(math::collinear({-huge, -huge, huge}, {0, 0, 0}, {huge, huge, -huge}));
  EXPECT_FALSE(math::collinear({-huge, -huge, huge}, {0, 0, tiny}, {huge, huge, -huge}));
  EXPECT_TRUE(math::collinear({huge, 1, tiny}, {huge, 1, tiny}, {0, 3, 0}));
}

}  // namespace
}  // namespace carom
