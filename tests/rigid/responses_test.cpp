#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/core/error.hpp"
#include "response/rigid_penalty.hpp"
#include "rigid_scene.hpp"

// What every response promises besides physics, and what is particular to one.
namespace carom {
namespace {

using Eigen::Vector3d;

class Responses : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Responses,
                         testing::ValuesIn(std::vector<std::string>(response_names().begin(), response_names().end())),
                         [](const auto& test) { return test.param; });

WorldOptions options_of(const std::string& response, int threads = 1) {
  WorldOptions options = rigid_options(1.0 / 60, threads);
  options.response = response;
  return options;
}

/// Several heaps apart from each other, so that there are several islands, of boxes, balls and capsules.
void add_heaps(World& world, int heaps, int each, double friction = 0.6, double restitution = 0.3) {
  world.add(floor_body(friction));
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int heap = 0; heap < heaps; ++heap) {
    for (int i = 0; i < each; ++i) {
      RigidBody body;
      body.name = "body";
      body.shape = i % 3 == 0   ? Shape::box({0.3, 0.2, 0.4})
                   : i % 3 == 1 ? Shape::sphere(0.3)
                                : Shape::capsule(0.2, 0.2);
      body.pose = at(4.0 * heap + 0.3 * number(random), 0.5 + 0.45 * i, 0.3 * number(random));
      body.angular_velocity = {number(random), number(random), number(random)};
      body.material.friction = friction;
      body.material.restitution = restitution;
      world.add(body);
    }
  }
}

std::uint64_t hash_after(World& world, int steps) {
  for (int i = 0; i < steps; ++i) world.step();
  return world.state_hash();
}

TEST_P(Responses, SameBitsForOneTwoAndFourThreads) {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    World world(options_of(GetParam(), threads));
    add_heaps(world, 4, 4);
    const std::uint64_t hash = hash_after(world, 60);
    if (threads == 1) {
      expected = hash;
      EXPECT_GT(world.contacts().size(), 16U) << "where little touches this proves little";
    }
    EXPECT_EQ(hash, expected) << threads << " threads";
  }
}

TEST_P(Responses, SnapshotContinuesBitForBit) {
  World world(options_of(GetParam()));
  add_heaps(world, 2, 4);
  hash_after(world, 40);
  const World::Snapshot saved = world.snapshot();
  const std::uint64_t expected = hash_after(world, 40);
  world.restore(saved);
  EXPECT_EQ(hash_after(world, 40), expected);
  World other(options_of(GetParam()));
  other.restore(saved);
  EXPECT_EQ(hash_after(other, 40), expected);
}

/// Slower than what sleeps, but in flight.
TEST_P(Responses, WhatNothingHoldsDoesNotSleep) {
  for (const bool falls : {false, true}) {
    WorldOptions options = options_of(GetParam());
    options.solver.sleep.enabled = true;
    options.gravity = Vector3d(0, falls ? -0.03 : 0, 0);
    World world(options);
    world.add(floor_body(0));
    RigidBody box = box_body("box", {0.1, 0.1, 0.1}, at(0, 3, 0));
    if (!falls) box.velocity = {0.015, 0, 0};
    const BodyId id = world.add(box);
    const double seconds = 4;
    for (int i = 0; i < seconds / options.dt; ++i) world.step();
    const Vector3d moved = world.pose(id).translation() - Vector3d(0, 3, 0);
    if (falls) {
      EXPECT_NEAR(moved.y(), -0.5 * 0.03 * seconds * seconds, 1e-3);
    } else {
      EXPECT_NEAR(moved.x(), 0.015 * seconds, 1e-3);
    }
  }
}

