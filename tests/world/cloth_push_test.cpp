#include <gtest/gtest.h>

#include <cmath>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "oracle/apart.hpp"

// Cloth that is pushed: suddenly, by its own thickness, and out of a shape that it starts in.
namespace carom {
namespace {

using Eigen::Vector3d;

WorldOptions options(double dt, int threads = 1) {
  WorldOptions o;
  o.dt = dt;
  o.contact.distance = 0.01;
  o.threads = threads;
  return o;
}

ClothBody sheet(std::string name, double size, int segments, const Vector3d& at) {
  ClothBody body;
  body.name = std::move(name);
  body.mesh = make_sheet(size, size, segments, segments);
  for (Vector3d& p : body.mesh.positions) p += at;
  return body;
}

/// Four loose sheets, 1.5 cm apart, and a ball that comes up through them at 1.8 m/s for half a second.
World pushed_layers(double dt, int threads = 1) {
  World world(options(dt, threads));
  ScriptedBody ball{.name = "ball", .mesh = make_icosphere(0.15, 3)};
  for (Vector3d& p : ball.mesh.positions) p.y() -= 0.3;
  const std::vector<Vector3d> start = ball.mesh.positions;
  ball.motion = [start](double time, std::span<Vector3d> x) {
    const Vector3d shift = std::min(1.0, time / 0.5) * Vector3d(0.02, 0.9, 0.03);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = start[i] + shift;
  };
  world.add(ball);
  for (int layer = 0; layer < 4; ++layer)
    world.add(sheet("layer " + std::to_string(layer), 1, 20, {0, 0.02 + 0.015 * layer, 0}));
  return world;
}

/// Contacts that were found once in a step of 1/30 s came too late: vertices stopped before impacts strained the rest
/// by a hundred times, and the sheets had 1e4 J of elastic energy.
TEST(ClothPush, SuddenPushOfLayersMakesNoEnergy) {
  for (const double dt : {1.0 / 30, 1.0 / 10}) {
    World world = pushed_layers(dt);
    std::uint64_t repeated = 0;
    // A sheet that takes the speed of the ball at once has 0.4 J; the ball goes on pushing.
    for (int step = 1; step * dt < 0.3; ++step) {
      world.step();
      for (const Counted& entry : world.stats()[Stage::respond].counted()) {
        if (entry.name == "repeated") repeated += entry.count;
      }
      ASSERT_LT(world.balance().elastic_energy, 20) << "dt " << dt << ", step " << step;
      ASSERT_EQ(oracle::count_intersections(world), 0U) << "dt " << dt << ", step " << step;
    }
    EXPECT_GT(repeated, 0U) << "nothing was near in the step before the ball came";
  }
}

/// Sheets that hit a fixed ball at 20 m/s, 0.2 to 0.7 m in a step: what was stopped strained what went on, and was
/// accelerated where it was, to ten times the energy of the start (one sheet: a hundred times). Nothing brings energy
/// in, so there is never more than at the start, but for a fiftieth that the inner steps may leave.
TEST(ClothPush, FastImpactsMakeNoEnergy) {
  struct Impact {
    double dt;
    int layers;
    int segments;
    double radius;  // m, of the ball
  };
  for (const Impact& impact : {Impact{1.0 / 30, 3, 12, 0.2}, Impact{1.0 / 60, 3, 12, 0.2},
                               Impact{1.0 / 120, 3, 12, 0.2}, Impact{1.0 / 60, 1, 40, 0.3}}) {
    WorldOptions o = options(impact.dt);
    o.contact.distance = 0.005;
    World world(o);
    RigidBody ball{.name = "ball", .shape = Shape::sphere(impact.radius)};
    ball.motion = MotionModel::fixed;
    ball.material.friction = 0.4;
    world.add(ball);
    for (int layer = 0; layer < impact.layers; ++layer) {
      ClothBody body = sheet("layer " + std::to_string(layer), 1, impact.segments,
                             {0.003 * layer, impact.radius + 0.05 + 0.02 * layer, 0.002 * layer});
      body.fabric = fabric_by_name("cotton");
      body.velocity = {0, -20, 0};
      body.material.friction = 0.4;
      world.add(body);
    }
    const double start = world.balance().energy();
    for (int step = 1; step * impact.dt < 0.3; ++step) {
      world.step();
      ASSERT_LT(world.balance().energy(), 1.02 * start) << "dt " << impact.dt << ", step " << step;
      ASSERT_EQ(oracle::count_intersections(world), 0U) << "dt " << impact.dt << ", step " << step;
    }
  }
}

TEST(ClothPush, RepeatedStepsAreTheSameForAnyNumberOfThreadsAndAfterASnapshot) {
  World one = pushed_layers(1.0 / 30);
  for (int k = 0; k < 3; ++k) one.step();
  const World::Snapshot before = one.snapshot();
  one.step();
  const std::uint64_t hash = one.state_hash();
  EXPECT_EQ(one.steps(), 4U);
  EXPECT_DOUBLE_EQ(one.time(), 4.0 / 30);
  one.restore(before);
  one.step();
  EXPECT_EQ(one.state_hash(), hash);
  World two = pushed_layers(1.0 / 30, 2);
  for (int k = 0; k < 4; ++k) two.step();
  EXPECT_EQ(two.state_hash(), hash);
}

/// Elastic energy of a sheet with edges of 25 mm that falls on a ball, largest in half a second.
double largest_elastic_energy(double thickness) {
  World world(options(1.0 / 60));
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.15)};
  ball.motion = MotionModel::fixed;
  world.add(ball);
  ClothBody body = sheet("sheet", 0.5, 20, {0.003, 0.2, 0.002});
  body.thickness = thickness;
  world.add(body);
  double largest = 0;
  for (int k = 0; k < 30; ++k) {
    world.step();
    largest = std::max(largest, world.balance().elastic_energy);
  }
  return largest;
}

