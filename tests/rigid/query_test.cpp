#include "carom/query/query.hpp"

#include <gtest/gtest.h>

#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "rigid_scene.hpp"

// Questions to a world, each against the same question to every body by itself.
namespace carom {
namespace {

using Eigen::Vector3d;

struct Crowd {
  World world{rigid_options(1.0 / 60)};
  std::vector<BodyId> ids;

  explicit Crowd(int count = 60) {
    ids.push_back(world.add(floor_body()));
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int i = 0; i < count; ++i) {
      RigidBody body;
      body.name = "body";
      switch (i % 5) {
        case 0:
          body.shape = Shape::sphere(0.4);
          break;
        case 1:
          body.shape = Shape::box({0.3, 0.5, 0.2});
          break;
        case 2:
          body.shape = Shape::capsule(0.2, 0.4);
          break;
        case 3:
          body.shape = Shape::mesh(make_torus(0.5, 0.2, 12, 8));
          body.motion = MotionModel::fixed;
          break;
        default: {
          const Shape::Part parts[] = {{Shape::box({0.5, 0.1, 0.1})}, {Shape::sphere(0.2), at(0.5, 0, 0)}};
          body.shape = Shape::compound(parts);
        }
      }
      body.filter.group = i % 2 == 0 ? 1 : 2;
      body.pose = at(5 * number(random), 3 + 2.5 * number(random), 5 * number(random)) *
                  Eigen::Quaterniond(number(random), number(random), number(random), number(random)).normalized();
      ids.push_back(world.add(body));
    }
  }
};

TEST(WorldQueries, TheLengthOfADirectionIsTheUnitOfTime) {
  const Crowd crowd;
  const Vector3d origin(-8, 3, 0.2);
  const Vector3d direction = Vector3d(8, -0.2, 0.1).normalized();
  const std::vector<WorldHit> expected = crowd.world.ray(origin, direction, INFINITY);
  ASSERT_GE(expected.size(), 2U);
  for (const double length : {1e-140, 1e-30, 1e-3, 1e30, 1e140}) {
    const std::vector<WorldHit> hits = crowd.world.ray(origin, length * direction, INFINITY);
    ASSERT_EQ(hits.size(), expected.size()) << length;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      EXPECT_EQ(hits[i].body, expected[i].body) << length;
      EXPECT_NEAR(hits[i].time * length, expected[i].time, 1e-9) << length;
    }
    const std::optional<WorldHit> first = crowd.world.closest_ray_hit(origin, length * direction, INFINITY);
    ASSERT_TRUE(first) << length;
    EXPECT_EQ(first->body, expected.front().body) << length;
    EXPECT_NEAR(first->time * length, expected.front().time, 1e-9) << length;
    // The limit is in the same unit.
    const double before = 0.5 * (expected[0].time + expected[1].time) / length;
    EXPECT_EQ(crowd.world.ray(origin, length * direction, before).size(), 1U) << length;
  }
  EXPECT_THROW(crowd.world.ray(origin, 1e-200 * direction, 1), Error);
  EXPECT_THROW(crowd.world.ray(origin, 1e200 * direction, 1), Error);
}

TEST(WorldQueries, OptionsOfACastAreCheckedWhoeverIsNear) {
  const World empty(rigid_options(1.0 / 60));
  const ShapeMotion motion{at(0, 0, 0), at(1, 0, 0)};
  EXPECT_THROW(empty.cast(Shape::sphere(1), motion, {.separation = std::nan("")}), Error);
  EXPECT_THROW(empty.cast(Shape::sphere(1), motion, {.separation = -1}), Error);
  EXPECT_TRUE(empty.cast(Shape::sphere(1), motion, {}).empty());
}

