#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "carom/core/error.hpp"
#include "rigid_scene.hpp"

// Rigid bodies that nothing touches, against closed forms.
namespace carom {
namespace {

using Eigen::Vector3d;

Vector3d angular_momentum(const World& world, BodyId body) {
  return world.inertia(body) * world.angular_velocity(body);
}

double spin_energy(const World& world, BodyId body) {
  return 0.5 * world.angular_velocity(body).dot(angular_momentum(world, body));
}

TEST(RigidFreeMotion, FlightIsTheParabola) {
  World world(rigid_options(1.0 / 60));
  RigidBody ball = ball_body("ball", 0.5, at(1, 2, 3));
  ball.velocity = {4, 5, -6};
  const BodyId id = world.add(ball);
  for (int i = 0; i < 120; ++i) world.step();
  const double t = 2;
  EXPECT_LT((world.pose(id).translation() - Vector3d(1 + 4 * t, 2 + 5 * t - 0.5 * 9.81 * t * t, 3 - 6 * t)).norm(),
            1e-11);
  EXPECT_LT((world.velocity(id) - Vector3d(4, 5 - 9.81 * t, -6)).norm(), 1e-11);
}

TEST(RigidFreeMotion, MassOfAShape) {
  World world(rigid_options(0.01));
  RigidBody box = box_body("box", {0.5, 1, 1.5}, at(0, 0, 0));
  box.density = 10;
  const BodyId id = world.add(box);
  const double mass = 10 * 1 * 2 * 3;
  EXPECT_NEAR(world.mass(id), mass, 1e-12);
  EXPECT_NEAR(world.inertia(id)(0, 0), mass / 12 * (4 + 9), 1e-10);
  EXPECT_NEAR(world.inertia(id)(1, 1), mass / 12 * (1 + 9), 1e-10);
  EXPECT_NEAR(world.inertia(id)(2, 2), mass / 12 * (1 + 4), 1e-10);
}

TEST(RigidFreeMotion, DampingSlowsExponentially) {
  WorldOptions options = rigid_options(1e-3);
  options.gravity.setZero();
  World world(options);
  RigidBody ball = ball_body("ball", 1, at(0, 0, 0));
  ball.velocity = {1, 0, 0};
  ball.angular_velocity = {0, 2, 0};
  ball.linear_damping = 0.5;
  ball.angular_damping = 2;
  const BodyId id = world.add(ball);
  for (int i = 0; i < 1000; ++i) world.step();
  EXPECT_NEAR(world.velocity(id).x(), std::exp(-0.5), 1e-3);
  EXPECT_NEAR(world.angular_velocity(id).y(), 2 * std::exp(-2), 2e-3);
}

// The axis of a symmetric top goes round its angular momentum L with |L| / I across the axis.
TEST(RigidFreeMotion, SymmetricTopPrecessesAtTheClosedFormRate) {
  WorldOptions options = rigid_options(0.005);
  options.gravity.setZero();
  World world(options);
  RigidBody top;
  top.name = "top";
  top.shape = Shape::cylinder(0.5, 0.1);
  top.angular_velocity = {1, 0, 6};
  const BodyId id = world.add(top);
  const Vector3d momentum = angular_momentum(world, id);
  const double rate = momentum.norm() / world.inertia(id)(0, 0);
  const double t = 2;
  for (int i = 0; i < 400; ++i) world.step();
  const Vector3d expected = Eigen::AngleAxisd(rate * t, momentum.normalized()) * Vector3d::UnitZ();
  const Vector3d axis = world.pose(id).linear().col(2);
  EXPECT_LT((axis - expected).norm(), 2e-3) << "after " << rate * t << " rad";
  EXPECT_LT((angular_momentum(world, id) - momentum).norm(), 1e-12 * momentum.norm());
}

// A fast top on which a torque acts at right angles to its axis: the axis turns with torque / (I3 w3).
TEST(RigidFreeMotion, FastTopPrecessesUnderATorque) {
  WorldOptions options = rigid_options(1.0 / 240);
  options.gravity.setZero();
  World world(options);
  RigidBody top;
  top.name = "top";
  top.shape = Shape::cylinder(0.5, 0.1);
  const double spin = 300;
  const double weight_arm = 400;  // N m
  MassProperties unit = top.shape.mass_properties();
  const double along = 1000 * unit.inertia(2, 2);
  const double rate = weight_arm / (along * spin);
  // Axis level along x, spinning; the torque of a weight on its end. Started with the precession, it does not nutate.
  top.pose.linear() = Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY()).toRotationMatrix();
  top.angular_velocity = Vector3d(spin, 0, 0) + Vector3d(0, rate, 0);
  const BodyId id = world.add(top);
  const int steps = 480;
  for (int i = 0; i < steps; ++i) {
    const Vector3d axis = world.pose(id).linear().col(2);
    world.apply_torque(id, weight_arm * axis.cross(Vector3d(0, -1, 0)));
    world.step();
  }
  const double angle = rate * steps * options.dt;
  const Vector3d axis = world.pose(id).linear().col(2);
  // From x towards... a weight pulling down turns it about +y or -y by the sign of the spin.
  const double turned = std::atan2(-axis.z(), axis.x());
  EXPECT_NEAR(turned, angle, 0.02 * angle);
  EXPECT_LT(std::abs(axis.y()), 0.02);
}

TEST(RigidFreeMotion, SpinningThinPlateStaysStable) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.gravity.setZero();
  World world(options);
  RigidBody plate = box_body("plate", {0.5, 0.005, 0.3}, at(0, 0, 0));
  plate.angular_velocity = {40, 30, -50};
  const BodyId id = world.add(plate);
  const Vector3d momentum = angular_momentum(world, id);
  const double energy = spin_energy(world, id);
  for (int i = 0; i < 1200; ++i) {
    world.step();
    ASSERT_LT((angular_momentum(world, id) - momentum).norm(), 1e-10 * momentum.norm()) << "step " << i;
    ASSERT_NEAR(spin_energy(world, id), energy, 0.03 * energy) << "step " << i;
  }
}

