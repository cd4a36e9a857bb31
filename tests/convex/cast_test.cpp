#include "carom/query/cast.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "carom/core/error.hpp"
#include "shapes/shape_samples.hpp"

namespace carom {
namespace {

constexpr double pi = 3.14159265358979323846;

Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

Eigen::Isometry3d turned(const Eigen::Isometry3d& pose, double angle, const Eigen::Vector3d& axis) {
  Eigen::Isometry3d result = pose;
  result.linear() = Eigen::AngleAxisd(angle, axis.normalized()) * pose.linear();
  return result;
}

/// Not late, and early by no more than the tolerance takes at the speed with which the gap closes then.
void expect_time(const CastResult& r, double truth, double path, double closing) {
  ASSERT_TRUE(r.hit);
  EXPECT_FALSE(r.limited);
  EXPECT_LE(r.time, truth + 1e-13);
  EXPECT_GE(r.time, truth - 1.1e-6 * path / closing);
  EXPECT_LE(r.tolerance, 1e-6 * path);
  EXPECT_GE(r.closest.distance, 0);
}

TEST(Cast, BallsMeetAtTheZeroOfAQuadratic) {
  const Shape a = Shape::sphere(0.5);
  const Shape b = Shape::sphere(1);
  for (const double miss : {0.0, 0.3, 1.0, 1.4, 1.49}) {
    const CastResult r = cast(a, at(-5, miss, 0), at(5, miss, 0), b, at(0, 0, 0));
    const double along = std::sqrt(1.5 * 1.5 - miss * miss);
    expect_time(r, (5 - along) / 10, 10, 10 * along / 1.5);
    EXPECT_LE((r.closest.normal - Eigen::Vector3d(along, -miss, 0) / 1.5).norm(), 1e-4);
  }
  EXPECT_FALSE(cast(a, at(-5, 1.51, 0), at(5, 1.51, 0), b, at(0, 0, 0)).hit);
  EXPECT_FALSE(cast(a, at(-5, 0, 0), at(-1.51, 0, 0), b, at(0, 0, 0)).hit);
  // They meet at the very end, and turning a ball changes nothing.
  const CastResult end = cast(a, at(-5, 0, 0), turned(at(-1.5, 0, 0), 3, {1, 2, 3}), b, at(0, 0, 0));
  EXPECT_TRUE(end.hit);
  EXPECT_GE(end.time, 1 - 2e-6);
}

TEST(Cast, BallFallsOnGroundThatTurns) {
  const Shape ball = Shape::sphere(0.25);
  const Shape ground = Shape::half_space({0, 0, 3}, 3);
  expect_time(cast(ball, at(0, 0, 4), at(7, 0, 0), ground, at(0, 0, 0)), (4 - 1.25) / 4, std::hypot(7, 4), 4);
  // The ground is raised about the x axis until its height at y = 2 is that of the ball.
  const ShapeMotion still{at(0, 2, 1), at(0, 2, 1)};
  const ShapeMotion rises{at(0, 0, 0), turned(at(0, 0, 0), 1.2, {1, 0, 0})};
  const CastResult r = cast(ball, still, Shape::half_space({0, 0, 1}, 0), rises);
  // cos(x) - 2 sin(x) = 0.25 at the angle x.
  const double truth = (std::acos(0.25 / std::sqrt(5.0)) - std::atan(2.0)) / 1.2;
  expect_time(r, truth, 1.2 * std::sqrt(5.0), 1.2 * (std::sin(1.2 * truth) + 2 * std::cos(1.2 * truth)));
  const CastResult mirrored = cast(Shape::half_space({0, 0, 1}, 0), rises, ball, still);
  EXPECT_NEAR(mirrored.time, r.time, 1e-12);
  EXPECT_LE((mirrored.closest.normal + r.closest.normal).norm(), 1e-9);
}

TEST(Cast, BarSweepsIntoABall) {
  // A bar along x turns about z; a ball of radius s at distance d and angle phi. They meet when d sin(phi - x) is the
  // sum of half the thickness and s.
  const double s = 0.1;
  for (const double thickness : {0.2, 1e-2, 1e-4, 1e-6}) {
    for (const double d : {0.5, 1.0, 1.9}) {
      for (const double phi : {0.8, 1.6, 2.4}) {
        const Eigen::Isometry3d ball = at(d * std::cos(phi), d * std::sin(phi), 0.05);
        const double turn = phi - std::asin((thickness + s) / d);
        // Round about: a capsule lies along z in its frame.
        const Eigen::Isometry3d lying = turned(at(0, 0, 0.05), pi / 2, {0, 1, 0});
        const CastResult bar =
            cast(Shape::capsule(thickness, 2), lying, turned(lying, 3.1, {0, 0, 1}), Shape::sphere(s), ball);
        expect_time(bar, turn / 3.1, 3.1 * 2, 3.1 * d * std::cos(phi - turn));
        const CastResult plate = cast(Shape::box({2, thickness, 1}), at(0, 0, 0), turned(at(0, 0, 0), 3.1, {0, 0, 1}),
                                      Shape::sphere(s), ball);
        expect_time(plate, turn / 3.1, 3.1 * std::sqrt(5.1), 3.1 * d * std::cos(phi - turn));
      }
    }
  }
}

TEST(Cast, BulletsDoNotPassAPlate) {
  // 200 m/s for a sixtieth of a second at 2 cm of steel, and at 2 micrometres.
  const Shape bullet = Shape::sphere(0.005);
  for (const double thickness : {0.01, 1e-6}) {
    const Shape plate = Shape::box({1, 1, thickness});
    for (int i = 0; i < 40; ++i) {
      const double slope = 0.02 * i;
      const double start = 0.1 + 0.03 * i;
      const Eigen::Vector3d travel(slope, 0.5 * slope, -1);
      const Eigen::Vector3d path = 200.0 / 60 * travel.normalized();
      const Eigen::Isometry3d from = at(-0.2, 0, start);
      const CastResult r =
          cast(bullet, from, Eigen::Isometry3d(Eigen::Translation3d(from.translation() + path)), plate, at(0, 0, 0));
      const double reach = (start - 0.005 - thickness) / -path.z();
      if (-0.2 + reach * path.x() > 1 || reach * path.y() > 1) continue;
      expect_time(r, reach, path.norm(), -path.z());
      EXPECT_LE((r.closest.normal - Eigen::Vector3d(0, 0, -1)).norm(), 1e-9);
    }
  }
}

TEST(Cast, GrazingBallsMeetOrMissByTheTolerance) {
  const Shape ball = Shape::sphere(1);
  const auto pass = [&](double height) { return cast(ball, at(-10, height, 0), at(10, height, 0), ball, at(0, 0, 0)); };
  EXPECT_TRUE(pass(2 - 1e-12).hit);
  EXPECT_NEAR(pass(2 - 1e-12).time, 0.5, 1e-3);
  EXPECT_TRUE(pass(2).hit);
  const CastResult near = pass(2 + 1e-5);  // within 1e-6 of the motion, which is 20
  EXPECT_LE(near.tolerance, 2e-5);
  EXPECT_FALSE(pass(2 + 2.1e-5).hit);
  EXPECT_FALSE(pass(3).hit);
  // Sliding along a face, just above it.
  const Shape box = Shape::box({1, 1, 1});
  const Shape floor = Shape::box({100, 100, 1});
  EXPECT_FALSE(cast(box, at(-50, 0, 2 + 1e-7), at(50, 0, 2 + 1e-7), floor, at(0, 0, 0)).hit);
  EXPECT_TRUE(cast(box, at(-50, 0, 2 + 1e-7), at(50, 0, 2 - 1e-7), floor, at(0, 0, 0)).hit);
}

TEST(Cast, WhatStartsNearAndPartsDoesNotHit) {
  const Shape box = Shape::box({1, 1, 1});
  EXPECT_FALSE(cast(box, at(0, 0, 2 + 1e-9), at(0, 0, 5), box, at(0, 0, 0)).hit);
  // What starts in touch has met.
  const CastResult touch = cast(box, at(0, 0, 2), at(0, 0, 5), box, at(0, 0, 0));
  EXPECT_TRUE(touch.hit);
  EXPECT_EQ(touch.time, 0);
}

TEST(Cast, WhatStartsOverlappingHasItsDepth) {
  std::mt19937_64 random(5);
  for (const test::Sample& one : test::convex_samples()) {
    if (one.flat || one.shape.kind() == ShapeKind::triangle || one.shape.kind() == ShapeKind::half_space) continue;
    const Eigen::Isometry3d from = test::random_pose(random, 0.1);
    const Shape box = Shape::box({0.3, 0.4, 0.5});
    const CastResult r = cast(one.shape, from, test::random_pose(random, 3), box, at(0, 0, 0));
    EXPECT_TRUE(r.hit && r.time == 0) << one.name;
    EXPECT_EQ(r.closest.distance, penetration(one.shape, from, box, at(0, 0, 0)).distance) << one.name;
    EXPECT_LT(r.closest.distance, 0) << one.name;
    EXPECT_EQ(r.tolerance, 0);
  }
}

struct Case {
  Shape a;
  ShapeMotion motion_a;
  Shape b;
  ShapeMotion motion_b;
  double size;
};

double path_of(const Case& c) {
  double path = 0;
  for (const auto& [shape, motion] : {std::pair{&c.a, &c.motion_a}, {&c.b, &c.motion_b}}) {
    const double turn = Eigen::AngleAxisd(motion->to.linear() * motion->from.linear().transpose()).angle();
    const double reach = shape->kind() == ShapeKind::half_space ? 12 * c.size : 2 * c.size;
    path += (motion->to.translation() - motion->from.translation()).norm() + turn * reach;
  }
  return path;
}

/// At many times before the one reported the shapes are apart; at it they are as near as promised.
void check_by_sampling(const Case& c, double separation, int samples, const std::string& what) {
  const CastOptions options{.separation = separation};
  const CastResult r = cast(c.a, c.motion_a, c.b, c.motion_b, options);
  const double rounding =
      1e-13 * (c.size + (c.motion_a.from.translation() - c.motion_b.from.translation()).norm() + path_of(c));
  const auto gap = [&](double t) { return distance(c.a, pose_at(c.motion_a, t), c.b, pose_at(c.motion_b, t)); };
  ASSERT_TRUE(r.time >= 0 && r.time <= 1) << what;
  ASSERT_EQ(r.limited, false) << what << " " << r.time << " " << r.tolerance << " " << r.iterations;
  if (r.hit && r.time == 0) {
    ASSERT_LE(gap(0).distance, separation + 1e-6 * path_of(c)) << what;
    return;
  }
  for (int i = 0; i < samples; ++i) {
    const double t = r.hit ? r.time * i / samples : static_cast<double>(i) / (samples - 1);
    const QueryResult q = gap(t);
    ASSERT_GT(q.distance + q.error + rounding, separation) << what << " at " << t << " of " << r.time;
  }
  if (!r.hit) {
    ASSERT_EQ(r.time, 1) << what;
    return;
  }
  const QueryResult q = gap(r.time);
  ASSERT_NEAR(q.distance, r.closest.distance, 1e-9 * c.size + rounding + q.error) << what;
  ASSERT_LE(r.closest.distance, separation + 1e-6 * path_of(c) + rounding) << what;
  ASSERT_LE(r.tolerance, 1e-6 * path_of(c) + rounding) << what;
  ASSERT_LE((r.closest.point_b - r.closest.point_a - r.closest.distance * r.closest.normal).norm(),
            2e-5 * c.size + rounding)
      << what;
}

ShapeMotion draw_motion(std::mt19937_64& random, double size) {
  ShapeMotion m{test::random_pose(random, 3 * size), test::random_pose(random, 3 * size)};
  const double how = test::number(random, 0, 1);
  if (how < 0.2) m.to.linear() = m.from.linear();
  if (how > 0.9) m.to = m.from;
  return m;
}

TEST(Cast, EveryPairOfKindsAgainstManySamples) {
  const std::vector<test::Sample> samples = test::convex_samples();
  std::mt19937_64 random(6);
  int hits = 0;
  int pairs = 0;
  for (const test::Sample& one : samples) {
    for (const test::Sample& two : samples) {
      for (int i = 0; i < 3; ++i) {
        Case c{one.shape, draw_motion(random, 1), two.shape, draw_motion(random, 1), 2};
        const double separation = i == 2 ? 0.1 : 0;
        // Else half of them overlap before they move.
        for (int tries = 0; tries < 8 && distance(c.a, c.motion_a.from, c.b, c.motion_b.from).distance < 0.2; ++tries) {
          c.motion_a = draw_motion(random, 1);
        }
        check_by_sampling(c, separation, 25, one.name + " and " + two.name);
        if (HasFatalFailure()) return;
        const CastResult r = cast(c.a, c.motion_a, c.b, c.motion_b);
        hits += r.hit && r.time > 0 ? 1 : 0;
        ++pairs;
      }
    }
  }
  EXPECT_GT(hits, pairs / 5);
  EXPECT_LT(hits, pairs * 4 / 5);
}

TEST(Cast, LargeAndSmallAndFarAway) {
  std::mt19937_64 random(7);
  const auto scaled = [](const ShapeMotion& m, double s, const Eigen::Vector3d& shift) {
    ShapeMotion r = m;
    r.from.translation() = s * m.from.translation() + shift;
    r.to.translation() = s * m.to.translation() + shift;
    return r;
  };
  const auto points = test::random_points(random, 12);
  const auto hull = [&](double s) {
    auto p = points;
    for (auto& x : p) x *= s;
    return Shape::hull(p);
  };
  for (int i = 0; i < 30; ++i) {
    const ShapeMotion ma = draw_motion(random, 1);
    ShapeMotion mb = draw_motion(random, 1);
    mb.from.translation() += Eigen::Vector3d(4, 0, 0);
    const CastResult one = cast(hull(1), ma, Shape::cylinder(0.6, 0.5), mb);
    for (const double s : {1e-30, 1e-9, 1e6, 1e30}) {
      const CastResult r =
          cast(hull(s), scaled(ma, s, {0, 0, 0}), Shape::cylinder(0.6 * s, 0.5 * s), scaled(mb, s, {0, 0, 0}));
      EXPECT_EQ(r.hit, one.hit) << i << " " << s;
      EXPECT_NEAR(r.time, one.time, 1e-5) << i << " " << s;
    }
    const Eigen::Vector3d far(1e4, -2e4, 3e4);
    const CastResult r = cast(hull(1), scaled(ma, 1, far), Shape::cylinder(0.6, 0.5), scaled(mb, 1, far));
    EXPECT_EQ(r.hit, one.hit) << i;
    EXPECT_NEAR(r.time, one.time, 1e-5) << i;
    if (one.hit && one.time > 0) {
      EXPECT_LE((r.closest.point_a - far - one.closest.point_a).norm(), 1e-3) << i;
    }
  }
  // A grain of dust and a planet; a million kilometres in a step.
  const CastResult dust = cast(Shape::sphere(1e-6), at(1e9, 0, 0), at(-1e9, 0, 0), Shape::sphere(6e6), at(0, 0, 0));
  EXPECT_TRUE(dust.hit);
  EXPECT_NEAR(dust.time, (1e9 - 6e6) / 2e9, 2e-6);
}

TEST(Cast, CompoundsAreTheirEarliestPart) {
  std::mt19937_64 random(8);
  int hits = 0;
  for (int i = 0; i < 60; ++i) {
    const std::vector<Shape::Part> parts_a{{Shape::sphere(0.3), test::random_pose(random, 1)},
                                           {Shape::box({0.2, 0.3, 0.4}), test::random_pose(random, 1)}};
    const std::vector<Shape::Part> parts_b{{Shape::capsule(0.2, 0.4), test::random_pose(random, 1)},
                                           {Shape::cone(0.3, 0.4), test::random_pose(random, 1)},
                                           {Shape::hull(test::random_points(random, 9)), at(0, 0, 0)}};
    const Shape a = Shape::compound(parts_a);
    const Shape b = Shape::compound(parts_b);
    ShapeMotion ma{test::random_pose(random, 1), test::random_pose(random, 2)};
    ma.from.translation() += Eigen::Vector3d(5, 0, 0);
    const ShapeMotion mb{at(0, 0, 0), test::random_pose(random, 0.5)};
    check_by_sampling({a, ma, b, mb, 3}, 0, 60, "compounds");
    const CastResult r = cast(a, ma, b, mb);
    hits += r.hit ? 1 : 0;
    if (!r.hit) continue;
    const QueryResult there = distance(a, pose_at(ma, r.time), b, pose_at(mb, r.time));
    EXPECT_EQ(r.closest.part_a, there.part_a);
    EXPECT_EQ(r.closest.part_b, there.part_b);
  }
  EXPECT_GT(hits, 15);
  EXPECT_LT(hits, 60);
}

TEST(Cast, TheBudgetEndsTheSearchOnTheSafeSide) {
  const Eigen::Isometry3d from = turned(at(-3, 0, 0), 0.3, {1, 1, 0});
  const Eigen::Isometry3d to = turned(at(3, 0.5, 0), 2.5, {0, 1, 1});
  const Shape a = Shape::box({0.5, 0.2, 0.9});
  const Shape b = Shape::cone(0.4, 0.7);
  const CastResult full = cast(a, from, to, b, at(0, 0, 0));
  ASSERT_TRUE(full.hit && !full.limited);
  double last = -1;
  for (int budget = 1; budget < full.iterations; ++budget) {
    const CastResult r = cast(a, from, to, b, at(0, 0, 0), {.budget = budget});
    EXPECT_TRUE(r.hit && r.limited);
    EXPECT_GT(r.time, last);
    EXPECT_LE(r.time, full.time);
    EXPECT_EQ(r.tolerance, r.closest.distance);
    EXPECT_EQ(r.iterations, budget);
    last = r.time;
  }
}

TEST(Cast, BatchesAreTheSinglesForAnyNumberOfThreads) {
  std::mt19937_64 random(9);
  const Shape a = Shape::hull(test::random_points(random, 20));
  const Shape b = Shape::cylinder(0.5, 0.5);
  std::vector<ShapeMotion> motions;
  std::vector<Shape::Part> others;
  for (int i = 0; i < 100; ++i) {
    motions.push_back(draw_motion(random, 1));
    others.push_back({i % 2 == 0 ? b : Shape::sphere(0.4), test::random_pose(random, 3)});
  }
  const ShapeMotion still{at(1, 0, 0), at(1, 0, 0)};
  for (const int threads : {1, 2, 4}) {
    std::vector<CastResult> out(100);
    cast(a, motions, b, std::span(&still, 1), out, {}, {.threads = threads});
    std::vector<CastResult> many(100);
    cast(a, motions[0], others, many, {}, {.threads = threads});
    for (std::size_t i = 0; i < 100; ++i) {
      const CastResult r = cast(a, motions[i].from, motions[i].to, b, still.from);
      EXPECT_EQ(out[i].hit, r.hit);
      EXPECT_EQ(out[i].time, r.time);
      if (r.hit) {
        EXPECT_EQ(out[i].closest.point_a, r.closest.point_a);
      } else {
        EXPECT_TRUE(out[i].closest.point_a.array().isNaN().all());
      }
      EXPECT_EQ(many[i].time, cast(a, motions[0].from, motions[0].to, others[i].shape, others[i].pose).time);
    }
  }
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Cast, ErrorsNameTheArgument) {
  const Shape ball = Shape::sphere(1);
  Eigen::Isometry3d nan = at(0, NAN, 0);
  Eigen::Isometry3d stretched = at(0, 0, 0);
  stretched.linear() *= 1.1;
  Eigen::Isometry3d mirrored = at(0, 0, 0);
  mirrored.linear()(0, 0) = -1;
  const Eigen::Isometry3d here = at(0, 0, 0);
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(has, error_of([&] { cast(ball, nan, here, ball, here); }), "from");
  EXPECT_PRED2(has, error_of([&] { cast(ball, here, stretched, ball, here); }), "pose to ");
  EXPECT_PRED2(has, error_of([&] { cast(ball, here, here, ball, mirrored); }), "pose_b");
  EXPECT_PRED2(has, error_of([&] { cast(ball, {here, here}, ball, {here, nan}); }), "motion_b.to");
  EXPECT_PRED2(has, error_of([&] { cast(ball, here, here, ball, here, {.separation = -1}); }), "separation");
  EXPECT_PRED2(has, error_of([&] { cast(ball, here, here, ball, here, {.tolerance = NAN}); }), "tolerance");
  EXPECT_PRED2(has, error_of([&] { cast(ball, here, here, ball, here, {.budget = 0}); }), "budget");
  std::vector<ShapeMotion> motions(3);
  motions[2].from = nan;
  std::vector<CastResult> out(3);
  EXPECT_PRED2(has, error_of([&] { cast(ball, motions, ball, motions, out); }), "motions_a[2].from");
  out.resize(2);
  motions.assign(3, {});
  EXPECT_PRED2(has, error_of([&] { cast(ball, motions, ball, motions, out); }), "room for 2");
  EXPECT_PRED2(has, error_of([&] { pose_at({}, 1.5); }), "time");
}

RC_GTEST_PROP(CastProperties, SwappedItMirrorsAndMovedRigidlyItMoves, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
  const std::vector<test::Sample> samples = test::convex_samples();
  const auto pick = [&] {
    return samples[static_cast<std::size_t>(test::number(random, 0, static_cast<double>(samples.size())))].shape;
  };
  const Shape a = pick();
  const Shape b = pick();
  if (a.kind() == ShapeKind::half_space && b.kind() == ShapeKind::half_space) return;
  const ShapeMotion ma = draw_motion(random, 1);
  const ShapeMotion mb = draw_motion(random, 1);
  const CastResult r = cast(a, ma, b, mb);
  const CastResult s = cast(b, mb, a, ma);
  const Eigen::Isometry3d g = test::random_pose(random, 5);
  const CastResult m = cast(a, {g * ma.from, g * ma.to}, b, {g * mb.from, g * mb.to});
  // Whatever the rounding, a time is after the last at which the other was certainly apart; a graze may go either way.
  const auto agree = [&](const CastResult& one, const CastResult& two) {
    if (one.hit != two.hit) {
      return (one.hit ? one : two).tolerance > 0;
    }
    if (!one.hit) return true;
    const double gap_there =
        distance(a, pose_at(ma, std::max(one.time, two.time)), b, pose_at(mb, std::max(one.time, two.time))).distance;
    return std::abs(one.time - two.time) < 1e-6 || gap_there < 1e-4;
  };
  RC_ASSERT(agree(r, s));
  RC_ASSERT(agree(r, m));
  if (r.hit && s.hit && r.time == s.time && r.closest.distance > 0) {
    RC_ASSERT((r.closest.normal + s.closest.normal).norm() < 1e-3);
  }
}

}  // namespace
}  // namespace carom
