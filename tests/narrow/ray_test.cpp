#include "narrow/ray/ray.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "shapes/shape_samples.hpp"

// Rays against shapes, in extended precision: a convex shape is where a convex function of the point is not positive.
namespace carom {
namespace {

using Real = long double;
using Point = Eigen::Matrix<Real, 3, 1>;
using Eigen::Vector3d;
/// The distance from the surface outside, something negative inside.
using Height = std::function<Real(const Point&)>;

Real across(const Point& p) {
  return std::sqrt(p.x() * p.x() + p.y() * p.y());
}

Height point_height() {
  return [](const Point& p) { return p.norm(); };
}
Height segment_height(Real half) {
  return [=](const Point& p) { return std::hypot(across(p), std::max(std::abs(p.z()) - half, Real(0))); };
}
/// Of a convex region of the half-plane (distance from the axis, height), from its outer lines, counter-clockwise.
Height profile_height(std::vector<std::array<Real, 2>> corners) {
  return [=](const Point& p) {
    const Real x = across(p);
    Real inside = -INFINITY;
    Real nearest = INFINITY;
    for (std::size_t k = 0; k + 1 < corners.size(); ++k) {
      const Real dx = corners[k + 1][0] - corners[k][0];
      const Real dy = corners[k + 1][1] - corners[k][1];
      const Real length = std::hypot(dx, dy);
      const Real ox = x - corners[k][0];
      const Real oy = p.z() - corners[k][1];
      inside = std::max(inside, (ox * dy - oy * dx) / length);
      const Real t = std::clamp((ox * dx + oy * dy) / (length * length), Real(0), Real(1));
      nearest = std::min(nearest, std::hypot(ox - t * dx, oy - t * dy));
    }
    return inside <= 0 ? inside : nearest;
  };
}
Height box_height(const Vector3d& half) {
  return [=](const Point& p) {
    const Point q = p.cwiseAbs() - half.cast<Real>();
    return q.maxCoeff() <= 0 ? q.maxCoeff() : q.cwiseMax(Real(0)).norm();
  };
}
/// By bisection for the multiplier of the nearest point.
Height ellipsoid_height(const Vector3d& radii) {
  return [=](const Point& p) {
    const Point r = radii.cast<Real>();
    const auto sum = [&](Real t) { return (r.array() * p.array() / (t + r.array().square())).square().sum() - 1; };
    if (sum(0) <= 0) return (p.array() / r.array()).matrix().norm() * r.minCoeff() - r.minCoeff();
    Real low = 0;
    Real high = r.maxCoeff() * p.norm();
    for (int i = 0; i < 90; ++i) (sum(0.5L * (low + high)) > 0 ? low : high) = 0.5L * (low + high);
    return (p - (r.array().square() * p.array() / (low + r.array().square())).matrix()).norm();
  };
}
Real off_triangle(const Point& p, const Point& a, const Point& b, const Point& c) {
  const auto off_segment = [&](const Point& s, const Point& e) {
    const Point d = e - s;
    return (p - s - std::clamp((p - s).dot(d) / d.squaredNorm(), Real(0), Real(1)) * d).norm();
  };
  const Point n = (b - a).cross(c - a).normalized();
  const bool over =
      n.dot((b - a).cross(p - a)) >= 0 && n.dot((c - b).cross(p - b)) >= 0 && n.dot((a - c).cross(p - c)) >= 0;
  if (over) return std::abs(n.dot(p - a));
  return std::min({off_segment(a, b), off_segment(b, c), off_segment(c, a)});
}
Height hull_height(const Shape& hull) {
  std::vector<std::array<Point, 3>> triangles;
  const IndexLists faces = hull.faces();
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto at = [&](std::size_t k) -> Point {
      return hull.vertices()[static_cast<std::size_t>(faces[f][k])].cast<Real>();
    };
    for (std::size_t k = 1; k + 1 < faces[f].size(); ++k) triangles.push_back({at(0), at(k), at(k + 1)});
  }
  return [=](const Point& p) {
    Real inside = -INFINITY;
    Real nearest = INFINITY;
    for (const auto& [a, b, c] : triangles) {
      inside = std::max(inside, (b - a).cross(c - a).normalized().dot(p - a));
      nearest = std::min(nearest, off_triangle(p, a, b, c));
    }
    return inside <= 0 ? inside : nearest;
  };
}
Height triangle_height(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  return [=](const Point& p) { return off_triangle(p, a.cast<Real>(), b.cast<Real>(), c.cast<Real>()); };
}

struct Case {
  std::string name;
  Shape shape;
  Height height;
  double radius;  ///< own and margin, taken off the height
};

std::vector<Case> ray_cases() {
  std::vector<Case> cases;
  std::mt19937_64 random(41);
  const Shape hull = Shape::hull(test::random_points(random, 30));
  const Shape thin = [&] {
    auto points = test::random_points(random, 14);
    for (Vector3d& p : points) p.y() *= 1e-5;
    return Shape::hull(points);
  }();
  const Vector3d a(0.7, -0.2, 0.1), b(-0.5, 0.8, 0.3), c(-0.1, -0.4, -0.6);
  for (const double margin : {0.0, 0.03, 0.7}) {
    const auto add = [&](const std::string& name, const Shape& shape, const Height& height, double own) {
      cases.push_back(
          {name + " with margin " + std::to_string(margin), shape.with_margin(margin), height, own + margin});
    };
    add("sphere", Shape::sphere(0.8), point_height(), 0.8);
    add("capsule", Shape::capsule(0.2, 0.7), segment_height(0.7), 0.2);
    add("box", Shape::box({0.3, 0.5, 0.9}), box_height({0.3, 0.5, 0.9}), 0);
    add("cylinder", Shape::cylinder(0.5, 0.4), profile_height({{0, -0.4}, {0.5, -0.4}, {0.5, 0.4}, {0, 0.4}}), 0);
    add("disc", Shape::cylinder(0.9, 1e-4), profile_height({{0, -1e-4}, {0.9, -1e-4}, {0.9, 1e-4}, {0, 1e-4}}), 0);
    add("cone", Shape::cone(0.6, 0.5), profile_height({{0, -0.5}, {0.6, -0.5}, {0, 0.5}}), 0);
    add("steep cone", Shape::cone(0.01, 0.8), profile_height({{0, -0.8}, {0.01, -0.8}, {0, 0.8}}), 0);
    add("ellipsoid", Shape::ellipsoid({0.9, 0.3, 0.5}), ellipsoid_height({0.9, 0.3, 0.5}), 0);
    add("flat ellipsoid", Shape::ellipsoid({0.9, 0.3, 1e-3}), ellipsoid_height({0.9, 0.3, 1e-3}), 0);
    add("hull", hull, hull_height(hull), 0);
    add("thin hull", thin, hull_height(thin), 0);
    if (margin > 0) add("triangle", Shape::triangle(a, b, c), triangle_height(a, b, c), 0);
  }
  return cases;
}

/// The height along a ray, and where it is least and first zero.
struct Along {
  const Case& c;
  Eigen::Isometry3d pose;
  Vector3d origin;
  Vector3d direction;