/// A turn of one step against the same in a thousand, of a box with three different moments.
TEST(RigidFreeMotion, ATurnInOneStepIsThatOfManySmallOnes) {
  const auto turned = [](const Vector3d& spin, double dt, int steps) {
    WorldOptions options = rigid_options(dt / steps);
    options.gravity.setZero();
    World world(options);
    RigidBody box = box_body("box", {0.1, 0.15, 0.2}, at(0, 0, 0));
    box.angular_velocity = spin;
    const BodyId id = world.add(box);
    for (int i = 0; i < steps; ++i) world.step();
    return world.pose(id).linear().eval();
  };
  const double dt = 1.0 / 60;
  for (const Vector3d& direction : {Vector3d(1, 2, -2), Vector3d(-3, 1, 0.2), Vector3d(0.1, 3, 1)}) {
    for (const double turn : {0.01, 0.05, 0.2}) {
      const Vector3d spin = turn / dt * direction.normalized();
      // The order of the step is four, of one of these terms a hundredth at most.
      EXPECT_LT((turned(spin, dt, 1) - turned(spin, dt, 1000)).norm(), 0.01 * std::pow(turn, 5) + 1e-12)
          << turn << " rad about " << direction.transpose();
    }
  }
}

TEST(RigidFreeMotion, ASpinningBoxKeepsItsEnergy) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.gravity.setZero();
  World world(options);
  RigidBody box = box_body("box", {0.1, 0.15, 0.2}, at(0, 0, 0));
  for (const double speed : {2.0, 14.0}) {
    box.angular_velocity = speed * Vector3d(0.1, 1, 0.05).normalized();  // about the middle axis: it tumbles
    const BodyId id = world.add(box);
    const Vector3d momentum = angular_momentum(world, id);
    const double energy = spin_energy(world, id);
    for (int i = 0; i < 2000; ++i) {
      world.step();
      ASSERT_LT((angular_momentum(world, id) - momentum).norm(), 1e-11 * momentum.norm()) << speed << ", step " << i;
      ASSERT_NEAR(spin_energy(world, id), energy, 1e-11 * energy) << speed << ", step " << i;
    }
    world.remove(id);
  }
}

