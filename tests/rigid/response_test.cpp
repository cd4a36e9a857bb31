#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "rigid_scene.hpp"

// The response `soft` against closed forms, and what must stand.
namespace carom {
namespace {

using Eigen::Vector3d;

TEST(SoftResponse, BounceHeightFollowsRestitution) {
  for (const double restitution : {0.5, 0.8}) {
    World world(rigid_options(1.0 / 240));
    world.add(floor_body());
    RigidBody ball = ball_body("ball", 0.5, at(0, 2.5, 0));
    ball.restitution = restitution;
    const BodyId id = world.add(ball);
    double highest = 0;
    bool bounced = false;
    for (int i = 0; i < 480 && !(bounced && world.velocity(id).y() < 0); ++i) {
      world.step();
      bounced = bounced || world.velocity(id).y() > 0;
      if (bounced) highest = std::max(highest, world.pose(id).translation().y() - 0.5);
    }
    ASSERT_TRUE(bounced);
    // A step of fall goes missing at the impact: v dt of 2 m.
    EXPECT_NEAR(highest, 2 * restitution * restitution, 0.03) << "restitution " << restitution;
    EXPECT_LE(highest, 2 * restitution * restitution + 1e-3) << "energy grew";
  }
}

TEST(SoftResponse, SlidingDistanceFollowsFriction) {
  World world(rigid_options(1.0 / 60));
  const double friction = 0.4;
  world.add(floor_body(friction));
  RigidBody box = box_body("box", {0.5, 0.25, 0.5}, at(0, 0.25, 0));
  box.friction = friction;
  box.velocity = {3, 0, 0};
  const BodyId id = world.add(box);
  for (int i = 0; i < 180; ++i) world.step();
  EXPECT_NEAR(world.pose(id).translation().x(), 3.0 * 3.0 / (2 * friction * 9.81), 0.015);
  EXPECT_LT(world.velocity(id).norm(), 1e-5);
  EXPECT_LT(std::abs(world.pose(id).translation().z()), 1e-4);
}

TEST(SoftResponse, BoxOnASlopeBeginsToSlideAtTheAngleOfFriction) {
  const double friction = 0.5;
  const double critical = std::atan(friction);
  const auto slid = [&](double degrees_beyond) {
    const double angle = critical + degrees_beyond * std::numbers::pi / 180;
    World world(rigid_options(1.0 / 60));
    RigidBody slope = floor_body(friction);
    slope.shape = Shape::half_space({std::sin(angle), std::cos(angle), 0}, 0);
    world.add(slope);
    RigidBody box = box_body("box", {0.5, 0.25, 0.5}, Eigen::Isometry3d::Identity());
    box.friction = friction;
    box.pose.linear() = Eigen::AngleAxisd(-angle, Vector3d::UnitZ()).toRotationMatrix();
    box.pose.translation() = 0.25 * Vector3d(std::sin(angle), std::cos(angle), 0);
    const BodyId id = world.add(box);
    for (int i = 0; i < 120; ++i) world.step();
    return (world.pose(id).translation() - box.pose.translation()).norm();
  };
  EXPECT_LT(slid(-0.05), 5e-4);
  // g (sin a - mu cos a) for two seconds.
  const double a = critical + 0.05 * std::numbers::pi / 180;
  const double expected = 0.5 * 9.81 * (std::sin(a) - friction * std::cos(a)) * 4;
  EXPECT_NEAR(slid(0.05), expected, 0.2 * expected);
}

TEST(SoftResponse, MomentumIsKeptInACollision) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.gravity.setZero();
  World world(options);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<BodyId> ids;
  for (int i = 0; i < 20; ++i) {
    const Vector3d place(3 * number(random), 3 * number(random), 3 * number(random));
    RigidBody body = i % 2 == 0 ? box_body("box", {0.5, 0.3, 0.4}, at(0, 0, 0)) : ball_body("ball", 0.4, at(0, 0, 0));
    body.pose.translation() = place;
    body.velocity = -2 * place;
    body.restitution = 0.5;
    body.angular_velocity = {number(random), number(random), number(random)};
    ids.push_back(world.add(body));
  }
  const auto momentum = [&] {
    Vector3d sum = Vector3d::Zero();
    for (const BodyId id : ids) sum += world.mass(id) * world.velocity(id);
    return sum;
  };
  double scale = 0;
  for (const BodyId id : ids) scale += world.mass(id) * world.velocity(id).norm();
  const Vector3d before = momentum();
  std::size_t touched = 0;
  for (int i = 0; i < 120; ++i) {
    world.step();
    touched += world.rigid_contacts().size();
  }
  EXPECT_GT(touched, 20U);
  EXPECT_LT((momentum() - before).norm(), 1e-10 * scale);
}

TEST(SoftResponse, EnergyDoesNotGrow) {
  World world(rigid_options(1.0 / 60));
  world.add(floor_body());
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<BodyId> ids;
  for (int i = 0; i < 40; ++i) {
    RigidBody body = i % 3 == 0 ? box_body("box", {0.3, 0.2, 0.4}, at(0, 0, 0)) : ball_body("ball", 0.3, at(0, 0, 0));
    body.pose.translation() = Vector3d(1.2 * number(random), 1 + 0.25 * i, 1.2 * number(random));
    body.restitution = 0.9;
    ids.push_back(world.add(body));
  }
  const auto energy = [&] {
    double sum = 0;
    for (const BodyId id : ids) {
      const Vector3d w = world.angular_velocity(id);
      sum += 0.5 * world.mass(id) * world.velocity(id).squaredNorm() + 0.5 * w.dot(world.inertia(id) * w) +
             9.81 * world.mass(id) * world.center_of_mass(id).y();
    }
    return sum;
  };
  double last = energy();
  const double first = last;
  for (int i = 0; i < 240; ++i) {
    world.step();
    const double now = energy();
    ASSERT_LE(now, last + 1e-3 * first) << "step " << i;
    last = std::min(last, now);
  }
  EXPECT_LT(last, 0.9 * first);
}

TEST(SoftResponse, NewtonsCradleOfTwoBalls) {
  WorldOptions options = rigid_options(1.0 / 240);
  options.gravity.setZero();
  World world(options);
  RigidBody ball = ball_body("left", 0.5, at(-2, 0, 0));
  ball.restitution = 1;
  ball.friction = 0;
  ball.velocity = {2, 0, 0};
  const BodyId left = world.add(ball);
  ball.name = "right";
  ball.velocity = {0, 0, 0};
  ball.pose = at(0, 0, 0);
  const BodyId right = world.add(ball);
  for (int i = 0; i < 240; ++i) world.step();
  EXPECT_NEAR(world.velocity(left).x(), 0, 1e-4);
  EXPECT_NEAR(world.velocity(right).x(), 2, 1e-4);
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
  for (const RigidContact& c : world.rigid_contacts()) {
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
  const std::vector<RigidContact> before = world.rigid_contacts();
  world.step();
  for (const RigidContact& c : world.rigid_contacts()) {
    for (const RigidContact& b : before) {
      if (b.id == c.id) {
        EXPECT_EQ(c.age, b.age + 1);
      }
    }
  }
}

/// Bodies that hit and rub each other, far from anything that is held, for as long as they like.
TEST(SoftResponse, ClosedSystemsKeepBothMomenta) {
  WorldOptions options = rigid_options(1.0 / 60);
  World world(options);
  std::mt19937 random(17);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<BodyId> ids;
  for (int i = 0; i < 40; ++i) {
    RigidBody body = i % 2 == 0 ? box_body("box", {0.3, 0.2, 0.1}, at(0, 0, 0)) : ball_body("ball", 0.2, at(0, 0, 0));
    const Eigen::Vector3d place(number(random), number(random), number(random));
    body.pose = at(2 * place.x(), 2 * place.y(), 2 * place.z());
    body.velocity = -3 * place;  // to the middle
    body.angular_velocity = {3 * number(random), 3 * number(random), 3 * number(random)};
    body.restitution = 0.3;
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
    contacts += world.rigid_contacts().size();
  }
  ASSERT_GT(contacts, 500U);
  const auto [linear_after, angular_after] = momenta();
  const Eigen::Vector3d fallen = linear + 2 * mass * options.gravity;
  EXPECT_LT((linear_after - fallen).norm(), 1e-10 * fallen.norm());
  EXPECT_LT((angular_after - angular).norm(), 1e-10 * angular.norm());
}

}  // namespace
}  // namespace carom
