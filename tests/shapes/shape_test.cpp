#include "carom/shape/shape.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"
#include "shapes/shape_samples.hpp"

namespace carom {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::string error_of(auto&& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Shape, WhatIsWrongIsNamed) {
  EXPECT_EQ(error_of([] { Shape::sphere(-1); }), "sphere: radius is -1, expected more than 0");
  EXPECT_EQ(error_of([] { Shape::sphere(nan); }), "sphere: radius is not finite");
  EXPECT_EQ(error_of([] { Shape::box({1, inf, 1}); }), "box: half extents, coordinate y is not finite");
  EXPECT_EQ(error_of([] { Shape::capsule(1, 0); }), "capsule: half length is 0, expected more than 0");
  EXPECT_EQ(error_of([] { Shape::cylinder(0, 1); }), "cylinder: radius is 0, expected more than 0");
  EXPECT_EQ(error_of([] { Shape::cone(1, -2); }), "cone: half length is -2, expected more than 0");
  EXPECT_EQ(error_of([] {
              Shape::ellipsoid({1, 2, -3});
            }),
            "ellipsoid: radii, coordinate z is -3, expected more than 0");
  EXPECT_EQ(error_of([] { Shape::half_space({0, 0, 0}, 1); }), "half-space: normal is zero");
  EXPECT_EQ(error_of([] { Shape::hull({}); }), "hull: no points");
  const std::vector<Eigen::Vector3d> bad{{0, 0, 0}, {1, nan, 0}};
  EXPECT_EQ(error_of([&] { Shape::hull(bad); }), "hull: point 1 is not finite");
  EXPECT_EQ(error_of([] { Shape::triangle({0, 0, 0}, {1, 0, 0}, {0, -inf, 0}); }), "triangle: corner 2 is not finite");
  EXPECT_EQ(error_of([] {
              Shape::mesh({{{0, 0, 0}}, {{0, 0, 1}}});
            }),
            "mesh: triangle 0 has corner 1, there are 1 vertices");
  EXPECT_EQ(error_of([] { Shape::compound({}); }), "compound: no parts");
  const std::vector<Shape::Part> nested{{Shape::mesh(make_icosphere(1, 1))}};
  EXPECT_EQ(error_of([&] { Shape::compound(nested); }),
            "compound: part 0 is a mesh, expected a convex shape; decompose() makes convex parts of it");
  EXPECT_EQ(error_of([] { Shape::sphere(1).with_margin(-0.5); }), "margin is -0.5, expected 0 to 1e+60");
  EXPECT_EQ(error_of([] { Shape::half_space({1, 0, 0}, 0).bounding_sphere(); }), "a half-space has no bounding sphere");
}

/// Points of the shape itself, by its definition and not by its support function.
std::vector<Eigen::Vector3d> points_inside(const Shape& shape, const test::Dimensions& d, std::mt19937_64& random) {
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < 500; ++i) {
    const Eigen::Vector3d u = test::random_vector(random);
    const Eigen::Vector3d s(u.x() * d.x, u.y() * d.y, u.z() * d.z);
    const double rho = std::hypot(u.x(), u.y());
    switch (shape.kind()) {
      case ShapeKind::sphere:
        if (u.norm() <= 1) points.push_back(d.x * u);
        break;
      case ShapeKind::box:
        points.push_back(s);
        break;
      case ShapeKind::ellipsoid:
        if (u.norm() <= 1) points.push_back(s);
        break;
      case ShapeKind::cylinder:
        if (rho <= 1) points.emplace_back(d.x * u.x(), d.x * u.y(), d.z * u.z());
        break;
      case ShapeKind::cone:
        if (rho <= (1 - u.z()) / 2) points.emplace_back(d.x * u.x(), d.x * u.y(), d.z * u.z());
        break;
      case ShapeKind::capsule: {
        const Eigen::Vector3d p(d.x * u.x(), d.x * u.y(), (d.z + d.x) * u.z());
        const Eigen::Vector3d nearest(0, 0, std::clamp(p.z(), -d.z, d.z));
        if ((p - nearest).norm() <= d.x) points.push_back(p);
        break;
      }
      default:
        points.assign(shape.vertices().begin(), shape.vertices().end());
    }
  }
  return points;
}

