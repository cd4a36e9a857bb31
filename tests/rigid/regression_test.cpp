#include <gtest/gtest.h>

#include <set>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "rigid_scene.hpp"

// Faults that a second reader found.
namespace carom {
namespace {

using Eigen::Vector3d;

WorldOptions sleeping() {
  WorldOptions options = rigid_options(1.0 / 60);
  options.solver.sleep.enabled = true;
  return options;
}

WorldOptions weightless() {
  WorldOptions options = rigid_options(1.0 / 60);
  options.gravity.setZero();
  return options;
}

/// What a touch wakes moves as if it had been awake, whatever has been removed or restored before.
TEST(RigidRegression, WokenBodiesStartFromWhereTheyAre) {
  double place[2];
  for (const bool remove : {false, true}) {
    World world(sleeping());
    const BodyId dummy = world.add(ball_body("dummy", 0.1, at(50, 5, 0)));
    RigidBody flyer = ball_body("flyer", 0.1, at(-500, 100, 0));
    flyer.velocity = {30, 0, 0};
    world.add(flyer);
    const BodyId box = world.add(box_body("box", {0.5, 0.5, 0.5}, at(0, 0.5, 0)));
    world.add(floor_body());
    for (int i = 0; i < 90; ++i) world.step();
    ASSERT_TRUE(world.asleep(box));
    if (remove) world.remove(dummy);
    world.add(ball_body("ball", 0.2, at(0, 1.4, 0)));
    for (int i = 0; i < 60; ++i) world.step();
    place[remove ? 1 : 0] = world.pose(box).translation().x();
  }
  EXPECT_NEAR(place[0], 0, 0.01);
  EXPECT_NEAR(place[1], 0, 0.01);
}

TEST(RigidRegression, ASnapshotOfSleepersContinuesInAnotherWorld) {
  const auto run_on = [](World& world) {
    world.add(ball_body("ball", 0.2, at(0.1, 1.4, 0)));
    for (int i = 0; i < 40; ++i) world.step();
    return world.state_hash();
  };
  World world(sleeping());
  world.add(floor_body());
  world.add(box_body("box", {0.5, 0.5, 0.5}, at(0, 0.5, 0)));
  for (int i = 0; i < 90; ++i) world.step();
  World other(sleeping());
  other.restore(world.snapshot());
  EXPECT_EQ(run_on(world), run_on(other));
}

TEST(RigidRegression, AThickBodyIsNotEnteredEither) {
  for (const double side : {0.0, 0.5, 0.8, 0.9}) {
    for (int phase = 0; phase < 6; ++phase) {
      World world(weightless());
      RigidBody cube = box_body("cube", {1, 1, 1}, at(0, 0, 0));
      cube.motion = MotionModel::fixed;
      world.add(cube);
      RigidBody ball = ball_body("ball", 0.05, at(-3 - 0.1 * phase, side, 0));
      ball.velocity = {40, 0, 0};
      const BodyId id = world.add(ball);
      for (int i = 0; i < 20; ++i) {
        world.step();
        ASSERT_LT(world.pose(id).translation().x(), -1.04) << side << " " << phase;
      }
    }
  }
}

TEST(RigidRegression, ALargeBlockDoesNotSwallowABall) {
  for (const MotionModel kind : {MotionModel::scripted, MotionModel::rigid}) {
    World world(weightless());
    RigidBody block = box_body("block", {1, 1, 1}, at(-3.3, 0, 0));
    block.motion = kind;
    block.velocity = {40, 0, 0};
    const BodyId moving = world.add(block);
    const BodyId ball = world.add(ball_body("ball", 0.1, at(0, 0.9, 0)));
    for (int i = 0; i < 20; ++i) {
      world.step();
      ASSERT_GT((world.pose(moving).inverse() * world.pose(ball).translation()).x(), 1.05) << to_string(kind);
    }
  }
}

TEST(RigidRegression, ASlowLiftWakesWhatSleepsOnIt) {
  World world(sleeping());
  RigidBody lift = box_body("lift", {1, 0.1, 1}, at(0, 0, 0));
  lift.motion = MotionModel::scripted;
  const BodyId id = world.add(lift);
  const BodyId box = world.add(box_body("box", {0.2, 0.2, 0.2}, at(0, 0.3, 0)));
  for (int i = 0; i < 90; ++i) world.step();
  ASSERT_TRUE(world.asleep(box));
  world.set_velocity(id, {0, 0.019, 0}, {0, 0, 0});
  for (int i = 0; i < 600; ++i) world.step();
  EXPECT_NEAR(world.pose(box).translation().y(), 0.49, 2e-3);
}

TEST(RigidRegression, WhatIsExcludedFromItsSupportFalls) {
  World world(sleeping());
  const BodyId floor = world.add(floor_body());
  const BodyId box = world.add(box_body("box", {0.2, 0.2, 0.2}, at(0, 0.2, 0)));
  for (int i = 0; i < 90; ++i) world.step();
  ASSERT_TRUE(world.asleep(box));
  world.exclude(floor, box);
  for (int i = 0; i < 60; ++i) world.step();
  EXPECT_LT(world.pose(box).translation().y(), -1);
}

TEST(RigidRegression, TwoThatAreThrownAtEachOtherMeet) {
  WorldOptions options = weightless();
  options.response = "impulse";
  World world(options);
  std::vector<BodyId> plates;
  for (const double side : {-1.0, 1.0}) {
    RigidBody plate = box_body("plate", {0.02, 1, 1}, at(3 * side, 0, 0));
    plate.density = 1;
    plate.material.restitution = 1;
    plates.push_back(world.add(plate));
    RigidBody ball = ball_body("ball", 0.5, at(3.53 * side, 0, 0));
    ball.density = 8000;
    ball.material.restitution = 1;
    ball.velocity = {-100 * side, 0, 0};
    world.add(ball);
  }
  for (int i = 0; i < 3; ++i) {
    world.step();
    ASSERT_LT(world.pose(plates[0]).translation().x(), world.pose(plates[1]).translation().x()) << i;
  }
}

TEST(RigidRegression, ABodyWithLockedAxesDoesNotPass) {
  for (const double speed : {30.0, 100.0, 200.0}) {
    World world(weightless());
    RigidBody wall = box_body("wall", {0.01, 5, 5}, at(0, 0, 0));
    wall.motion = MotionModel::fixed;
    world.add(wall);
    RigidBody box = box_body("box", {0.3, 0.02, 0.1}, at(-2, 0, 0));
    box.velocity = {speed, 3, 1};
    box.angular_velocity = {7, 5, 0};
    box.locked_rotation = {false, false, true};
    const BodyId id = world.add(box);
    for (int i = 0; i < 60; ++i) {
      world.step();
      ASSERT_LT(world.pose(id).translation().x(), 0.01) << speed << " step " << i;
    }
  }
}

TEST(RigidRegression, AtTwentyKilometresASecond) {
  for (int phase = 0; phase < 20; ++phase) {
    World world(weightless());
    RigidBody wall = box_body("wall", {0.01, 5, 5}, at(0, 0, 0));
    wall.motion = MotionModel::fixed;
    world.add(wall);
    RigidBody ball = ball_body("ball", 0.001, at(-100 - 17.3 * phase, 0, 0));
    ball.velocity = {20000, 0, 0};
    const BodyId id = world.add(ball);
    for (int i = 0; i < 10; ++i) world.step();
    EXPECT_LT(world.pose(id).translation().x(), 0) << phase;
  }
}

/// A bar that turns by a whole round in each step is where it was, and was everywhere.
TEST(RigidRegression, AWholeTurnHits) {
  World world(weightless());
  RigidBody bar = box_body("bar", {1, 0.05, 0.05}, at(0, 0, 0));
  bar.motion = MotionModel::scripted;
  bar.angular_velocity = {0, 0, 2 * M_PI * 60};
  world.add(bar);
  const BodyId ball = world.add(ball_body("ball", 0.1, at(0, 0.7, 0)));
  for (int i = 0; i < 5; ++i) world.step();
  EXPECT_GT((world.pose(ball).translation() - Vector3d(0, 0.7, 0)).norm(), 0.01);
}

TEST(RigidRegression, WhatIsTakenAlongStopsAtAWall) {
  World world(weightless());
  RigidBody paddle = box_body("paddle", {0.05, 1, 1}, at(0, 0, 0));
  paddle.motion = MotionModel::scripted;
  paddle.velocity = {1.9 * 60, 0, 0};
  world.add(paddle);
  RigidBody wall = box_body("wall", {0.01, 2, 2}, at(2.5, 0, 0));
  wall.motion = MotionModel::fixed;
  world.add(wall);
  const BodyId ball = world.add(ball_body("ball", 0.3, at(1, 0, 0)));
  world.step();
  EXPECT_LT(world.pose(ball).translation().x(), 2.5);
}

/// A tip that slides over the folds of a roof goes from face to face, and is one contact all the time.
TEST(RigidRegression, ATipThatSlidesOverFoldsIsOneContact) {
  World world(rigid_options(1.0 / 60));
  std::vector<Vector3d> points;
  for (const double z : {-1.0, 1.0}) {
    for (const double x : {-1.0, -0.5, 0.0, 0.5, 1.0}) points.emplace_back(x, -0.05 * x * x, z);
    points.emplace_back(-1, -1, z);
    points.emplace_back(1, -1, z);
  }
  RigidBody roof;
  roof.name = "roof";
  roof.shape = Shape::hull(points);
  roof.motion = MotionModel::fixed;
  roof.material.friction = 0;
  world.add(roof);
  RigidBody tip;
  tip.name = "tip";
  tip.shape = Shape::hull(std::vector<Vector3d>{{0, 0, 0}, {-0.2, 0.3, -0.2}, {0.2, 0.3, -0.2}, {0, 0.3, 0.2}});
  tip.pose = at(-0.8, -0.04, 0.1);
  tip.velocity = {1, 0, 0};
  tip.material.friction = 0;
  tip.locked_rotation = {true, true, true};
  world.add(tip);
  std::set<std::uint64_t> ids;
  int touching = 0;
  for (int i = 0; i < 90; ++i) {
    world.step();
    for (const WorldContact& contact : world.contacts()) {
      ids.insert(contact.id);
      ++touching;
    }
  }
  EXPECT_EQ(ids.size(), 1U);
  EXPECT_EQ(touching, 90);
}

/// A ridge on a plank that rocks: now its one end is the lower one, now the other.
TEST(RigidRegression, ARidgeThatRocksKeepsItsContacts) {
  World world(rigid_options(1.0 / 60));
  RigidBody plank = box_body("plank", {0.5, 0.1, 0.5}, at(0, -0.1, 0));
  plank.motion = MotionModel::scripted;
  const BodyId rocks = world.add(plank);
  RigidBody ridge;
  ridge.name = "ridge";
  ridge.shape =
      Shape::hull(std::vector<Vector3d>{{-1, 0, 0}, {1, 0, 0}, {-1, 1, 1}, {1, 1, 1}, {-1, 1, -1}, {1, 1, -1}});
  ridge.locked_rotation = {true, true, true};
  world.add(ridge);
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 120; ++i) {
    world.set_velocity(rocks, Vector3d::Zero(), {0, 0, i / 10 % 2 == 0 ? 0.02 : -0.02});
    world.step();
    for (const WorldContact& contact : world.contacts()) ids.insert(contact.id);
  }
  EXPECT_EQ(ids.size(), 2U);
}

/// What falls on a stone of a thirtieth of its mass is held by it: springs made for the mass of the stone give way, and
/// have to learn the load sooner than they would at rest.
TEST(RigidRegression, AStoneHoldsThirtyTimesItsMass) {
  World world(rigid_options(1.0 / 60));
  world.add(floor_body());
  const double half = 0.05;
  const BodyId low = world.add(box_body("stone", Vector3d::Constant(half), at(0, half, 0)));
  RigidBody block = box_body("block", {0.5, 0.5, 0.5}, at(0, 2 * half + 0.51, 0));
  block.density = 0.03 * box_body("stone", {1, 1, 1}, at(0, 0, 0)).density;
  block.locked_rotation = {true, true, true};
  const BodyId high = world.add(block);
  double off = 0;
  for (int i = 0; i < 360; ++i) {
    world.step();
    if (i < 180) continue;
    const double y = world.pose(low).translation().y();
    off = std::max({off, std::abs(y - half), std::abs(world.pose(high).translation().y() - 0.5 - (y + half))});
  }
  EXPECT_LT(off, 0.005 * 2 * half);
}

TEST(RigidRegression, MassesBeyondTheRangeAreRefused) {
  World world(weightless());
  RigidBody body = ball_body("heavy", 1, at(0, 0, 0));
  body.mass = MassOverride{.mass = 1e40};
  EXPECT_THROW(world.add(body), Error);
}

/// The four corners of a face that hits flat share the bounce.
TEST(RigidRegression, ABoxThatFallsFlatBouncesStraight) {
  for (const double restitution : {0.5, 1.0}) {
    World world(weightless());
    RigidBody wall = floor_body(0);
    wall.material.restitution = restitution;
    world.add(wall);
    RigidBody box = box_body("box", {0.3, 0.2, 0.4}, at(0, 1, 0));
    box.velocity = {0, -5, 0};
    box.material.friction = 0;
    const BodyId id = world.add(box);
    for (int i = 0; i < 60; ++i) world.step();
    EXPECT_NEAR(world.velocity(id).y(), 5 * restitution, 0.02);
    EXPECT_LT(world.angular_velocity(id).norm(), 0.02);
  }
}

/// It was asleep in mid-air after the first step.
TEST(RigidRegression, WhatIsInFlightDoesNotSleepEvenAtOnce) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.solver.sleep.enabled = true;
  options.solver.sleep.after = 0;
  World world(options);
  world.add(floor_body(0));
  const BodyId ball = world.add(ball_body("ball", 0.5, at(0, 3, 0)));
  for (int i = 0; i < 200; ++i) world.step();
  EXPECT_NEAR(world.pose(ball).translation().y(), 0.5, 1e-3);
  EXPECT_TRUE(world.asleep(ball));
}

