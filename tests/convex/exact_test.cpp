#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/query/query.hpp"
#include "oracle/exact_hulls.hpp"
#include "shapes/shape_samples.hpp"

// Polytopes against rational arithmetic.
namespace carom {
namespace {

Shape draw_polytope(std::mt19937_64& random, int i) {
  if (i % 5 == 0) return Shape::box(0.2 * Eigen::Vector3d::Ones() + 0.5 * test::random_vector(random).cwiseAbs());
  auto points = test::random_points(random, 4 + i % 7);
  const double thin = i % 5 == 1 ? 1e-3 : 1;
  for (auto& p : points) p.x() *= thin;
  return Shape::hull(points);
}

TEST(ConvexExact, DistanceOfPolytopesThatAreApart) {
  std::mt19937_64 random(21);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    const Shape a = draw_polytope(random, i);
    const Shape b = draw_polytope(random, i / 3);
    const Eigen::Isometry3d pose_a = test::random_pose(random, i % 4 == 0 ? 1e4 : 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    pose_b.translation() = pose_a.translation() + 1.8 * test::random_vector(random);
    if (i % 2 == 0) {
      // Close: a gap of a thousandth.
      const QueryResult r = distance(a, pose_a, b, pose_b);
      pose_b.translation() += (1e-3 - r.distance) * r.normal;
    }
    const QueryResult r = distance(a, pose_a, b, pose_b);
    if (r.distance <= 0) continue;
    ++compared;
    const double truth = std::sqrt(oracle::squared_distance(a, pose_a, b, pose_b).get_d());
    // Rotations of rounded numbers stretch by 1e-16 of the size; that is all that is lost.
    EXPECT_NEAR(r.distance, truth, 1e-10 * truth) << i;
    EXPECT_LE(r.error, 1e-9 * truth) << i;
  }
  EXPECT_GE(compared, 40);
}

TEST(ConvexExact, DepthOfPolytopesThatOverlap) {
  std::mt19937_64 random(22);
  int compared = 0;
  for (int i = 0; i < 30; ++i) {
    const Shape a = draw_polytope(random, i);
    const Shape b = draw_polytope(random, i / 3);
    const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    pose_b.translation() = pose_a.translation() + (i % 3 == 0 ? 0.05 : 0.4) * test::random_vector(random);
    const QueryResult r = penetration(a, pose_a, b, pose_b);
    const double truth = oracle::depth(a, pose_a, b, pose_b);
    EXPECT_EQ(r.distance <= 0, truth >= 0) << i;
    if (truth < 0) continue;
    ++compared;
    EXPECT_NEAR(-r.distance, truth, 1e-9) << i;
    EXPECT_FALSE(r.limited);
  }
  EXPECT_GE(compared, 20);
}

TEST(ConvexExact, BoxesOnAGridOfPlacesAndQuarterTurns) {
  // Faces and edges that are parallel and coplanar, where the truth is that of intervals.
  const Shape a = Shape::box({1, 2, 3});
  const Shape b = Shape::box({0.5, 0.25, 1});
  const std::vector<Eigen::Vector3d> corners = [] {
    std::vector<Eigen::Vector3d> all;
    for (int i = 0; i < 8; ++i) all.emplace_back(i & 1 ? 0.5 : -0.5, i & 2 ? 0.25 : -0.25, i & 4 ? 1 : -1);
    return all;
  }();
  const Shape hull = Shape::hull(corners);
  for (int turn = 0; turn < 3; ++turn) {
    Eigen::Matrix3d r = Eigen::Matrix3d::Zero();
    for (int k = 0; k < 3; ++k) r((k + turn) % 3, k) = 1;
    const Eigen::Vector3d half = r * Eigen::Vector3d(0.5, 0.25, 1);
    for (int place = 0; place < 7 * 7 * 7; ++place) {
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      pose.linear() = r;
      pose.translation() = Eigen::Vector3d(place % 7 * 0.75, place / 7 % 7 * 0.75, place / 49 * 0.75);
      const Eigen::Vector3d gap = pose.translation().cwiseAbs() - Eigen::Vector3d(1, 2, 3) - half;
      const double truth = gap.maxCoeff() > 0 ? gap.cwiseMax(0.0).norm() : gap.maxCoeff();
      for (const Shape* shape : {&b, &hull}) {
        const QueryResult q = distance(a, Eigen::Isometry3d::Identity(), *shape, pose);
        ASSERT_NEAR(q.distance, truth, 1e-12) << turn << " " << place;
        ASSERT_EQ(collide(a, Eigen::Isometry3d::Identity(), *shape, pose), q.distance <= 0);
      }
    }
  }
}

TEST(ConvexExact, SpheresCapsulesAndHalfSpaces) {
  const auto at = [](double x, double y, double z) { return Eigen::Isometry3d(Eigen::Translation3d(x, y, z)); };
  const QueryResult balls = distance(Shape::sphere(1), at(0, 0, 0), Shape::sphere(0.5), at(3, 4, 0));
  EXPECT_NEAR(balls.distance, 3.5, 1e-15);
  EXPECT_LE((balls.normal - Eigen::Vector3d(0.6, 0.8, 0)).norm(), 1e-15);
  EXPECT_LE((balls.point_a - Eigen::Vector3d(0.6, 0.8, 0)).norm(), 1e-15);
  EXPECT_NEAR(distance(Shape::sphere(1), at(0, 0, 0), Shape::sphere(0.5), at(0, 0, 1)).distance, -0.5, 1e-15);
  EXPECT_NEAR(distance(Shape::sphere(1), at(1, 1, 1), Shape::sphere(0.5), at(1, 1, 1)).distance, -1.5, 1e-15);
  EXPECT_NEAR(distance(Shape::capsule(0.5, 2), at(0, 0, 0), Shape::capsule(0.25, 1), at(2, 0, 2.5)).distance, 1.25,
              1e-15);
  EXPECT_NEAR(distance(Shape::capsule(0.5, 2), at(0, 0, 0), Shape::capsule(0.25, 1), at(0, 0, 0)).distance, -0.75,
              1e-15);
  const QueryResult ground = distance(Shape::half_space({0, 0, 2}, 0), at(5, 5, 1), Shape::sphere(0.5), at(0, 0, 1.25));
  EXPECT_NEAR(ground.distance, -0.25, 1e-15);
  EXPECT_LE((ground.normal - Eigen::Vector3d(0, 0, 1)).norm(), 1e-15);
  EXPECT_LE((ground.point_a - Eigen::Vector3d(0, 0, 1)).norm(), 1e-15);
  EXPECT_LE((ground.point_b - Eigen::Vector3d(0, 0, 0.75)).norm(), 1e-15);
  // An ellipsoid and a ball on its axis, apart and inside.
  EXPECT_NEAR(distance(Shape::ellipsoid({1, 2, 3}), at(0, 0, 0), Shape::sphere(1), at(0, 0, 5)).distance, 1, 1e-10);
  EXPECT_NEAR(distance(Shape::ellipsoid({1, 2, 3}), at(0, 0, 0), Shape::sphere(1), at(0, 0, 0)).distance, -2, 1e-6);
  // Cylinders side by side, and end to end.
  EXPECT_NEAR(distance(Shape::cylinder(1, 2), at(0, 0, 0), Shape::cylinder(0.5, 1), at(2, 0, 1)).distance, 0.5, 1e-9);
  EXPECT_NEAR(distance(Shape::cylinder(1, 2), at(0, 0, 0), Shape::cone(0.5, 1), at(0, 0.2, 2.5)).distance, -0.5, 1e-6);
}

TEST(ConvexExact, TwoHalfSpacesThatLookAtEachOther) {
  const Eigen::Isometry3d here = Eigen::Isometry3d::Identity();
  const QueryResult apart = distance(Shape::half_space({0, 0, 1}, -1), here, Shape::half_space({0, 0, -1}, -2), here);
  EXPECT_EQ(apart.distance, 3);
  EXPECT_EQ(distance(Shape::half_space({0, 0, 1}, 0), here, Shape::half_space({0, 1, -1}, -2), here).distance,
            -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace carom
