#include "math/orientation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "oracle/exact_distance.hpp"

namespace carom::math {
namespace {

using Eigen::Vector3d;
using Points = std::array<Vector3d, 4>;

mpq_class true_volume(const Points& p) {
  using namespace oracle;
  const ExactVector u = exact(p[1]) - exact(p[0]);
  const ExactVector v = exact(p[2]) - exact(p[0]);
  const ExactVector w = exact(p[3]) - exact(p[0]);
  return u.x * (v.y * w.z - v.z * w.y) + u.y * (v.z * w.x - v.x * w.z) + u.z * (v.x * w.y - v.y * w.x);
}

mpq_class true_area(const Points& p, int axis) {
  const auto coordinate = [&](std::size_t i, int k) { return mpq_class(p[i][k % 3]); };
  const auto side = [&](std::size_t i, int k) { return mpq_class(coordinate(i, k) - coordinate(0, k)); };
  return side(1, axis + 1) * side(2, axis + 2) - side(1, axis + 2) * side(2, axis + 1);
}

/// value is within 1e-15 of the truth, relatively.
bool close(const Scaled& value, const mpq_class& truth) {
  mpq_class power(1);
  mpz_class two_to(1);
  mpz_mul_2exp(two_to.get_mpz_t(), two_to.get_mpz_t(), static_cast<mp_bitcnt_t>(std::abs(value.exponent)));
  const mpq_class found = value.exponent < 0 ? mpq_class(mpq_class(value.mantissa) / two_to)
                                             : mpq_class(mpq_class(value.mantissa) * two_to);
  return abs(found - truth) <= abs(truth) * mpq_class(1e-15);
}

testing::AssertionResult agrees(const Points& p) {
  const mpq_class volume = true_volume(p);
  if (orient3d(p[0], p[1], p[2], p[3]) != sgn(volume))
    return testing::AssertionFailure() << "orient3d, expected " << sgn(volume);
  if (orient3d(p[1], p[0], p[2], p[3]) != -sgn(volume)) return testing::AssertionFailure() << "two points swapped";
  if (!close(exact_orient3d(p[0], p[1], p[2], p[3]), volume)) return testing::AssertionFailure() << "volume";
  for (int axis = 0; axis < 3; ++axis) {
    const mpq_class area = true_area(p, axis);
    if (orient2d(p[0], p[1], p[2], axis) != sgn(area))
      return testing::AssertionFailure() << "orient2d along " << axis << ", expected " << sgn(area);
    if (!close(exact_orient2d(p[0], p[1], p[2], axis), area)) return testing::AssertionFailure() << "area";
  }
  return testing::AssertionSuccess();
}

RC_GTEST_PROP(Orientation, AgreesWithRationalArithmeticOnAGrid, ()) {
  Points p;
  for (Vector3d& q : p)
    for (int k = 0; k < 3; ++k) q[k] = *rc::gen::inRange(-3, 4);
  RC_ASSERT(static_cast<bool>(agrees(p)));
}

/// The fourth point in the plane of the others, to rounding: the case that a filter alone gets wrong.
TEST(Orientation, AgreesWithRationalArithmeticOnNearMisses) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::array<int, 3> signs{};
  for (int i = 0; i < 6'000; ++i) {
    const double scale = std::ldexp(1.0, static_cast<int>(random() % 400) - 200);
    const Vector3d origin = i % 2 == 0 ? Vector3d::Zero() : Vector3d(1e3, -2e5, 3e7);
    Points p;
    for (std::size_t k = 0; k < 3; ++k)
      p[k] = scale * (origin + Vector3d(uniform(random), uniform(random), uniform(random)));
    const double s = uniform(random);
    const double t = uniform(random);
    p[3] = p[0] + s * (p[1] - p[0]) + t * (p[2] - p[0]);
    if (i % 3 == 0) p[2] = p[0] + t * (p[1] - p[0]);
    if (i % 5 == 0) p[3] = 0.5 * p[0] + 0.5 * p[1];
    ASSERT_TRUE(agrees(p)) << "case " << i;
    ++signs[static_cast<std::size_t>(orient3d(p[0], p[1], p[2], p[3]) + 1)];
  }
  for (const int count : signs) EXPECT_GT(count, 100);
}

TEST(Orientation, AgreesWithRationalArithmeticOverTheWholeRange) {
  std::mt19937_64 random(4);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < 5'000; ++i) {
    std::array<int, 3> exponent{};
    for (int& x : exponent) x = below(2096) - 1074;
    Points p;
    for (Vector3d& q : p)
      for (int k = 0; k < 3; ++k)
        q[k] = std::ldexp(below(7) - 3, exponent[static_cast<std::size_t>(i % 2 == 0 ? k : below(3))]);
    ASSERT_TRUE(agrees(p)) << "case " << i;
  }
}

TEST(Orientation, DecidesAtBothEndsOfTheRange) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}), 1) << "the side to which the normal points";
  EXPECT_EQ(orient3d({0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}, {0, 0, tiny}), 1);
  EXPECT_EQ(orient3d({-huge, -huge, -huge}, {huge, -huge, -huge}, {-huge, huge, -huge}, {-huge, -huge, huge}), 1);
  EXPECT_EQ(orient3d({-huge, -huge, 0}, {huge, -huge, 0}, {0, huge, 0}, {huge, huge, tiny}), 1);
  EXPECT_EQ(orient3d({-huge, -huge, 0}, {huge, -huge, 0}, {0, huge, 0}, {huge, huge, -tiny}), -1);
  EXPECT_EQ(orient3d({-huge, -huge, -huge}, {huge, huge, huge}, {0, 0, 0}, {1, tiny, 3}), 0);
  EXPECT_EQ(orient2d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 2), 1);
  EXPECT_EQ(orient2d({0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}, 2), 1);
  EXPECT_EQ(orient2d({-huge, -huge, 0}, {huge, huge, 0}, {0, tiny, 0}, 2), 1);
  EXPECT_EQ(orient2d({-huge, -huge, 0}, {huge, huge, 0}, {0, 0, 0}, 2), 0);
}

}  // namespace
}  // namespace carom::math