/// Overlaps are opened by a motion without velocity, in which bodies fell asleep.
TEST(RigidRegression, WhatIsMovedOutOfAnotherBodyStaysAwake) {
  for (const char* response : {"impulse", "lcp"}) {
    WorldOptions options = rigid_options(1.0 / 60);
    options.solver.sleep.enabled = true;
    options.response = response;
    World world(options);
    world.add(floor_body(0));
    const BodyId box = world.add(box_body("box", {0.5, 0.5, 0.5}, at(0, -3, 0)));
    for (int i = 0; i < 300; ++i) world.step();
    EXPECT_NEAR(world.pose(box).translation().y(), 0.5, 0.01) << response;
  }
}

/// Its way was taken for too long a turn to look at, over a floor and over a mesh, however far away.
TEST(RigidRegression, WhatSpinsByThousandsOfTurnsFalls) {
  for (const bool mesh : {false, true}) {
    World world(rigid_options(1.0 / 60));
    RigidBody ground = floor_body(0);
    if (mesh) ground.shape = Shape::mesh(make_sheet(20, 20, 20, 20));
    world.add(ground);
    RigidBody box = box_body("box", {0.2, 0.2, 0.2}, at(0, 5, 0));
    box.angular_velocity = {0, 1e6, 3e5};
    const BodyId id = world.add(box);
    for (int i = 0; i < 30; ++i) world.step();
    EXPECT_NEAR(world.pose(id).translation().y(), 5 - 0.5 * 9.81 * 0.25, 1e-6) << mesh;
  }
}

}  // namespace
}  // namespace carom
