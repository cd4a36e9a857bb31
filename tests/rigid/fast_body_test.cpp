#include <gtest/gtest.h>

#include <random>

#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"
#include "rigid_scene.hpp"

// Bodies that go farther in a step than they are wide.
namespace carom {
namespace {

using Eigen::Vector3d;

/// 100 balls at 200 m/s at a plate of 2 cm that stands in their way, without gravity. Returns how many came through.
int came_through(MotionModel kind, const Vector3d& plate_velocity, int threads, std::uint64_t* hash = nullptr) {
  WorldOptions options = rigid_options(1.0 / 60, threads);
  options.gravity.setZero();
  World world(options);
  RigidBody plate = box_body("plate", {0.01, 4, 4}, at(0, 0, 0));
  plate.motion = kind;
  plate.density = 8000;
  plate.velocity = plate_velocity;
  const BodyId wall = world.add(plate);
  std::vector<BodyId> balls;
  for (int i = 0; i < 100; ++i) {
    // At all phases of the step.
    RigidBody ball = ball_body("ball", 0.05, at(-3 - 0.1 * i, -3 + 0.6 * (i % 10), -3 + 0.6 * (i / 10)));
    ball.velocity = {200, 0, 0};
    balls.push_back(world.add(ball));
  }
  int through = 0;
  for (int i = 0; i < 30; ++i) {
    world.step();
    through = 0;
    for (const BodyId ball : balls) {
      const Vector3d seen = world.pose(wall).inverse() * world.pose(ball).translation();
      if (seen.x() > 0 && std::abs(seen.y()) < 4 && std::abs(seen.z()) < 4) ++through;
    }
    EXPECT_EQ(through, 0) << "step " << i;
    if (through > 0) break;
  }
  if (hash != nullptr) *hash = world.state_hash();
  return through;
}

TEST(FastBodies, AHundredBallsDoNotPassAThinPlate) {
  EXPECT_EQ(came_through(MotionModel::fixed, {0, 0, 0}, 1), 0);
  EXPECT_EQ(came_through(MotionModel::rigid, {0, 0, 0}, 1), 0);
  EXPECT_EQ(came_through(MotionModel::rigid, {-50, 0, 0}, 1), 0);
  EXPECT_EQ(came_through(MotionModel::scripted, {-100, 0, 0}, 1), 0);
}

/// Cubes and cards that hit a plate with a corner fly along it and into each other. Where one has stopped another, the
/// plate goes on: it takes along both.
TEST(FastBodies, DoNotPassAMovingPlateWhereTheyStopEachOther) {
  for (const char* response : {"soft", "impulse"}) {
    for (const Vector3d& half : {Vector3d(0.05, 0.05, 0.05), Vector3d(0.002, 0.05, 0.05)}) {
      for (const double plate_speed : {-20.0, 20.0, 50.0}) {
        WorldOptions options = rigid_options(1.0 / 60);
        options.gravity.setZero();
        options.response = response;
        World world(options);
        RigidBody plate = box_body("plate", {50, 50, 0.01}, at(0, 0, 0));
        plate.motion = MotionModel::scripted;
        plate.velocity = {0, 0, plate_speed};
        const BodyId wall = world.add(plate);
        std::vector<BodyId> bodies;
        for (int i = 0; i < 100; ++i) {
          RigidBody body = box_body("body", half, at(-4 + 0.85 * (i / 10), -4 + 0.85 * (i % 10), 3 + 0.013 * i));
          const Vector3d axis = Vector3d(1, i / 10, i % 10).normalized();
          body.pose.linear() = Eigen::AngleAxisd(0.3 * (i / 10) + i % 10, axis).toRotationMatrix();
          body.velocity = {0, 0, -200};
          bodies.push_back(world.add(body));
        }
        for (int step = 0; step < 40; ++step) {
          world.step();
          for (const BodyId body : bodies) {
            const Vector3d seen = world.pose(wall).inverse() * world.center_of_mass(body);
            ASSERT_GT(seen.z(), 0) << response << ", plate at " << plate_speed << " m/s, step " << step;
          }
        }
      }
    }
  }
}

/// Two carriers for the same bodies, which must not be handed from one to the other without end.
TEST(FastBodies, StepsEndBetweenTwoPlatesThatClose) {
  for (const char* response : {"soft", "lcp"}) {
    WorldOptions options = rigid_options(1.0 / 60);
    options.gravity.setZero();
    options.response = response;
    World world(options);
    for (const double side : {-1.0, 1.0}) {
      RigidBody plate = box_body("plate", {5, 5, 0.01}, at(0, 0, 1.5 * side));
      plate.motion = MotionModel::scripted;
      plate.velocity = {0, 0, -50 * side};
      world.add(plate);
    }
    std::vector<BodyId> cubes;
    for (int i = 0; i < 60; ++i) {
      const Eigen::Isometry3d place = at(-0.5 + 0.13 * (i % 6), -0.5 + 0.13 * (i / 6 % 5), -0.3 + 0.2 * (i / 30));
      RigidBody cube = box_body("cube", {0.05, 0.05, 0.05}, place);
      cube.velocity = {3.0 * (i % 3), 0, i % 2 == 0 ? -100.0 : 100.0};
      cubes.push_back(world.add(cube));
    }
    for (int step = 0; step < 20; ++step) world.step();
    for (const BodyId cube : cubes) EXPECT_TRUE(world.pose(cube).matrix().allFinite()) << response;
  }
}

/// A light plate is stopped by those that come later, while the first ones rest on it already and would go on.
TEST(FastBodies, DoNotPassALightPlateThatStops) {
  for (const double rate : {60.0, 240.0}) {
    WorldOptions options = rigid_options(1 / rate);
    options.gravity.setZero();
    World world(options);
    const BodyId plate = world.add(box_body("plate", {0.01, 3, 3}, at(0, 0, 0)));
    std::vector<BodyId> balls;
    for (int i = 0; i < 100; ++i) {
      RigidBody ball = ball_body("ball", 0.05, at(-3 - 0.013 * i, -2.25 + 0.5 * (i % 10), -2.25 + 0.5 * (i / 10)));
      ball.velocity = {200, 0, 0};
      balls.push_back(world.add(ball));
    }
    for (int i = 0; i < rate / 4; ++i) {
      world.step();
      int through = 0;
      for (const BodyId ball : balls) {
        const Vector3d seen = world.pose(plate).inverse() * world.pose(ball).translation();
        if (seen.x() > 0 && std::abs(seen.y()) < 3 && std::abs(seen.z()) < 3) ++through;
      }
      ASSERT_EQ(through, 0) << rate << " Hz, step " << i;
    }
  }
}

TEST(FastBodies, TheSameForAnyNumberOfThreads) {
  std::uint64_t one = 0;
  std::uint64_t two = 0;
  std::uint64_t four = 0;
  came_through(MotionModel::rigid, {0, 0, 0}, 1, &one);
  came_through(MotionModel::rigid, {0, 0, 0}, 2, &two);
  came_through(MotionModel::rigid, {0, 0, 0}, 4, &four);
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, four);
}

/// A wall that moves by itself takes along what does not move.
TEST(FastBodies, AFastWallSweepsUpWhatIsStill) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.gravity.setZero();
  World world(options);
  RigidBody wall = box_body("wall", {0.01, 2, 2}, at(-5, 0, 0));
  wall.motion = MotionModel::scripted;
  wall.velocity = {120, 0, 0};
  const BodyId moving = world.add(wall);
  std::vector<BodyId> still;
  for (int i = 0; i < 9; ++i) still.push_back(world.add(ball_body("ball", 0.1, at(0.37 * i, -1 + 0.25 * i, 0.1 * i))));
  for (int i = 0; i < 20; ++i) {
    world.step();
    for (const BodyId ball : still)
      ASSERT_GT((world.pose(moving).inverse() * world.pose(ball).translation()).x(), 0) << i;
  }
}

