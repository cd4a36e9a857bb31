#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/query/query.hpp"
#include "oracle/exact_hulls.hpp"
#include "shapes/shape_samples.hpp"

// Needles, plates and boxes that are nearly parallel and about to touch, against rational arithmetic.
namespace carom {
namespace {

using Eigen::Vector3d;

void expect_right(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b) {
  const QueryResult r = distance(a, pose_a, b, pose_b);
  const double depth = oracle::depth(a, pose_a, b, pose_b);
  const double truth = depth >= 0 ? -depth : std::sqrt(oracle::squared_distance(a, pose_a, b, pose_b).get_d());
  if (std::abs(truth) > 1e-14) {
    EXPECT_EQ(r.distance <= 0, truth <= 0) << truth;
  }
  EXPECT_LE(std::abs(r.distance - truth), r.error + 2e-14) << truth;
  EXPECT_LE(r.error, 1e-11);
  EXPECT_LE((r.point_b - r.point_a - r.distance * r.normal).norm(), 1e-12);
  EXPECT_EQ(collide(a, pose_a, b, pose_b), r.distance <= 0);
}

TEST(ConvexThin, NearlyParallelAndNearlyTouching) {
  std::mt19937_64 random(51);
  for (int i = 0; i < 36; ++i) {
    const double thin = std::pow(10, -3.0 * (1 + i % 3));
    const Vector3d size(1, i % 2 == 0 ? thin : 1, i % 4 == 3 ? 1 : thin);
    const auto draw = [&] {
      auto points = test::random_points(random, 8);
      for (Vector3d& p : points) p = p.cwiseProduct(size);
      return Shape::hull(points);
    };
    const Shape a = draw();
    const Shape b = draw();
    Eigen::Isometry3d pose_a = i % 3 == 0 ? test::random_pose(random, 1) : Eigen::Isometry3d::Identity();
    Eigen::Isometry3d pose_b = pose_a;
    if (i % 4 == 1) pose_b.linear() *= Eigen::AngleAxisd(thin, test::random_vector(random).normalized()).matrix();
    pose_b.translation() += pose_a.linear() * test::random_vector(random).cwiseProduct(size);
    const QueryResult near = distance(a, pose_a, b, pose_b);
    const double gap = thin * std::pow(10, test::number(random, -6, 0));
    pose_b.translation() += ((i % 5 == 0 ? -gap : gap) - near.distance) * near.normal;
    SCOPED_TRACE(i);
    expect_right(a, pose_a, b, pose_b);
  }
}

TEST(ConvexThin, NearlyParallelBoxes) {
  std::mt19937_64 random(52);
  for (int i = 0; i < 24; ++i) {
    const Shape a = Shape::box(Vector3d(0.1, 0.1, 0.1) + test::random_vector(random).cwiseAbs());
    const Shape b = Shape::box(Vector3d(0.1, 0.1, 0.1) + test::random_vector(random).cwiseAbs());
    const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
    Eigen::Isometry3d pose_b = pose_a;
    pose_b.linear() *=
        Eigen::AngleAxisd(std::pow(10, test::number(random, -14, -3)), test::random_vector(random).normalized())
            .matrix();
    pose_b.translation() += test::random_vector(random);
    SCOPED_TRACE(i);
    expect_right(a, pose_a, b, pose_b);
  }
}

}  // namespace
}  // namespace carom
