#include <gtest/gtest.h>

#include <random>

#include "carom/mesh/generate.hpp"
#include "carom/world/world_query.hpp"
#include "rigid_scene.hpp"

// A closed mesh that faces inward is a room: what is in it stays in it.
namespace carom {
namespace {

using Eigen::Vector3d;

RigidBody room_body(MotionModel kind = MotionModel::fixed, MeshSolid solid = MeshSolid::by_normals) {
  TriangleMesh mesh = make_box({4, 4, 4});
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  RigidBody body;
  body.name = "room";
  body.shape = Shape::mesh(mesh, {.solid = solid});
  body.motion = kind;
  body.material.restitution = 1;
  return body;
}

class RigidRoom : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Responses, RigidRoom,
                         testing::ValuesIn(std::vector<std::string>(response_names().begin(), response_names().end())),
                         [](const auto& of) { return of.param; });

TEST_P(RigidRoom, FastBallsStayInIt) {
  // Solid by its normals, or no more than a surface.
  for (const MeshSolid solid : {MeshSolid::by_normals, MeshSolid::surface}) {
    WorldOptions options = rigid_options(1.0 / 60);
    options.response = GetParam();
    options.gravity.setZero();
    options.threads = 1;
    World world(options);
    world.add(room_body(MotionModel::fixed, solid));
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> unit(-1, 1);
    std::vector<BodyId> balls;
    for (int i = 0; i < 12; ++i) {
      RigidBody ball = ball_body(std::to_string(i), 0.2, at(-1.2 + 0.8 * (i % 4), -0.8 + 0.8 * (i / 4), 0.1 * (i % 3)));
      ball.velocity = 100 * Vector3d(unit(random), unit(random), unit(random)).normalized();
      ball.material.restitution = 1;
      balls.push_back(world.add(ball));
    }
    for (int step = 0; step < 300; ++step) {
      world.step();
      for (const BodyId ball : balls) {
        ASSERT_LT(world.pose(ball).translation().cwiseAbs().maxCoeff(), 2)
            << world.name(ball) << " at step " << step << ", " << to_string(solid);
      }
    }
    double speed = 0;
    for (const BodyId ball : balls) speed = std::max(speed, world.velocity(ball).norm());
    EXPECT_GT(speed, 1) << "they still fly";
  }
}

TEST_P(RigidRoom, WhatIsHalfThroughAWallIsPushedBackIn) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.response = GetParam();
  options.gravity.setZero();
  options.threads = 1;
  for (const double x : {1.85, 1.98}) {
    World world(options);
    world.add(room_body());
    const BodyId id = world.add(ball_body("ball", 0.2, at(x, 0.3, -0.1)));
    for (int step = 0; step < 300; ++step) world.step();
    EXPECT_LT(world.pose(id).translation().x(), 1.8 + 5e-3) << x;
    EXPECT_GT(world.pose(id).translation().x(), -2) << x;
  }
}

TEST(RigidRoomQueries, QuestionsToAWorldKnowThatAllAroundIsSolid) {
  World world(rigid_options(1.0 / 60));
  const BodyId room = world.add(room_body());
  const BodyId ball = world.add(ball_body("ball", 0.5, at(0, 1, 0)));
  EXPECT_EQ(world.overlapping(Shape::sphere(0.25), at(-1, 0, 0)), std::vector<BodyId>{});
  EXPECT_EQ(world.overlapping(Shape::sphere(0.25), at(-1.9, 0, 0)), std::vector<BodyId>{room});
  EXPECT_EQ(world.overlapping(Shape::sphere(0.25), at(-90, 0, 0)), std::vector<BodyId>{room});
  EXPECT_EQ(world.overlapping(Shape::sphere(0.25), at(0, 1, 0)), std::vector<BodyId>{ball});
  const auto closest = world.closest(Shape::sphere(0.25), at(-1.5, 0, 0), 10);
  ASSERT_TRUE(closest);
  EXPECT_EQ(closest->body, room);
  EXPECT_NEAR(closest->closest.distance, 0.25, 1e-9);
  EXPECT_NEAR(world.closest(Shape::sphere(0.25), at(-30, 0, 0), 10)->closest.distance, -28.25, 1e-9);
  // From inside a ray meets the wall, from outside it begins in it.
  const auto hit = world.closest_ray_hit({0, -0.5, 0.1}, {1, 0, 0}, INFINITY);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, room);
  EXPECT_NEAR(hit->time, 2, 1e-5);
  EXPECT_NEAR((hit->normal + Vector3d::UnitX()).norm(), 0, 1e-6);
  const auto outside = world.closest_ray_hit({30, -0.5, 0}, {1, 0, 0}, INFINITY);
  ASSERT_TRUE(outside);
  EXPECT_EQ(outside->time, 0);
  EXPECT_EQ(world.ray({0, -0.5, 0.1}, {0, 1, 0}, 10).size(), 2U);
  const std::vector<WorldHit> cast = world.cast(Shape::sphere(0.25), {at(0, -1, 0), at(-8, -1, 0)});
  ASSERT_EQ(cast.size(), 1U);
  EXPECT_NEAR(cast[0].time, 1.75 / 8, 1e-5);
  EXPECT_EQ(world.cast(Shape::sphere(0.25), {at(50, 0, 0), at(49, 0, 0)})[0].time, 0);
}

}  // namespace
}  // namespace carom
