#include "carom/query/query.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "shapes/shape_samples.hpp"

namespace carom {
namespace {

Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

std::string error_of(auto&& ask) {
  try {
    ask();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Query, WhatIsWrongIsNamed) {
  const Shape ball = Shape::sphere(1);
  Eigen::Isometry3d bad = at(0, 0, 0);
  bad.translation().y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { collide(ball, at(0, 0, 0), ball, bad); }), "collide: pose_b is not finite, or beyond 1e+60");
  EXPECT_EQ(error_of([&] { distance(ball, bad, ball, at(0, 0, 0)); }),
            "distance: pose_a is not finite, or beyond 1e+60");
  EXPECT_EQ(error_of([&] { distance(ball, at(0, 0, 0), Shape::mesh(make_icosphere(1, 1)), bad); }),
            "distance: pose_b is not finite, or beyond 1e+60");
  const std::vector<Eigen::Isometry3d> poses{at(0, 0, 0), bad, at(1, 0, 0)};
  std::vector<std::uint8_t> out(3);
  EXPECT_EQ(error_of([&] {
              collide(ball, poses, ball, {poses.data(), 1}, out);
            }),
            "collide: poses_a[1] is not finite, or beyond 1e+60");
  EXPECT_EQ(error_of([&] { collide(ball, {poses.data(), 2}, ball, poses, out); }), "query: 2 poses of a, but 3 of b");
  out.resize(2);
  EXPECT_EQ(error_of([&] {
              collide(ball, {poses.data(), 1}, ball, poses, out);
            }),
            "query: 3 pairs, but room for 2 results");
  EXPECT_EQ(error_of([&] { manifold(ball, at(0, 0, 0), ball, at(0, 0, 0), -1); }),
            "manifold: within is -1, expected at least 0");
}

TEST(Query, BatchesAreSingleQueriesForAnyNumberOfThreads) {
  std::mt19937_64 random(31);
  const Shape a = Shape::hull(test::random_points(random, 20));
  const Shape b = Shape::cylinder(0.5, 0.7);
  std::vector<Eigen::Isometry3d> poses_a;
  std::vector<Eigen::Isometry3d> poses_b;
  std::vector<Shape::Part> others;
  for (int i = 0; i < 700; ++i) {
    poses_a.push_back(test::random_pose(random, 1));
    poses_b.push_back(test::random_pose(random, 1));
    others.push_back({i % 2 == 0 ? a : b, poses_b.back()});
  }
  for (const int threads : {1, 2, 4}) {
    std::vector<std::uint8_t> collides(700);
    std::vector<QueryResult> distances(700);
    std::vector<QueryResult> depths(700);
    collide(a, poses_a, b, poses_b, collides, {.threads = threads});
    distance(a, poses_a, b, poses_b, distances, {.threads = threads});
    penetration(a, poses_a[0], others, depths, {.threads = threads});
    for (std::size_t i = 0; i < 700; ++i) {
      const QueryResult one = distance(a, poses_a[i], b, poses_b[i]);
      ASSERT_EQ(collides[i] != 0, one.colliding());
      ASSERT_EQ(distances[i].distance, one.distance);
      ASSERT_EQ(distances[i].point_a, one.point_a);
      ASSERT_EQ(depths[i].distance, penetration(a, poses_a[0], others[i].shape, others[i].pose).distance);
    }
  }
}

TEST(Query, ACacheFollowsASlowPair) {
  // Ten degrees and a hundredth of the size a step, through each other.
  std::mt19937_64 random(32);
  const Shape a = Shape::hull(test::random_points(random, 40));
  const Shape b = Shape::hull(test::random_points(random, 80));
  QueryCache for_collide;
  QueryCache for_distance;
  Eigen::Isometry3d pose = at(2.2, 0.3, 0.1);
  int cold_iterations = 0;
  int warm_iterations = 0;
  for (int step = 0; step < 300; ++step) {
    pose.rotate(Eigen::AngleAxisd(0.17, test::random_vector(random).normalized()));
    pose.pretranslate(Eigen::Vector3d(-0.02, 0, 0));
    const QueryResult cold = distance(a, at(0, 0, 0), b, pose);
    const QueryResult warm = distance(a, at(0, 0, 0), b, pose, &for_distance);
    ASSERT_NEAR(warm.distance, cold.distance, 1e-11) << step;
    ASSERT_EQ(collide(a, at(0, 0, 0), b, pose, &for_collide), cold.colliding()) << step;
    if (cold.distance > 0) {
      cold_iterations += cold.iterations;
      warm_iterations += warm.iterations;
    }
  }
  EXPECT_LT(warm_iterations, cold_iterations);
}

TEST(Query, CompoundsMirrorWhereSeveralPartsAreEquallyNear) {
  const auto at = [](double x, double y) { return Eigen::Isometry3d(Eigen::Translation3d(x, y, 0)); };
  const std::vector<Shape::Part> balls{{Shape::sphere(0.25), at(-1, 0)}, {Shape::sphere(0.25), at(1, 0)}};
  const std::vector<Shape::Part> boxes{{Shape::box({0.25, 0.25, 0.25}), at(1, 0)},
                                       {Shape::box({0.25, 0.25, 0.25}), at(-1, 0)}};
  const std::vector<Shape> shapes{Shape::compound(balls), Shape::compound(boxes), Shape::sphere(0.5)};
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (const double y : {0.25, 3.0, -3.0}) {
        const QueryResult r = distance(a, at(0, 0), b, at(0, y));
        const QueryResult mirrored = distance(b, at(0, y), a, at(0, 0));
        EXPECT_EQ(r.distance, mirrored.distance);
        EXPECT_EQ(r.part_a, mirrored.part_b);
        EXPECT_EQ(r.part_b, mirrored.part_a);
        EXPECT_EQ(r.normal, -mirrored.normal);
        EXPECT_EQ(r.point_a, mirrored.point_b);
        EXPECT_EQ(r.point_b, mirrored.point_a);
      }
    }
  }
}

