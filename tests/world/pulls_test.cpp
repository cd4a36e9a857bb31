#include <gtest/gtest.h>

#include <cmath>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

/// Changes from outside while a world runs: pulls, gravity, stiffness, offsets of scripted meshes.
namespace carom {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

ClothBody cloth() {
  return {.name = "cloth", .mesh = make_sheet(1, 1, 8, 8)};
}

/// A force at its limit adds its impulse to a cloth that nothing holds, and its moment.
TEST(Pull, ALimitedForceAddsItsImpulseAndItsMoment) {
  for (const char* response : {"soft", "penalty"}) {
    World world(WorldOptions{.gravity = {0, 0, 0}, .response = response, .threads = 1});
    BodyId body;
    if (std::string(response) == "soft") {
      body = world.add(cloth());
    } else {
      body = world.add(ParticleBody{.name = "cloth",
                                    .mesh = make_sheet(1, 1, 8, 8),
                                    .stretch_stiffness = 10,
                                    .bend_stiffness = 0.1,
                                    .air_damping = 0});
    }
    const Vector3d place = world.positions(body)[3];
    world.pull(body, 3, {.target = place + Vector3d(0, 1000, 0), .stiffness = 1000, .max_force = 0.5});
    world.step();
    const Vector3d momentum = world.balance().momentum;
    EXPECT_NEAR(momentum.y(), 0.5 * world.options().dt, 1e-12) << response;
    Vector3d angular = Vector3d::Zero();
    for (std::size_t v = 0; v < world.positions(body).size(); ++v)
      angular +=
          world.positions(body)[v].cross(world.velocities(body)[v]) / world.inverse_mass(body, static_cast<Index>(v));
    const Vector3d moment = place.cross(Vector3d(0, 0.5 * world.options().dt, 0));
    EXPECT_LT((angular - moment).norm(), 0.05 * moment.norm()) << response << ": the vertex moves meanwhile";
    world.step();
    EXPECT_NEAR(world.balance().momentum.y(), momentum.y(), 1e-12) << "a pull acts over one step";
  }
}

TEST(Pull, NoStiffnessIsTooMuch) {
  World world(WorldOptions{.gravity = {0, 0, 0}, .threads = 1});
  const BodyId sheet = world.add(cloth());
  const BodyId ball = world.add(RigidBody{.name = "ball",
                                          .shape = Shape::sphere(0.1),
                                          .pose = Isometry3d(Eigen::Translation3d(0, 1, 0)),
                                          .angular_damping = 20});
  const Vector3d goal(0.2, 0.3, 0.1);
  for (int i = 0; i < 300; ++i) {
    world.pull(sheet, 0, {.target = goal, .stiffness = 1e9, .damping = 1e3, .max_force = 1});
    world.pull(ball, Vector3d(0, 0, 0), {.target = Vector3d(1, 1, 1), .stiffness = 1e9, .damping = 1e5});
    world.step();
  }
  EXPECT_LT((world.positions(sheet)[0] - goal).norm(), 0.05);
  EXPECT_LT((world.pose(ball).translation() - Vector3d(1, 1, 1)).norm(), 1e-3);
}

/// Two worlds, one of which is pulled by the force that the other says: the same.
TEST(Pull, TheForceOnARigidBodyIsTheOneThatIsReturned) {
  const auto make = [](World& world) {
    return world.add(RigidBody{.name = "rod", .shape = Shape::box({0.5, 0.05, 0.05})});
  };
  World pulled(WorldOptions{});
  World pushed(WorldOptions{});
  const BodyId a = make(pulled);
  const BodyId b = make(pushed);
  for (int i = 0; i < 20; ++i) {
    const Vector3d point = pushed.pose(b) * Vector3d(0.5, 0, 0);
    const Vector3d force = pulled.pull(a, Vector3d(0.5, 0, 0), {.target = {1, 1, 0}, .stiffness = 400, .damping = 10});
    pushed.apply_force(b, force, point);
    pulled.step();
    pushed.step();
  }
  EXPECT_EQ(pulled.state_hash(), pushed.state_hash());
}

TEST(Pull, WhatIsWrongIsNamed) {
  World world(WorldOptions{});
  ClothBody description = cloth();
  description.pinned = {2};
  const BodyId sheet = world.add(description);
  const BodyId rock = world.add(RigidBody{.name = "rock", .motion = MotionModel::fixed});
  const Pull pull{.stiffness = 1};
  EXPECT_EQ(error_of([&] { world.pull(sheet, 999, pull); }), "body 'cloth': there is no vertex 999, only 81 vertices");
  EXPECT_NE(error_of([&] { world.pull(sheet, 2, pull); }).find("vertex 2 is held"), std::string::npos);
  EXPECT_NE(error_of([&] { world.pull(sheet, 0, {.stiffness = -1}); }).find("stiffness of a pull is -1"),
            std::string::npos);
  EXPECT_NE(error_of([&] { world.pull(sheet, 0, {.target = {NAN, 0, 0}}); }).find("target"), std::string::npos);
  EXPECT_NE(error_of([&] { world.pull(rock, 0, pull); }).find("'rock' is fixed"), std::string::npos);
  EXPECT_NE(error_of([&] { world.pull(rock, Vector3d(0, 0, 0), pull); }).find("'rock' is fixed"), std::string::npos);
  EXPECT_NE(error_of([&] { world.pull(sheet, Vector3d(0, 0, 0), pull); }).find("'cloth' is particles"),
            std::string::npos);
}

TEST(Gravity, ChangesFromTheNextStepOnAndWakesAll) {
  World world(WorldOptions{});
  world.add(RigidBody{.name = "ground", .shape = Shape::half_space({0, 1, 0}, 0), .motion = MotionModel::fixed});
  const BodyId box = world.add(RigidBody{
      .name = "box", .shape = Shape::box({0.1, 0.1, 0.1}), .pose = Isometry3d(Eigen::Translation3d(0, 0.1, 0))});
  for (int i = 0; i < 150; ++i) world.step();
  ASSERT_TRUE(world.asleep(box));
  world.set_gravity({0, 3, 0});
  EXPECT_FALSE(world.asleep(box));
  const double before = world.pose(box).translation().y();
  for (int i = 0; i < 100; ++i) world.step();
  EXPECT_NEAR(world.pose(box).translation().y() - before, 0.5 * 3 * 1, 0.02) << "after a second";
  EXPECT_NE(error_of([&] { world.set_gravity({0, INFINITY, 0}); }).find("gravity"), std::string::npos);
}

/// A sheet that hangs by two corners sags less when it is stiffer, and a factor of one is the description again.
TEST(Stiffness, IsAMultipleOfTheDescription) {
  const auto energy_at = [](double factor, bool particles, bool back) {
    World world(WorldOptions{.threads = 1});
    BodyId body;
    if (particles) {
      body = world.add(
          ParticleBody{.name = "s", .mesh = make_sheet(1, 1, 8, 8), .pinned = {0, 8}, .sleeping_allowed = false});
    } else {
      ClothBody description = cloth();
      description.pinned = {0, 8};
      body = world.add(description);
    }
    if (back) world.set_stiffness(body, 8);
    world.set_stiffness(body, factor);
    double lowest = 0;
    for (int i = 0; i < 60; ++i) {
      world.step();
      for (const Vector3d& p : world.positions(body)) lowest = std::min(lowest, p.y());
    }
    return lowest;
  };
  for (const bool particles : {true, false}) {
    const double soft = energy_at(0.1, particles, false);
    const double plain = energy_at(1, particles, false);
    EXPECT_LT(soft, plain - 0.01) << (particles ? "particles" : "cloth");
    EXPECT_EQ(energy_at(1, particles, true), plain) << "powers of two round nothing";
  }
  World world(WorldOptions{});
  const BodyId body = world.add(cloth());
  EXPECT_NE(error_of([&] { world.set_stiffness(body, 0); }).find("'cloth'"), std::string::npos);
  const BodyId ball = world.add(RigidBody{.name = "ball"});
  EXPECT_NE(error_of([&] { world.set_stiffness(ball, 2); }).find("'ball'"), std::string::npos);
}

TEST(Offset, MovesAScriptedMeshOnTopOfItsMotion) {
  World world(WorldOptions{.dt = 0.1});
  ScriptedBody description{.name = "plate", .mesh = make_sheet(1, 1, 1, 1)};
  const std::vector<Vector3d> rest = description.mesh.positions;
  description.motion = [rest](double time, std::span<Vector3d> positions) {
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = rest[i] + Vector3d(time, 0, 0);
  };
  const BodyId plate = world.add(description);
  Isometry3d offset = Isometry3d::Identity();
  offset.translation() = Vector3d(0, 2, 0);
  world.set_offset(plate, offset);
  world.step();
  for (std::size_t i = 0; i < rest.size(); ++i)
    EXPECT_LT((world.positions(plate)[i] - rest[i] - Vector3d(0.1, 2, 0)).norm(), 1e-12);
  EXPECT_NEAR(world.velocities(plate)[0].y(), 20, 1e-9) << "what it pushes sees it move";
  const BodyId ball = world.add(RigidBody{.name = "ball"});
  EXPECT_NE(error_of([&] { world.set_offset(ball, offset); }).find("'ball'"), std::string::npos);
  offset.linear() *= 2;
  EXPECT_NE(error_of([&] { world.set_offset(plate, offset); }).find("'plate'"), std::string::npos);
}

TEST(Thickness, IsWhatContactsKeep) {
  WorldOptions options;
  options.contact.distance = 0.02;
  World world(options);
  ClothBody thin = cloth();
  thin.thickness = 0.004;
  const BodyId a = world.add(thin);
  const BodyId b = world.add(cloth());
  const BodyId ball = world.add(RigidBody{.name = "ball"});
  EXPECT_EQ(world.thickness(a, a), 0.004);
  EXPECT_EQ(world.thickness(b, ball), 0.02);
  EXPECT_EQ(world.thickness(a, ball), 0.004);
  EXPECT_EQ(world.thickness(ball, ball), 0);
}

}  // namespace
}  // namespace carom
