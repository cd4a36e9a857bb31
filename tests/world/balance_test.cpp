#include <gtest/gtest.h>

#include "carom/world/world.hpp"

namespace carom {
namespace {

TEST(Balance, IsThatOfTheParts) {
  World world({.gravity = {0, -10, 0}, .dt = 0.001});
  const BodyId sheet = world.add(ParticleBody{
      .name = "s", .mesh = {{{0, 1, 0}, {0, 1, 1}, {1, 1, 0}}, {{0, 1, 2}}}, .mass = 3, .velocity = {2, 0, 0}});
  const WorldBalance start = world.balance();
  EXPECT_NEAR(start.mass, 3, 1e-15);
  EXPECT_NEAR(start.kinetic_energy, 0.5 * 3 * 4, 1e-14);
  EXPECT_NEAR(start.potential_energy, 3 * 10 * 1, 1e-13);
  EXPECT_EQ(start.elastic_energy, 0) << "at rest";
  EXPECT_LT((start.momentum - Eigen::Vector3d(6, 0, 0)).norm(), 1e-14);
  EXPECT_EQ(world.positions(sheet).size(), 3U);

  World rigid({.gravity = {0, -10, 0}});
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation().y() = 2;
  rigid.add(RigidBody{.name = "ball",
                      .shape = Shape::sphere(0.5),
                      .pose = pose,
                      .mass = MassOverride{.mass = 2, .inertia_from_shape = true},
                      .velocity = {0, 3, 0},
                      .angular_velocity = {4, 0, 0}});
  rigid.add(RigidBody{.name = "floor", .shape = Shape::box({9, 1, 9}), .motion = MotionModel::fixed});
  const WorldBalance ball = rigid.balance();
  EXPECT_NEAR(ball.mass, 2, 1e-15);
  EXPECT_NEAR(ball.kinetic_energy, 0.5 * 2 * 9 + 0.5 * (0.4 * 2 * 0.25) * 16, 1e-12);
  EXPECT_NEAR(ball.potential_energy, 2 * 10 * 2, 1e-12);
  EXPECT_NEAR(ball.energy(), ball.kinetic_energy + ball.potential_energy, 1e-12);
  EXPECT_LT((ball.momentum - Eigen::Vector3d(0, 6, 0)).norm(), 1e-14);
}

/// Springs take what the motion loses, to the order of the step.
TEST(Balance, ElasticEnergyIsWhatSpringsTake) {
  World world({.gravity = {0, 0, 0}, .dt = 1e-5});
  world.add(ParticleBody{.name = "s",
                         .mesh = {{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}}, {{0, 1, 2}}},
                         .mass = 3,
                         .stretch_stiffness = 100,
                         .spring_damping = 0,
                         .air_damping = 0,
                         .pinned = {0},
                         .velocity = {1, 0, 1}});
  const WorldBalance start = world.balance();
  for (int i = 0; i < 2000; ++i) world.step();
  const WorldBalance end = world.balance();
  EXPECT_GT(end.elastic_energy, 0.01);
  EXPECT_NEAR(end.energy(), start.energy(), 1e-3 * end.elastic_energy);
}

}  // namespace
}  // namespace carom
