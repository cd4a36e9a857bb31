#include <gtest/gtest.h>

#include <cmath>

#include "carom/mesh/generate.hpp"
#include "carom/query/cast.hpp"
#include "shapes/shape_samples.hpp"

// Meshes that move, and what moves at them.
namespace carom {
namespace {

Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

/// The triangles one by one, which nothing culls. Not filled.
Shape as_compound(const TriangleMesh& mesh) {
  std::vector<Shape::Part> parts;
  for (const Triangle& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    parts.push_back({Shape::triangle(corner(0), corner(1), corner(2))});
  }
  return Shape::compound(parts);
}

TriangleMesh draw_soup(std::mt19937_64& random, int triangles) {
  TriangleMesh mesh;
  for (int i = 0; i < triangles; ++i) {
    const Eigen::Vector3d p = test::random_vector(random);
    for (int k = 0; k < 3; ++k) mesh.positions.emplace_back(p + 0.3 * test::random_vector(random));
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return mesh;
}

ShapeMotion draw_motion(std::mt19937_64& random, const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  ShapeMotion m{test::random_pose(random, 0.5), test::random_pose(random, 0.5)};
  m.from.translation() += from;
  m.to.translation() += to;
  if (test::number(random, 0, 1) < 0.3) m.to.linear() = m.from.linear();
  return m;
}

void expect_same(const CastResult& fast, const CastResult& slow, const char* what, int i) {
  ASSERT_EQ(fast.hit, slow.hit) << what << " " << i;
  if (!fast.hit) return;
  // Both within the tolerance, each by its own steps.
  ASSERT_NEAR(fast.time, slow.time, 1e-4) << what << " " << i;
  // The depth of a whole mesh is not that of its triangles.
  if (fast.time == 0 && slow.time == 0 && fast.closest.distance < 0) return;
  ASSERT_NEAR(fast.closest.distance, slow.closest.distance, 2e-5) << what << " " << i;
  ASSERT_FALSE(fast.limited) << what << " " << i;
}

TEST(CastMesh, IsThatOfItsTriangles) {
  std::mt19937_64 random(71);
  int hits = 0;
  int total = 0;
  for (int i = 0; i < 12; ++i) {
    const TriangleMesh soup = draw_soup(random, 30);
    const Shape mesh = Shape::mesh(soup);
    const Shape compound = as_compound(soup);
    for (const test::Sample& sample : test::convex_samples()) {
      const ShapeMotion ma = draw_motion(random, {4, 0, 0}, {-1, 0.5, 0.5});
      const ShapeMotion mb = draw_motion(random, {0, 0, 0}, {0, 2.0 * (i % 2), 0});
      const CastResult fast = cast(mesh, ma, sample.shape, mb);
      expect_same(fast, cast(compound, ma, sample.shape, mb), sample.name.c_str(), i);
      expect_same(cast(sample.shape, mb, mesh, ma), cast(sample.shape, mb, compound, ma), sample.name.c_str(), i);
      if (HasFatalFailure()) return;
      ++total;
      hits += fast.hit && fast.time > 0 ? 1 : 0;
    }
    const TriangleMesh other = draw_soup(random, 20);
    const ShapeMotion ma = draw_motion(random, {4, 0, 0}, {-1, 0.5, 0.5});
    const ShapeMotion mb = draw_motion(random, {0, 0, 0}, {0, 0, 0});
    expect_same(cast(mesh, ma, Shape::mesh(other), mb), cast(compound, ma, as_compound(other), mb), "mesh", i);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(hits, total / 4);
  EXPECT_LT(hits, total);
}

/// These are looked at along a corridor, without casts of boxes.
TEST(CastMesh, AShortWayPastAMeshThatDoesNotTurnIsThatOfItsTriangles) {
  std::mt19937_64 random(73);
  int hits = 0;
  int starts = 0;
  int total = 0;
  for (int i = 0; i < 40; ++i) {
    const TriangleMesh soup = draw_soup(random, 30);
    const Shape mesh = Shape::mesh(soup);
    const Shape compound = as_compound(soup);
    const Eigen::Isometry3d place = test::random_pose(random, 3);
    const ShapeMotion ma{place, Eigen::Translation3d(test::random_vector(random)) * place};
    for (const test::Sample& sample : test::convex_samples()) {
      if (sample.shape.kind() == ShapeKind::half_space) continue;
      ShapeMotion mb{test::random_pose(random, 1), Eigen::Isometry3d::Identity()};
      mb.from.translation() += ma.from.translation() + 2 * test::random_vector(random);
      const Eigen::Vector3d axis = test::random_vector(random).normalized();
      mb.to.linear() = Eigen::AngleAxisd(test::number(random, 0, 2), axis) * mb.from.linear();
      mb.to.translation() =
          mb.from.translation() + (ma.to.translation() - ma.from.translation()) + 1.4 * test::random_vector(random);
      const CastOptions options{.separation = i % 3 == 0 ? 0.05 : 0.0};
      const CastResult fast = cast(mesh, ma, sample.shape, mb, options);
      expect_same(fast, cast(compound, ma, sample.shape, mb, options), sample.name.c_str(), i);
      expect_same(cast(sample.shape, mb, mesh, ma, options), fast, sample.name.c_str(), i);
      if (HasFatalFailure()) return;
      ++total;
      starts += fast.hit && fast.time == 0 ? 1 : 0;
      hits += fast.hit && fast.time > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(hits, total / 10);
  EXPECT_GT(starts, total / 20);
  EXPECT_LT(starts + hits, total * 4 / 5);
}

TEST(CastMesh, NothingPassesBetweenTwoLooks) {
  std::mt19937_64 random(72);
  const Shape ring = Shape::mesh(make_torus(1, 0.3, 24, 10));
  int hits = 0;
  for (int i = 0; i < 24; ++i) {
    const Shape other = i % 2 == 0 ? Shape::mesh(make_icosphere(0.25, 1)) : Shape::box({0.2, 0.25, 0.1});
    const ShapeMotion ma = draw_motion(random, {0, 3, 0}, {0, -3, 0});
    const ShapeMotion mb{at(0, 0, 0), test::random_pose(random, 0.2)};
    const CastResult r = cast(other, ma, ring, mb);
    hits += r.hit ? 1 : 0;
    for (int k = 0; k < 12; ++k) {
      const double t = r.time * k / 12;
      ASSERT_GT(distance(other, pose_at(ma, t), ring, pose_at(mb, t)).distance, 0) << i << " " << t;
    }
    if (!r.hit) continue;
    const QueryResult there = distance(other, pose_at(ma, r.time), ring, pose_at(mb, r.time));
    ASSERT_NEAR(there.distance, r.closest.distance, 1e-9) << i;
    ASSERT_LE(r.tolerance, 1e-6 * 20) << i;
    EXPECT_NE(r.closest.part_b, none);
  }
  EXPECT_GT(hits, 6);
  EXPECT_LT(hits, 24);
}

TEST(CastMesh, BulletsDoNotPassASheet) {
  const Shape sheet = Shape::mesh(make_sheet(1, 1, 20, 20));
  const AxisBox box = sheet.bounding_box(at(0, 0, 0));
  const Eigen::Vector3d middle = 0.5 * (box.min + box.max);
  const Eigen::Vector3d thin = (box.max - box.min).x() == 0   ? Eigen::Vector3d(1, 0, 0)
                               : (box.max - box.min).y() == 0 ? Eigen::Vector3d(0, 1, 0)
                                                              : Eigen::Vector3d(0, 0, 1);
  for (int i = 0; i < 20; ++i) {
    const double start = 0.2 + 0.1 * i;
    const Eigen::Isometry3d from(Eigen::Translation3d(middle + start * thin));
    const Eigen::Isometry3d to(Eigen::Translation3d(middle + (start - 200.0 / 60) * thin));
    const CastResult r = cast(Shape::sphere(0.005), from, to, sheet, at(0, 0, 0));
    ASSERT_TRUE(r.hit);
    const double truth = (start - 0.005) / (200.0 / 60);
    EXPECT_LE(r.time, truth + 1e-13);
    EXPECT_GE(r.time, truth - 2e-6);
    EXPECT_LE((r.closest.normal + thin).norm(), 1e-9);
  }
}

TEST(CastMesh, WhatStartsInsideHasMet) {
  const Shape ball = Shape::mesh(make_icosphere(1, 3));
  const CastResult r = cast(Shape::sphere(0.1), at(0, 0, 0), at(5, 0, 0), ball, at(0, 0, 0));
  EXPECT_TRUE(r.hit);
  EXPECT_EQ(r.time, 0);
  EXPECT_LT(r.closest.distance, -0.9);
  // Within the separation at the start.
  const CastResult near = cast(Shape::sphere(0.1), at(1.15, 0, 0), at(5, 0, 0), ball, at(0, 0, 0), {.separation = 0.1});
  EXPECT_TRUE(near.hit && near.time == 0);
  EXPECT_FALSE(cast(Shape::sphere(0.1), at(1.25, 0, 0), at(5, 0, 0), ball, at(0, 0, 0), {.separation = 0.1}).hit);
  // On the ground.
  const CastResult ground = cast(ball, at(0, 0, 3), at(0, 0, -3), Shape::half_space({0, 0, 1}, 0), at(0, 0, 0));
  EXPECT_TRUE(ground.hit);
  EXPECT_NEAR(ground.time, 2.0 / 6, 0.01 / 6);
}

}  // namespace
}  // namespace carom
