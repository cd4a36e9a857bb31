#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"
#include "mesh/brute_mesh.hpp"
#include "shapes/shape_samples.hpp"

// What must hold for every pair of shapes of which one is a mesh, whatever the other. Pairs of convex shapes are in
// tests/convex/pairs_test.cpp.
namespace carom {
namespace {

struct Named {
  std::string name;
  Shape shape;
};

Shape scaled(TriangleMesh mesh, double size, const MeshOptions& options = {}) {
  for (Eigen::Vector3d& p : mesh.positions) p *= size;
  return Shape::mesh(mesh, options);
}

std::vector<Named> meshes(double size) {
  TriangleMesh sliver = make_sheet(1, 1, 3, 3);
  for (Eigen::Vector3d& p : sliver.positions) p.x() *= 1e-6;
  TriangleMesh with_points = make_box({1, 0.6, 0.8}, 2);
  with_points.triangles.push_back({0, 0, 1});
  with_points.triangles.push_back({3, 3, 3});
  return {{"ball", scaled(make_icosphere(0.7, 2), size)},
          {"box", scaled(make_box({1, 0.7, 0.4}), size, {MeshVolume::oriented_box})},
          {"torus", scaled(make_torus(0.6, 0.2, 10, 6), size, {MeshVolume::dop18})},
          {"sheet", scaled(make_sheet(1.2, 1, 4, 4), size, {MeshVolume::sphere, MeshSplit::variance})},
          {"sliver", scaled(sliver, size)},
          {"degenerate", scaled(with_points, size)},
          {"torn", scaled(test::torn(make_icosphere(0.5, 1)), size)},
          {"one triangle", scaled({{{0, 0, 0}, {1, 0, 0.1}, {0, 1, 0.2}}, {{0, 1, 2}}}, size)}};
}

std::vector<Named> all_kinds() {
  std::vector<Named> all = meshes(1);
  for (const test::Sample& s : test::convex_samples()) all.push_back({s.name, s.shape});
  const Eigen::Isometry3d aside(Eigen::Translation3d(0.5, 0, 0));
  const std::vector<Shape::Part> parts{{Shape::sphere(0.4), aside}, {Shape::box({0.2, 0.3, 0.6}), aside.inverse()}};
  all.push_back({"compound", Shape::compound(parts)});
  return all;
}

TEST(MeshPairs, NoKindIsForgotten) {
  std::set<ShapeKind> seen;
  for (const Named& n : all_kinds()) seen.insert(n.shape.kind());
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(shape_kind_count));
}

void check_pair(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                double size, const std::string& what, std::mt19937_64& random) {
  const QueryResult d = distance(a, pose_a, b, pose_b);
  const QueryResult p = penetration(a, pose_a, b, pose_b);
  const bool touching = collide(a, pose_a, b, pose_b);
  ASSERT_TRUE(std::isfinite(d.distance)) << what;
  ASSERT_TRUE(d.normal.allFinite() && d.point_a.allFinite() && d.point_b.allFinite()) << what;
  ASSERT_EQ(touching, d.distance <= 0) << what << " " << d.distance;
  ASSERT_EQ(touching, p.distance <= 0) << what;
  if (touching) {
    ASSERT_EQ(d.distance, p.distance) << what;
  } else {
    ASSERT_LE(p.distance, d.distance) << what;
  }
  const QueryResult s = distance(b, pose_b, a, pose_a);
  ASSERT_EQ(s.distance, d.distance) << what;
  ASSERT_EQ(s.normal, -d.normal) << what;
  ASSERT_EQ(s.point_a, d.point_b) << what;
  ASSERT_EQ(s.point_b, d.point_a) << what;
  ASSERT_EQ(s.part_a, d.part_b) << what;
  ASSERT_EQ(s.part_b, d.part_a) << what;
  ASSERT_EQ(s.feature_a.corners, d.feature_b.corners) << what;
  ASSERT_EQ(collide(b, pose_b, a, pose_a), touching) << what;
  ASSERT_NEAR(d.normal.norm(), 1, 1e-9) << what;
  const double slack = 1e-13 * (size + pose_a.translation().norm() + pose_b.translation().norm());
  ASSERT_LE((d.point_b - d.point_a - d.distance * d.normal).norm(), 5e-4 * size + slack) << what << " " << d.distance;
  ASSERT_TRUE(a.kind() != ShapeKind::mesh || d.part_a != none) << what;
  // Moved together. A depth is the best of some directions, so it may jump, but not out of its own bounds.
  const Eigen::Isometry3d move = test::random_pose(random, 1);
  const QueryResult m = distance(a, move * pose_a, b, move * pose_b);
  if (d.distance > 1e-9 * size) {
    ASSERT_NEAR(m.distance, d.distance, 1e-9 * size + 100 * slack) << what;
  } else if (d.distance < -1e-9 * size) {
    ASSERT_LE(m.distance, 0) << what;
    ASSERT_NEAR(m.distance, d.distance, std::max(m.error, d.error) + 1e-4 * size) << what;
  }
}

TEST(MeshPairs, AgreeMirrorAndMove) {
  std::mt19937_64 random(17);
  for (const Named& first : meshes(1)) {
    for (const Named& second : all_kinds()) {
      for (int i = 0; i < 3; ++i) {
        const double margin = i % 3 == 0 ? 0.05 : 0;
        const Eigen::Isometry3d pose_a = test::random_pose(random, i == 2 ? 1e4 : 1);
        Eigen::Isometry3d pose_b = test::random_pose(random, 1);
        pose_b.translation() = pose_a.translation() + test::number(random, 0, 2) * test::random_vector(random);
        check_pair(first.shape.with_margin(margin), pose_a, second.shape, pose_b, 3,
                   first.name + " and " + second.name + ", case " + std::to_string(i), random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(MeshPairs, AMillionTimesSmaller) {
  std::mt19937_64 random(18);
  const std::vector<Named> small = meshes(1e-6);
  for (const Named& first : meshes(1)) {
    for (const Named& second : small) {
      const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
      Eigen::Isometry3d pose_b = test::random_pose(random, 1);
      // Near a vertex: there it touches, or nearly.
      const auto vertices = first.shape.vertices();
      pose_b.translation() =
          pose_a *
              vertices[static_cast<std::size_t>(test::number(random, 0, 1) * static_cast<double>(vertices.size()))] +
          1e-6 * test::random_vector(random);
      check_pair(first.shape, pose_a, second.shape, pose_b, 3, first.name + " and small " + second.name, random);
      if (HasFatalFailure()) return;
    }
  }
}

RC_GTEST_PROP(MeshPairsProperty, AgreeMirrorAndMove, ()) {
  static const std::vector<Named> first = meshes(1);
  static const std::vector<Named> second = all_kinds();
  const auto i = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(first.size())));
  const auto j = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(second.size())));
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
  Eigen::Isometry3d pose_b = test::random_pose(random, 1);
  pose_b.translation() = pose_a.translation() + test::number(random, 0, 2) * test::random_vector(random);
  check_pair(first[i].shape, pose_a, second[j].shape, pose_b, 3, first[i].name + " and " + second[j].name, random);
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

}  // namespace
}  // namespace carom
