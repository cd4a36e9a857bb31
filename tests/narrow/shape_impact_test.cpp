#include "narrow/surface/shape_impact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "carom/query/query.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/shape_samples.hpp"

// Times of impact of convex shapes that move and turn with triangles that deform, against the distance at many times.
namespace carom::narrow::surface {
namespace {

using convex::MovingCore;
using convex::SweptPose;
using Eigen::Vector3d;

struct Motion {
  Shape shape;
  SweptPose swept_pose;
  Eigen::Isometry3d part = Eigen::Isometry3d::Identity();
  MovingTriangle triangle;

  ShapeImpact impact(const ShapeImpactOptions& options) const {
    mesh::TriangleCore triangle_core;
    return shape_impact(MovingCore(shape.data().core, swept_pose, part), triangle, options, triangle_core);
  }
  double size() const {
    double size = shape.data().core.reach + shape.data().core.radius + part.translation().norm();
    for (std::size_t k = 0; k < 3; ++k) {
      size = std::max({size, (triangle.start[k] - swept_pose.from).norm(), (triangle.end[k] - swept_pose.from).norm()});
    }
    return size;
  }
  double distance_at(double t) const { return query_at(t).distance; }
  /// At a time, from shapes that stand still.
  QueryResult query_at(double t) const {
    Eigen::Isometry3d body = Eigen::Isometry3d::Identity();
    body.linear() = swept_pose.rotation(t);
    body.translation() = swept_pose.from + t * swept_pose.travel;
    std::array<Vector3d, 3> x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = (1 - t) * triangle.start[k] + t * triangle.end[k];
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.translation() = x[0];
    const Shape flat = Shape::triangle(Vector3d::Zero(), x[1] - x[0], x[2] - x[0]);
    return distance(shape, body * part, flat, at);
  }
};

struct Counts {
  int hits = 0, free = 0, overlapping = 0, close = 0, limited = 0;
};

/// The smallest distance up to a time: of many times, and then of times about the best of them.
double lowest_distance(const Motion& motion, double until, int samples) {
  double lowest = INFINITY;
  double best = 0;
  const auto offer = [&](double t) {
    const double d = motion.distance_at(t);
    if (d < lowest) {
      lowest = d;
      best = t;
    }
  };
  for (int i = 0; i <= samples; ++i) offer(until * i / samples);
  for (double step = until / samples; step > 1e-9; step *= 0.25) {
    const double middle = best;
    for (int i = -4; i <= 4; ++i) offer(std::clamp(middle + 0.25 * step * i, 0.0, until));
  }
  return lowest;
}

void check(const Motion& motion, const ShapeImpactOptions& options, Counts& counts, int samples = 200) {
  const ShapeImpact impact = motion.impact(options);
  const double first = motion.distance_at(0);
  const double rounding = 1e-10 * motion.size() + motion.query_at(0).error;
  if (impact.overlapping) {
    EXPECT_LE(first, rounding);
    EXPECT_EQ(impact.time, 1);
    EXPECT_FALSE(impact.hit);
    ++counts.overlapping;
    return;
  }
  ASSERT_GE(first, 0);
  const double limit = std::min(options.separation, first - std::min(options.tolerance, first / 2));
  if (impact.hit) {
    EXPECT_NEAR(impact.limit, limit, rounding);
  }
  counts.close += first < options.separation ? 1 : 0;
  // Never late.
  const double until = impact.hit ? impact.time : options.end;
  ASSERT_LE(impact.time, 1);
  EXPECT_GE(lowest_distance(motion, until, samples), limit - rounding)
      << "time " << impact.time << " hit " << impact.hit;
  if (!impact.hit) {
    EXPECT_EQ(impact.time, 1);
    ++counts.free;
    return;
  }
  ++counts.hits;
  EXPECT_LT(impact.time, options.end);
  const double error = rounding + impact.error + motion.query_at(impact.time).error;
  EXPECT_NEAR(impact.distance, motion.distance_at(impact.time), error);
  EXPECT_NEAR(impact.normal.norm(), 1, 1e-12);
  Vector3d point = Vector3d::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GE(impact.weights[k], 0);
    point += impact.weights[k] * ((1 - impact.time) * motion.triangle.start[k] + impact.time * motion.triangle.end[k]);
  }
  EXPECT_LE((point - impact.point).norm(), rounding);
  if (impact.limited) {
    ++counts.limited;
    return;
  }
  // Not early by more than the tolerance.
  EXPECT_LE(impact.distance, limit + options.tolerance + error);
}

/// The triangle goes about where the shape is, from `away` off.
Motion random_motion(const Shape& shape, std::mt19937_64& random, double turn, double speed, double size,
                     double away = 1.5) {
  const Eigen::Isometry3d from = test::random_pose(random, 1);
  Motion motion{
      shape, SweptPose(from, turn * test::random_vector(random), speed * test::random_vector(random)), {}, {}};
  motion.part = Eigen::Isometry3d::Identity();
  const Vector3d offset = away * test::random_vector(random);
  const Vector3d middle = from.translation() + offset;
  const Vector3d goes = motion.swept_pose.travel + speed * (test::random_vector(random) - offset.normalized());
  for (std::size_t k = 0; k < 3; ++k) {
    motion.triangle.start[k] = middle + size * test::random_vector(random);
    motion.triangle.end[k] = motion.triangle.start[k] + goes + 0.5 * size * test::random_vector(random);
  }
  return motion;
}

TEST(ShapeImpact, NeverLateAndNotEarly) {
  std::mt19937_64 random(31);
  Counts counts;
  for (const test::Sample& sample : test::convex_samples()) {
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(sample.name + ", " + std::to_string(i));
      const double turn = i % 4 == 0 ? 0 : i % 4 == 1 ? 0.1 : i % 4 == 2 ? 1.5 : 6;
      Motion motion = random_motion(sample.shape.with_margin(i % 3 == 0 ? 0.1 : 0), random, turn, 2, 0.7);
      if (i % 5 == 4) motion.part = test::random_pose(random, 0.5);
      const ShapeImpactOptions options{i % 2 == 0 ? 0.01 : 0.2, i % 7 == 0 ? 1e-6 : 1e-3};
      check(motion, options, counts);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(counts.hits, 80);
  EXPECT_GT(counts.free, 80);
  EXPECT_GT(counts.overlapping, 20);
  EXPECT_GT(counts.close, 10);
  EXPECT_LE(counts.limited, 5);
}

TEST(ShapeImpact, SmallMotionsOfClosePairs) {
  // As in a simulation: resting, sliding and rolling at a distance below the separation.
  std::mt19937_64 random(32);
  Counts counts;
  for (const test::Sample& sample : test::convex_samples()) {
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(sample.name + ", " + std::to_string(i));
      Motion motion = random_motion(sample.shape, random, 0.05, 0.02, 0.4);
      const double apart = motion.distance_at(0);
      if (apart <= 0) continue;
      check(motion, {apart * (i % 2 == 0 ? 1.5 : 0.97), 0.02 * apart}, counts);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(counts.close, 50);
  EXPECT_GT(counts.hits, 50);
  EXPECT_GT(counts.free, 50);
}

TEST(ShapeImpact, NeedlesTinyHugeAndFast) {
  std::mt19937_64 random(33);
  Counts counts;
  const std::vector<Shape> shapes{Shape::cone(0.01, 0.8), Shape::box({1e-3, 1e-3, 0.9}),
                                  Shape::sphere(1e-3),    Shape::box({30, 0.01, 30}),
                                  Shape::sphere(50),      Shape::capsule(1e-3, 0.7)};
  for (const Shape& shape : shapes) {
    for (int i = 0; i < 30; ++i) {
      SCOPED_TRACE(std::to_string(&shape - shapes.data()) + ", " + std::to_string(i));
      Motion motion = random_motion(shape, random, i % 3 == 0 ? 3 : 0.2, i % 2 == 0 ? 100 : 1, i % 5 == 0 ? 10 : 0.3);
      check(motion, {1e-3, 1e-4}, counts, 400);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(counts.hits, 15);
}

TEST(ShapeImpact, NothingPassesThrough) {
  // A vertex is at the center of the shape at a known time, however fast it got there.
  std::mt19937_64 random(36);
  Counts counts;
  std::vector<test::Sample> samples = test::convex_samples();
  samples.push_back({"plate", Shape::box({1, 1e-3, 1}), {}});
  samples.push_back({"needle", Shape::cone(1e-3, 1), {}});
  samples.push_back({"bead", Shape::sphere(1e-3), {}});
  for (const test::Sample& sample : samples) {
    for (int i = 0; i < 30; ++i) {
      SCOPED_TRACE(sample.name + ", " + std::to_string(i));
      const double speed = std::pow(10, test::number(random, 0, 2.5));
      Motion motion = random_motion(sample.shape, random, i % 2 == 0 ? 0 : 2, speed, 0.3, 3);
      const double u = test::number(random, 0.3, 0.95);
      const shapes::Core& core = motion.shape.data().core;
      Vector3d inner = Vector3d::Zero();
      if (core.kind == shapes::CoreKind::half_space) inner = (core.offset - 0.1) * math::to_eigen(core.size);
      if (core.kind == shapes::CoreKind::hull) {
        for (const Vector3d& p : core.hull->points) inner += p / static_cast<double>(core.hull->points.size());
      }
      const Vector3d there =
          motion.swept_pose.from + u * motion.swept_pose.travel + motion.swept_pose.rotation(u) * inner;
      Vector3d& end = motion.triangle.end[static_cast<std::size_t>(i) % 3];
      const Vector3d& start = motion.triangle.start[static_cast<std::size_t>(i) % 3];
      end = start + (there - start) / u;
      const ShapeImpact impact = motion.impact({1e-4, 1e-5});
      EXPECT_TRUE(impact.overlapping || (impact.hit && impact.time <= u)) << impact.time << " of " << u;
      check(motion, {1e-4, 1e-5}, counts, 50);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(counts.hits, 250);
}

TEST(ShapeImpact, EarlierImpactsEndTheSearch) {
  std::mt19937_64 random(34);
  Counts counts;
  int compared = 0;
  for (const test::Sample& sample : test::convex_samples()) {
    for (int i = 0; i < 30; ++i) {
      const Motion motion = random_motion(sample.shape, random, 0.5, 2, 0.7);
      const ShapeImpact whole = motion.impact({0.01, 1e-4});
      if (!whole.hit || whole.time < 1e-3) continue;
      EXPECT_FALSE(motion.impact({0.01, 1e-4, 64, 0.5 * whole.time}).hit);
      check(motion, {0.01, 1e-4, 64, 0.5 + 0.5 * whole.time}, counts);
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

TEST(ShapeImpact, FewIterationsAreEarlyNotLate) {
  std::mt19937_64 random(35);
  Counts counts;
  for (const test::Sample& sample : test::convex_samples()) {
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE(sample.name + ", " + std::to_string(i));
      const Motion motion = random_motion(sample.shape, random, 3, 2, 0.7);
      check(motion, {0.01, 1e-5, 1 + i % 3}, counts);
      EXPECT_LE(motion.impact({0.01, 1e-5, 1 + i % 3}).iterations, 1 + i % 3);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(counts.limited, 20);
}

Motion over_box(const Vector3d& motion_of_triangle, double height) {
  Motion motion{
      Shape::box({1, 1, 1}), SweptPose(Eigen::Isometry3d::Identity(), Vector3d::Zero(), Vector3d::Zero()), {}, {}};
  motion.part = Eigen::Isometry3d::Identity();
  motion.triangle.start = {Vector3d(-0.3, -0.3, 1 + height), Vector3d(0.3, -0.3, 1 + height),
                           Vector3d(0, 0.3, 1 + height)};
  for (std::size_t k = 0; k < 3; ++k) motion.triangle.end[k] = motion.triangle.start[k] + motion_of_triangle;
  return motion;
}

TEST(ShapeImpact, SlidingIsNoImpact) {
  for (const double height : {0.001, 0.005, 0.01, 0.0101}) {
    EXPECT_FALSE(over_box({0.4, 0.1, 0}, height).impact({0.01, 1e-6}).hit) << height;
    EXPECT_FALSE(over_box({5, 0.1, 0}, height).impact({0.01, 1e-6}).hit) << height;
    EXPECT_FALSE(over_box({0.4, 0.1, 0.2}, height).impact({0.01, 1e-6}).hit) << height;
    // A sphere and a cylinder that roll under a sheet that stays, and a sheet that slides over them.
    for (const Shape& round : {Shape::sphere(1), Shape::cylinder(1, 2)}) {
      Motion roll = over_box({0, 0, 0}, height);
      roll.shape = round;
      roll.part.linear() = Eigen::AngleAxisd(M_PI / 2, Vector3d::UnitX()).toRotationMatrix();  // axis along y
      roll.swept_pose = SweptPose(Eigen::Isometry3d::Identity(), Vector3d(0, 0.2, 0), Vector3d(0.2, 0, 0));
      EXPECT_FALSE(roll.impact({0.01, 1e-6}).hit) << height;
    }
  }
}

TEST(ShapeImpact, KnownTimes) {
  // Falls from 0.5 by 1: at 0.01 after 0.49.
  const ShapeImpact fall = over_box({0.3, 0, -1}, 0.5).impact({0.01, 1e-6});
  ASSERT_TRUE(fall.hit);
  EXPECT_NEAR(fall.time, 0.49, 1e-6);
  EXPECT_LE(fall.time, 0.49);
  EXPECT_LE((fall.normal - Vector3d::UnitZ()).norm(), 1e-12);
  // Starts below the separation and falls: held where it is, less the tolerance.
  const ShapeImpact close = over_box({0.3, 0, -1}, 0.005).impact({0.01, 1e-6});
  ASSERT_TRUE(close.hit);
  EXPECT_NEAR(close.limit, 0.005 - 1e-6, 1e-12);
  EXPECT_LE(close.time, 1e-6 + 1e-12);
  // Starts far below the tolerance: half of the distance is left.
  const ShapeImpact closer = over_box({0.3, 0, -1}, 1e-7).impact({0.01, 1e-6});
  ASSERT_TRUE(closer.hit);
  EXPECT_NEAR(closer.limit, 5e-8, 1e-12);
  // Overlaps: told, and not limited.
  const ShapeImpact inside = over_box({0, 0, -1}, -0.1).impact({0.01, 1e-6});
  EXPECT_TRUE(inside.overlapping);
  EXPECT_FALSE(inside.hit);
  EXPECT_EQ(inside.time, 1);
  // One vertex goes through the box, the others stay.
  Motion dart = over_box({0, 0, 0}, 0.5);
  dart.triangle.end[2] = {0, 0.3, -3};
  const ShapeImpact hit = dart.impact({0.01, 1e-6});
  ASSERT_TRUE(hit.hit);
  EXPECT_NEAR(hit.time, 0.49 / 4.5, 1e-6);
  EXPECT_NEAR(hit.weights[2], 1, 1e-9);
  // A half-space that turns under a resting triangle: the height of a vertex at x is 0.5 cos a - x sin a, with its
  // first contact at the largest x.
  Motion tilt = over_box({0, 0, 0}, -0.5);
  tilt.shape = Shape::half_space({0, 0, 1}, 0);
  tilt.swept_pose = SweptPose(Eigen::Isometry3d::Identity(), Vector3d(0, -1.5, 0), Vector3d::Zero());
  const ShapeImpact tilted = tilt.impact({0.0, 1e-7});
  ASSERT_TRUE(tilted.hit);
  EXPECT_NEAR(tilted.time, std::atan2(0.5, 0.3) / 1.5, 1e-6);
}

}  // namespace
}  // namespace carom::narrow::surface
