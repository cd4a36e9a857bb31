#include "narrow/surface/point_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "shapes/shape_data.hpp"
#include "shapes/shape_samples.hpp"

// The signed distance of a convex shape is the largest of n.p - h(n) over all unit vectors n, with h the support
// function. So a distance is right if its own normal attains it and no other direction exceeds it.
namespace carom::narrow::surface {
namespace {

using Eigen::Vector3d;

double along(const Shape& shape, const Vector3d& n, const Vector3d& p) {
  return n.dot(p - shape.support(n));
}

std::vector<Vector3d> directions(const Shape& shape) {
  std::vector<Vector3d> list;
  constexpr int count = 4000;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count;
    const double angle = 2.399963229728653 * i;
    const double r = std::sqrt(1 - z * z);
    list.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  for (int k = 0; k < 3; ++k) {
    list.push_back(Vector3d::Unit(k));
    list.push_back(-Vector3d::Unit(k));
  }
  if (shape.kind() == ShapeKind::hull || shape.kind() == ShapeKind::triangle) {
    for (const Vec3& n : shape.data().core.hull->face_normals) list.push_back(math::to_eigen(n));
  }
  return list;
}

/// The largest over a list, over `first`, and over ever smaller random steps from the best of them.
double largest(const Shape& shape, const std::vector<Vector3d>& list, const Vector3d& first, const Vector3d& p,
               std::mt19937_64& random) {
  Vector3d at = first;
  double best = along(shape, first, p);
  const auto offer = [&](const Vector3d& n) {
    const double value = along(shape, n, p);
    if (!(value > best)) return;
    best = value;
    at = n;
  };
  for (const Vector3d& n : list) offer(n);
  for (double step = 0.05; step > 1e-7; step *= 0.9) {
    for (int i = 0; i < 6; ++i) offer((at + step * test::random_vector(random)).normalized());
  }
  return best;
}

void check(const std::string& name, const Shape& shape, const std::vector<Vector3d>& list, const Vector3d& p,
           std::mt19937_64& random) {
  SCOPED_TRACE(::testing::Message() << name << " at " << p.transpose());
  const shapes::Core& core = shape.data().core;
  const double size = core.reach + core.radius + p.norm();
  const PointDistance d = point_distance(core, math::to_vec3(p), INFINITY);
  const Vector3d n = math::to_eigen(d.normal);
  ASSERT_TRUE(d.exact);
  ASSERT_NEAR(n.norm(), 1, 1e-13);
  EXPECT_NEAR(along(shape, n, p), d.distance, 1e-12 * size);
  EXPECT_LE(largest(shape, list, n, p, random), d.distance + 1e-12 * size);

  // With a limit: the same, or a lower bound above the limit.
  for (const double within : {-0.1, 0.0, 0.3}) {
    const PointDistance limited = point_distance(core, math::to_vec3(p), within);
    if (limited.exact) {
      EXPECT_EQ(limited.distance, d.distance);
    } else {
      EXPECT_GT(limited.distance, within);
      EXPECT_LE(limited.distance, d.distance + 1e-12 * size);
      EXPECT_NEAR(along(shape, math::to_eigen(limited.normal), p), limited.distance, 1e-12 * size);
    }
  }
}

TEST(PointDistance, NoDirectionExceedsIt) {
  std::mt19937_64 random(7);
  for (const test::Sample& sample : test::convex_samples()) {
    if (sample.shape.kind() == ShapeKind::half_space) continue;
    for (const double margin : {0.0, 0.2}) {
      const Shape shape = sample.shape.with_margin(margin);
      const std::vector<Vector3d> list = directions(shape);
      for (const double spread : {0.05, 0.5, 1.2, 10.0}) {
        for (int i = 0; i < 6; ++i) check(sample.name, shape, list, spread * test::random_vector(random), random);
      }
    }
  }
}

TEST(PointDistance, SlenderAndFlatShapes) {
  std::mt19937_64 random(8);
  const std::vector<std::pair<std::string, Shape>> shapes{{"steep cone", Shape::cone(0.01, 0.8)},
                                                          {"flat cone", Shape::cone(0.9, 0.002)},
                                                          {"disc", Shape::cylinder(0.9, 1e-4)},
                                                          {"needle", Shape::cylinder(1e-3, 0.9)},
                                                          {"flat ellipsoid", Shape::ellipsoid({0.9, 0.3, 1e-3})},
                                                          {"long ellipsoid", Shape::ellipsoid({0.02, 0.9, 0.02})},
                                                          {"plate", Shape::box({0.9, 1e-4, 0.5})},
                                                          {"round", Shape::ellipsoid({0.5, 0.5, 0.5})}};
  for (const auto& [name, shape] : shapes) {
    const std::vector<Vector3d> list = directions(shape);
    for (const double spread : {0.01, 0.5, 2.0}) {
      for (int i = 0; i < 8; ++i) check(name, shape, list, spread * test::random_vector(random), random);
    }
  }
}

TEST(PointDistance, CentersAxesAndSections) {
  std::mt19937_64 random(9);
  for (const test::Sample& sample : test::convex_samples()) {
    if (sample.shape.kind() == ShapeKind::half_space) continue;
    const std::vector<Vector3d> list = directions(sample.shape);
    check(sample.name, sample.shape, list, Vector3d::Zero(), random);
    for (int k = 0; k < 3; ++k) {
      for (const double x : {-0.6, -1e-9, 0.3, 1.5})
        check(sample.name, sample.shape, list, x * Vector3d::Unit(k), random);
      Vector3d across = 0.3 * test::random_vector(random);
      across[k] = 0;
      check(sample.name, sample.shape, list, across, random);
    }
  }
  // Two closest points on either side of the section, and next to it.
  const Shape flat = Shape::ellipsoid({0.9, 0.6, 0.2});
  const std::vector<Vector3d> list = directions(flat);
  for (const double z : {0.0, 1e-200, 1e-12, 1e-4}) {
    check("section", flat, list, {0.3, -0.2, z}, random);
    check("section", flat, list, {0.75, 0.3, z}, random);
    check("section", flat, list, {0.84, 0.0, z}, random);
  }
}

TEST(PointDistance, KnownDistances) {
  const auto at = [](const Shape& shape, const Vec3& p) { return point_distance(shape.data().core, p, INFINITY); };
  EXPECT_DOUBLE_EQ(at(Shape::sphere(0.5), {0, 3, 4}).distance, 4.5);
  EXPECT_DOUBLE_EQ(at(Shape::capsule(0.5, 1), {0, 2, 0.3}).distance, 1.5);
  EXPECT_DOUBLE_EQ(at(Shape::box({1, 2, 3}), {0, 1.5, 0}).distance, -0.5);
  EXPECT_DOUBLE_EQ(at(Shape::box({1, 2, 3}), {4, 6, 1}).distance, 5);
  EXPECT_DOUBLE_EQ(at(Shape::cylinder(1, 2), {0, 4, 6}).distance, 5);
  EXPECT_DOUBLE_EQ(at(Shape::cone(1, 1), {0, 0, 4}).distance, 3);
  EXPECT_DOUBLE_EQ(at(Shape::ellipsoid({1, 2, 3}), {0, 0, 5}).distance, 2);
  EXPECT_DOUBLE_EQ(at(Shape::ellipsoid({1, 2, 3}), {0, 0, 0}).distance, -1);
  const PointDistance above = at(Shape::half_space({0, 0, 2}, 0.2), {5, 6, 1});
  EXPECT_DOUBLE_EQ(above.distance, 0.9);  // 2 z = 0.2 is the plane
  EXPECT_DOUBLE_EQ(above.normal.z, 1);
}

}  // namespace
}  // namespace carom::narrow::surface
