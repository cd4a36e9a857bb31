#include <gtest/gtest.h>

#include "carom/core/error.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// Cloth with levels of detail in a world.
namespace carom {
namespace {

WorldOptions options(int threads = 1) {
  WorldOptions o;
  o.dt = 1.0 / 60;
  o.contact.distance = 0.01;
  o.detection = Detection::continuous;
  o.threads = threads;
  return o;
}

ClothBody sheet(int segments, int levels) {
  ClothBody body;
  body.name = "sheet";
  body.mesh = make_sheet(1, 1, segments, segments);
  for (Eigen::Vector3d& p : body.mesh.positions) p += Eigen::Vector3d(0.31, 0.23, 0.2);
  body.levels = levels;
  body.level_hold = 0.1;
  body.inner_steps = 16;
  return body;
}

BodyId add_ball(World& world, MotionModel motion) {
  RigidBody ball;
  ball.name = "ball";
  ball.shape = Shape::sphere(0.2);
  ball.motion = motion;
  return world.add(ball);
}

std::size_t intersecting_pairs(const World& world, BodyId cloth) {
  const Surface surface(world.positions(cloth).size(),
                        std::vector<Triangle>(world.triangles(cloth).begin(), world.triangles(cloth).end()));
  const std::vector<Eigen::Vector3d> positions(world.positions(cloth).begin(), world.positions(cloth).end());
  return intersections(surface, positions, {.threads = 1}).size();
}

TEST(ClothLevelsWorld, ActivatesAroundTheBallAndNowhereElseAndNothingPasses) {
  World world(options());
  add_ball(world, MotionModel::fixed);
  const BodyId cloth = world.add(sheet(40, 3));
  const std::size_t vertices = world.positions(cloth).size();
  EXPECT_LT(world.cloth_levels(cloth).active, vertices / 8) << "nothing has happened";
  std::size_t largest = 0;
  bool near_is_fine = false;
  for (int k = 0; k < 30; ++k) {
    const std::vector<Eigen::Vector3d> before(world.positions(cloth).begin(), world.positions(cloth).end());
    double fastest = 0;
    for (const Eigen::Vector3d& v : world.velocities(cloth)) fastest = std::max(fastest, v.norm());
    world.step();
    ASSERT_EQ(intersecting_pairs(world, cloth), 0U) << k;
    for (const Eigen::Vector3d& v : world.velocities(cloth)) fastest = std::max(fastest, v.norm());
    for (std::size_t v = 0; v < vertices; ++v) {
      const Eigen::Vector3d& p = world.positions(cloth)[v];
      ASSERT_GT(p.norm(), 0.2) << k;
      // Nothing jumps: no vertex goes farther than the fastest one could, and a bit for contacts.
      ASSERT_LT((p - before[v]).norm(), 1.5 * fastest / 60 + 0.005) << k << ' ' << v;
    }
    largest = std::max(largest, world.cloth_levels(cloth).active);
    // The ball is under one corner of the cloth: vertices on it are fine, those of the far corner are not.
    if (k != 12) continue;
    const std::vector<std::uint8_t> levels = world.vertex_levels(cloth);
    for (std::size_t v = 0; v < vertices; ++v)
      if (world.positions(cloth)[v].norm() < 0.212) near_is_fine |= levels[v] == 0;
    EXPECT_GT(levels.back(), 0) << "the far corner";
  }
  EXPECT_GT(world.cloth_levels(cloth).activations, vertices / 20);
  EXPECT_LT(largest, vertices * 9 / 10);
  EXPECT_TRUE(near_is_fine);
}

TEST(ClothLevelsWorld, TakesVerticesBackWhenTheBallHasGone) {
  WorldOptions o = options();
  o.gravity.setZero();
  World world(o);
  const BodyId ball = add_ball(world, MotionModel::scripted);
  ClothBody body = sheet(24, 3);
  for (Eigen::Vector3d& p : body.mesh.positions) p -= Eigen::Vector3d(0.31, 0, 0.2);
  body.pinned = {0, 24, 25 * 24, 25 * 25 - 1};
  body.air_damping = 2;
  const BodyId cloth = world.add(body);
  const std::size_t coarse = world.cloth_levels(cloth).active;
  world.set_velocity(ball, {0, 1, 0}, Eigen::Vector3d::Zero());
  for (int k = 0; k < 10; ++k) world.step();
  EXPECT_GT(world.cloth_levels(cloth).active, 2 * coarse);
  world.set_velocity(ball, {0, -10, 0}, Eigen::Vector3d::Zero());
  for (int k = 0; k < 40; ++k) world.step();
  EXPECT_EQ(world.cloth_levels(cloth).active, coarse);
  EXPECT_EQ(world.cloth_levels(cloth).activations, world.cloth_levels(cloth).deactivations);
}

TEST(ClothLevelsWorld, FreeClothAndBallShareMomentum) {
  WorldOptions o = options();
  o.gravity.setZero();
  World world(o);
  ClothBody body = sheet(20, 3);
  const BodyId cloth = world.add(body);
  RigidBody ball;
  ball.name = "ball";
  ball.shape = Shape::sphere(0.1);
  ball.mass = MassOverride{.mass = 0.2, .inertia_from_shape = true};
  ball.pose.translation() = Eigen::Vector3d(0.2, 0.45, 0.2);
  ball.velocity = {0, -2, 0};
  world.add(ball);
  const Eigen::Vector3d before = world.balance().momentum;
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_LT((world.balance().momentum - before).norm(), 1e-9 * before.norm());
  EXPECT_GT(world.cloth_levels(cloth).activations, 0U);
}

TEST(ClothLevelsWorld, SameHashForAnyNumberOfThreadsAndAfterASnapshot) {
  const auto make = [](int threads) {
    World world(options(threads));
    add_ball(world, MotionModel::fixed);
    world.add(sheet(24, 3));
    return world;
  };
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    World world = make(threads);
    for (int k = 0; k < 20; ++k) world.step();
    if (threads == 1) expected = world.state_hash();
    EXPECT_EQ(world.state_hash(), expected) << threads;
  }
  World world = make(1);
  for (int k = 0; k < 10; ++k) world.step();
  const World::Snapshot snapshot = world.snapshot();
  for (int k = 0; k < 10; ++k) world.step();
  EXPECT_EQ(world.state_hash(), expected);
  World other = make(1);
  other.restore(snapshot);
  for (int k = 0; k < 10; ++k) other.step();
  EXPECT_EQ(other.state_hash(), expected);
}

TEST(ClothLevelsWorld, RefusesLevelsOutOfRangeByName) {
  for (const int levels : {0, 4}) {
    World world(options());
    try {
      world.add(sheet(4, levels));
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("body 'sheet': levels is " + std::to_string(levels)), std::string::npos);
    }
  }
  World world(options());
  const BodyId ball = add_ball(world, MotionModel::fixed);
  EXPECT_THROW((void)world.cloth_levels(ball), Error);
}

TEST(ClothLevelsWorld, SpheresOfALevelCanBeSeen) {
  WorldOptions o = options();
  o.method = "spheres";
  o.sphere_depth = 6;
  World world(o);
  add_ball(world, MotionModel::fixed);
  const BodyId cloth = world.add(sheet(12, 1));
  EXPECT_TRUE(world.detection_spheres(0).empty()) << "no step yet";
  world.step();
  EXPECT_EQ(world.detection_spheres(0).size(), 1U) << "one body has a surface";
  EXPECT_EQ(world.detection_spheres(5).size(), 32U);
  for (const Eigen::Vector3d& p : world.positions(cloth)) {
    const std::vector<BoundingSphere> spheres = world.detection_spheres(5);
    // As of the detection at the start of the last round.
    EXPECT_TRUE(std::any_of(spheres.begin(), spheres.end(),
                            [&](const BoundingSphere& s) { return (p - s.center).norm() <= s.radius + 0.01; }));
  }
}

}  // namespace
}  // namespace carom