TEST_P(Responses, IslandsSleepWakeAndAreRemoved) {
  WorldOptions options = options_of(GetParam());
  options.solver.sleep.enabled = true;
  World world(options);
  world.add(floor_body());
  const BodyId lower = world.add(box_body("lower", {0.5, 0.5, 0.5}, at(0, 0.5, 0)));
  const BodyId upper = world.add(box_body("upper", {0.5, 0.5, 0.5}, at(0, 1.5, 0)));
  const BodyId apart = world.add(box_body("apart", {0.5, 0.5, 0.5}, at(5, 0.5, 0)));
  for (int i = 0; i < 180; ++i) world.step();
  ASSERT_TRUE(world.asleep(lower) && world.asleep(upper) && world.asleep(apart));
  const Eigen::Isometry3d before = world.pose(upper);
  for (int i = 0; i < 60; ++i) world.step();
  EXPECT_EQ(world.pose(upper).matrix(), before.matrix());

  // A touch wakes the island, and no other.
  const BodyId ball = world.add(ball_body("ball", 0.3, at(0, 3, 0)));
  bool woke = false;
  for (int i = 0; i < 60; ++i) {
    world.step();
    woke = woke || (!world.asleep(lower) && !world.asleep(upper));
    EXPECT_TRUE(world.asleep(apart));
  }
  EXPECT_TRUE(woke);
  world.remove(ball);

  // So does an impulse.
  world.apply_impulse(apart, {0, 2000, 0}, world.center_of_mass(apart));
  world.step();
  EXPECT_FALSE(world.asleep(apart));
  EXPECT_GT(world.velocity(apart).y(), 1);

  // And taking away what it stands on.
  for (int i = 0; i < 180; ++i) world.step();
  ASSERT_TRUE(world.asleep(lower) && world.asleep(upper) && world.asleep(apart));
  world.remove(lower);
  for (int i = 0; i < 60; ++i) world.step();
  EXPECT_NEAR(world.pose(upper).translation().y(), 0.5, 1e-2);
  EXPECT_NEAR(world.pose(apart).translation().x(), 5, 1e-2);
}

TEST_P(Responses, KinematicBodiesCarry) {
  World world(options_of(GetParam()));
  RigidBody belt = box_body("belt", {5, 0.5, 5}, at(0, -0.5, 0));
  belt.motion = MotionModel::scripted;
  belt.velocity = {1, 0, 0};
  world.add(belt);
  const BodyId box = world.add(box_body("box", {0.3, 0.3, 0.3}, at(0, 0.3, 0)));
  for (int i = 0; i < 120; ++i) world.step();
  EXPECT_NEAR(world.velocity(box).x(), 1, 1e-3);
  EXPECT_NEAR(world.pose(box).translation().y(), 0.3, 2e-3);
}

TEST_P(Responses, LockedAxesStayLocked) {
  World world(options_of(GetParam()));
  world.add(floor_body());
  RigidBody box = box_body("box", {0.5, 0.3, 0.2}, at(0, 1.5, 0));
  box.pose.linear() = Eigen::AngleAxisd(0.6, Vector3d(1, 1, 0).normalized()).toRotationMatrix();
  box.locked_rotation = {true, false, true};
  box.locked_translation = {true, false, false};
  const BodyId id = world.add(box);
  for (int i = 0; i < 120; ++i) {
    world.step();
    EXPECT_EQ(world.angular_velocity(id).x(), 0);
    EXPECT_EQ(world.angular_velocity(id).z(), 0);
    EXPECT_EQ(world.velocity(id).x(), 0);
  }
  EXPECT_LT(world.velocity(id).norm(), 0.05);
  EXPECT_GT(world.center_of_mass(id).y(), 0.3) << "it stands on a corner";
}

TEST_P(Responses, TheNameIsKnownAndOthersAreNot) {
  EXPECT_NO_THROW(World{options_of(GetParam())});
  try {
    World world(options_of("hope"));
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_name);
    EXPECT_NE(std::string(error.what()).find(GetParam()), std::string::npos) << error.what();
  }
}

