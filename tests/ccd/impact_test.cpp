#include <gtest/gtest.h>

#include <cmath>

#include "carom/query/query.hpp"
#include "carom/world/world.hpp"
#include "scenes/rigid_parts.hpp"

// Single impacts, and clouds of bodies at all speeds against a look at every pair.
namespace carom {
namespace {

using Eigen::Vector3d;

class Impacts : public testing::TestWithParam<std::string> {
 protected:
  World make_world(double dt) const {
    WorldOptions options;
    options.dt = dt;
    options.gravity.setZero();
    options.solver.sleep.enabled = false;
    options.response = GetParam();
    return World(options);
  }
  static BodyId add(World& world, const Shape& shape, double z, double speed, MotionModel kind = MotionModel::rigid) {
    RigidBody body;
    body.name = "body";
    body.shape = shape;
    body.pose.translation().z() = z;
    body.velocity = {0, 0, speed};
    body.motion = kind;
    return world.add(body);
  }
  static std::uint64_t counted(const World& world, std::string_view name) {
    for (const Counted& c : world.stats()[Stage::commit].counted()) {
      if (c.name == name) return c.count;
    }
    return 0;
  }
};

/// A plate that a piston runs into through a ball stays beyond the ball.
TEST_P(Impacts, APistonCarriesABallAndThePlateInFrontOfIt) {
  World world = make_world(1.0 / 60);
  const BodyId piston = add(world, Shape::box({1, 1, 0.01}), 0, 70, MotionModel::scripted);
  const BodyId ball = add(world, Shape::sphere(0.05), 0.3, 0);
  const BodyId plate = add(world, Shape::box({1, 1, 0.03}), 1.6, -5);
  for (int step = 0; step < 30; ++step) {
    world.step();
    ASSERT_LT(world.center_of_mass(piston).z(), world.center_of_mass(ball).z()) << step;
    ASSERT_LT(world.center_of_mass(ball).z(), world.center_of_mass(plate).z()) << step;
  }
}

/// Two cubes of 1 m, of which one is slow: none of them is in the other after the step.
TEST_P(Impacts, ASlowCubeDoesNotGoOnIntoAFastOne) {
  World world = make_world(1e-3);
  const Shape cube = Shape::box({0.5, 0.5, 0.5});
  const BodyId fast = add(world, cube, -1, 2000);
  const BodyId slow = add(world, cube, 1, -100);
  world.step();
  EXPECT_GT(distance(cube, world.pose(fast), cube, world.pose(slow)).distance, 0);
  for (int step = 0; step < 20; ++step) {
    world.step();
    EXPECT_GT(distance(cube, world.pose(fast), cube, world.pose(slow)).distance, -0.01) << step;
  }
  EXPECT_LE(world.velocity(fast).z(), world.velocity(slow).z() + 1e-6);
}

/// A body that catches up with a faster one than the step can show pushes it: it does not follow at a distance for
/// good.
TEST_P(Impacts, AFastBodyPushesTheOneItCatchesUpWith) {
  World world = make_world(1.0 / 60);
  const BodyId behind = add(world, Shape::sphere(0.05), 0, 700);
  const BodyId ahead = add(world, Shape::sphere(0.05), 1, 250);
  for (int step = 0; step < 10; ++step) {
    world.step();
    ASSERT_LT(world.center_of_mass(behind).z(), world.center_of_mass(ahead).z());
  }
  EXPECT_LE(world.velocity(behind).z(), world.velocity(ahead).z() + 1e-6);
  EXPECT_NEAR(world.velocity(behind).z() + world.velocity(ahead).z(), 950, 1e-6);
}

/// A heavy body that light ones hit goes on: it does not wait for the end of the step each time.
TEST_P(Impacts, AHeavyBodyGoesOnWhereLightOnesHitIt) {
  World world = make_world(1.0 / 60);
  const BodyId heavy = add(world, Shape::box({0.5, 0.5, 0.5}), 0, 10);
  for (int i = 0; i < 20; ++i) add(world, Shape::sphere(0.01), 3 + 1.7 * i, -300);
  for (int step = 0; step < 10; ++step) world.step();
  EXPECT_NEAR(world.center_of_mass(heavy).z(), 10 * 10.0 / 60, 0.05);
}

TEST_P(Impacts, ABodyBetweenAPistonAndAWallIsCountedAsSqueezed) {
  World world = make_world(1.0 / 60);
  add(world, Shape::box({1, 1, 0.01}), 0, 100, MotionModel::scripted);
  const BodyId ball = add(world, Shape::sphere(0.05), 0.3, 0);
  add(world, Shape::box({1, 1, 0.1}), 1, 0, MotionModel::fixed);
  world.step();
  EXPECT_EQ(counted(world, "squeezed"), 1U);
  EXPECT_EQ(counted(world, "carried"), 0U);
  EXPECT_LT(world.center_of_mass(ball).z(), 0.9);
  EXPECT_GT(world.center_of_mass(ball).z(), 0.3);
}

/// A fall that ends at the floor within a step gives no speed beyond it.
TEST_P(Impacts, ABodyThatStopsAtTheFloorHasTheSpeedOfItsFall) {
  WorldOptions options;
  options.dt = 1.0 / 20;
  options.gravity = {0, 0, -9.81};
  options.response = GetParam();
  World world(options);
  add(world, Shape::half_space({0, 0, 1}, 0), 0, 0, MotionModel::fixed);
  const BodyId ball = add(world, Shape::sphere(0.01), 2.013, -10);
  const auto energy = [&] { return 0.5 * world.velocity(ball).squaredNorm() + 9.81 * world.center_of_mass(ball).z(); };
  const double before = energy();
  for (int step = 0; step < 8; ++step) {
    world.step();
    ASSERT_LE(energy(), before * (1 + 1e-9)) << step;
  }
}

/// Bodies of all sizes, some of them scripted, at up to 300 m/s: at the end of no step is one in another by more than
/// the inequality of the stage allows, of all pairs of which none was squeezed.
TEST_P(Impacts, NoPairOfACloudOverlapsMoreThanItMay) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    scenes::Chance chance(seed);
    World world = make_world(seed % 2 == 0 ? 1.0 / 60 : 1e-3);
    std::vector<BodyId> ids;
    std::vector<Shape> shapes;
    std::vector<double> thickness;
    for (int i = 0; i < 40; ++i) {
      RigidBody body;
      body.name = "body";
      const double half = std::pow(10, chance.number(-2, -0.7));
      const bool ball = i % 2 == 0;
      const Vector3d box(half, 0.2, 0.3);
      body.shape = ball ? Shape::sphere(half) : Shape::box(box);
      thickness.push_back(ball ? 0.5 * half : std::min(half, 0.5 * box.norm()));
      // One place for each, in a grid.
      body.pose.translation() = Vector3d(i % 4, i / 4 % 4, i / 16) * 0.9;
      if (!ball) body.pose.linear() = Eigen::AngleAxisd(chance.number(0, 3), chance.direction()).toRotationMatrix();
      body.velocity = std::pow(10, chance.number(0, 2.5)) * chance.direction();
      body.angular_velocity = 10 * chance.direction();
      body.density = std::pow(10, chance.number(1, 4));
      body.motion = i == 0 ? MotionModel::scripted : MotionModel::rigid;
      shapes.push_back(body.shape);
      ids.push_back(world.add(body));
    }
    for (int step = 0; step < 20; ++step) {
      world.step();
      if (counted(world, "squeezed") > 0) break;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
          const double d = distance(shapes[i], world.pose(ids[i]), shapes[k], world.pose(ids[k])).distance;
          EXPECT_GT(d, -1.25 * std::min(thickness[i], thickness[k])) << "seed " << seed << ", step " << step;
        }
      }
    }
  }
}

