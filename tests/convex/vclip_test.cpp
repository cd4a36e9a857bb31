#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/core/error.hpp"
#include "carom/query/closest_features.hpp"
#include "carom/query/query.hpp"
#include "oracle/exact_hulls.hpp"
#include "shapes/shape_samples.hpp"

// Closest features by Voronoi regions.
namespace carom {
namespace {

using Points = std::vector<Eigen::Vector3d>;

Shape draw_polytope(std::mt19937_64& random, int i) {
  switch (i % 8) {
    case 0:
      return Shape::box(0.2 * Eigen::Vector3d::Ones() + 0.5 * test::random_vector(random).cwiseAbs());
    case 1: {
      auto points = test::random_points(random, 12);
      for (auto& p : points) p.x() *= 1e-3;
      return Shape::hull(points);
    }
    case 2:
      return Shape::triangle(test::random_vector(random), test::random_vector(random), test::random_vector(random));
    case 3:
      return Shape::hull(Points{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
    case 4:
      return Shape::hull(i % 16 == 4 ? Points{{-1, 0, 0}, {1, 0.1, 0.2}} : Points{{0.1, 0.2, 0.3}});
    default:
      return Shape::hull(test::random_points(random, 4 + (i * 11) % 90));
  }
}

bool on_feature(const ConvexPolyhedron& p, const PolyhedronFeature& f, const Eigen::Vector3d& x) {
  const auto corner = [&](Index i) { return p.corners()[static_cast<std::size_t>(i)]; };
  const auto index = static_cast<std::size_t>(f.index);
  if (f.kind == PolyhedronFeatureKind::vertex) return (x - corner(f.index)).norm() <= 1e-9;
  if (f.kind == PolyhedronFeatureKind::edge) {
    const Edge& e = p.edges()[index];
    const Eigen::Vector3d d = corner(e[1]) - corner(e[0]);
    const double t = (x - corner(e[0])).dot(d) / d.squaredNorm();
    return t >= -1e-9 && t <= 1 + 1e-9 && (x - corner(e[0]) - t * d).norm() <= 1e-9;
  }
  const auto face = p.faces()[index];
  const Eigen::Vector3d n = (corner(face[1]) - corner(face[0])).cross(corner(face[2]) - corner(face[0])).normalized();
  for (std::size_t k = 0; k < face.size(); ++k) {
    const Eigen::Vector3d d = (corner(face[(k + 1) % face.size()]) - corner(face[k])).normalized();
    if (n.cross(d).dot(x - corner(face[k])) < -1e-9) return false;
  }
  return std::abs(n.dot(x - corner(face[0]))) <= 1e-9;
}

struct Tally {
  int apart = 0;
  int overlapping = 0;
  int asked = 0;
  int iterations = 0;
};

void check(const ConvexPolyhedron& a, const Eigen::Isometry3d& pose_a, const ConvexPolyhedron& b,
           const Eigen::Isometry3d& pose_b, FeatureCache* cache, Tally& tally, int i) {
  const QueryResult truth = distance(a.shape(), pose_a, b.shape(), pose_b);
  const ClosestFeatures c = closest_features(a, pose_a, b, pose_b, cache);
  tally.iterations += c.iterations;
  tally.asked += c.asked_distance ? 1 : 0;
  if (std::abs(truth.distance) > 1e-12) {
    ASSERT_EQ(c.overlapping, truth.distance < 0) << i << " " << truth.distance << " after " << c.iterations;
  }
  if (c.overlapping) {
    ++tally.overlapping;
    return;
  }
  ++tally.apart;
  ASSERT_NEAR(c.distance, truth.distance, 1e-10 * truth.distance + 1e-14) << i;
  ASSERT_LE((c.point_b - c.point_a - c.distance * c.normal).norm(), 1e-12) << i;
  if (c.asked_distance) return;
  ASSERT_TRUE(on_feature(a, c.feature_a, pose_a.inverse() * c.point_a)) << i;
  ASSERT_TRUE(on_feature(b, c.feature_b, pose_b.inverse() * c.point_b)) << i;
}

TEST(ClosestFeatures, AreAsFarApartAsGjkSays) {
  std::mt19937_64 random(61);
  Tally tally;
  for (int i = 0; i < 1600; ++i) {
    const ConvexPolyhedron a(draw_polytope(random, i));
    const ConvexPolyhedron b(draw_polytope(random, i / 8));
    const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    // Parallel edges and faces.
    if (i % 3 == 0) pose_b.linear() = pose_a.linear();
    if (i % 7 == 0) pose_b.linear() = Eigen::AngleAxisd(1e-9, Eigen::Vector3d::UnitX()) * pose_a.linear();
    pose_b.translation() = pose_a.translation() + test::number(random, 0, 4) * test::random_vector(random);
    check(a, pose_a, b, pose_b, nullptr, tally, i);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.apart, 500);
  EXPECT_GT(tally.overlapping, 150);
  EXPECT_LE(tally.asked, 8);
}

TEST(ClosestFeatures, AnyCacheGivesARightAnswerAndAGoodOneAQuickOne) {
  std::mt19937_64 random(62);
  Tally cold;
  Tally warm;
  Tally garbage;
  for (int pair = 0; pair < 40; ++pair) {
    const ConvexPolyhedron a(Shape::hull(test::random_points(random, 60)));
    const ConvexPolyhedron b(Shape::hull(test::random_points(random, 60)));
    Eigen::Isometry3d pose_a = test::random_pose(random, 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    pose_b.translation() = pose_a.translation() + Eigen::Vector3d(2.3, 0, 0);
    FeatureCache cache;
    for (int step = 0; step < 30; ++step) {
      pose_b.rotate(Eigen::AngleAxisd(0.02, Eigen::Vector3d(1, 2, 3).normalized()));
      pose_b.translation() -= Eigen::Vector3d(0.02, 0, 0);
      check(a, pose_a, b, pose_b, nullptr, cold, step);
      check(a, pose_a, b, pose_b, &cache, warm, step);
      FeatureCache wrong;
      wrong.a = {static_cast<PolyhedronFeatureKind>(step % 3), static_cast<Index>(test::number(random, -5, 300))};
      wrong.b = {static_cast<PolyhedronFeatureKind>(step / 3 % 3), static_cast<Index>(test::number(random, -5, 300))};
      check(a, pose_a, b, pose_b, &wrong, garbage, step);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_LT(2 * warm.iterations, cold.iterations);
  EXPECT_EQ(cold.asked + warm.asked + garbage.asked, 0);
}

TEST(ClosestFeatures, DistanceIsThatOfRationalArithmetic) {
  std::mt19937_64 random(63);
  int compared = 0;
  for (int i = 0; i < 40; ++i) {
    // Few corners: the oracle tries all pairs.
    const Shape a = i % 8 < 5 ? draw_polytope(random, i) : Shape::hull(test::random_points(random, 7));
    const Shape b = Shape::hull(test::random_points(random, 5));
    const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    pose_b.translation() = pose_a.translation() + 2.5 * test::random_vector(random);
    const ClosestFeatures c = closest_features(ConvexPolyhedron(a), pose_a, ConvexPolyhedron(b), pose_b);
    if (c.overlapping || a.kind() == ShapeKind::triangle) continue;
    ++compared;
    const double truth = std::sqrt(oracle::squared_distance(a, pose_a, b, pose_b).get_d());
    EXPECT_NEAR(c.distance, truth, 1e-10 * truth) << i;
  }
  EXPECT_GT(compared, 15);
}

TEST(ClosestFeatures, OfBoxesAreTheObviousOnes) {
  const ConvexPolyhedron cube(Shape::box({1, 1, 1}));
  const auto at = [](double x, double y, double z) { return Eigen::Isometry3d(Eigen::Translation3d(x, y, z)); };
  const ClosestFeatures corner = closest_features(cube, at(0, 0, 0), cube, at(3, 4, 5));
  EXPECT_EQ(corner.feature_a.kind, PolyhedronFeatureKind::vertex);
  EXPECT_EQ(corner.feature_b.kind, PolyhedronFeatureKind::vertex);
  EXPECT_NEAR(corner.distance, std::sqrt(1.0 + 4 + 9), 1e-15);
  const ClosestFeatures faces = closest_features(cube, at(0, 0, 0), cube, at(0.5, 0.5, 3));
  EXPECT_EQ(faces.distance, 1);
  EXPECT_EQ(faces.normal, Eigen::Vector3d(0, 0, 1));
  EXPECT_TRUE(closest_features(cube, at(0, 0, 0), cube, at(0.5, 0.5, 1.5)).overlapping);
  Eigen::Isometry3d bad = at(0, 0, 0);
  bad.translation().x() = NAN;
  EXPECT_THROW(closest_features(cube, at(0, 0, 0), cube, bad), Error);
}

}  // namespace
}  // namespace carom
