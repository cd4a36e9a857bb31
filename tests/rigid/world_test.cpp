#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "kernels/every_target.hpp"
#include "rigid_scene.hpp"

// What a world with rigid bodies promises besides physics: the same bits, sleep, filters, snapshots.
namespace carom {
namespace {

using Eigen::Vector3d;

Shape random_hull(std::mt19937& random) {
  std::normal_distribution<double> number(0, 1);
  std::vector<Vector3d> points;
  for (int i = 0; i < 14; ++i)
    points.push_back(0.4 * Vector3d(number(random), number(random), number(random)).normalized());
  return Shape::hull(points);
}

/// Boxes, balls, hulls, capsules and compounds that fall into a heap.
World heap(int threads, int count) {
  World world(rigid_options(1.0 / 60, threads));
  world.add(floor_body());
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int i = 0; i < count; ++i) {
    RigidBody body;
    body.name = "body";
    switch (i % 5) {
      case 0:
        body.shape = Shape::box({0.3, 0.2, 0.4});
        break;
      case 1:
        body.shape = Shape::sphere(0.3);
        break;
      case 2:
        body.shape = random_hull(random);
        break;
      case 3:
        body.shape = Shape::capsule(0.2, 0.2);
        break;
      default: {
        const std::vector<Shape::Part> parts{{Shape::box({0.4, 0.1, 0.1}), at(0, 0, 0)},
                                             {Shape::box({0.1, 0.4, 0.1}), at(0.3, 0.3, 0)}};
        body.shape = Shape::compound(parts);
        break;
      }
    }
    body.pose = at(1.5 * number(random), 0.6 + 0.2 * i, 1.5 * number(random));
    body.angular_velocity = {number(random), number(random), number(random)};
    world.add(body);
  }
  return world;
}

std::uint64_t hash_after(World& world, int steps) {
  for (int i = 0; i < steps; ++i) world.step();
  return world.state_hash();
}

TEST(RigidWorld, SameBitsForOneTwoAndFourThreads) {
  World one = heap(1, 60);
  World two = heap(2, 60);
  World four = heap(4, 60);
  const std::uint64_t expected = hash_after(one, 150);
  EXPECT_GT(one.contacts().size(), 60U) << "a heap in which little touches proves little";
  EXPECT_EQ(hash_after(two, 150), expected);
  EXPECT_EQ(hash_after(four, 150), expected);
}

TEST(RigidWorld, SameBitsOnEveryInstructionSet) {
  std::uint64_t expected = 0;
  for (const std::int64_t target : targets()) {
    hwy::SetSupportedTargetsForTest(target);
    World world = heap(1, 30);
    const std::uint64_t hash = hash_after(world, 80);
    if (expected == 0) expected = hash;
    EXPECT_EQ(hash, expected) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(RigidWorld, SnapshotContinuesBitForBit) {
  World world = heap(1, 40);
  hash_after(world, 60);
  const World::Snapshot saved = world.snapshot();
  const std::uint64_t expected = hash_after(world, 60);
  world.restore(saved);
  EXPECT_EQ(hash_after(world, 60), expected);
  World other = heap(2, 1);
  other.restore(saved);
  EXPECT_EQ(hash_after(other, 60), expected);
  EXPECT_EQ(other.steps(), 120U);
}

TEST(RigidWorld, ASnapshotOfAWorldWithOtherOptionsIsRefusedByName) {
  const WorldOptions options = rigid_options(1.0 / 60);
  World world(options);
  world.add(floor_body());
  world.add(box_body("box", {0.5, 0.5, 0.5}, at(0, 0.5, 0)));
  world.step();
  const World::Snapshot saved = world.snapshot();
  const auto restored = [&](auto&& change) {
    WorldOptions changed = options;
    change(changed);
    World other(changed);
    const std::uint64_t before = other.state_hash();
    try {
      other.restore(saved);
      return std::string("restored");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_EQ(other.state_hash(), before);
      EXPECT_TRUE(other.bodies().empty());
      return std::string(error.what());
    }
  };
  EXPECT_EQ(restored([](WorldOptions& o) { o.gravity.y() = -5; }),
            "restore: option gravity differs: snapshot (0, -9.81, 0), world (0, -5, 0)");
  EXPECT_TRUE(
      restored([](WorldOptions& o) { o.dt = 0.25; }).starts_with("restore: option dt differs: snapshot 0.01666"));
  EXPECT_TRUE(restored([](WorldOptions& o) {
                o.response = "lcp";
              }).starts_with("restore: option response differs: snapshot 'soft', world 'lcp'"));
  EXPECT_TRUE(restored([](WorldOptions& o) {
                o.solver.sleep.enabled = true;
              }).starts_with("restore: option solver.sleep.enabled differs: snapshot false, world true"));
  EXPECT_TRUE(restored([](WorldOptions& o) {
                o.solver.soft.substeps = 8;
              }).starts_with("restore: option solver.soft.substeps differs"));
  EXPECT_TRUE(restored([](WorldOptions& o) {
                o.contact.pairs = PairScope::self;
              }).starts_with("restore: option contact.pairs differs: snapshot 'all', world 'self'"));
  EXPECT_TRUE(restored([](WorldOptions& o) {
                o.detection = Detection::continuous;
              }).starts_with("restore: option detection differs: snapshot 'discrete'"));
  // These change no result.
  EXPECT_EQ(restored([](WorldOptions& o) { o.threads = 2; }), "restored");
  EXPECT_EQ(restored([](WorldOptions& o) { o.method = "sweep"; }), "restored");
}

TEST(RigidWorld, WhatPushesABodyThatIsNotDynamicIsRefusedByName) {
  World world(rigid_options(1.0 / 60));
  RigidBody wall = box_body("wall", {1, 1, 1}, at(0, 0, 0));
  wall.motion = MotionModel::fixed;
  RigidBody lift = box_body("lift", {1, 1, 1}, at(5, 0, 0));
  lift.motion = MotionModel::scripted;
  lift.velocity = {0, 1, 0};
  const BodyId bodies[] = {world.add(wall), world.add(lift)};
  const std::string starts[] = {"body 'wall' is fixed; ", "body 'lift' is scripted; "};
  for (const std::size_t i : {0U, 1U}) {
    const auto refused = [&](auto&& push, const std::string& what) {
      try {
        push(bodies[i]);
        ADD_FAILURE() << starts[i] << what << " not refused";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        EXPECT_EQ(error.what(), starts[i] + what + " moves rigid bodies only");
      }
    };
    refused([&](BodyId id) { world.apply_force(id, {1, 0, 0}); }, "a force");
    refused([&](BodyId id) { world.apply_force(id, {1, 0, 0}, {0, 0, 0}); }, "a force");
    refused([&](BodyId id) { world.apply_torque(id, {1, 0, 0}); }, "a torque");
    refused([&](BodyId id) { world.apply_impulse(id, {1, 0, 0}, {0, 0, 0}); }, "an impulse");
  }
}

TEST(RigidWorld, WhatIsHeldUpFallsWhenTheSupportGoes) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.solver.sleep.enabled = true;
  World world(options);
  world.add(floor_body());
  const BodyId lower = world.add(box_body("lower", {0.5, 0.5, 0.5}, at(0, 0.5, 0)));
  const BodyId upper = world.add(box_body("upper", {0.5, 0.5, 0.5}, at(0, 1.5, 0)));
  const BodyId third = world.add(box_body("third", {0.5, 0.5, 0.5}, at(8, 0.5, 0)));
  for (int i = 0; i < 120; ++i) world.step();
  ASSERT_TRUE(world.asleep(upper));
  world.remove(lower);
  for (int i = 0; i < 60; ++i) world.step();
  EXPECT_NEAR(world.pose(upper).translation().y(), 0.5, 1e-2);
  EXPECT_NEAR(world.pose(third).translation().x(), 8, 1e-3);
  EXPECT_EQ(world.bodies().size(), 3U);
}

TEST(RigidWorld, GroupsAndExclusionsPass) {
  World world(rigid_options(1.0 / 60));
  world.add(floor_body());
  RigidBody ghost = box_body("ghost", {0.5, 0.5, 0.5}, at(0, 0.6, 0));
  ghost.filter.group = 2;
  ghost.filter.mask = 2;
  const BodyId a = world.add(ghost);
  const BodyId b = world.add(box_body("solid", {0.5, 0.5, 0.5}, at(5, 0.6, 0)));
  const BodyId c = world.add(box_body("excluded", {0.5, 0.5, 0.5}, at(10, 0.6, 0)));
  world.exclude(c, world.bodies().front());
  for (int i = 0; i < 60; ++i) world.step();
  EXPECT_LT(world.pose(a).translation().y(), -1);
  EXPECT_NEAR(world.pose(b).translation().y(), 0.5, 1e-2);
  EXPECT_LT(world.pose(c).translation().y(), -1);
}

TEST(RigidWorld, KinematicBodiesCarryAndPush) {
  World world(rigid_options(1.0 / 60));
  RigidBody belt = box_body("belt", {5, 0.5, 5}, at(0, -0.5, 0));
  belt.motion = MotionModel::scripted;
  belt.velocity = {1, 0, 0};
  const BodyId moving = world.add(belt);
  const BodyId box = world.add(box_body("box", {0.3, 0.3, 0.3}, at(0, 0.3, 0)));
  for (int i = 0; i < 120; ++i) world.step();
  EXPECT_NEAR(world.pose(moving).translation().x(), 2, 1e-9);
  EXPECT_NEAR(world.velocity(box).x(), 1, 1e-3);
  EXPECT_NEAR(world.pose(box).translation().y(), 0.3, 2e-3);
}

TEST(RigidWorld, DetectionOfRigidBodiesIsNotChosen) {
  World world(rigid_options(1.0 / 60));
  const BodyId a = world.add(ball_body("a", 1, at(0, 0, 0)));
  const BodyId b = world.add(ball_body("b", 1, at(3, 0, 0)));
  EXPECT_THROW(world.set_detection(a, b, Detection::discrete), Error);
}

}  // namespace
}  // namespace carom
