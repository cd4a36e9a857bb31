#include "geometry/triangle_triangle.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <random>

#include "carom/core/error.hpp"
#include "oracle/exact_intersection.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

double size_of(const TrianglePoints& a, const TrianglePoints& b) {
  double size = 0;
  for (const auto& t : {a, b})
    for (const Vector3d& p : t) size = std::max(size, p.cwiseAbs().maxCoeff());
  return size;
}

/// The point is one of the exact ones, to rounding.
bool is_one_of(const Vector3d& p, const std::vector<oracle::ExactVector>& points, double size) {
  return std::any_of(points.begin(), points.end(), [&](const oracle::ExactVector& q) {
    return squared_distance(oracle::exact(p), q) <= mpq_class(1e-15 * size) * mpq_class(1e-15 * size);
  });
}

/// The answers of the library against rational arithmetic. Returns the number of extreme points.
std::size_t check(const TrianglePoints& a, const TrianglePoints& b) {
  const auto truth = oracle::exact_intersection(a, b);
  EXPECT_EQ(intersects(a, b), !truth.empty());
  const auto found = intersection(a, b);
  EXPECT_EQ(found.has_value(), !truth.empty());
  if (!found || truth.empty()) return truth.size();
  mpq_class longest = 0;
  for (const auto& p : truth)
    for (const auto& q : truth) longest = std::max(longest, squared_distance(p, q));
  if (truth.size() < 3) {
    EXPECT_EQ(found->kind, truth.size() == 1 ? IntersectionKind::point : IntersectionKind::segment);
  }
  const double size = size_of(a, b);
  EXPECT_TRUE(is_one_of(found->start, truth, size) && is_one_of(found->end, truth, size));
  EXPECT_LE(std::abs(oracle::error_of((found->end - found->start).stableNorm(), longest)), 4e-15 * size);
  EXPECT_EQ(found->kind == IntersectionKind::point, longest == 0);
  return truth.size();
}

TrianglePoints permuted(const TrianglePoints& t, std::size_t by) {
  return by < 3 ? TrianglePoints{t[by], t[(by + 1) % 3], t[(by + 2) % 3]}
                : TrianglePoints{t[by % 3], t[(by + 2) % 3], t[(by + 1) % 3]};
}

void expect_same_in_any_order(const TrianglePoints& a, const TrianglePoints& b) {
  const auto first = intersection(a, b);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (const bool swap : {false, true}) {
        const TrianglePoints p = permuted(a, i);
        const TrianglePoints q = permuted(b, j);
        const auto other = swap ? intersection(q, p) : intersection(p, q);
        ASSERT_EQ(first.has_value(), other.has_value());
        if (!first) continue;
        ASSERT_EQ(first->kind, other->kind);
        ASSERT_EQ(first->start, other->start);
        ASSERT_EQ(first->end, other->end);
      }
}

TrianglePoints grid_triangle(std::mt19937_64& random, int cells) {
  TrianglePoints t;
  for (Vector3d& p : t)
    for (int k = 0; k < 3; ++k) p[k] = static_cast<double>(random() % static_cast<unsigned>(cells + 1));
  return t;
}

TEST(TriangleTriangle, AgreesWithRationalArithmeticOnGrids) {
  std::mt19937_64 random(5);
  std::array<int, 3> kinds{};
  for (int i = 0; i < 1'200; ++i) {
    const int cells = 1 + i % 4;
    TrianglePoints a = grid_triangle(random, cells);
    TrianglePoints b = grid_triangle(random, cells);
    if (i % 3 == 0)  // in one plane
      for (auto* t : {&a, &b})
        for (Vector3d& p : *t) p.z() = i % 2 == 0 ? 1 : p.x() + p.y();
    check(a, b);
    ASSERT_FALSE(HasFailure()) << "case " << i;
    if (const auto found = intersection(a, b)) ++kinds[static_cast<std::size_t>(found->kind)];
  }
  for (const int count : kinds) EXPECT_GT(count, 80);
}

TEST(TriangleTriangle, AgreesWithRationalArithmeticOnRandomAndNearlyTouchingOnes) {
  std::mt19937_64 random(6);
  const auto uniform = [&] { return oracle::uniform(random); };
  int yes = 0;
  int no = 0;
  for (int i = 0; i < 500; ++i) {
    TrianglePoints a;
    TrianglePoints b;
    for (auto* t : {&a, &b})
      for (Vector3d& p : *t) p = Vector3d(uniform(), uniform(), uniform());
    if (i % 2 == 1) {  // a corner of b on a, or an edge through an edge, to rounding
      const double s = uniform();
      b[0] = i % 4 == 1 ? Vector3d(a[0] + 0.5 * s * (a[1] - a[0]) + 0.4 * uniform() * (a[2] - a[0]))
                        : Vector3d(a[0] + s * (a[1] - a[0]));
      if (i % 8 == 3) b[1] = b[0] - 2 * (b[2] - b[0]);
      if (i % 8 == 7) b[1] = a[0] + uniform() * (a[1] - a[0]);
    }
    const double scale = i % 3 == 0 ? 1e-150 : i % 3 == 1 ? 1 : 1e100;
    for (auto* t : {&a, &b})
      for (Vector3d& p : *t) p *= scale;
    (check(a, b) > 0 ? yes : no) += 1;
    ASSERT_FALSE(HasFailure()) << "case " << i;
  }
  EXPECT_GT(yes, 80);
  EXPECT_GT(no, 80);
}