  Real operator()(Real t) const {
    const Point p = (origin - pose.translation()).cast<Real>() + t * direction.cast<Real>();
    return c.height(pose.linear().cast<Real>().transpose() * p) - Real(c.radius);
  }
  /// Where it is least, by golden sections.
  Real lowest(Real from, Real to, int sections = 90) const {
    const Real ratio = 0.61803398874989484820L;
    Real low = to - ratio * (to - from);
    Real high = from + ratio * (to - from);
    Real at_low = (*this)(low);
    Real at_high = (*this)(high);
    for (int i = 0; i < sections; ++i) {
      if (at_low < at_high) {
        to = high;
        high = low;
        at_high = at_low;
        low = to - ratio * (to - from);
        at_low = (*this)(low);
      } else {
        from = low;
        low = high;
        at_low = at_high;
        high = from + ratio * (to - from);
        at_high = (*this)(high);
      }
    }
    return 0.5L * (from + to);
  }
  Real entry(Real from, Real inside) const {
    for (int i = 0; i < 80; ++i) {
      const Real middle = 0.5L * (from + inside);
      ((*this)(middle) > 0 ? from : inside) = middle;
    }
    return inside;
  }
};

void check(const Along& along, double rounding, int& hits) {
  const std::optional<rays::Hit> hit =
      rays::first_hit(along.c.shape, along.pose, along.origin, along.direction, INFINITY);
  const double far = 8 + 2 * (along.origin - along.pose.translation()).norm();
  if (along(0) < 0) {
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->time, 0);
    EXPECT_LE((hit->normal + along.direction).norm(), 1e-14);
    return;
  }
  const Real lowest = along.lowest(0, far);
  if (along(lowest) > Real(rounding)) {
    ASSERT_FALSE(hit) << double(along(lowest));
  }
  if (along(lowest) < -Real(rounding)) {
    ASSERT_TRUE(hit) << double(along(lowest));
  }
  if (!hit) return;
  ++hits;
  ASSERT_NEAR(double(along(hit->time)), 0, rounding);
  ASSERT_NEAR(hit->normal.norm(), 1, 1e-14);
  if (along(lowest) > -1e-6L) return;
  // By how much the time is off for a surface that is off by rounding.
  const Real entry = along.entry(0, lowest);
  const Real step = 1e-7L;
  const Real falls = (along(entry - step) - along(entry)) / step;
  ASSERT_NEAR(hit->time, double(entry), 2 * rounding / double(falls) + 4e-16 * double(entry));
  ASSERT_LE(hit->normal.dot(along.direction), 1e-12);
}