TEST(Shape, TheSupportIsFarthestAndPartOfTheShape) {
  std::mt19937_64 random(5);
  for (const test::Sample& sample : test::convex_samples()) {
    if (sample.shape.kind() == ShapeKind::half_space) continue;
    const auto points = points_inside(sample.shape, sample.dimensions, random);
    ASSERT_FALSE(points.empty());
    for (int i = 0; i < 200; ++i) {
      Eigen::Vector3d d = test::random_vector(random);
      if (i % 5 == 0) d = Eigen::Vector3d::Unit(i % 3) * (i % 2 == 0 ? 1.0 : -1.0);
      const Eigen::Vector3d p = sample.shape.support(d);
      double largest = -inf;
      for (const Eigen::Vector3d& q : points) largest = std::max(largest, q.dot(d));
      ASSERT_LE(largest, p.dot(d) + 1e-13 * d.norm()) << sample.name;
      // The farthest point of a rounded shape is the plain one and the margin.
      const Eigen::Vector3d rounded = sample.shape.with_margin(0.25).support(d);
      EXPECT_LE((rounded - p - 0.25 * d.normalized()).norm(), 1e-14) << sample.name;
    }
  }
}

TEST(Shape, BoundsHoldTheSupportInEveryDirection) {
  std::mt19937_64 random(6);
  for (const test::Sample& sample : test::convex_samples()) {
    if (sample.shape.kind() == ShapeKind::half_space) continue;
    const Shape shape = sample.shape.with_margin(0.1);
    const Eigen::Isometry3d pose = test::random_pose(random, 3);
    const BoundingSphere sphere = shape.bounding_sphere();
    const AxisBox box = shape.bounding_box(pose);
    const Dop<18> dop18 = shape.dop18(pose);
    const Dop<26> dop26 = shape.dop26(pose);
    const OrientedBox oriented = shape.oriented_box(pose);
    EXPECT_NEAR(oriented.pose.linear().determinant(), 1, 1e-12);
    for (int i = 0; i < 300; ++i) {
      const Eigen::Vector3d local = shape.support(test::random_vector(random));
      const Eigen::Vector3d p = pose * local;
      EXPECT_LE((local - sphere.center).norm(), sphere.radius * (1 + 1e-14)) << sample.name;
      EXPECT_TRUE(((p - box.min).array() >= -1e-12).all() && ((box.max - p).array() >= -1e-12).all()) << sample.name;
      const Eigen::Vector3d in_box = oriented.pose.inverse() * p;
      EXPECT_TRUE(((oriented.half - in_box.cwiseAbs()).array() >= -1e-12).all()) << sample.name;
      for (std::size_t k = 0; k < 13; ++k) {
        const double x = dop_axes()[k].dot(p);
        if (k < 9) {
          EXPECT_TRUE(dop18.low[k] <= x + 1e-12 && x <= dop18.high[k] + 1e-12) << sample.name;
        }
        EXPECT_TRUE(dop26.low[k] <= x + 1e-12 && x <= dop26.high[k] + 1e-12) << sample.name;
      }
    }
  }
}

TEST(Shape, TheSmallestSphereOfPointsIsTheSmallest) {
  // A sphere is smallest exactly if its centre is in the hull of the points on it: no half-space at the centre is
  // free of them.
  std::mt19937_64 random(7);
  for (int n : {1, 2, 3, 4, 5, 20, 200}) {
    std::vector<Eigen::Vector3d> points;
    for (int i = 0; i < n; ++i) points.push_back(test::random_vector(random));
    const BoundingSphere s = Shape::hull(points).bounding_sphere();
    std::vector<Eigen::Vector3d> on;
    for (const Eigen::Vector3d& p : points) {
      ASSERT_LE((p - s.center).norm(), s.radius);
      if ((p - s.center).norm() >= s.radius - 1e-9) on.push_back(p - s.center);
    }
    for (int i = 0; i < 500; ++i) {
      const Eigen::Vector3d d = test::random_vector(random).normalized();
      double largest = -inf;
      for (const Eigen::Vector3d& p : on) largest = std::max(largest, p.dot(d));
      EXPECT_GE(largest, -1e-9) << n;
    }
  }
}

