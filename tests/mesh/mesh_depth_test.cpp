#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"
#include "mesh/brute_mesh.hpp"
#include "shapes/shape_samples.hpp"

// How deep meshes overlap, where the depth is known, and what must hold where it is not.
namespace carom {
namespace {

Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

Eigen::Isometry3d turned(double angle, const Eigen::Vector3d& axis, const Eigen::Vector3d& place) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  pose.translation() = place;
  return pose;
}

TEST(MeshDepth, OfACubePushedIntoACube) {
  const Shape cube = Shape::mesh(make_box({1, 1, 1}, 2));
  const Shape coarse = Shape::mesh(make_box({1, 1, 1}));
  for (const double depth : {0.2, 0.01, 1e-6}) {
    for (const Shape* b : {&cube, &coarse}) {
      for (const double aside : {0.0, 0.1, 0.37}) {
        const QueryResult r = distance(cube, at(0, 0, 0), *b, at(1 - depth, aside, -aside));
        EXPECT_NEAR(r.distance, -depth, 1e-9) << depth << " " << aside;
        EXPECT_NEAR((r.normal - Eigen::Vector3d::UnitX()).norm(), 0, 1e-5) << depth << " " << aside;
        EXPECT_NEAR((r.point_b - r.point_a - r.distance * r.normal).norm(), 0, 1e-12);
        EXPECT_FALSE(r.limited);
      }
    }
  }
}

TEST(MeshDepth, OfBallsIsWhatTheirCentresSay) {
  const Shape ball = Shape::mesh(make_icosphere(1, 4));
  const Shape solid = Shape::sphere(1);
  std::mt19937_64 random(3);
  for (const double depth : {0.5, 0.1, 0.02}) {
    const Eigen::Vector3d n = test::random_vector(random).normalized();
    const Eigen::Isometry3d pose_b = turned(0.7, n, (2 - depth) * n);
    // A polyhedron is up to 0.002 inside the ball it stands for.
    const QueryResult r = distance(ball, at(0, 0, 0), ball, pose_b);
    EXPECT_NEAR(r.distance, -depth, 0.006) << depth;
    EXPECT_GT(r.normal.dot(n), 0.99) << depth;
    const QueryResult s = distance(ball, at(0, 0, 0), solid, pose_b);
    EXPECT_NEAR(s.distance, -depth, 0.006) << depth;
    EXPECT_GT(s.normal.dot(n), 0.99) << depth;
  }
}

TEST(MeshDepth, OfAConvexShapeInAMesh) {
  const Shape floor = Shape::mesh(make_box({10, 10, 2}, 7));
  const double edge = 1 / std::sqrt(3.0);
  const Eigen::Isometry3d on_corner = turned(std::acos(edge), {1, -1, 0}, {0.1, 0.2, 1 + std::sqrt(3.0) * 0.5 - 0.05});
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::box({0.5, 0.5, 0.5}), at(0.1, 0.2, 1.4)).distance, -0.1, 1e-9);
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::box({0.5, 0.5, 0.5}), on_corner).distance, -0.05, 1e-9);
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::sphere(0.5), at(0.1, 0.2, 1.45)).distance, -0.05, 1e-9);
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::sphere(0.5), at(0.1, 0.2, 0.9)).distance, -0.6, 1e-9);
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::cylinder(0.5, 0.5), at(0.1, 0.2, 1.4)).distance, -0.1, 1e-6);
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::cone(0.5, 0.5), at(0.1, 0.2, 1.4)).distance, -0.1, 1e-6);
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::ellipsoid({0.3, 0.4, 0.5}), at(0.1, 0.2, 1.4)).distance, -0.1, 1e-6);
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::capsule(0.2, 0.5), at(0.1, 0.2, 1.6)).distance, -0.1, 1e-9);
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::capsule(0.2, 0.5), at(0.1, 0.2, 1.4)).distance, -0.3, 1e-9);
  EXPECT_NEAR(distance(floor, at(0, 0, 0), Shape::half_space({0, 0, 1}, 0), at(0, 0, -0.7)).distance, -0.3, 1e-12);
  EXPECT_NEAR(distance(floor.with_margin(0.25), at(0, 0, 0), Shape::box({0.5, 0.5, 0.5}), at(0.1, 0.2, 1.4)).distance,
              -0.35, 1e-9);
  const QueryResult r = distance(floor, at(0, 0, 0), Shape::box({0.5, 0.5, 0.5}), at(0.1, 0.2, 1.4));
  EXPECT_NEAR((r.normal - Eigen::Vector3d::UnitZ()).norm(), 0, 1e-9);
  EXPECT_NEAR(r.point_a.z(), 1, 1e-9);
  EXPECT_NEAR(r.point_b.z(), 0.9, 1e-9);
  EXPECT_NE(r.part_a, none);
}