TEST(WorldQueries, RaysOfClosedForms) {
  World world(rigid_options(1.0 / 60));
  const BodyId ball = world.add(ball_body("ball", 0.5, at(0, 2, 0)));
  const BodyId floor = world.add(floor_body());
  const BodyId box = world.add(box_body("box", {1, 0.5, 1}, at(0, 1, 0)));
  const std::vector<WorldHit> hits = world.ray({0, 10, 0}, {0, -2, 0}, INFINITY);
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_EQ(hits[0].body, ball);
  EXPECT_NEAR(hits[0].time, 3.75, 1e-9);
  EXPECT_NEAR((hits[0].point - Vector3d(0, 2.5, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((hits[0].normal - Vector3d::UnitY()).norm(), 0, 1e-6);
  EXPECT_EQ(hits[1].body, box);
  EXPECT_NEAR(hits[1].time, 4.25, 1e-9);
  EXPECT_EQ(hits[2].body, floor);
  EXPECT_DOUBLE_EQ(hits[2].time, 5);
  // From a thousand kilometres away.
  const std::optional<WorldHit> far = world.closest_ray_hit({1e6, 2.25, 0}, {-1, 0, 0}, INFINITY);
  ASSERT_TRUE(far);
  EXPECT_EQ(far->body, ball);
  EXPECT_NEAR(far->time, 1e6 - std::sqrt(0.25 - 0.0625), 1e-6);
  // Inside, beside, and too short.
  const std::optional<WorldHit> inside = world.closest_ray_hit({0, 2, 0}, {1, 0, 0}, 10);
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->time, 0);
  EXPECT_NEAR((inside->normal - Vector3d(-1, 0, 0)).norm(), 0, 1e-12);
  EXPECT_FALSE(world.closest_ray_hit({3, 10, 0}, {0, 1, 0}, INFINITY));
  EXPECT_FALSE(world.closest_ray_hit({0, 10, 0}, {0, -2, 0}, 3.7));
  EXPECT_FALSE(world.closest_ray_hit({5, 2, 0.500001}, {-1, 0, 0}, 10));
}

/// The chord of a ball is as long as it should be, and what passes it by a billionth is no hit.
TEST(WorldQueries, RaysThatGraze) {
  World world(rigid_options(1.0 / 60));
  world.add(ball_body("ball", 0.5, at(0, 2, 0)));
  for (const double off : {1e-2, 1e-4, 1e-6, 1e-9}) {
    const std::optional<WorldHit> hit = world.closest_ray_hit({-5, 2.5 - off, 0}, {1, 0, 0}, 10);
    ASSERT_TRUE(hit) << off;
    const double height = 2.5 - off - 2;
    EXPECT_NEAR(hit->time, 5 - std::sqrt((0.5 - height) * (0.5 + height)), 2e-14 / std::sqrt(off)) << off;
    EXPECT_FALSE(world.closest_ray_hit({-5, 2.5 + off, 0}, {1, 0, 0}, 10)) << off;
  }
}

TEST(WorldQueries, RaysAsFromEachBodyAlone) {
  Crowd crowd;
  std::mt19937 random(8);
  std::uniform_real_distribution<double> number(-1, 1);
  int met = 0;
  for (int i = 0; i < 120; ++i) {
    // Braces: drawn in this order by every compiler.
    const Vector3d origin{7 * number(random), 4 + 3 * number(random), 7 * number(random)};
    const Vector3d direction{number(random), number(random), number(random)};
    const std::vector<WorldHit> hits = crowd.world.ray(origin, direction, 12);
    EXPECT_TRUE(
        std::is_sorted(hits.begin(), hits.end(), [](const WorldHit& p, const WorldHit& q) { return p.time < q.time; }));
    const std::optional<WorldHit> first = crowd.world.closest_ray_hit(origin, direction, 12);
    ASSERT_EQ(first.has_value(), !hits.empty());
    EXPECT_NEAR(first ? first->time : 0, first ? hits[0].time : 0, 1e-9);
    for (const BodyId id : crowd.ids) {
      const Shape& shape = crowd.world.shape(id);
      const Eigen::Isometry3d pose = crowd.world.pose(id);
      const Vector3d zero = Vector3d::Zero();
      const Shape point = Shape::hull({&zero, 1});
      const auto there = std::find_if(hits.begin(), hits.end(), [&](const WorldHit& hit) { return hit.body == id; });
      if (there == hits.end()) {
        // No point of the ray that is tried is inside.
        for (double t = 0; t <= 12; t += 0.2) {
          const Vector3d p = origin + t * direction;
          ASSERT_GT(distance(point, at(p.x(), p.y(), p.z()), shape, pose).distance, -0.01);
        }
        continue;
      }
      ++met;
      const Vector3d p = origin + there->time * direction;
      const double d = distance(point, at(p.x(), p.y(), p.z()), shape, pose).distance;
      if (there->time > 0) {
        EXPECT_NEAR(d, 0, 1e-8);
        EXPECT_LE(there->normal.dot(direction), 1e-6);
        for (double t = 0; t < there->time - 1e-6; t += 0.2) {
          const Vector3d q = origin + t * direction;
          ASSERT_GT(distance(point, at(q.x(), q.y(), q.z()), shape, pose).distance, 0);
        }
      } else {
        EXPECT_LE(d, 0);
      }
    }
  }
  EXPECT_GT(met, 20);
}

TEST(WorldQueries, CastsOverlapsAndTheNearestAsFromEachBodyAlone) {
  Crowd crowd;
  std::mt19937 random(9);
  std::uniform_real_distribution<double> number(-1, 1);
  const Shape shape = Shape::box({0.6, 0.2, 0.3});
  for (int i = 0; i < 40; ++i) {
    const auto pose = [&] {
      return at(6 * number(random), 4 + 3 * number(random), 6 * number(random)) *
             Eigen::Quaterniond(number(random), number(random), number(random), number(random)).normalized();
    };
    const ShapeMotion motion{pose(), pose()};
    QueryFilter filter;
    filter.excluded = {crowd.ids[static_cast<std::size_t>(i)]};
    filter.filter.mask = i % 2 == 0 ? 0xffffffffU : 2U;
    const std::vector<WorldHit> hits = crowd.world.cast(shape, motion, {}, filter);
    const std::vector<BodyId> overlaps = crowd.world.overlapping(shape, motion.from, filter);
    const std::optional<WorldClosest> nearest = crowd.world.closest(shape, motion.from, INFINITY, filter);
    const std::optional<WorldClosest> near = crowd.world.closest(shape, motion.from, 0.3, filter);
    double smallest = INFINITY;
    for (std::size_t k = 0; k < crowd.ids.size(); ++k) {
      const BodyId id = crowd.ids[k];
      const bool second = k > 0 && k % 2 == 0;  // of group 2
      const bool wanted = static_cast<int>(k) != i && (i % 2 == 0 || second);
      const auto of = [&](const WorldHit& hit) { return hit.body == id; };
      const auto hit = std::find_if(hits.begin(), hits.end(), of);
      const bool overlap = std::find(overlaps.begin(), overlaps.end(), id) != overlaps.end();
      if (!wanted) {
        EXPECT_TRUE(hit == hits.end() && !overlap);
        continue;
      }
      const Eigen::Isometry3d there = crowd.world.pose(id);
      const CastResult r = cast(shape, motion, crowd.world.shape(id), {there, there});
      EXPECT_EQ(r.hit, hit != hits.end());
      EXPECT_EQ(r.time, hit != hits.end() ? hit->time : 1);
      const double d = distance(shape, motion.from, crowd.world.shape(id), there).distance;
      EXPECT_EQ(d <= 0, overlap);
      smallest = std::min(smallest, d);
    }
    ASSERT_TRUE(nearest);
    EXPECT_EQ(nearest->closest.distance, smallest);
    EXPECT_EQ(near.has_value(), smallest <= 0.3);
  }
}

TEST(WorldQueries, FollowWhatMoves) {
  World world(rigid_options(1.0 / 60));
  const BodyId ball = world.add(ball_body("ball", 0.5, at(0, 5, 0)));
  EXPECT_TRUE(world.closest_ray_hit({-5, 5, 0}, {1, 0, 0}, 10));
  for (int i = 0; i < 60; ++i) world.step();
  EXPECT_FALSE(world.closest_ray_hit({-5, 5, 0}, {1, 0, 0}, 10));
  world.teleport(ball, at(0, 5, 0));
  EXPECT_TRUE(world.closest_ray_hit({-5, 5, 0}, {1, 0, 0}, 10));
  world.remove(ball);
  EXPECT_FALSE(world.closest_ray_hit({-5, 5, 0}, {1, 0, 0}, 10));
  EXPECT_FALSE(world.closest(Shape::sphere(1), at(0, 0, 0), INFINITY));
}

TEST(WorldQueries, BadQuestionsAreNamed) {
  World world(rigid_options(1.0 / 60));
  const BodyId ball = world.add(ball_body("ball", 0.5, at(0, 5, 0)));
  EXPECT_THROW(world.ray({NAN, 0, 0}, {1, 0, 0}, 1), Error);
  EXPECT_THROW(world.ray({0, 0, 0}, {0, 0, 0}, 1), Error);
  EXPECT_THROW(world.ray({0, 0, 0}, {1, 0, 0}, -1), Error);
  EXPECT_THROW(world.closest(Shape::sphere(1), at(0, 0, 0), NAN), Error);
  EXPECT_THROW(world.cast(Shape::half_space({0, 1, 0}, 0), {}), Error);
  world.remove(ball);
  EXPECT_THROW(world.ray({0, 0, 0}, {1, 0, 0}, 1, {.excluded = {ball}}), Error);
}

}  // namespace
}  // namespace carom