TEST(Shape, AnOrientedBoxFindsTheAxesOfABox) {
  std::mt19937_64 random(8);
  const Eigen::Isometry3d turn = test::random_pose(random, 2);
  std::vector<Eigen::Vector3d> corners;
  for (int i = 0; i < 8; ++i) {
    corners.emplace_back(turn * Eigen::Vector3d(i & 1 ? 1 : -1, i & 2 ? 2 : -2, i & 4 ? 5 : -5));
  }
  const OrientedBox box = Shape::hull(corners).oriented_box(Eigen::Isometry3d::Identity());
  Eigen::Vector3d half = box.half;
  std::sort(half.begin(), half.end());
  EXPECT_LE((half - Eigen::Vector3d(1, 2, 5)).norm(), 1e-12);
  EXPECT_LE((box.pose.translation() - turn.translation()).norm(), 1e-12);
}

TEST(Shape, MassPropertiesAreThoseOfManySamples) {
  // Against sums over a lattice of the box around the shape: right to a thousandth, and independent.
  for (const test::Sample& sample : test::convex_samples()) {
    const Shape& shape = sample.shape;
    if (shape.kind() == ShapeKind::half_space || shape.kind() == ShapeKind::triangle || sample.flat) continue;
    const MassProperties mass = shape.with_margin(0.3).mass_properties();
    const AxisBox box = shape.bounding_box(Eigen::Isometry3d::Identity());
    const int n = 40;
    const Eigen::Vector3d step = (box.max - box.min) / n;
    double volume = 0;
    Eigen::Vector3d first = Eigen::Vector3d::Zero();
    Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
    for (int i = 0; i < n * n * n; ++i) {
      const Eigen::Vector3d at(i % n + 0.5, i / n % n + 0.5, i / n / n + 0.5);
      const Eigen::Vector3d p = box.min + step.cwiseProduct(at);
      if (!test::holds(shape, sample.dimensions, p)) continue;
      volume += step.prod();
      first += step.prod() * p;
      second += step.prod() * p * p.transpose();
    }
    const Eigen::Vector3d center = first / volume;
    second -= volume * center * center.transpose();
    const Eigen::Matrix3d inertia = second.trace() * Eigen::Matrix3d::Identity() - second;
    EXPECT_NEAR(mass.volume, volume, 0.02 * volume) << sample.name;
    EXPECT_LE((mass.center - center).norm(), 0.02 * step.norm() * n) << sample.name;
    EXPECT_LE((mass.inertia - inertia).norm(), 0.04 * inertia.norm()) << sample.name;
  }
}

TEST(Shape, MassPropertiesAreThoseOfTheTextbook) {
  EXPECT_NEAR(Shape::sphere(2).mass_properties().volume, 4.0 / 3 * pi * 8, 1e-12);
  const MassProperties cone = Shape::cone(2, 3).mass_properties();
  EXPECT_NEAR(cone.volume, pi * 4 * 6 / 3, 1e-12);
  EXPECT_NEAR(cone.center.z(), -1.5, 1e-12);
  EXPECT_NEAR(cone.inertia(2, 2), 0.3 * cone.volume * 4, 1e-12);
  const std::vector<Shape::Part> halves{{Shape::box({1, 1, 0.5}), Eigen::Isometry3d(Eigen::Translation3d(0, 0, 0.5))},
                                        {Shape::box({1, 1, 0.5}), Eigen::Isometry3d(Eigen::Translation3d(0, 0, -0.5))}};
  const MassProperties whole = Shape::box({1, 1, 1}).mass_properties();
  const MassProperties sum = Shape::compound(halves).mass_properties();
  EXPECT_NEAR(sum.volume, whole.volume, 1e-12);
  EXPECT_LE((sum.inertia - whole.inertia).norm(), 1e-12);
  EXPECT_NEAR(Shape::mesh(make_icosphere(1, 4)).mass_properties().volume, 4.0 / 3 * pi, 0.02);
}

