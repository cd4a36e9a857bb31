#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/core/error.hpp"
#include "carom/query/separating_axes.hpp"
#include "narrow/convex/polygon_tree.hpp"
#include "oracle/exact_axes.hpp"
#include "shapes/shape_samples.hpp"

// Convex polygons in the plane.
namespace carom {
namespace {

using Points2 = std::vector<Eigen::Vector2d>;

const Eigen::Isometry2d here = Eigen::Isometry2d::Identity();

int whole(std::mt19937_64& random, int low, int high) {
  return low + static_cast<int>(test::number(random, 0, high - low + 1));
}

Points2 draw_points(std::mt19937_64& random, int count, int range) {
  Points2 points;
  for (int i = 0; i < count; ++i) points.emplace_back(whole(random, -range, range), whole(random, -range, range));
  return points;
}

std::vector<Eigen::Vector3d> lifted(const Points2& points) {
  std::vector<Eigen::Vector3d> result;
  for (const auto& p : points) result.emplace_back(p.x(), p.y(), 0);
  return result;
}

TEST(PolygonAxes, ExtremeCornersAreThoseOfASearchOfAll) {
  std::mt19937_64 random(41);
  for (const int count : {1, 2, 3, 4, 5, 8, 33, 200, 1000}) {
    for (int round = 0; round < 4; ++round) {
      Points2 points;
      for (int i = 0; i < count; ++i) {
        const double angle = round == 0 ? 6.283185307179586 * i / count : test::number(random, 0, 6.28);
        points.emplace_back(3 * std::cos(angle), std::sin(angle));
      }
      if (round == 3) points = draw_points(random, count, 20);
      const ConvexPolygon polygon(points);
      const auto corners = polygon.corners();
      const std::size_t n = corners.size();
      for (int i = 0; i < 300; ++i) {
        Eigen::Vector2d d(test::number(random, -1, 1), test::number(random, -1, 1));
        // Along a normal two corners are farthest.
        if (i % 3 == 0 && n > 1) {
          const Eigen::Vector2d side =
              corners[(static_cast<std::size_t>(i) + 1) % n] - corners[static_cast<std::size_t>(i) % n];
          d = {side.y(), -side.x()};
        }
        double highest = -INFINITY;
        for (const auto& p : points) highest = std::max(highest, d.dot(p));
        ASSERT_NEAR(d.dot(corners[static_cast<std::size_t>(polygon.extreme(d))]), highest, 1e-14 * (1 + d.norm()))
            << count << " " << round;
      }
    }
  }
}

TEST(PolygonAxes, TheTreeIsShallow) {
  Points2 points;
  for (int i = 0; i < 1024; ++i)
    points.emplace_back(std::cos(i * 6.283185307179586 / 1024), std::sin(i * 6.283185307179586 / 1024));
  const convex::PolygonTree tree(points);
  ASSERT_EQ(tree.size(), 1024U);
  const std::function<int(Index)> depth = [&](Index at) {
    if (at < 0) return 0;
    const auto& node = tree.nodes[static_cast<std::size_t>(at)];
    return 1 + std::max(depth(node.left), depth(node.right));
  };
  EXPECT_LE(depth(0), 11);
}

TEST(PolygonAxes, TheHullHasNoThreeCornersInALine) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 100; ++round) {
    const ConvexPolygon polygon(draw_points(random, whole(random, 3, 40), 5));
    const auto p = polygon.corners();
    for (std::size_t i = 0; i < p.size() && p.size() > 2; ++i) {
      const Eigen::Vector2d a = p[(i + 1) % p.size()] - p[i];
      const Eigen::Vector2d b = p[(i + 2) % p.size()] - p[(i + 1) % p.size()];
      ASSERT_GT(a.x() * b.y() - a.y() * b.x(), 0);
    }
  }
}

TEST(PolygonAxes, GapsAndDepthsAreThoseOfRationalArithmetic) {
  std::mt19937_64 random(43);
  int apart = 0;
  for (int round = 0; round < 400; ++round) {
    const Points2 pa = draw_points(random, whole(random, 1, 7), 6);
    Points2 pb = draw_points(random, whole(random, 1, 7), 6);
    for (auto& p : pb) p += Eigen::Vector2d(whole(random, 0, 8), 0);
    const ConvexPolygon a(pa);
    const ConvexPolygon b(pb);
    if (a.corners().size() + b.corners().size() < 4) continue;
    const AxisSeparation<2> s = separation(a, here, b, here);
    const double truth = oracle::signed_squared_gap(lifted(pa), lifted(pb), 2).get_d();
    // Apart, the oracle tries more directions, so its gap may be larger.
    ASSERT_EQ(s.distance > 0, truth > 0) << round;
    ASSERT_LE(s.distance, std::copysign(std::sqrt(std::abs(truth)), truth) + 1e-14) << round;
    if (truth <= 0) {
      ASSERT_NEAR(s.distance, -std::sqrt(-truth), 1e-14) << round;
    }
    ASSERT_NEAR(s.normal.norm(), 1, 1e-14);
    // Moved by what it says, they touch and no more.
    Eigen::Isometry2d moved = here;
    moved.translation() = -s.distance * s.normal;
    if (s.distance <= 0) {
      ASSERT_NEAR(separation(a, here, b, moved).distance, 0, 1e-13);
    }
    ASSERT_NEAR(separation(b, here, a, here).distance, s.distance, 1e-14);
    apart += s.distance > 0 ? 1 : 0;
  }
  EXPECT_GT(apart, 50);
  EXPECT_LT(apart, 350);
}