TEST(Ray, MeetsConvexShapesToRounding) {
  std::mt19937_64 random(42);
  for (const Case& c : ray_cases()) {
    int hits = 0;
    for (int i = 0; i < 60; ++i) {
      const double far = i % 5 == 0 ? 1e4 : 3;
      Along along{c, test::random_pose(random, i % 7 == 0 ? 100 : 1), {}, {}};
      const Vector3d aim =
          along.pose.translation() + ((i % 2 == 0 ? 0.8 : 0.02) + c.radius) * test::random_vector(random);
      along.direction = test::random_vector(random).normalized();
      along.origin = aim - (i % 9 == 0 ? 0.2 : far) * along.direction;
      ASSERT_NO_FATAL_FAILURE(check(along, 1e-14 * (3 + far), hits)) << c.name << ", ray " << i;
    }
    EXPECT_GE(hits, 8) << c.name;
  }
}

/// Rays moved aside until they touch, and then nearer or farther by a billionth of the size.
TEST(Ray, GrazesToABillionth) {
  std::mt19937_64 random(43);
  for (const Case& c : ray_cases()) {
    int hits = 0;
    int misses = 0;
    for (int i = 0; i < 10; ++i) {
      Along along{c, test::random_pose(random, 1), {}, {}};
      along.direction = test::random_vector(random).normalized();
      const Vector3d aside = along.direction.cross(test::random_vector(random)).normalized();
      const auto move = [&](double by) { along.origin = along.pose.translation() + by * aside - 3 * along.direction; };
      double inner = 0;
      double outer = 4;
      for (int k = 0; k < 40; ++k) {
        const double middle = 0.5 * (inner + outer);
        move(middle);
        (along(along.lowest(0, 6, 75)) <= 0 ? inner : outer) = middle;
      }
      for (const double by : {-1e-9, 1e-9}) {
        move(inner + by);
        if (along(along.lowest(0, 6)) > 2e-14L) ++misses;
        ASSERT_NO_FATAL_FAILURE(check(along, 2e-14, hits)) << c.name << ", ray " << i << " off by " << by;
      }
    }
    EXPECT_GE(hits, 6) << c.name;
    EXPECT_GE(misses, 6) << c.name;
  }
}

