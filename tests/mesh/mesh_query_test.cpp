#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"
#include "mesh/brute_mesh.hpp"
#include "shapes/shape_samples.hpp"

// Meshes in collide(), distance() and penetration(), against every pair of triangles.
namespace carom {
namespace {

Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

constexpr std::array<MeshVolume, 4> volumes{MeshVolume::sphere, MeshVolume::box, MeshVolume::oriented_box,
                                            MeshVolume::dop18};

TriangleMesh soup(std::mt19937_64& random, int triangles, double size) {
  TriangleMesh mesh;
  for (int i = 0; i < triangles; ++i) {
    const Eigen::Vector3d place = test::random_vector(random);
    for (int k = 0; k < 3; ++k) mesh.positions.push_back(place + size * test::random_vector(random));
    const auto first = static_cast<Index>(3 * i);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

/// Closed, open, degenerate and torn ones, of different sizes.
TriangleMesh draw_mesh(std::mt19937_64& random, int i) {
  switch (i % 7) {
    case 0:
      return make_icosphere(0.8, 2);
    case 1:
      return make_torus(0.7, 0.2, 16, 8);
    case 2:
      return make_box({1, 0.5, 1.5}, 2);
    case 3:
      return make_sheet(1.5, 1.5, 6, 6);
    case 4:
      return soup(random, 60, 0.2);
    case 5: {
      TriangleMesh mesh = soup(random, 30, 0.3);
      // Segments and points among them.
      for (std::size_t t = 0; t < 10; ++t) mesh.positions[3 * t + 1] = mesh.positions[3 * t];
      for (std::size_t t = 0; t < 5; ++t) mesh.positions[3 * t + 2] = mesh.positions[3 * t];
      return mesh;
    }
    default:
      return test::torn(make_icosphere(0.6, 1));
  }
}

void expect_same(const QueryResult& p, const QueryResult& q) {
  EXPECT_EQ(p.distance, q.distance);
  EXPECT_EQ(p.normal, q.normal);
  EXPECT_EQ(p.point_a, q.point_a);
  EXPECT_EQ(p.point_b, q.point_b);
  EXPECT_EQ(p.part_a, q.part_a);
  EXPECT_EQ(p.part_b, q.part_b);
}

void expect_mirrored(const QueryResult& p, const QueryResult& q) {
  EXPECT_EQ(p.distance, q.distance);
  EXPECT_EQ(p.normal, -q.normal);
  EXPECT_EQ(p.point_a, q.point_b);
  EXPECT_EQ(p.point_b, q.point_a);
  EXPECT_EQ(p.part_a, q.part_b);
  EXPECT_EQ(p.part_b, q.part_a);
  EXPECT_EQ(p.feature_a.corners, q.feature_b.corners);
}

TEST(MeshQuery, TwoMeshesAgreeWithEveryPairOfTriangles) {
  std::mt19937_64 random(5);
  int met = 0;
  int apart = 0;
  for (int i = 0; i < 49; i += 2) {
    const TriangleMesh a = draw_mesh(random, i);
    const TriangleMesh b = draw_mesh(random, i / 7);
    const Eigen::Isometry3d pose_a = test::random_pose(random, i % 5 == 0 ? 1e4 : 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    pose_b.translation() = pose_a.translation() + test::number(random, 0.4, 2.5) * test::random_vector(random);
    const test::BrutePair brute = test::brute_pair(a, pose_a, b, pose_b);
    const double slack = 1e-15 * (10 + pose_a.translation().norm() + pose_b.translation().norm());
    for (const MeshVolume volume : volumes) {
      for (const MeshSplit split : {MeshSplit::variance, MeshSplit::cost}) {
        if (split == MeshSplit::variance && (volume != MeshVolume::box || i % 3 != 0)) continue;
        const Shape shape_a = Shape::mesh(a, {volume, split});
        const Shape shape_b = Shape::mesh(b, {volume, split});
        const bool touching = collide(shape_a, pose_a, shape_b, pose_b);
        if (brute.meet) {
          EXPECT_TRUE(touching) << i;
        } else if (!touching) {
          const QueryResult r = distance(shape_a, pose_a, shape_b, pose_b);
          EXPECT_NEAR(r.distance, brute.distance, 1e-12 * brute.distance + slack) << i;
          EXPECT_NEAR((r.point_b - r.point_a - r.distance * r.normal).norm(), 0, 1e-9 + slack) << i;
        }
        const QueryResult r = distance(shape_a, pose_a, shape_b, pose_b);
        EXPECT_EQ(r.distance <= 0, touching) << i;
        expect_mirrored(r, distance(shape_b, pose_b, shape_a, pose_a));
      }
    }
    (brute.meet ? met : apart) += 1;
  }
  EXPECT_GE(met, 5);
  EXPECT_GE(apart, 5);
}

TEST(MeshQuery, TheVolumesChangeNoBit) {
  std::mt19937_64 random(6);
  const TriangleMesh a = make_torus(0.7, 0.2, 20, 10);
  const TriangleMesh b = make_icosphere(0.5, 2);
  for (int i = 0; i < 8; ++i) {
    const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
    const Eigen::Isometry3d pose_b = test::random_pose(random, 1.5);
    const QueryResult first = distance(Shape::mesh(a), pose_a, Shape::mesh(b), pose_b);
    for (const MeshVolume volume : volumes) {
      for (const MeshSplit split : {MeshSplit::variance, MeshSplit::cost}) {
        expect_same(first, distance(Shape::mesh(a, {volume, split}), pose_a, Shape::mesh(b, {volume, split}), pose_b));
      }
    }
    // Of two kinds.
    expect_same(first, distance(Shape::mesh(a, {MeshVolume::sphere}), pose_a, Shape::mesh(b), pose_b));
  }
}

TEST(MeshQuery, AMeshAndAConvexShapeAgreeWithItsTriangles) {
  std::mt19937_64 random(7);
  for (const test::Sample& sample : test::convex_samples()) {
    for (int i = 0; i < 12; ++i) {
      const TriangleMesh mesh = draw_mesh(random, i);
      const Shape a = Shape::mesh(mesh).with_margin(i % 3 == 0 ? 0.05 : 0);
      const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
      Eigen::Isometry3d pose_b = test::random_pose(random, 1);
      pose_b.translation() = pose_a.translation() + test::number(random, 0.4, 3) * test::random_vector(random);
      double truth = INFINITY;
      for (const Triangle& t : mesh.triangles) {
        const Shape triangle = Shape::triangle(mesh.positions[static_cast<std::size_t>(t[0])],
                                               mesh.positions[static_cast<std::size_t>(t[1])],
                                               mesh.positions[static_cast<std::size_t>(t[2])])
                                   .with_margin(a.margin());
        truth = std::min(truth, distance(triangle, pose_a, sample.shape, pose_b).distance);
      }
      const QueryResult r = distance(a, pose_a, sample.shape, pose_b);
      const QueryResult mirrored = distance(sample.shape, pose_b, a, pose_a);
      EXPECT_EQ(collide(a, pose_a, sample.shape, pose_b), r.distance <= 0) << sample.name << " " << i;
      EXPECT_EQ(collide(sample.shape, pose_b, a, pose_a), r.distance <= 0) << sample.name << " " << i;
      EXPECT_EQ(penetration(a, pose_a, sample.shape, pose_b).distance <= 0, r.distance <= 0);
      expect_mirrored(r, mirrored);
      if (truth > 0 && r.distance > 0) {
        EXPECT_NEAR(r.distance, truth, 1e-9 * (1 + truth)) << sample.name << " " << i;
      } else {
        EXPECT_LE(r.distance, 0) << sample.name << " " << i;
      }
    }
  }
}

TEST(MeshQuery, FacesThatAreParallelButForRoundingTouchForAllQuestionsOrNone) {
  std::mt19937_64 random(5);
  const Shape box = Shape::mesh(make_box({2, 2, 2}));
  const std::vector<Eigen::Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const Shape square = Shape::hull(corners);
  std::size_t touching = 0;
  for (int i = 0; i < 4000; ++i) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() = Eigen::AngleAxisd(1e-9 * test::number(random, -1, 1), test::random_vector(random).normalized())
                        .toRotationMatrix();
    pose.translation() = 0.5 * Eigen::Vector3d(i % 5 - 2, i / 5 % 5 - 2, 0);
    const Eigen::Isometry3d place(Eigen::Translation3d(0.5 * (i / 25 % 5 - 2), 0.5 * (i / 125 % 5 - 2), 1));
    const bool touch = collide(box, pose, square, place);
    const QueryResult r = distance(box, pose, square, place);
    ASSERT_EQ(touch, r.colliding()) << i;
    ASSERT_EQ(touch, penetration(box, pose, square, place).colliding()) << i;
    ASSERT_NEAR(r.normal.norm(), 1, 1e-9);
    touching += touch ? 1 : 0;
  }
  EXPECT_GT(touching, 500U);
  EXPECT_LT(touching, 3500U);
}

TEST(MeshQuery, OneInsideTheOtherIsACollision) {
  const Shape big = Shape::mesh(make_box({4, 4, 4}, 3));
  const Shape small = Shape::mesh(make_box({1, 1, 1}));
  // 0.5 from the face x = 2: it must go 1.5 to be out.
  const QueryResult r = distance(big, at(0, 0, 0), small, at(1, 0.1, 0.2));
  EXPECT_TRUE(collide(big, at(0, 0, 0), small, at(1, 0.1, 0.2)));
  EXPECT_NEAR(r.distance, -1.5, 1e-9);
  EXPECT_NEAR((r.normal - Eigen::Vector3d::UnitX()).norm(), 0, 1e-9);
  // The margin makes it deeper by itself.
  EXPECT_NEAR(distance(big.with_margin(0.1), at(0, 0, 0), small, at(1, 0.1, 0.2)).distance, -1.6, 1e-9);
  for (const auto& sample : test::convex_samples()) {
    if (sample.shape.kind() == ShapeKind::half_space) continue;
    EXPECT_TRUE(collide(sample.shape, at(0.3, 0.2, 0), big, at(0, 0, 0))) << sample.name;
    EXPECT_LT(distance(sample.shape, at(0.3, 0.2, 0), big, at(0, 0, 0)).distance, 0) << sample.name;
  }
  EXPECT_NEAR(distance(big, at(0, 0, 0), Shape::sphere(0.25), at(0, 1.5, 0.1)).distance, -0.75, 1e-9);
  EXPECT_NEAR(distance(Shape::box({5, 5, 5}), at(0, 0, 0), small, at(4, 0, 0)).distance, -1.5, 1e-6);
  // An open box has no inside, and a closed one has none in its cavity.
  TriangleMesh open = make_box({4, 4, 4});
  open.triangles.pop_back();
  EXPECT_FALSE(collide(Shape::mesh(open), at(0, 0, 0), small, at(0, 0, 0)));
  EXPECT_NEAR(distance(Shape::mesh(open), at(0, 0, 0), small, at(0.5, 0, 0)).distance, 1, 1e-12);
  const TriangleMesh hollow = test::joined(make_box({4, 4, 4}), test::inside_out(make_box({3, 3, 3})), {0, 0, 0});
  EXPECT_EQ(Shape::mesh(hollow).closed_pieces(), 2U);
  EXPECT_NEAR(distance(Shape::mesh(hollow), at(0, 0, 0), small, at(0.5, 0, 0)).distance, 0.5, 1e-12);
  EXPECT_TRUE(collide(Shape::mesh(hollow), at(0, 0, 0), Shape::mesh(make_box({0.2, 0.2, 0.2})), at(1.75, 0, 0)));
  // Torn into single triangles, and inside out, a box is as closed.
  for (const TriangleMesh& mesh : {test::torn(make_box({4, 4, 4})), test::inside_out(make_box({4, 4, 4}))}) {
    const Shape solid = Shape::mesh(mesh, {.solid = MeshSolid::inside});
    EXPECT_NEAR(distance(solid, at(0, 0, 0), small, at(1, 0, 0)).distance, -1.5, 1e-9);
  }
}

TEST(MeshQuery, InsideIsWhereTheSurfaceWindsAround) {
  std::mt19937_64 random(8);
  const TriangleMesh mesh =
      test::joined(make_torus(0.7, 0.25, 14, 9), make_icosphere(0.3, 1), Eigen::Vector3d(0.6, 0.1, 0));
  const Shape shape = Shape::mesh(mesh);
  int in = 0;
  for (int i = 0; i < 2000; ++i) {
    Eigen::Vector3d p = 1.1 * test::random_vector(random);
    // Level with vertices, so that rays along axes would meet edges.
    if (i % 2 == 0) p.y() = mesh.positions[static_cast<std::size_t>(i) % mesh.positions.size()].y();
    const bool wound = std::abs(test::winding_number(mesh, at(0, 0, 0), p)) > 0.5;
    const Shape point = Shape::hull(std::vector<Eigen::Vector3d>{p});
    EXPECT_EQ(collide(shape, at(0, 0, 0), point, at(0, 0, 0)), wound) << i;
    in += wound ? 1 : 0;
  }
  EXPECT_GE(in, 100);
}

TEST(MeshQuery, CompoundsAndBatchesTakeMeshes) {
  const Shape mesh = Shape::mesh(make_icosphere(1, 2));
  const std::vector<Shape::Part> parts{{Shape::box({0.1, 1, 1}), at(-2, 0, 0)}, {Shape::sphere(0.5), at(2, 0, 0)}};
  const Shape both = Shape::compound(parts);
  const QueryResult r = distance(both, at(0, 0, 0), mesh, at(0.2, 0, 0));
  EXPECT_EQ(r.part_a, 1);
  EXPECT_NE(r.part_b, none);
  EXPECT_NEAR(r.distance, distance(Shape::sphere(0.5), at(2, 0, 0), mesh, at(0.2, 0, 0)).distance, 1e-15);
  expect_mirrored(r, distance(mesh, at(0.2, 0, 0), both, at(0, 0, 0)));
  std::mt19937_64 random(9);
  std::vector<Eigen::Isometry3d> poses;
  std::vector<Shape::Part> others;
  for (int i = 0; i < 150; ++i) {
    poses.push_back(test::random_pose(random, 3));
    others.push_back({i % 2 == 0 ? mesh : both, poses.back()});
  }
  std::vector<QueryResult> one(150);
  std::vector<QueryResult> two(150);
  distance(mesh, at(0, 0, 0), others, one, {.threads = 1});
  distance(mesh, at(0, 0, 0), others, two, {.threads = 2});
  for (std::size_t i = 0; i < 150; ++i) {
    expect_same(one[i], two[i]);
    expect_same(one[i], distance(mesh, at(0, 0, 0), others[i].shape, others[i].pose));
  }
}

TEST(MeshQuery, AMillionTimesSmallerAndFarFromTheOrigin) {
  const Shape large = Shape::mesh(make_icosphere(1000, 2));
  const Shape small = Shape::mesh(make_box({0.001, 0.001, 0.001}));
  const Eigen::Vector3d corner = make_icosphere(1000, 2).positions[0];
  const Eigen::Vector3d n = corner.normalized();
  for (const double place : {0.0, 1e4}) {
    const Eigen::Vector3d origin(place, -place, place);
    for (const double gap : {1e-6, 0.01, 5.0}) {
      const Eigen::Vector3d p = origin + (1000 + gap + 0.001) * n;
      const double d = distance(large, at(origin.x(), origin.y(), origin.z()), small, at(p.x(), p.y(), p.z())).distance;
      EXPECT_GE(d, gap - 1e-9);
      EXPECT_LE(d, gap + 0.001);
    }
    const Eigen::Vector3d q = origin + 999.9999 * n;
    EXPECT_TRUE(collide(large, at(origin.x(), origin.y(), origin.z()), small, at(q.x(), q.y(), q.z())));
  }
}

}  // namespace
}  // namespace carom
