#include <gtest/gtest.h>

#include "mixed.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using mixed::at;

constexpr double dt = 1.0 / 60;

ParticleBody damped_sheet(double height, std::vector<Index> pinned = {}) {
  return {.name = "sheet",
          .mesh = mixed::level_sheet(6, 0.6, {0, height, 0}),
          .mass = 0.3,
          .stretch_stiffness = 60,
          .bend_stiffness = 1,
          .spring_damping = 0.2,
          .air_damping = 2,
          .pinned = std::move(pinned)};
}

/// A sheet lies on a floor, with a box on it.
struct Laid {
  int per_second;
  World world;
  BodyId floor;
  BodyId sheet;
  BodyId box;

  explicit Laid(const char* response, int threads = 1)
      // Springs of particles are explicit, so that `impulse` needs short steps.
      : per_second(std::string_view(response) == "impulse" ? 300 : 60),
        world({.dt = 1.0 / per_second, .contact = {.distance = 0.02}, .response = response, .threads = threads}) {
    floor = world.add(RigidBody{
        .name = "floor", .shape = Shape::box({1, 0.1, 1}), .pose = at({0, -0.1, 0}), .motion = MotionModel::fixed});
    sheet = world.add(damped_sheet(0.03));
    box = world.add(RigidBody{.name = "box", .shape = Shape::box({0.1, 0.05, 0.1}), .pose = at({0, 0.12, 0})});
  }
  bool asleep() const { return world.asleep(sheet) && world.asleep(box); }
  bool step_until_asleep() {
    for (int i = 0; i < 20 * per_second && !asleep(); ++i) world.step();
    return asleep();
  }
};

TEST(Sleep, ASheetAndTheBoxOnItFallAsleepTogetherAndStay) {
  for (const char* response : {"soft", "impulse"}) {
    Laid laid(response);
    ASSERT_TRUE(laid.step_until_asleep()) << response;
    const std::uint64_t hash = laid.world.state_hash();
    const std::vector<WorldContact> contacts(laid.world.contacts().begin(), laid.world.contacts().end());
    ASSERT_GT(mixed::contacts_between(laid.world, laid.sheet, laid.box), 0U);
    ASSERT_GT(mixed::contacts_between(laid.world, laid.sheet, laid.floor), 0U);
    for (int i = 0; i < 50; ++i) laid.world.step();
    EXPECT_TRUE(laid.asleep());
    EXPECT_EQ(laid.world.state_hash(), hash);
    ASSERT_EQ(laid.world.contacts().size(), contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const WorldContact& now = laid.world.contacts()[i];
      EXPECT_EQ(now.id, contacts[i].id);
      EXPECT_EQ(now.distance, contacts[i].distance);
      EXPECT_EQ(now.anchor_b.vertices, contacts[i].anchor_b.vertices);
    }
  }
}

TEST(Sleep, AHangingSheetFallsAsleepAndAFlyingOneDoesNot) {
  World world({.dt = dt, .threads = 1});
  const TriangleMesh mesh = mixed::level_sheet(6, 0.6, {0, 1, 0});
  const BodyId hanging =
      world.add(damped_sheet(1, mixed::vertices_where(mesh, [](const Vector3d& p) { return p.x() < -0.29; })));
  const BodyId falling = world.add([] {
    ParticleBody sheet = damped_sheet(5);
    for (Vector3d& p : sheet.mesh.positions) p.x() += 3;
    return sheet;
  }());
  for (int i = 0; i < 1500; ++i) world.step();
  EXPECT_TRUE(world.asleep(hanging));
  EXPECT_FALSE(world.asleep(falling));
}

TEST(Sleep, ABallThatFallsOnASleepingSheetWakesItAndTheContactsGoOn) {
  for (const char* response : {"soft", "impulse"}) {
    Laid laid(response);
    ASSERT_TRUE(laid.step_until_asleep()) << response;
    std::vector<std::uint64_t> ids;
    for (const WorldContact& c : laid.world.contacts()) ids.push_back(c.id);
    const BodyId ball =
        laid.world.add(RigidBody{.name = "ball", .shape = Shape::sphere(0.05), .pose = at({0.2, 0.5, 0.2})});
    int awake_at = -1;
    for (int i = 0; i < 2 * laid.per_second && awake_at < 0; ++i) {
      laid.world.step();
      if (!laid.world.asleep(laid.sheet)) awake_at = i;
    }
    ASSERT_GT(awake_at, 5) << response;
    EXPECT_FALSE(laid.world.asleep(laid.box)) << response;
    // The step that woke the sheet solved its old contacts, too.
    std::size_t kept = 0;
    for (const WorldContact& c : laid.world.contacts()) kept += std::count(ids.begin(), ids.end(), c.id) > 0 ? 1 : 0;
    EXPECT_GE(kept, ids.size() * 9 / 10) << response;
    double lowest = INFINITY;
    for (int i = 0; i < 2 * laid.per_second; ++i) {
      laid.world.step();
      for (const Vector3d& p : laid.world.positions(laid.sheet)) lowest = std::min(lowest, p.y());
    }
    EXPECT_GT(lowest, 0) << response;
    EXPECT_GT(laid.world.center_of_mass(ball).y(), 0.04) << response;
  }
}

