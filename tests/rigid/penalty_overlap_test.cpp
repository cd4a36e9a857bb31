#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigid_scene.hpp"

// Springs of the response `penalty` that are found in an overlap: nothing sinks in further and further, and what
// overlaps is opened.
namespace carom {
namespace {

using Eigen::Vector3d;

WorldOptions springs(bool sleep) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.response = "penalty";
  options.solver.sleep.enabled = sleep;
  return options;
}

double deepest(const World& world) {
  double depth = 0;
  for (const WorldContact& c : world.contacts()) depth = std::max(depth, -c.distance);
  return depth;
}

/// m; by how much the springs of one point give way under a body by itself: 4 g h^2 of a ball, as k is a sixteenth of 4
/// m / h^2, and as many times more as it is easier to turn a body than to shift it; ten times for what is used here.
constexpr double sag = 10 * 4 * 9.81 / (960.0 * 960.0);

/// m; of an explicit step of what turns by w about a point at the distance r, (w dt)^2 r / 2: how far it may be off
/// before it is seen.
double turned_in(double spin, double distance) {
  return 0.5 * spin * spin / 3600 * distance;
}

TEST(PenaltyOverlap, RollingEllipsoidStaysOnTheFloor) {
  for (const double spin : {0.0, 4.0, 12.0}) {
    World world(springs(false));
    world.add(floor_body());
    RigidBody body;
    body.name = "ellipsoid";
    const Vector3d half(0.2, 0.3, 0.4);
    body.shape = Shape::ellipsoid(half);
    body.pose = at(0, 1, 0);
    body.pose.linear() = Eigen::AngleAxisd(0.7, Vector3d(1, 0.4, 0.2).normalized()).toRotationMatrix();
    body.angular_velocity = {spin, 0, 0};
    const BodyId id = world.add(body);
    for (int i = 0; i < 1200; ++i) {
      world.step();
      if (i < 180) continue;  // falls, and presses the spring by v / sqrt(k / m) = 9 mm
      // The lowest point of an ellipsoid, from the third row of its turn.
      const Vector3d up = world.pose(id).linear().row(1).transpose().cwiseProduct(half);
      const double bottom = world.pose(id).translation().y() - up.norm();
      const double fastest = world.angular_velocity(id).norm();
      ASSERT_GT(bottom, -sag - 2 * turned_in(fastest, half.z())) << "spin " << spin << ", step " << i;
    }
  }
}

TEST(PenaltyOverlap, SpinningTopsStayOnTheFloor) {
  for (const double spin : {5.0, 40.0, 100.0}) {
    World world(springs(false));
    world.add(floor_body());
    const double lean = 0.2;
    RigidBody top;
    top.name = "top";
    top.shape = Shape::cone(0.5, 0.35);
    const Vector3d axis(std::sin(lean), std::cos(lean), 0);
    top.pose.linear() =
        Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d(std::cos(lean), -std::sin(lean), 0)).toRotationMatrix();
    top.pose.translation() = 0.35 * axis;
    top.angular_velocity = spin * axis;
    const BodyId id = world.add(top);
    double deep = 0;
    for (int i = 0; i < 1200; ++i) {
      world.step();
      const Eigen::Isometry3d pose = world.pose(id);
      const Vector3d tip = pose * Vector3d(0, 0, 0.35);
      const Vector3d along = pose.linear().col(2);
      const Vector3d base = pose * Vector3d(0, 0, -0.35);
      const double rim = base.y() - 0.5 * std::sqrt(std::max(0.0, 1 - along.y() * along.y()));
      const double bottom = std::min(tip.y(), rim);
      // When the rim comes down, which it does with some m/s, it presses the spring by centimetres.
      ASSERT_GT(bottom, -0.05) << "spin " << spin << ", step " << i;
      if (i >= 900) deep = std::max(deep, -bottom);
    }
    EXPECT_LT(deep, 0.005) << "spin " << spin;
  }
}