/// Two that meet half way, where neither was at the beginning.
TEST(FastBodies, TwoBulletsMeet) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.gravity.setZero();
  World world(options);
  RigidBody a = ball_body("a", 0.05, at(-2.5, 0, 0));
  RigidBody b = ball_body("b", 0.05, at(0, -2.5, 0));
  a.velocity = {300, 0, 0};
  b.velocity = {0, 300, 0};
  a.material.restitution = b.material.restitution = 1;
  const BodyId first = world.add(a);
  const BodyId second = world.add(b);
  for (int i = 0; i < 3; ++i) world.step();
  // Equal masses, no friction along the normal: the velocities along the normal change places.
  EXPECT_LT(world.velocity(first).x(), 290);
  EXPECT_LT(world.velocity(second).y(), 290);
  EXPECT_NEAR((world.velocity(first) + world.velocity(second) - Vector3d(300, 300, 0)).norm(), 0, 1e-9);
}

/// What slides along a floor, however fast, is not stopped by it.
TEST(FastBodies, SlidingIsFree) {
  for (const bool triangles : {false, true}) {
    World world(rigid_options(1.0 / 60));
    RigidBody floor = floor_body(0);
    if (triangles) floor.shape = Shape::mesh(make_sheet(400, 4, 100, 4));
    world.add(floor);
    RigidBody box = box_body("box", {0.2, 0.1, 0.2}, at(-150, 0.1, 0));
    box.velocity = {100, 0, 0};
    box.material.friction = 0;
    const BodyId id = world.add(box);
    for (int i = 0; i < 120; ++i) world.step();
    EXPECT_NEAR(world.pose(id).translation().x(), 50, 0.5) << triangles;
    EXPECT_NEAR(world.pose(id).translation().y(), 0.1, 1e-3) << triangles;
  }
}

TEST(FastBodies, AMeshOfNoThicknessHolds) {
  World world(rigid_options(1.0 / 60));
  RigidBody sheet;
  sheet.name = "sheet";
  sheet.motion = MotionModel::fixed;
  sheet.shape = Shape::mesh(make_sheet(10, 10, 20, 20));
  world.add(sheet);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<BodyId> ids;
  for (int i = 0; i < 40; ++i) {
    RigidBody body = i % 2 == 0 ? ball_body("ball", 0.1, at(0, 0, 0)) : box_body("rod", {0.02, 0.3, 0.02}, at(0, 0, 0));
    body.pose = at(3 * number(random), 2 + 0.2 * i, 3 * number(random));
    body.velocity = {20 * number(random), -100 - 50 * number(random), 20 * number(random)};
    body.angular_velocity = {40 * number(random), 40 * number(random), 40 * number(random)};
    ids.push_back(world.add(body));
  }
  for (int i = 0; i < 60; ++i) {
    world.step();
    for (const BodyId id : ids) {
      const Vector3d p = world.pose(id).translation();
      const bool beside = std::abs(p.x()) > 4.9 || std::abs(p.z()) > 4.9;
      ASSERT_TRUE(beside || p.y() > -0.05) << p.y() << " in step " << i;
    }
  }
}

}  // namespace
}  // namespace carom