TEST(PolygonAxes, TimesOfContactAreThoseOfRationalArithmetic) {
  std::mt19937_64 random(44);
  int meets = 0;
  int grazes = 0;
  int total = 0;
  for (int round = 0; round < 800; ++round) {
    const Points2 pa = draw_points(random, whole(random, 1, 6), 4);
    Points2 pb = draw_points(random, whole(random, 1, 6), 4);
    for (auto& p : pb) p += Eigen::Vector2d(10, whole(random, -6, 6));
    const Eigen::Vector2d v(whole(random, -6, 1), whole(random, -3, 3));
    const ConvexPolygon a(pa);
    const ConvexPolygon b(pb);
    const ContactInterval<2> c = contact_interval(a, here, {1, 2}, b, here, v + Eigen::Vector2d(1, 2));
    if (a.corners().size() == 1 && b.corners().size() == 1) continue;
    const auto truth = oracle::contact_interval(lifted(pa), lifted(pb), {v.x(), v.y(), 0}, 2);
    ++total;
    ASSERT_EQ(c.meet, truth.has_value()) << round;
    if (!truth) continue;
    ++meets;
    ASSERT_NEAR(c.first, truth->first.get_d(), 1e-14 * (1 + c.first)) << round;
    ASSERT_EQ(std::isfinite(c.last), truth->last.has_value()) << round;
    if (truth->last) {
      ASSERT_NEAR(c.last, truth->last->get_d(), 1e-14 * (1 + c.last)) << round;
      grazes += *truth->last == truth->first ? 1 : 0;
    }
    ASSERT_EQ(c.overlap_at_start, truth->overlap);
    if (c.overlap_at_start) continue;
    ASSERT_TRUE(c.points.size() == 1 || c.points.size() == 2);
    // Each point is in both: nothing separates it from either.
    for (const Eigen::Vector2d& p : c.points) {
      const ConvexPolygon point(Points2{p});
      Eigen::Isometry2d pose_a = here;
      pose_a.translation() = c.first * Eigen::Vector2d(1, 2);
      Eigen::Isometry2d pose_b = here;
      pose_b.translation() = c.first * (v + Eigen::Vector2d(1, 2));
      ASSERT_LE(separation(a, pose_a, point, here).distance, 1e-8);
      ASSERT_LE(separation(b, pose_b, point, here).distance, 1e-8);
    }
    // Cut off before, there is none.
    if (c.first > 0) {
      ASSERT_FALSE(contact_interval(a, here, {1, 2}, b, here, v + Eigen::Vector2d(1, 2), 0.999 * c.first).meet);
    }
  }
  EXPECT_GT(meets, total / 5);
  EXPECT_LT(meets, total * 4 / 5);
  EXPECT_GT(grazes, 5);
}

TEST(PolygonAxes, TwoSquaresOfTheCourse) {
  // One stands, the other comes from 1 + delta above with (1, -1): they meet if delta is at most 1.
  const ConvexPolygon square(Points2{{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  const auto from = [&](double delta) {
    return contact_interval(square, here, {0, 0}, square, Eigen::Isometry2d(Eigen::Translation2d(0, 1 + delta)),
                            {1, -1});
  };
  const ContactInterval<2> half = from(0.5);
  ASSERT_TRUE(half.meet);
  EXPECT_EQ(half.first, 0.5);
  EXPECT_EQ(half.last, 1);
  EXPECT_EQ(half.normal, Eigen::Vector2d(0, 1));
  ASSERT_EQ(half.points.size(), 2U);  // half of the side
  EXPECT_EQ((half.points[0] - half.points[1]).norm(), 0.5);
  EXPECT_EQ(half.corners_a.size(), 2U);
  const ContactInterval<2> corner = from(1);
  ASSERT_TRUE(corner.meet);
  EXPECT_EQ(corner.first, 1);
  EXPECT_EQ(corner.last, 1);
  ASSERT_EQ(corner.points.size(), 1U);
  EXPECT_LE((corner.points[0] - Eigen::Vector2d(1, 1)).norm(), 1e-9);
  EXPECT_FALSE(from(1.0000001).meet);
  const ContactInterval<2> touching = from(0);
  EXPECT_TRUE(touching.meet && !touching.overlap_at_start);
  EXPECT_EQ(touching.first, 0);
  EXPECT_TRUE(from(-0.5).overlap_at_start);
}

TEST(PolygonAxes, TimesBeyondAllNumbersAreNone) {
  const ConvexPolygon point(Points2{{0, 0}});
  Eigen::Isometry2d there = here;
  there.translation() = Eigen::Vector2d(5, 0);
  EXPECT_FALSE(contact_interval(point, here, {0, 0}, point, there, {-1e-320, 0}).meet);
  const ContactInterval<2> far = contact_interval(point, here, {0, 1e50}, point, there, {-1e-300, 1e50});
  ASSERT_TRUE(far.meet);
  EXPECT_TRUE(far.points.empty());
}

TEST(PolygonAxes, ErrorsNameTheArgument) {
  EXPECT_THROW(ConvexPolygon(Points2{}), Error);
  EXPECT_THROW(ConvexPolygon(Points2{{0, 0}, {NAN, 0}}), Error);
  const ConvexPolygon point(Points2{{0, 0}});
  try {
    contact_interval(point, here, {0, 0}, point, here, {0, INFINITY});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("velocity_b"), std::string::npos);
  }
  EXPECT_THROW(contact_interval(point, here, {0, 0}, point, here, {0, 0}, -1), Error);
}

}  // namespace
}  // namespace carom