/// What a shape answers, it answers in the other unit when it is scaled, alone and with others.
TEST(Shape, ScaledIsTheSameInAnotherUnit) {
  std::mt19937_64 random(17);
  std::vector<Shape> shapes;
  for (const test::Sample& sample : test::convex_samples()) shapes.push_back(sample.shape);
  const Shape rounded = Shape::box({0.3, 0.4, 0.5}).with_margin(0.1);
  shapes.push_back(rounded);
  shapes.push_back(Shape::mesh(make_torus(1, 0.4, 12, 8)).with_margin(0.05));
  shapes.push_back(Shape::compound(std::vector<Shape::Part>{{rounded, test::random_pose(random, 1)},
                                                            {Shape::sphere(0.4), test::random_pose(random, 1)}})
                       .with_margin(0.02));
  shapes.push_back(Shape::hull(test::random_points(random, 200)));
  for (const double factor : {0.75, 1e-3, 40.0}) {
    for (const Shape& shape : shapes) {
      const Shape scaled = shape.scaled(factor);
      EXPECT_EQ(scaled.kind(), shape.kind());
      EXPECT_NEAR(scaled.margin(), factor * shape.margin(), 1e-12 * factor);
      for (int i = 0; i < 20 && shape.kind() != ShapeKind::half_space; ++i) {
        const Eigen::Vector3d d = test::random_vector(random);
        EXPECT_NEAR(scaled.support(d).dot(d), factor * shape.support(d).dot(d), 1e-12 * factor);
      }
      if (shape.kind() != ShapeKind::half_space) {
        const double volume = shape.mass_properties().volume;
        EXPECT_NEAR(scaled.mass_properties().volume, factor * factor * factor * volume,
                    1e-9 * factor * factor * factor);
      }
      for (int i = 0; i < 20; ++i) {
        const Shape& other = shapes[static_cast<std::size_t>(i) % shapes.size()];
        if (shape.kind() == ShapeKind::half_space && other.kind() == ShapeKind::half_space) continue;
        Eigen::Isometry3d pose = test::random_pose(random, 1);
        Eigen::Isometry3d other_pose = test::random_pose(random, 1);
        const double expected = factor * distance(shape, pose, other, other_pose).distance;
        pose.translation() *= factor;
        other_pose.translation() *= factor;
        EXPECT_NEAR(distance(scaled, pose, other.scaled(factor), other_pose).distance, expected, 1e-6 * factor)
            << to_string(shape.kind()) << " and " << to_string(other.kind());
      }
    }
  }
  EXPECT_EQ(error_of([] { Shape::sphere(1).scaled(0); }), "scaled: factor is 0, expected more than 0");
  EXPECT_EQ(error_of([] { Shape::sphere(1).scaled(nan); }), "scaled: factor is not finite");
  EXPECT_EQ(error_of([] { Shape::sphere(1e50).scaled(1e30); }), "scaled: factor 1e+30 makes it larger than 1e+60");
}

TEST(Hull, CornersFacesAndNeighboursAreThoseOfTheCube) {
  std::vector<Eigen::Vector3d> points{{0, 0, 0}, {0.5, 0.5, 1}};  // inside, and in the middle of a face
  for (int i = 0; i < 8; ++i) points.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  const Shape hull = Shape::hull(points);
  ASSERT_EQ(hull.vertices().size(), 8U);
  EXPECT_EQ(hull.vertices()[0], points[2]);
  ASSERT_EQ(hull.faces().size(), 6U);
  for (std::size_t f = 0; f < 6; ++f) {
    const IndexLists faces = hull.faces();
    ASSERT_EQ(faces[f].size(), 4U);
    const auto corner = [&](std::size_t k) { return hull.vertices()[static_cast<std::size_t>(faces[f][k % 4])]; };
    const Eigen::Vector3d normal = (corner(1) - corner(0)).cross(corner(2) - corner(1));
    EXPECT_NEAR(normal.norm(), 4, 1e-12);
    EXPECT_GT(normal.dot(corner(0)), 0);
    EXPECT_NEAR((corner(2) - corner(0)).norm(), 2 * std::sqrt(2.0), 1e-12);
  }
  EXPECT_NEAR(hull.mass_properties().volume, 8, 1e-12);
}