TEST(TriangleTriangle, TheOrderOfTrianglesAndCornersChangesNoBit) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    TrianglePoints a = grid_triangle(random, 2);
    TrianglePoints b = grid_triangle(random, 2);
    if (i % 2 == 0)
      for (auto* t : {&a, &b})
        for (Vector3d& p : *t) p += 0.3 * Vector3d(oracle::uniform(random), oracle::uniform(random), 0);
    expect_same_in_any_order(a, b);
    ASSERT_FALSE(HasFailure()) << "case " << i;
  }
}

/// Triangles over common vertices, in all the ways in which they can lie.
RC_GTEST_PROP(TriangleTriangle, MeetsBeyondSharedCornersAsInRationalArithmetic, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  for (int i = 0; i < 12; ++i) {
    const int cells = 1 + i % 3;
    TrianglePoints a = grid_triangle(random, cells);
    TrianglePoints b = grid_triangle(random, cells);
    const std::size_t shared = static_cast<std::size_t>(i) % 2 + 1;
    for (std::size_t k = 0; k < shared; ++k) b[k] = a[k];
    if (i % 5 == 0)
      for (auto* t : {&a, &b})
        for (Vector3d& p : *t) p.z() = 0;
    if (i % 7 == 0)  // on one line
      for (auto* t : {&a, &b})
        for (Vector3d& p : *t) p = Vector3d(p.x(), p.x(), 2 * p.x());
    const std::span<const Vector3d> corners(a.data(), shared);
    RC_ASSERT(geometry::meet_beyond(a, b, corners) == oracle::exactly_meet_beyond(a, b, corners));
    RC_ASSERT(geometry::meet_beyond(b, a, corners) == geometry::meet_beyond(a, b, corners));
  }
}

TEST(TriangleTriangle, SegmentsThatCrossInTheirSharedCornerMeetNowhereElse) {
  const Vector3d centre(1, 1, 1);
  const TrianglePoints a{centre, Vector3d(0, 1, 1), Vector3d(2, 1, 1)};
  const TrianglePoints b{Vector3d(1, 0, 1), centre, Vector3d(1, 2, 1)};
  EXPECT_TRUE(geometry::meet_beyond(a, b, {}));
  EXPECT_FALSE(geometry::meet_beyond(a, b, std::array{centre}));
  EXPECT_TRUE(geometry::meet_beyond(a, a, std::array{centre}));
}

TEST(TriangleTriangle, WorksAtBothEndsOfTheRange) {
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  const TrianglePoints floor{Vector3d(-huge, -huge, 0), Vector3d(huge, -huge, 0), Vector3d(0, huge, 0)};
  const TrianglePoints above{Vector3d(-huge, 0, tiny), Vector3d(huge, 0, tiny), Vector3d(0, 0, huge)};
  const TrianglePoints touching{Vector3d(-huge, 0, tiny), Vector3d(huge, 0, tiny), Vector3d(0, 0, 0)};
  const TrianglePoints through{Vector3d(0, 0, -huge), Vector3d(tiny, 0, huge), Vector3d(0, tiny, huge)};
  EXPECT_FALSE(intersects(floor, above));
  const auto touch = intersection(floor, touching);
  ASSERT_TRUE(touch.has_value());
  EXPECT_EQ(touch->kind, IntersectionKind::point);
  EXPECT_EQ(touch->start, Vector3d(0, 0, 0));
  const auto cut = intersection(floor, through);
  ASSERT_TRUE(cut.has_value());
  EXPECT_TRUE(cut->start.allFinite() && cut->end.allFinite());
  EXPECT_EQ(cut->start.z(), 0);
}

TEST(TriangleTriangle, ACornerThatIsNoNumberIsNamed) {
  TrianglePoints a{Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0)};
  const TrianglePoints b = a;
  a[2].y() = std::numeric_limits<double>::infinity();
  try {
    intersects(b, a);
    FAIL() << "an infinity was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_finite);
    EXPECT_NE(std::string(error.what()).find("corner 2 of triangle b"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace carom