/// Moved by the depth and a little more along the normal, a pair of meshes with one region is apart.
TEST(MeshDepth, OfTwoThatAreTheSameAndInTheSamePlace) {
  // No vertex of one is inside the other, and no two triangles cross: yet all of both overlaps.
  for (const TriangleMesh& mesh : {make_icosphere(1, 1), make_box({2, 2, 2}, 2), make_torus(1, 0.4, 10, 6),
                                   test::inside_out(make_icosphere(1, 1))}) {
    const Shape shape = Shape::mesh(mesh, {.solid = MeshSolid::inside});
    const Eigen::Isometry3d pose = turned(0.3, {1, 2, 3}, {1, 0, 0});
    const QueryResult r = distance(shape, pose, shape, pose);
    EXPECT_LT(r.distance, -0.69);  // the tube of the torus is 0.4 sqrt(3) from side to side
    Eigen::Isometry3d moved = pose;
    moved.translation() += (1e-6 - r.distance) * r.normal;
    EXPECT_FALSE(collide(shape, pose, shape, moved));
  }
}

TEST(MeshDepth, IsNotThatOfAPlaceWhereTheTwoAreTheSame) {
  // The nearer way of the one whose faces look inward ends where both coincide.
  const Shape out = Shape::mesh(make_box({2, 2, 2}));
  const Shape in = Shape::mesh(test::inside_out(make_box({2, 2, 2})), {.solid = MeshSolid::inside});
  const QueryResult r = distance(out, at(0, 0, 0), in, at(0.5, 0, 0));
  Eigen::Isometry3d moved = at(0.5, 0, 0);
  moved.translation() += (1e-6 - r.distance) * r.normal;
  EXPECT_FALSE(collide(out, at(0, 0, 0), in, moved));
}

TEST(MeshDepth, OfTrianglesWithoutAnArea) {
  TriangleMesh line;
  line.positions = {{-1, -1, -1}, {0, 0, 0}, {1, 1, 1}};
  line.triangles = {{0, 1, 2}};
  const Shape segment = Shape::mesh(line);
  const Shape box = Shape::mesh(make_box({2, 2, 2}, 2));
  for (const double x : {0.0, 0.5, 1.25}) {
    const QueryResult r = distance(box, at(0, 0, 0), segment, at(x, 0.1, 0));
    ASSERT_TRUE(r.colliding());
    Eigen::Isometry3d moved = at(x, 0.1, 0);
    moved.translation() += (1e-6 - r.distance) * r.normal;
    EXPECT_FALSE(collide(box, at(0, 0, 0), segment, moved)) << x;
  }
}

TEST(MeshDepth, TakesTheTwoApart) {
  std::mt19937_64 random(4);
  int overlapping = 0;
  const std::vector<Shape> shapes{Shape::mesh(make_icosphere(0.8, 2)),
                                  Shape::mesh(make_box({1, 0.7, 1.4}, 2)),
                                  Shape::mesh(make_box({0.3, 1.2, 0.5})),
                                  Shape::box({0.5, 0.4, 0.6}),
                                  Shape::cylinder(0.4, 0.5),
                                  Shape::hull(test::random_points(random, 20))};
  for (int i = 0; i < 120; ++i) {
    const Shape& a = shapes[static_cast<std::size_t>(i) % 3];
    const Shape& b = shapes[static_cast<std::size_t>(i / 3) % shapes.size()];
    const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    pose_b.translation() = pose_a.translation() + 0.9 * test::random_vector(random);
    const QueryResult r = distance(a, pose_a, b, pose_b);
    if (r.distance > 0) continue;
    ++overlapping;
    EXPECT_FALSE(r.limited);
    EXPECT_LE(r.error, -r.distance);
    Eigen::Isometry3d out = pose_b;
    out.translation() += (1e-7 - r.distance) * r.normal;
    // Convex all of them, so there is one region, and no shorter way along any axis than `error` less.
    EXPECT_FALSE(collide(a, pose_a, b, out)) << i;
    Eigen::Isometry3d short_of = pose_b;
    short_of.translation() += (-0.999 * r.distance) * r.normal;
    EXPECT_TRUE(collide(a, pose_a, b, short_of)) << i;
    // Not a wild direction: convex hulls of the corners have the true depth.
    const Shape hull_a = a.kind() == ShapeKind::mesh ? Shape::hull(a.vertices()) : a;
    const Shape hull_b = b.kind() == ShapeKind::mesh ? Shape::hull(b.vertices()) : b;
    const double truth = -distance(hull_a, pose_a, hull_b, pose_b).distance;
    EXPECT_GE(-r.distance, truth - 1e-6) << i;
    EXPECT_LE(-r.distance, 2.5 * truth + 1e-6) << i;
    EXPECT_LE(-r.distance - r.error, truth + 1e-6) << i;
  }
  EXPECT_GE(overlapping, 60);
}

}  // namespace
}  // namespace carom