TEST(Query, OfACompoundTheDeepestPartCounts) {
  const std::vector<Shape::Part> parts{{Shape::box({0.1, 1, 1}), at(-2, 0, 0)}, {Shape::sphere(0.5), at(2, 0, 0)}};
  const Shape both = Shape::compound(parts);
  const Shape ball = Shape::sphere(0.25);
  const QueryResult r = distance(both, at(0, 0, 10), ball, at(1, 0, 10));
  EXPECT_NEAR(r.distance, 0.25, 1e-15);
  EXPECT_EQ(r.part_a, 1);
  EXPECT_EQ(r.part_b, none);
  EXPECT_FALSE(collide(both, at(0, 0, 0), ball, at(1, 0, 0)));
  EXPECT_TRUE(collide(both, at(0, 0, 0), ball, at(-2, 0, 0)));
  EXPECT_EQ(penetration(ball, at(-2, 0, 0), both, at(0, 0, 0)).part_b, 0);
  EXPECT_NEAR(distance(both.with_margin(0.1), at(0, 0, 10), ball, at(1, 0, 10)).distance, 0.15, 1e-15);
}

TEST(Manifold, OfABoxOnABoxIsTheCommonRectangle) {
  const Manifold m = manifold(Shape::box({2, 2, 1}), at(0, 0, 0), Shape::box({1, 1, 1}), at(1.5, 0, 1.9));
  EXPECT_NEAR(m.closest.distance, -0.1, 1e-12);
  ASSERT_EQ(m.points.size(), 4U);
  for (const ManifoldPoint& p : m.points) {
    EXPECT_NEAR(p.distance, -0.1, 1e-9);
    EXPECT_NEAR(p.point_a.z(), 1, 1e-12);
    EXPECT_NEAR(p.point_b.z(), 0.9, 1e-12);
    EXPECT_TRUE(std::abs(p.point_a.x() - 0.5) < 1e-6 || std::abs(p.point_a.x() - 2) < 1e-6);
    EXPECT_NEAR(std::abs(p.point_a.y()), 1, 1e-6);
  }
}

TEST(Manifold, HasAsManyPointsAsTheContactNeeds) {
  const Shape table = Shape::half_space({0, 0, 1}, 0);
  const Eigen::Isometry3d here = at(0, 0, 0);
  EXPECT_EQ(manifold(table, here, Shape::box({1, 1, 1}), at(0, 0, 0.99)).points.size(), 4U);
  EXPECT_EQ(manifold(table, here, Shape::sphere(1), at(0, 0, 0.99)).points.size(), 1U);
  EXPECT_EQ(manifold(table, here, Shape::cylinder(1, 1), at(0, 0, 0.99)).points.size(), 8U);
  const Eigen::Isometry3d lying = at(0, 0, 0.99) * Eigen::AngleAxisd(1.5707963267948966, Eigen::Vector3d::UnitX());
  EXPECT_EQ(manifold(table, here, Shape::cylinder(1, 1), lying).points.size(), 2U);
  EXPECT_EQ(manifold(table, here, Shape::capsule(1, 1), lying).points.size(), 2U);
  EXPECT_EQ(manifold(table, here, Shape::box({1, 1, 1}), at(0, 0, 1.01)).points.size(), 0U);
  EXPECT_EQ(manifold(table, here, Shape::box({1, 1, 1}), at(0, 0, 1.01), 0.02).points.size(), 4U);
  // Edge across edge: one point.
  const Eigen::Isometry3d roof = at(0, 0, 0) * Eigen::AngleAxisd(0.7853981633974483, Eigen::Vector3d::UnitX());
  const Eigen::Isometry3d across = at(0, 0, 2.8) * Eigen::AngleAxisd(0.7853981633974483, Eigen::Vector3d::UnitY());
  EXPECT_EQ(manifold(Shape::box({1, 1, 1}), roof, Shape::box({1, 1, 1}), across).points.size(), 1U);
  // A hull says the same as a box.
  std::vector<Eigen::Vector3d> corners;
  for (int i = 0; i < 8; ++i) corners.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  EXPECT_EQ(manifold(Shape::hull(corners), here, Shape::box({0.5, 0.5, 1}), at(0, 0, 1.99)).points.size(), 4U);
}

}  // namespace
}  // namespace carom