TEST_P(Responses, TorsionalAndRollingFrictionIsDoneOrRefusedByName) {
  World world(options_of(GetParam()));
  RigidBody ball = ball_body("culprit", 0.5, at(0, 0.5, 0));
  for (double RigidBody::*const field : {&RigidBody::torsional_friction, &RigidBody::rolling_friction}) {
    ball.torsional_friction = ball.rolling_friction = 0;
    ball.*field = 0.01;
    if (GetParam() == "impulse") {
      EXPECT_NO_THROW(world.add(ball));
      continue;
    }
    try {
      world.add(ball);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_NE(std::string(error.what()).find("'culprit'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("'" + GetParam() + "'"), std::string::npos) << error.what();
    }
  }
  ball.torsional_friction = -1;
  EXPECT_THROW(world.add(ball), Error);
}

TEST(LcpResponse, ComplementarityHoldsInHeaps) {
  World world(options_of("lcp"));
  add_heaps(world, 3, 4);
  double worst = 0;
  for (int i = 0; i < 120; ++i) {
    world.step();
    worst = std::max(worst, world.response_residual().value());
    ASSERT_EQ(world.stats()[Stage::respond].limited, 0U) << "step " << i;
  }
  EXPECT_GT(world.contacts().size(), 12U);
  EXPECT_LT(worst, 1e-9);
}

/// Bodies of one world at the places and with the velocities that those of another have.
World moved_as(const World& other, World world) {
  for (const BodyId id : world.bodies()) {
    world.teleport(id, other.pose(id));
    if (world.motion(id) == MotionModel::rigid) world.set_velocity(id, other.velocity(id), other.angular_velocity(id));
  }
  return world;
}

/// Without friction and bounce both solve one problem, whose velocities are unique.
TEST(LcpResponse, AgreesWithRoundsOfImpulses) {
  WorldOptions rounds = options_of("impulse");
  rounds.solver.impulse.rounds = 20000;
  rounds.solver.impulse.tolerance = 1e-13;
  const auto heap = [](const WorldOptions& options) {
    World world(options);
    add_heaps(world, 1, 6, 0, 0);
    return world;
  };
  World exact = heap(options_of("lcp"));
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    exact.step();
    if (i % 6 != 0) continue;
    World iterated = moved_as(exact, heap(rounds));
    World next = moved_as(exact, heap(options_of("lcp")));
    next.step();
    iterated.step();
    double fastest = 0;
    double apart = 0;
    for (const BodyId id : next.bodies()) {
      fastest = std::max(fastest, next.velocity(id).norm());
      apart = std::max(apart, (next.velocity(id) - iterated.velocity(id)).norm());
    }
    if (next.contacts().empty()) continue;
    ++compared;
    EXPECT_LT(apart, 1e-6 * fastest) << "step " << i;
    EXPECT_LT(iterated.response_residual().value(), 1e-6);
  }
  EXPECT_GT(compared, 5);
}

TEST(LcpResponse, LargeIslandsAreLeftToImpulsesAndCounted) {
  WorldOptions options = options_of("lcp");
  options.solver.lcp.max_points = 6;
  World world(options);
  world.add(floor_body());
  world.add(box_body("single", {0.5, 0.5, 0.5}, at(5, 0.5, 0)));
  const BodyId lower = world.add(box_body("lower", {0.5, 0.5, 0.5}, at(0, 0.5, 0)));
  const BodyId upper = world.add(box_body("upper", {0.5, 0.5, 0.5}, at(0, 1.5, 0)));
  for (int i = 0; i < 60; ++i) {
    world.step();
    EXPECT_EQ(world.stats()[Stage::respond].limited, 1U);
  }
  EXPECT_NEAR(world.center_of_mass(lower).y(), 0.5, 1e-3);
  EXPECT_NEAR(world.center_of_mass(upper).y(), 1.5, 1e-3);
  EXPECT_LT(world.response_residual().value(), 1e-3);
}

/// Friction of a cone with edges is all there is along the slip, and at least cos(pi / n) of it elsewhere.
TEST(LcpResponse, MoreDirectionsDoNotChangeStraightSliding) {
  const auto slid = [](int directions) {
    WorldOptions options = options_of("lcp");
    options.solver.lcp.directions = directions;
    World world(options);
    world.add(floor_body(0.4));
    RigidBody box = box_body("box", {0.5, 0.1, 0.5}, at(0, 0.1, 0));
    box.material.friction = 0.4;
    box.velocity = {1.2, 0, 1.6};
    const BodyId id = world.add(box);
    for (int i = 0; i < 90; ++i) world.step();
    return Vector3d(world.center_of_mass(id) - Vector3d(0, 0.1, 0));
  };
  const Vector3d four = slid(4);
  EXPECT_NEAR(four.norm(), 4 / (2 * 0.4 * 9.81) - 0.5 * 2.0 / 60, 5e-3);
  EXPECT_LT((slid(8) - four).norm(), 5e-3);
}

TEST(PenaltyResponse, TooStiffIsRefusedWithTheLargestThatIsStable) {
  const auto run = [](double stiffness) {
    WorldOptions options = options_of("penalty");
    options.solver.penalty.stiffness = stiffness;
    World world(options);
    world.add(floor_body());
    const BodyId id = world.add(box_body("crate", {0.5, 0.5, 0.5}, at(0, 0.499, 0)));
    for (int i = 0; i < 120; ++i) world.step();
    return world.center_of_mass(id).y();
  };
  double stable = 0;
  try {
    run(1e12);
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), ErrorCode::unstable);
    EXPECT_NE(text.find("'crate'"), std::string::npos) << text;
    stable = std::stod(text.substr(text.find("at most ") + 8));
  }
  ASSERT_GT(stable, 1e4);
  EXPECT_THROW(run(1.01 * stable), Error);
  // As stiff as is allowed, and it stands: the box weighs 9810 N on four points.
  EXPECT_NEAR(run(0.99 * stable), 0.5 - 9810 / (4 * stable), 1e-5);
  EXPECT_NEAR(run(0.01 * stable), 0.5 - 9810 / (0.04 * stable), 1e-4);
}