TEST(RigidFreeMotion, LockedAxesDoNotMove) {
  World world(rigid_options(0.01));
  RigidBody box = box_body("box", {0.5, 0.2, 0.3}, at(0, 0, 0));
  box.velocity = {1, 2, 3};
  box.angular_velocity = {3, 2, 1};
  box.locked_translation = {false, true, false};
  box.locked_rotation = {true, false, true};
  const BodyId id = world.add(box);
  for (int i = 0; i < 100; ++i) world.step();
  const Vector3d place = world.pose(id).translation();
  EXPECT_NEAR(place.x(), 1, 1e-12);
  EXPECT_EQ(place.y(), 0);
  EXPECT_NEAR(place.z(), 3, 1e-12);
  EXPECT_LT((world.pose(id).linear().col(1) - Vector3d::UnitY()).norm(), 1e-12);
  EXPECT_NEAR(world.angular_velocity(id).y(), 2, 1e-12);
}

TEST(RigidFreeMotion, ImpulsesForcesAndTeleport) {
  WorldOptions options = rigid_options(0.01);
  options.gravity.setZero();
  World world(options);
  const BodyId id = world.add(ball_body("ball", 1, at(0, 0, 0)));
  const double mass = world.mass(id);
  world.apply_impulse(id, {mass, 0, 0}, {0, 0.5, 0});
  EXPECT_NEAR(world.velocity(id).x(), 1, 1e-12);
  EXPECT_NEAR(world.angular_velocity(id).z(), -0.5 * mass / (0.4 * mass), 1e-12);
  world.set_velocity(id, Vector3d::Zero(), Vector3d::Zero());
  for (int i = 0; i < 100; ++i) {
    world.apply_force(id, {2 * mass, 0, 0});
    world.step();
  }
  EXPECT_NEAR(world.velocity(id).x(), 2, 1e-12);
  EXPECT_NEAR(world.pose(id).translation().x(), 1, 1e-12);
  world.teleport(id, at(5, 6, 7));
  EXPECT_EQ(world.pose(id).translation(), Vector3d(5, 6, 7));
}

TEST(RigidFreeMotion, BadBodiesAreRefusedByName) {
  World world(rigid_options(0.01));
  const auto refused = [&](const RigidBody& body, ErrorCode code) {
    try {
      world.add(body);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_NE(std::string(error.what()).find("'culprit'"), std::string::npos) << error.what();
    }
  };
  RigidBody body = ball_body("culprit", 1, at(0, 0, 0));
  body.density = -1;
  refused(body, ErrorCode::invalid_argument);
  body = ball_body("culprit", 1, at(0, 0, 0));
  body.mass = MassOverride{.mass = 1, .inertia = Vector3d(1, 1, 2.1).asDiagonal()};
  refused(body, ErrorCode::invalid_argument);
  body.mass->inertia = Vector3d(1, 1, 2).asDiagonal();
  EXPECT_NO_THROW(World(rigid_options(0.01)).add(body)) << "a plate";
  body = ball_body("culprit", 1, at(0, 0, 0));
  const Shape::Part parts[] = {{Shape::sphere(1)}, {Shape::half_space({0, 1, 0}, 0)}};
  body.shape = Shape::compound(parts);
  refused(body, ErrorCode::unsupported);
  body = ball_body("culprit", 1, at(0, 0, 0));
  body.velocity.x() = NAN;
  refused(body, ErrorCode::not_finite);
  body = ball_body("culprit", 1, at(0, 0, 0));
  body.material.restitution = 1.5;
  refused(body, ErrorCode::invalid_argument);
  body = ball_body("culprit", 1, at(0, 0, 0));
  body.pose.linear() *= 2;
  refused(body, ErrorCode::invalid_argument);
  body = floor_body();
  body.name = "culprit";
  body.motion = MotionModel::rigid;
  refused(body, ErrorCode::invalid_argument);
  body = ball_body("culprit", 1, at(0, 0, 0));
  body.shape = Shape::triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  refused(body, ErrorCode::invalid_argument);
  EXPECT_TRUE(world.bodies().empty());
}

}  // namespace
}  // namespace carom