/// Hulls that are thrown into a pit, and into each other.
TEST(FastHulls, AreTheSameForAnyNumberOfThreads) {
  const auto end = [](std::uint32_t seed, int threads) {
    scenes::Chance chance(seed);
    WorldOptions options;
    options.threads = threads;
    World world(options);
    RigidBody floor;
    floor.name = "floor";
    floor.shape = Shape::half_space({0, 1, 0}, 0);
    floor.motion = MotionModel::fixed;
    world.add(floor);
    for (int i = 0; i < 150; ++i) {
      RigidBody body;
      body.name = "hull";
      std::vector<Vector3d> points;
      for (int k = chance.integer(12, 24); k > 0; --k) points.push_back(0.3 * chance.direction());
      body.shape = Shape::hull(points);
      body.pose.translation() = Vector3d(0.7 * (i % 5), 0.6 + 0.7 * (i / 25), 0.7 * (i / 5 % 5));
      body.velocity = chance.in_cube(40);
      world.add(body);
    }
    for (int step = 0; step < 15; ++step) world.step();
    return world.state_hash();
  };
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    const std::uint64_t one = end(seed, 1);
    EXPECT_EQ(one, end(seed, 2)) << seed;
    EXPECT_EQ(one, end(seed, 3)) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Responses, Impacts, testing::Values("soft", "impulse", "lcp", "penalty"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace carom