TEST(PenaltyOverlap, OverlappingBoxComesOutAtRestingSpeed) {
  for (const double overlap : {0.05, 0.2}) {
    World world(springs(true));
    world.add(floor_body());
    const BodyId id = world.add(box_body("box", {0.5, 0.5, 0.5}, at(0, 0.5 - overlap, 0)));
    const double speed = world.options().solver.resting_speed;
    const int steps = static_cast<int>(std::lround(60 * overlap / speed));
    double fastest = 0;
    double last = world.center_of_mass(id).y();
    for (int i = 0; i < steps + 30; ++i) {
      world.step();
      fastest = std::max(fastest, world.velocity(id).norm());
      const double now = world.center_of_mass(id).y();
      ASSERT_LT(now - last, 1.5 * speed / 60) << "step " << i;
      last = now;
      if (i == steps / 2) {
        EXPECT_NEAR(now, 0.5 - 0.5 * overlap, 0.1 * overlap);
      }
      if (i < steps - 6) {
        ASSERT_FALSE(world.asleep(id)) << "step " << i;
      }
    }
    EXPECT_NEAR(last, 0.5, sag) << overlap;
    EXPECT_LT(fastest, 1.1 * speed) << overlap;
    for (int i = 0; i < 60; ++i) world.step();
    EXPECT_TRUE(world.asleep(id)) << overlap;
    EXPECT_NEAR(world.center_of_mass(id).y(), 0.5, sag) << overlap;
  }
}

TEST(PenaltyOverlap, OverlappingBallsComeApartWithoutSpeed) {
  WorldOptions options = springs(false);
  options.gravity.setZero();
  World world(options);
  const BodyId a = world.add(ball_body("a", 0.5, at(0, 0, 0)));
  const BodyId b = world.add(ball_body("b", 0.5, at(0.9, 0, 0)));
  const double speed = options.solver.resting_speed;
  for (int i = 0; i < static_cast<int>(60 * 0.1 / speed) + 10; ++i) {
    world.step();
    ASSERT_LE((world.velocity(a) - world.velocity(b)).norm(), speed) << "step " << i;
  }
  EXPECT_GT((world.center_of_mass(a) - world.center_of_mass(b)).norm(), 1 - 1e-4);
}

TEST(PenaltyOverlap, WedgedBodyMayFallAsleep) {
  // Two walls that are nearer than the ball is wide: no motion opens that.
  World world(springs(true));
  world.add(floor_body());
  for (const double side : {-1.0, 1.0}) {
    RigidBody wall = box_body("wall", {0.5, 1, 1}, at(0.98 * side, 1, 0));
    wall.motion = MotionModel::fixed;
    world.add(wall);
  }
  const BodyId id = world.add(ball_body("ball", 0.5, at(0, 0.5, 0)));
  for (int i = 0; i < 180; ++i) world.step();
  EXPECT_TRUE(world.asleep(id));
  // It may have been moved out of one of them.
  EXPECT_LT(std::abs(world.center_of_mass(id).x()), 0.021);
  EXPECT_NEAR(world.center_of_mass(id).y(), 0.5, 1e-3);
}

TEST(PenaltyOverlap, SmallCubesComeToRestOnTheFloorAndNotInIt) {
  for (const double half : {0.01, 0.05, 0.2}) {
    World world(springs(true));
    world.add(floor_body());
    RigidBody cube = box_body("cube", Vector3d::Constant(half), at(0, 0.3 + half, 0));
    cube.pose.linear() = Eigen::AngleAxisd(0.5, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
    const BodyId id = world.add(cube);
    for (int i = 0; i < 600; ++i) world.step();
    EXPECT_TRUE(world.asleep(id)) << half;
    EXPECT_LT(deepest(world), sag) << half;
    EXPECT_NEAR(world.center_of_mass(id).y(), half, sag) << half;
  }
}

TEST(PenaltyOverlap, DroppedBallRisesNoHigher) {
  for (int phase = 0; phase < 40; ++phase) {
    World world(springs(false));
    world.add(floor_body());
    const double height = 1.9 + 0.01 * phase;
    RigidBody ball = ball_body("ball", 0.3, at(0, 0.3 + height, 0));
    ball.material.restitution = 1;
    const BodyId id = world.add(ball);
    double highest = 0;
    bool bounced = false;
    for (int i = 0; i < 130 && !(bounced && world.velocity(id).y() < 0); ++i) {
      world.step();
      bounced = bounced || world.velocity(id).y() > 0;
      if (bounced) highest = std::max(highest, world.center_of_mass(id).y() - 0.3);
    }
    // Twice what the speed of a bounce without gravity may be off by, see WallGivesNoSpeedToABall.
    EXPECT_LT(highest, (1 + 8e-3) * height) << phase;
    EXPECT_GT(highest, 0.94 * height) << phase;
  }
}

}  // namespace
}  // namespace carom