TEST(Sleep, WhatHoldsASleepingSheetWakesItWhenItGoes) {
  for (const bool removed : {true, false}) {
    Laid laid("soft");
    ASSERT_TRUE(laid.step_until_asleep());
    if (removed) {
      laid.world.remove(laid.floor);
    } else {
      laid.world.teleport(laid.floor, at({0, -5, 0}));
    }
    EXPECT_FALSE(laid.world.asleep(laid.sheet));
    EXPECT_FALSE(laid.world.asleep(laid.box));
    const double height = laid.world.positions(laid.sheet)[0].y();
    for (int i = 0; i < 30; ++i) laid.world.step();
    EXPECT_LT(laid.world.positions(laid.sheet)[0].y(), height - 0.3);
  }
}

TEST(Sleep, ASlowScriptedFloorWakesTheSheetOnIt) {
  World world({.dt = dt, .contact = {.distance = 0.02}, .threads = 1});
  const BodyId floor = world.add(RigidBody{
      .name = "floor", .shape = Shape::box({1, 0.1, 1}), .pose = at({0, -0.1, 0}), .motion = MotionModel::scripted});
  const BodyId sheet = world.add(damped_sheet(0.03));
  for (int i = 0; i < 1200 && !world.asleep(sheet); ++i) world.step();
  ASSERT_TRUE(world.asleep(sheet));
  world.set_velocity(floor, {0.001, 0, 0}, {0, 0, 0});  // slower than what counts as rest
  world.step();
  EXPECT_FALSE(world.asleep(sheet));
}

TEST(Sleep, EditsElsewhereLeaveSleepersAlone) {
  Laid laid("soft");
  const BodyId other = laid.world.add([] {
    ParticleBody sheet = damped_sheet(1);
    for (Vector3d& p : sheet.mesh.positions) p.x() += 10;
    return sheet;
  }());
  ASSERT_TRUE(laid.step_until_asleep());
  const std::vector<Vector3d> before(laid.world.positions(laid.sheet).begin(), laid.world.positions(laid.sheet).end());
  std::vector<std::uint64_t> ids;
  for (const WorldContact& c : laid.world.contacts()) ids.push_back(c.id);
  laid.world.add(FixedBody{.name = "far", .mesh = mixed::level_sheet(2, 1, {20, 0, 0})});
  laid.world.remove(other);
  for (int i = 0; i < 5; ++i) laid.world.step();
  EXPECT_TRUE(laid.asleep());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), laid.world.positions(laid.sheet).begin()));
  ASSERT_EQ(laid.world.contacts().size(), ids.size());
  const auto vertices = static_cast<Index>(before.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const WorldContact& c = laid.world.contacts()[i];
    EXPECT_EQ(c.id, ids[i]);
    for (const Index v : c.anchor_b.vertices) EXPECT_TRUE(v == none || (v >= 0 && v < vertices));
  }
  laid.world.wake(laid.sheet);
  EXPECT_FALSE(laid.world.asleep(laid.box));
  for (int i = 0; i < 5; ++i) laid.world.step();
  EXPECT_LT((laid.world.positions(laid.sheet)[0] - before[0]).norm(), 1e-3);
}

TEST(Sleep, ASleepingMixedWorldGoesOnBitForBitAfterARestoreAndForAnyNumberOfThreads) {
  std::uint64_t hashes[3];
  for (int k = 0; k < 3; ++k) {
    Laid laid("soft", 1 << k);
    ASSERT_TRUE(laid.step_until_asleep());
    const World::Snapshot snapshot = laid.world.snapshot();
    const RigidBody ball{.name = "ball", .shape = Shape::sphere(0.05), .pose = at({0.2, 0.3, 0.2})};
    laid.world.add(ball);
    for (int i = 0; i < 60; ++i) laid.world.step();
    const std::uint64_t first = laid.world.state_hash();
    laid.world.restore(snapshot);
    laid.world.add(ball);
    for (int i = 0; i < 60; ++i) laid.world.step();
    EXPECT_EQ(laid.world.state_hash(), first);
    hashes[k] = first;
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

}  // namespace
}  // namespace carom