TEST(Hull, ClimbingFindsWhatSearchingFinds) {
  std::mt19937_64 random(9);
  for (const int n : {129, 200, 512, 3000}) {
    std::vector<Eigen::Vector3d> points;
    for (int i = 0; i < n; ++i) {
      Eigen::Vector3d p = test::random_vector(random).normalized();
      if (n == 200) p.x() *= 1e-6;  // a plate
      if (n == 3000) p.x() *= 1e6;  // a needle
      points.push_back(p);
    }
    const Shape hull = Shape::hull(points);
    const double size = hull.bounding_sphere().radius;
    for (int i = 0; i < 500; ++i) {
      const Eigen::Vector3d d = test::random_vector(random).normalized();
      double largest = -inf;
      for (const Eigen::Vector3d& p : points) largest = std::max(largest, p.dot(d));
      ASSERT_NEAR(hull.support(d).dot(d), largest, 1e-14 * size) << n;
    }
  }
}

TEST(Hull, PointsLinesAndPlanesAreShapesToo) {
  const std::vector<Eigen::Vector3d> one{{1, 2, 3}, {1, 2, 3}};
  EXPECT_EQ(Shape::hull(one).vertices().size(), 1U);
  EXPECT_EQ(Shape::hull(one).support({1, 0, 0}), one[0]);
  std::vector<Eigen::Vector3d> line;
  for (int i = 0; i < 10; ++i) line.emplace_back(0.1 * i, 0.2 * i, -0.3 * i);
  EXPECT_EQ(Shape::hull(line).vertices().size(), 2U);
  EXPECT_EQ(Shape::hull(line).support({1, 0, 0}), line[9]);
  std::vector<Eigen::Vector3d> flat;
  for (int i = 0; i < 25; ++i) flat.emplace_back(0.1 * (i % 5), 0.1 * (i / 5), 0.3 * (i % 5) - 0.7 * (i / 5));
  const Shape polygon = Shape::hull(flat);
  EXPECT_EQ(polygon.vertices().size(), 4U);
  EXPECT_EQ(polygon.faces().size(), 2U);
  EXPECT_EQ(polygon.mass_properties().volume, 0);
  EXPECT_LE((polygon.mass_properties().center - Eigen::Vector3d(0.2, 0.2, -0.8)).norm(), 1e-14);
  EXPECT_TRUE(polygon.oriented_box(Eigen::Isometry3d::Identity()).half.allFinite());
  EXPECT_EQ(Shape::triangle({0, 0, 0}, {1, 1, 1}, {2, 2, 2}).vertices().size(), 2U);
}

/// Farthest along random directions, and as wide as the points across the given one.
void expect_hull_of(const Shape& hull, const std::vector<Eigen::Vector3d>& points, const Eigen::Vector3d& across,
                    std::mt19937_64& random) {
  for (int k = 0; k < 20; ++k) {
    const Eigen::Vector3d d = k < 2 ? Eigen::Vector3d(k == 0 ? across : Eigen::Vector3d(-across))
                                    : Eigen::Vector3d(test::random_vector(random).normalized());
    double farthest = -inf;
    for (const Eigen::Vector3d& p : points) farthest = std::max(farthest, p.dot(d));
    ASSERT_NEAR(hull.support(d).dot(d), farthest, 4e-13);
  }
}