/// Neighbours in the sheet are nearer than its thickness: contacts between them pushed them apart, with 22 J.
TEST(ClothPush, SheetThickerThanItsEdgesDoesNotPushItselfApart) {
  const double thin = largest_elastic_energy(0.01);
  for (const double thickness : {0.025, 0.04}) EXPECT_LT(largest_elastic_energy(thickness), 3 * thin) << thickness;

  // Flat, pinned at a corner, and four times as thick as its edges: it hangs by its weight, and has no other load.
  World world(options(1.0 / 60));
  ClothBody body = sheet("sheet", 0.5, 20, {0, 0, 0});
  body.thickness = 0.1;
  body.pinned = {0};
  const double start = world.balance().energy();
  world.add(body);
  for (int k = 0; k < 20; ++k) {
    world.step();
    ASSERT_LT(world.balance().energy(), start + 0.01) << k;
  }
}

TEST(ClothPush, StartInAShapeIsToldByNameAndPlace) {
  World world(options(1.0 / 60));
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.2)};
  ball.motion = MotionModel::fixed;
  const BodyId shape = world.add(ball);
  const BodyId cloth = world.add(sheet("sheet", 0.8, 16, {0, 0.15, 0}));
  const BodyId far = world.add(sheet("far", 0.3, 4, {2, 0, 0}));
  world.step();
  const std::vector<WorldTangle> tangles = world.tangles();
  ASSERT_EQ(tangles.size(), 1U);
  EXPECT_EQ(tangles[0].a, cloth);
  EXPECT_EQ(tangles[0].b, shape);
  EXPECT_NE(tangles[0].a, far);
  EXPECT_NEAR(tangles[0].depth, 0.05, 1e-9) << "of the vertex above the middle of the ball";
  EXPECT_NEAR(tangles[0].center.y(), 0.15, 1e-9);
  EXPECT_LT(std::hypot(tangles[0].center.x(), tangles[0].center.z()), 0.02);
  ASSERT_GE(tangles[0].triangles[0], 0);
  EXPECT_EQ(tangles[0].triangles[1], none) << "a shape has no triangles";
  for (const Index v : world.triangles(cloth)[static_cast<std::size_t>(tangles[0].triangles[0])])
    EXPECT_LT(make_sheet(0.8, 0.8, 16, 16).positions[static_cast<std::size_t>(v)].norm(), 0.08);
  for (int k = 0; k < 120 && !world.tangles().empty(); ++k) world.step();
  EXPECT_TRUE(world.tangles().empty()) << "the ball has pushed it out";
}

TEST(ClothPush, ClothThatFallsOnAShapeIsNotToldToStartInIt) {
  World world(options(1.0 / 60));
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.2)};
  ball.motion = MotionModel::fixed;
  world.add(ball);
  world.add(sheet("sheet", 0.8, 16, {0, 0.22, 0}));
  for (int k = 0; k < 30; ++k) {
    world.step();
    ASSERT_TRUE(world.tangles().empty()) << k;
  }
}

}  // namespace
}  // namespace carom
