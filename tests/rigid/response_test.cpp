#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "rigid_scene.hpp"

// What the response `soft` promises besides what all do (physics_test.cpp), and what must stand.
namespace carom {
namespace {

using Eigen::Vector3d;

TEST(SoftResponse, EnergyDoesNotGrow) {
  World world(rigid_options(1.0 / 60));
  world.add(floor_body());
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<BodyId> ids;
  for (int i = 0; i < 40; ++i) {
    RigidBody body = i % 3 == 0 ? box_body("box", {0.3, 0.2, 0.4}, at(0, 0, 0)) : ball_body("ball", 0.3, at(0, 0, 0));
    body.pose.translation() = Vector3d(1.2 * number(random), 1 + 0.25 * i, 1.2 * number(random));
    body.material.restitution = 0.9;
    ids.push_back(world.add(body));
  }
  double last = energy(world, ids);
  const double first = last;
  for (int i = 0; i < 240; ++i) {
    world.step();
    const double now = energy(world, ids);
    ASSERT_LE(now, last + 1e-3 * first) << "step " << i;
    last = std::min(last, now);
  }
  EXPECT_LT(last, 0.9 * first);
}

TEST(SoftResponse, StackOfBoxesStandsStill) {
  World world(rigid_options(1.0 / 60));
  world.add(floor_body());
  std::vector<BodyId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(world.add(box_body("box", {0.5, 0.5, 0.5}, at(0, 0.5 + i, 0))));
  for (int i = 0; i < 300; ++i) world.step();
  for (int i = 0; i < 10; ++i) {
    EXPECT_LT((world.pose(ids[static_cast<std::size_t>(i)]).translation() - Vector3d(0, 0.5 + i, 0)).norm(), 1e-3) << i;
    EXPECT_LT(world.velocity(ids[static_cast<std::size_t>(i)]).norm(), 1e-3) << i;
  }
}

TEST(SoftResponse, SmallBoxesStandIfSubstepsAreShort) {
  for (const double edge : {0.01, 0.05}) {
    WorldOptions options = rigid_options(1.0 / 60);
    options.solver.soft.substeps = edge < 0.05 ? 16 : 8;
    World world(options);
    world.add(floor_body());
    std::vector<BodyId> ids;
    for (int i = 0; i < 10; ++i)
      ids.push_back(world.add(box_body("box", Vector3d::Constant(0.5 * edge), at(0, (0.5 + i) * edge, 0))));
    for (int i = 0; i < 300; ++i) world.step();
    for (int i = 0; i < 10; ++i) {
      const Vector3d place = world.pose(ids[static_cast<std::size_t>(i)]).translation();
      EXPECT_LT((place - Vector3d(0, (0.5 + i) * edge, 0)).norm(), 1e-3 * edge) << edge << ", " << i;
    }
  }
}

TEST(SoftResponse, PyramidOfThirtyStandsForTenSeconds) {
  World world(rigid_options(1.0 / 60));
  world.add(floor_body());
  const std::vector<BodyId> ids = add_pyramid(world, 30);
  std::vector<Vector3d> start;
  for (const BodyId id : ids) start.push_back(world.pose(id).translation());
  double farthest = 0;
  for (int i = 0; i < 600; ++i) {
    world.step();
    for (std::size_t k = 0; k < ids.size(); ++k)
      farthest = std::max(farthest, (world.center_of_mass(ids[k]) - start[k]).norm());
  }
  EXPECT_LT(farthest, 1e-3);
}

TEST(SoftResponse, ContactsSayHowBodiesMeet) {
  World world(rigid_options(1.0 / 60));
  world.add(floor_body());
  const BodyId resting = world.add(box_body("resting", {0.5, 0.5, 0.5}, at(0, 0.5, 0)));
  RigidBody fast = ball_body("fast", 0.5, at(5, 0.501, 0));
  fast.velocity = {0, -3, 0};
  const BodyId colliding = world.add(fast);
  fast.name = "leaving";
  fast.pose = at(-5, 0.501, 0);
  fast.velocity = {0, 3, 0};
  const BodyId leaving = world.add(fast);
  world.step();
  int seen = 0;
  for (const WorldContact& c : world.contacts()) {
    EXPECT_NEAR(std::abs(c.normal.y()), 1, 1e-12);
    const auto with = [&](BodyId id) { return c.body_a == id || c.body_b == id; };
    if (with(resting)) {
      EXPECT_EQ(c.motion, ContactMotion::resting);
    }
    if (with(colliding)) {
      EXPECT_EQ(c.motion, ContactMotion::colliding);
    }
    if (with(leaving)) {
      EXPECT_EQ(c.motion, ContactMotion::separating);
    }
    seen += with(resting) ? 1 : with(colliding) ? 10 : with(leaving) ? 100 : 1000;
  }
  EXPECT_EQ(seen, 114);
  for (int i = 0; i < 60; ++i) world.step();
  const std::vector<WorldContact> before(world.contacts().begin(), world.contacts().end());
  world.step();
  for (const WorldContact& c : world.contacts()) {
    for (const WorldContact& b : before) {
      if (b.id == c.id) {
        EXPECT_EQ(c.age, b.age + 1);
      }
    }
  }
}

/// Bodies that hit each other with friction, far from anything that is held, for as long as they like.
void expect_momenta_kept(unsigned seed) {
  WorldOptions options = rigid_options(1.0 / 60);
  World world(options);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<BodyId> ids;
  for (int i = 0; i < 40; ++i) {
    RigidBody body = i % 2 == 0 ? box_body("box", {0.3, 0.2, 0.1}, at(0, 0, 0)) : ball_body("ball", 0.2, at(0, 0, 0));
    const Eigen::Vector3d place(number(random), number(random), number(random));
    body.pose = at(2 * place.x(), 2 * place.y(), 2 * place.z());
    body.velocity = -3 * place;  // to the middle
    body.angular_velocity = {3 * number(random), 3 * number(random), 3 * number(random)};
    body.material.restitution = 0.3;
    ids.push_back(world.add(body));
  }
  const auto momenta = [&] {
    double mass = 0;
    Eigen::Vector3d center = Eigen::Vector3d::Zero();
    Eigen::Vector3d linear = Eigen::Vector3d::Zero();
    for (const BodyId id : ids) {
      mass += world.mass(id);
      center += world.mass(id) * world.center_of_mass(id);
      linear += world.mass(id) * world.velocity(id);
    }
    center /= mass;
    Eigen::Vector3d angular = Eigen::Vector3d::Zero();
    for (const BodyId id : ids) {
      angular += (world.center_of_mass(id) - center).cross(world.mass(id) * world.velocity(id)) +
                 world.inertia(id) * world.angular_velocity(id);
    }
    return std::pair{linear, angular};
  };
  const auto [linear, angular] = momenta();
  double mass = 0;
  for (const BodyId id : ids) mass += world.mass(id);
  std::size_t contacts = 0;
  for (int i = 0; i < 120; ++i) {
    world.step();
    contacts += world.contacts().size();
  }
  ASSERT_GT(contacts, 500U);
  const auto [linear_after, angular_after] = momenta();
  const Eigen::Vector3d fallen = linear + 2 * mass * options.gravity;
  EXPECT_LT((linear_after - fallen).norm(), 1e-10 * fallen.norm()) << "seed " << seed;
  EXPECT_LT((angular_after - angular).norm(), 1e-10 * angular.norm()) << "seed " << seed;
}

TEST(SoftResponse, ClosedSystemsKeepBothMomenta) {
  expect_momenta_kept(17);
}

/// In these some bodies are stopped in flight while all of them fall.
TEST(SoftResponse, ClosedSystemsKeepBothMomentaWhereBodiesAreStopped) {
  for (const unsigned seed : {45U, 49U, 54U, 55U, 58U}) expect_momenta_kept(seed);
}

}  // namespace
}  // namespace carom