TEST(Hull, ThinTrianglesAreFlat) {
  EXPECT_EQ(Shape::triangle({-1, 0.3, 0.2}, {1, -0.3, 0.7}, {0, 0, 0.45 + 1e-8}).vertices().size(), 3U);
  std::mt19937_64 random(31);
  for (int i = 0; i < 7000; ++i) {
    const double height = std::pow(10, -12 + i % 7);
    const Eigen::Isometry3d pose = test::random_pose(random, 1);
    const std::vector<Eigen::Vector3d> corners{pose * Eigen::Vector3d(-1, 0, 0), pose * Eigen::Vector3d(1, 0, 0),
                                               pose * Eigen::Vector3d(test::number(random, -0.9, 0.9), height, 0)};
    const Shape triangle = Shape::triangle(corners[0], corners[1], corners[2]);
    ASSERT_EQ(triangle.vertices().size(), 3U) << height;
    ASSERT_EQ(triangle.faces().size(), 2U) << height;
    expect_hull_of(triangle, corners, pose.linear().col(1), random);
  }
}

TEST(Hull, ThinRectanglesAreFlat) {
  std::mt19937_64 random(32);
  for (int i = 0; i < 3000; ++i) {
    const double width = std::pow(10, -12 + i % 6);
    const Eigen::Isometry3d pose = test::random_pose(random, 1);
    std::vector<Eigen::Vector3d> corners;
    for (const double x : {-1.0, 1.0}) {
      for (const double y : {0.0, width}) corners.emplace_back(pose * Eigen::Vector3d(x, y, 0));
    }
    const Shape rectangle = Shape::hull(corners);
    ASSERT_EQ(rectangle.vertices().size(), 4U) << width;
    ASSERT_EQ(rectangle.faces().size(), 2U) << width;
    expect_hull_of(rectangle, corners, pose.linear().col(1), random);
  }
}

TEST(Hull, ThinSolidsAreHulls) {
  std::mt19937_64 random(33);
  for (int i = 0; i < 600; ++i) {
    const double width = std::pow(10, -7 + i % 3);
    const double thickness = std::pow(10, -12 + (i / 3) % 6);
    const Eigen::Isometry3d pose = test::random_pose(random, 1);
    std::vector<Eigen::Vector3d> corners;
    for (int k = 0; k < 8; ++k) {
      corners.emplace_back(pose * Eigen::Vector3d(k & 1 ? 1 : -1, k & 2 ? width : 0, k & 4 ? thickness : 0));
    }
    expect_hull_of(Shape::hull(corners), corners, pose.linear().col(2), random);
  }
}

/// A corner is left out for how far it is from its neighbours' line, not for how near its neighbours are.
TEST(Hull, ShortEdgesOfAPolygonAreKept) {
  std::vector<Eigen::Vector3d> points{{-1, 0, 0}};
  for (int k = -20; k <= 20; ++k) points.emplace_back(1 - 1e-9 * k * k, 1e-7 * k, 0);
  EXPECT_EQ(Shape::hull(points).vertices().size(), points.size());
}

TEST(Shape, TheBoxOfAMeshThatIsNotTurnedIsThatOfItsSupportPoints) {
  TriangleMesh mesh = make_icosphere(0.3, 2);
  for (Eigen::Vector3d& p : mesh.positions)
    p = p.cwiseProduct(Eigen::Vector3d(1, 2.1, 0.7)) + Eigen::Vector3d(1, -2, 3);
  mesh.positions.emplace_back(100, 100, 100);  // of no triangle
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = Eigen::Vector3d(0.1, -7.3, 1e3);
  for (const double margin : {0.0, 0.013}) {
    const Shape shape = Shape::mesh(mesh).with_margin(margin);
    const AxisBox box = shape.bounding_box(pose);
    for (Eigen::Index k = 0; k < 3; ++k) {
      const Eigen::Vector3d axis = Eigen::Vector3d::Unit(k);
      EXPECT_EQ(box.min[k], shape.support(-axis)[k] + pose.translation()[k]) << "to the last bit";
      EXPECT_EQ(box.max[k], shape.support(axis)[k] + pose.translation()[k]);
    }
  }
}

}  // namespace
}  // namespace carom