/// Nothing but a fixed plate around the origin, for what is thrown at it.
World weightless_with_plate(const Vector3d& half) {
  WorldOptions options = options_of("penalty");
  options.gravity.setZero();
  World world(options);
  RigidBody plate = box_body("plate", half, at(0, 0, 0));
  plate.motion = MotionModel::fixed;
  world.add(plate);
  return world;
}

TEST(PenaltyResponse, WallGivesNoSpeedToABall) {
  for (const double speed : {0.3, 1.0, 3.0}) {
    // The faster, the more the explicit steps are off: 0.25% at 3 m/s.
    const double more = speed > 1 ? 4e-3 : 1e-3;
    for (int phase = 0; phase < 200; ++phase) {
      World world = weightless_with_plate({0.1, 5, 5});
      RigidBody ball = ball_body("ball", 0.25, at(0.35 + speed / 60 * (3 + phase / 200.0), 0, 0));
      ball.velocity = {-speed, 0, 0};
      ball.material.restitution = 1;
      ball.material.friction = 0;
      const BodyId id = world.add(ball);
      for (int i = 0; i < 15; ++i) world.step();
      ASSERT_LT(world.velocity(id).x(), (1 + more) * speed) << speed << " m/s, phase " << phase;
      ASSERT_GT(world.velocity(id).x(), 0.97 * speed) << speed << " m/s, phase " << phase;
    }
  }
}

TEST(PenaltyResponse, ThinBodyThatTurnsGainsNoEnergy) {
  for (const auto& [speed, spin] : {std::pair{20.0, 50.0}, {200.0, 0.0}, {200.0, 50.0}}) {
    for (int pose = 0; pose < 100; ++pose) {
      World world = weightless_with_plate({3, 0.01, 3});
      RigidBody body;
      body.name = "capsule";
      body.shape = Shape::capsule(0.02, 0.1);
      body.pose = at(0, 0.3 + 0.003 * pose, 0);
      body.pose.linear() = Eigen::AngleAxisd(0.06 * pose, Vector3d(1, 2, 0.5).normalized()).toRotationMatrix();
      body.velocity = {0, -speed, 0};
      body.angular_velocity = spin * Vector3d(0.06, 0.4, 1);
      const BodyId id = world.add(body);
      const auto energy = [&] {
        const Vector3d w = world.angular_velocity(id);
        return 0.5 * (world.mass(id) * world.velocity(id).squaredNorm() + w.dot(world.inertia(id) * w));
      };
      const double first = energy();
      for (int i = 0; i < 40; ++i) {
        world.step();
        ASSERT_LE(energy(), (1 + 1e-3) * first)
            << speed << " m/s, " << spin << " rad/s, pose " << pose << ", step " << i;
      }
    }
  }
}

TEST(PenaltyResponse, BoxThatFallsFlatBouncesAsHighAsRestitutionSays) {
  for (const double restitution : {0.5, 0.8}) {
    World world(options_of("penalty"));
    world.add(floor_body());
    RigidBody box = box_body("box", {0.5, 0.5, 0.5}, at(0, 2.5, 0));
    box.material.restitution = restitution;
    const BodyId id = world.add(box);
    double highest = 0;
    bool bounced = false;
    for (int i = 0; i < 130 && !(bounced && world.velocity(id).y() < 0); ++i) {
      world.step();
      bounced = bounced || world.velocity(id).y() > 0;
      if (bounced) highest = std::max(highest, world.center_of_mass(id).y() - 0.5);
    }
    const double expected = 2 * restitution * restitution;
    EXPECT_NEAR(highest, expected, 0.12 * expected) << restitution;
  }
}

TEST(PenaltyResponse, DampingFollowsRestitution) {
  // A mass on a spring and a damper that do not pull, in small steps.
  for (const double restitution : {0.1, 0.3, 0.6, 0.9}) {
    const double ratio = rigid_penalty::damping_of(restitution);
    double x = 0;
    double v = -1;
    const double h = 1e-5;
    for (int i = 0; i < 10'000'000; ++i) {
      const double force = -x - 2 * ratio * v;
      if (force <= 0 && i > 0) break;
      v += h * force;
      x += h * v;
    }
    EXPECT_NEAR(v, restitution, 1e-3) << restitution;
  }
  EXPECT_EQ(rigid_penalty::damping_of(1), 0);
}

}  // namespace
}  // namespace carom
