#include <gtest/gtest.h>

#include "carom/detect/continuous.hpp"
#include "continuous/coplanarity.hpp"

// Cases whose answer is known without computing.
namespace carom {
namespace {

using Eigen::Vector3d;

constexpr ContactKind vf = ContactKind::vertex_face;
constexpr ContactKind ee = ContactKind::edge_edge;

/// A triangle around the origin in the plane z = 0, a vertex that falls on it from z = from to z = to.
FeatureMotion falling(double x, double y, double from, double to) {
  FeatureMotion m;
  m.start = {Vector3d(x, y, from), Vector3d(-1, -1, 0), Vector3d(3, -1, 0), Vector3d(-1, 3, 0)};
  m.end = m.start;
  m.end[0].z() = to;
  return m;
}

TEST(KnownImpacts, AVertexFallsOnATriangle) {
  const Impact impact = first_impact(vf, falling(0, 0, 1, -3));
  ASSERT_TRUE(impact.collides);
  EXPECT_LE(impact.time, 0.25);
  EXPECT_NEAR(impact.time, 0.25, 1e-9);
  EXPECT_EQ(impact.tolerance, 0) << "nothing is doubtful here";
  EXPECT_FALSE(impact.limited);
  EXPECT_NEAR((impact.normal - Vector3d(0, 0, -1)).norm(), 0, 1e-9) << "from the vertex to the triangle";
  EXPECT_NEAR(impact.weights[0], 1, 1e-12);
  EXPECT_NEAR(impact.weights[1], 0.5, 1e-9);
  EXPECT_NEAR(impact.weights[2], 0.25, 1e-9);
  EXPECT_NEAR(impact.weights[3], 0.25, 1e-9);
  EXPECT_NEAR((first_impact(vf, falling(0, 0, -1, 3)).normal - Vector3d(0, 0, 1)).norm(), 0, 1e-9);
}

TEST(KnownImpacts, ATouchCountsAndAMissDoesNot) {
  EXPECT_TRUE(first_impact(vf, falling(1, 1, 1, -1)).collides) << "on a side";
  EXPECT_TRUE(first_impact(vf, falling(3, -1, 1, -1)).collides) << "on a corner";
  EXPECT_TRUE(first_impact(vf, falling(0, 0, 1, 0)).collides) << "at the end";
  EXPECT_EQ(first_impact(vf, falling(0, 0, 0, 1)).time, 0) << "at the start";
  EXPECT_TRUE(first_impact(vf, falling(0, 0, 0, 0)).collides) << "all the time";
  EXPECT_FALSE(first_impact(vf, falling(1, std::nextafter(1.0, 2.0), 1, -1)).collides)
      << "past a side, by the last bit";
  EXPECT_FALSE(first_impact(vf, falling(0, 0, 1, 5e-324)).collides) << "not quite there";
  EXPECT_FALSE(first_impact(vf, falling(0, 0, 1e-300, 1e-300)).collides);
}

TEST(KnownImpacts, ABulletDoesNotPassAThinSheet) {
  for (const double speed : {1e2, 1e6, 1e12, 1e150, 1e300}) {
    const Impact impact = first_impact(vf, falling(0.1, 0.2, speed, -speed));
    ASSERT_TRUE(impact.collides) << speed;
    EXPECT_LE(impact.time, 0.5);
    EXPECT_GT(impact.time, 0.5 - 1e-9);
  }
}

TEST(KnownImpacts, SeparationStopsEarlier) {
  const Impact impact = first_impact(vf, falling(0, 0, 1, -1), {.separation = 0.25});
  ASSERT_TRUE(impact.collides);
  EXPECT_LE(impact.time, 0.375);
  EXPECT_NEAR(impact.time, 0.375, 1e-6);
  EXPECT_NEAR((impact.normal - Vector3d(0, 0, -1)).norm(), 0, 1e-6);
  EXPECT_FALSE(first_impact(vf, falling(0, 0, 1, 0.26), {.separation = 0.25}).collides);
  EXPECT_TRUE(first_impact(vf, falling(0, 0, 1, 0.25), {.separation = 0.25}).collides)
      << "as close as that is too close";
}

/// Two edges that cross at right angles, a above b, at heights from and to.
FeatureMotion crossing(double from, double to) {
  FeatureMotion m;
  m.start = {Vector3d(-1, 0, from), Vector3d(3, 0, from), Vector3d(0, -1, 0), Vector3d(0, 1, 0)};
  m.end = m.start;
  m.end[0].z() = m.end[1].z() = to;
  return m;
}

TEST(KnownImpacts, TwoEdgesCross) {
  const Impact impact = first_impact(ee, crossing(1, -1));
  ASSERT_TRUE(impact.collides);
  EXPECT_LE(impact.time, 0.5);
  EXPECT_NEAR(impact.time, 0.5, 1e-9);
  EXPECT_NEAR((impact.normal - Vector3d(0, 0, -1)).norm(), 0, 1e-9) << "from a to b";
  EXPECT_NEAR(impact.weights[0], 0.75, 1e-9);
  EXPECT_NEAR(impact.weights[1], 0.25, 1e-9);
  EXPECT_NEAR(impact.weights[2], 0.5, 1e-9);
  EXPECT_NEAR(impact.weights[3], 0.5, 1e-9);
  EXPECT_FALSE(first_impact(ee, crossing(1, 0.5)).collides);
}

TEST(KnownImpacts, TheBudgetEndsTheSearchAndIsToldOf) {
  // An edge that turns in a plane towards another one: conservative advancement takes many steps.
  FeatureMotion m;
  m.start = {Vector3d(0, 0, 0), Vector3d(2, 0, 0), Vector3d(0.5, 1, 0), Vector3d(0.9, 1.5, 0)};
  m.end = {Vector3d(0, 0, 0), Vector3d(0, 2, 0), Vector3d(0.5, 0.9, 0), Vector3d(0.9, 1.6, 0)};
  const Impact all = first_impact(ee, m, {.tolerance = 1e-9});
  const Impact few = first_impact(ee, m, {.tolerance = 1e-9, .budget = 2});
  ASSERT_TRUE(all.collides);
  ASSERT_TRUE(few.collides);
  EXPECT_FALSE(all.limited);
  EXPECT_TRUE(few.limited);
  EXPECT_LT(few.time, all.time);
  EXPECT_GT(few.tolerance, 1e-9);
}

TEST(Coplanarity, DegreeIsLowerWhereSidesAreRigid) {
  const auto degree = [](ContactKind kind, const FeatureMotion& m) {
    return continuous::coplanarity(continuous::relative_motion(kind, m, 0)).degree;
  };
  FeatureMotion m = falling(0.1, 0.2, 1, -1);
  EXPECT_EQ(degree(vf, m), 1) << "a face that does not turn";
  for (std::size_t i = 1; i < 4; ++i) m.end[i] += Vector3d(0.5, 0.25, 2);
  EXPECT_EQ(degree(vf, m), 1) << "nor when it moves";
  m.end[2] += Vector3d(0.5, 0, 0);
  EXPECT_EQ(degree(vf, m), 3) << "a face that deforms";
  FeatureMotion e = crossing(1, -1);
  EXPECT_EQ(degree(ee, e), 1);
  e.end[0].z() = 0.5;
  EXPECT_EQ(degree(ee, e), 2) << "an edge that turns against a rigid one";
  e.end[3].x() = 0.5;
  EXPECT_EQ(degree(ee, e), 3);
}

}  // namespace
}  // namespace carom