/// All triangles, one by one, in extended precision.
Real first_triangle(const Shape& shape, const Eigen::Isometry3d& pose, const Vector3d& origin,
                    const Vector3d& direction, Real& clearance) {
  Real first = INFINITY;
  const auto local = [&](const Vector3d& v) -> Point {
    return pose.linear().cast<Real>().transpose() * v.cast<Real>();
  };
  const Point o = local(origin - pose.translation());
  const Point d = local(direction);
  for (const Triangle& t : shape.triangles()) {
    const auto at = [&](std::size_t k) -> Point {
      return shape.vertices()[static_cast<std::size_t>(t[k])].cast<Real>();
    };
    const Point n = (at(1) - at(0)).cross(at(2) - at(0));
    const Real time = n.dot(at(0) - o) / n.dot(d);
    const Point p = o + time * d;
    Real inside = INFINITY;
    for (std::size_t k = 0; k < 3; ++k) {
      const Point edge = at((k + 1) % 3) - at(k);
      inside = std::min(inside, n.dot(edge.cross(p - at(k))) / (n.norm() * edge.norm()));
    }
    if (time > 0) clearance = std::min(clearance, std::abs(inside));
    if (inside >= 0 && time >= 0) first = std::min(first, time);
  }
  return first;
}

TEST(Ray, MeetsMeshesWhereTheFirstTriangleIs) {
  std::mt19937_64 random(44);
  TriangleMesh sheet = make_sheet(2, 2, 12, 9);
  for (Vector3d& p : sheet.positions) p += 0.1 * test::random_vector(random);
  for (const Shape& shape : {Shape::mesh(make_torus(0.8, 0.3, 24, 12)), Shape::mesh(sheet)}) {
    int hits = 0;
    for (int i = 0; i < 600; ++i) {
      const Eigen::Isometry3d pose = test::random_pose(random, 1);
      const Vector3d direction = test::random_vector(random).normalized();
      const Vector3d origin = pose.translation() + 0.9 * test::random_vector(random) - 3 * direction;
      Real clearance = INFINITY;
      const Real truth = first_triangle(shape, pose, origin, direction, clearance);
      const std::optional<rays::Hit> hit = rays::first_hit(shape, pose, origin, direction, INFINITY);
      if (clearance < 1e-13L) continue;
      ASSERT_EQ(hit.has_value(), truth < INFINITY) << i;
      if (!hit) continue;
      ++hits;
      ASSERT_NEAR(hit->time, double(truth), 2e-14 / std::abs(hit->normal.dot(direction))) << i;
      ASSERT_LE(hit->normal.dot(direction), 0) << i;
      EXPECT_FALSE(rays::first_hit(shape, pose, origin, direction, double(truth) - 1e-9)) << i;
      // With a margin it is met where the nearest triangle is as far as the margin.
      const Shape thick = shape.with_margin(0.02);
      const std::optional<rays::Hit> sooner = rays::first_hit(thick, pose, origin, direction, INFINITY);
      ASSERT_TRUE(sooner) << i;
      const Point p = pose.linear().cast<Real>().transpose() *
                      ((origin - pose.translation()).cast<Real>() + sooner->time * direction.cast<Real>());
      Real nearest = INFINITY;
      for (const Triangle& t : shape.triangles()) {
        const auto at = [&](std::size_t k) -> Point {
          return shape.vertices()[static_cast<std::size_t>(t[k])].cast<Real>();
        };
        nearest = std::min(nearest, off_triangle(p, at(0), at(1), at(2)));
      }
      ASSERT_NEAR(double(nearest), 0.02, 2e-14) << i;
    }
    EXPECT_GE(hits, 100);
  }
}

TEST(Ray, SlipsThroughNoEdgeAndNoVertex) {
  const Shape ball = Shape::mesh(make_icosphere(1, 2));
  std::mt19937_64 random(45);
  const auto pose = Eigen::Isometry3d::Identity();
  for (const Triangle& t : ball.triangles()) {
    const auto at = [&](std::size_t k) { return ball.vertices()[static_cast<std::size_t>(t[k])]; };
    const double weight = oracle::uniform(random);
    for (const Vector3d& target : {at(0), Vector3d(weight * at(0) + (1 - weight) * at(1))}) {
      const Vector3d origin = 3 * target + 0.3 * test::random_vector(random);
      const std::optional<rays::Hit> hit =
          rays::first_hit(ball, pose, origin, (target - origin).normalized(), INFINITY);
      ASSERT_TRUE(hit);
      ASSERT_NEAR(hit->time, (target - origin).norm(), 1e-13);
    }
  }
}

TEST(Ray, WhatHasNoThicknessIsMetEdgeOn) {
  const auto pose = Eigen::Isometry3d::Identity();
  const Vector3d x = Vector3d::UnitX();
  const std::vector<Vector3d> square{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  const std::vector<Vector3d> line{{0, -1, 0}, {0, 1, 0}};
  const std::vector<Vector3d> point{{0.5, 0.25, 0}};
  const auto time_of = [&](const Shape& shape, const Vector3d& origin) {
    const std::optional<rays::Hit> hit = rays::first_hit(shape, pose, origin, x, INFINITY);
    return hit ? hit->time : -1;
  };
  EXPECT_NEAR(time_of(Shape::hull(square), {-3, 0.25, 0}), 2, 1e-14);
  EXPECT_NEAR(time_of(Shape::mesh({square, {{0, 1, 2}, {0, 2, 3}}}), {-3, 0.25, 0}), 2, 1e-14);
  EXPECT_NEAR(time_of(Shape::hull(line), {-3, 0.25, 0}), 3, 1e-14);
  EXPECT_NEAR(time_of(Shape::hull(point), {-3, 0.25, 0}), 3.5, 1e-14);
  for (const double off : {1e-9, 1e-13}) {
    EXPECT_EQ(time_of(Shape::hull(square), {-3, 0.25, off}), -1) << off;
    EXPECT_EQ(time_of(Shape::hull(line), {-3, 0.25, off}), -1) << off;
    EXPECT_EQ(time_of(Shape::hull(point), {-3, 0.25, off}), -1) << off;
  }
}

TEST(Ray, StartsInsideOrOnTheSurface) {
  const auto pose = Eigen::Isometry3d::Identity();
  const Shape::Part parts[] = {{Shape::box({1, 1, 1})}};
  for (const Shape& shape : {Shape::box({1, 1, 1}), Shape::mesh(make_box({2, 2, 2})), Shape::compound(parts),
                             Shape::half_space({1, 0, 0}, 1), Shape::capsule(1, 1)}) {
    const auto hit_from = [&](double at, double towards) {
      return rays::first_hit(shape, pose, {at, 0, 0}, {towards, 0, 0}, INFINITY);
    };
    const auto inside = hit_from(0.5, -1);
    ASSERT_TRUE(inside);
    EXPECT_EQ(inside->time, 0);
    EXPECT_EQ(inside->normal, Vector3d(1, 0, 0));
    const auto on = hit_from(1, -1);
    ASSERT_TRUE(on);
    EXPECT_NEAR(on->time, 0, 1e-15);
    EXPECT_NEAR((on->normal - Vector3d(1, 0, 0)).norm(), 0, 1e-15);
    EXPECT_TRUE(hit_from(1, 1)) << "on the surface, leaving";
    EXPECT_FALSE(hit_from(1 + 1e-13, 1));
  }
}

}  // namespace
}  // namespace carom
