#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "world/time_budget.hpp"

/// Islands that take different numbers of inner steps, and their twins that do not.
namespace carom {
namespace {

using Eigen::Vector3d;
using namespace time_budget;

/// A sheet, half of it on a plate that slides to the side, that carries a ball and has a weight attached to it.
void add_loaded_sheet(World& world, double x, double importance, int inner_steps) {
  ClothBody sheet;
  sheet.name = "sheet";
  sheet.mesh = mixed::level_sheet(12, 0.6, {x, 0.12, 0});
  sheet.inner_steps = inner_steps;
  sheet.importance = importance;
  sheet.pinned = mixed::vertices_where(sheet.mesh, [&](const Vector3d& p) { return p.z() > 0.29; });
  const BodyId id = world.add(sheet);
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.06), .density = 200};
  ball.pose.translation() = Vector3d(x + 0.02, 0.2, 0.03);
  ball.velocity = {0.1, 0, 0};
  ball.sleeping_allowed = false;
  world.add(ball);
  RigidBody weight{.name = "weight", .shape = Shape::box({0.03, 0.03, 0.03}), .density = 300};
  weight.pose.translation() = Vector3d(x, 0.06, -0.3);
  const BodyId hung = world.add(weight);
  const std::vector<Index> held =
      mixed::vertices_where(sheet.mesh, [&](const Vector3d& p) { return p.z() < -0.29 && std::abs(p.x() - x) < 0.06; });
  world.attach(id, held, hung);
}

World world_with_plate(double budget) {
  World world(options_of({.budget = budget, .distance = 0.02}));
  ScriptedBody plate;
  plate.name = "plate";
  plate.mesh = placed(make_box({6, 0.1, 0.4}, 8), Vector3d(1, 0.05, 0.1));
  plate.motion = [rest = plate.mesh.positions](double time, std::span<Vector3d> positions) {
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = rest[v] + Vector3d(0.2 * time, 0.02 * time, 0);
  };
  world.add(plate);
  return world;
}

/// m and m/s, of a sheet and the two bodies that were added with it, in two worlds where the sheet has the numbers a
/// and b among all bodies.
double farthest_apart(const World& one, std::size_t a, const World& other, std::size_t b) {
  const auto positions = one.positions(one.bodies()[a]);
  double farthest = 0;
  for (std::size_t v = 0; v < positions.size(); ++v)
    farthest = std::max(farthest, (positions[v] - other.positions(other.bodies()[b])[v]).norm());
  for (const std::size_t after : {1U, 2U}) {
    const BodyId body = one.bodies()[a + after];
    const BodyId twin = other.bodies()[b + after];
    farthest = std::max({farthest, (one.center_of_mass(body) - other.center_of_mass(twin)).norm(),
                         (one.velocity(body) - other.velocity(twin)).norm()});
  }
  return farthest;
}

/// The twins of islands with different numbers of inner steps in one world: the important one where there is time
/// enough for both, and so one number for all; the other by itself, with the number that the budget leaves it.
TEST(TimeBudgetIslands, AreSolvedAsIfTheyHadOneNumber) {
  const double vertices = 13 * 13;
  World both = world_with_plate(312.0 / 320 * (2 * asked * cost * vertices / for_inner_steps) * (1 + 1e-9));
  World enough = world_with_plate(1e3);
  for (World* world : {&both, &enough}) {
    add_loaded_sheet(*world, 0, 1, asked);
    add_loaded_sheet(*world, 2, 2, asked);
  }
  World alone = world_with_plate(1e3);
  add_loaded_sheet(alone, 0, 1, 152);
  for (int i = 0; i < 20; ++i) {
    for (World* world : {&both, &enough, &alone}) {
      world->step();
      ASSERT_EQ(count_of(world->stats()[Stage::respond], "rounds"), 1U) << i;
    }
    ASSERT_EQ(both.limited_bodies().size(), 1U) << i;
    EXPECT_EQ(both.limited_bodies()[0].body, both.bodies()[1]);
    EXPECT_EQ(both.limited_bodies()[0].inner_steps, 152);
    EXPECT_TRUE(enough.limited_bodies().empty());
    EXPECT_TRUE(alone.limited_bodies().empty());
    EXPECT_LT(farthest_apart(both, 4, enough, 4), 1e-12) << i;
    EXPECT_LT(farthest_apart(both, 1, alone, 1), 1e-12) << i;
    EXPECT_GT(both.contacts().size(), 100U);
  }
  EXPECT_GT(farthest_apart(both, 1, enough, 1), 1e-6) << "there was something to tell apart";
}

/// The same of soft bodies, whose nodes move in each inner step.
TEST(TimeBudgetIslands, OfSoftBodiesAreSolvedAsIfTheyHadOneNumber) {
  const auto add = [](World& world, double x, double importance, int inner_steps) {
    SoftBody ball;
    ball.name = "ball";
    ball.mesh = placed(make_icosphere(0.1, 2), Vector3d(x, 0.122, 0));
    ball.degrees_of_freedom = 600;
    ball.elasticity = {.density = 500, .young_modulus = 3e4, .poisson_ratio = 0.4, .damping = 0.01};
    ball.inner_steps = inner_steps;
    ball.importance = importance;
    return world.add(ball);
  };
  const auto world_with_ground = [](double budget) {
    World world(options_of({.budget = budget, .distance = 0.02}));
    world.add(RigidBody{.name = "ground", .shape = Shape::half_space({0, 1, 0}, 0), .motion = MotionModel::fixed});
    return world;
  };
  World alone = world_with_ground(1e3);
  const BodyId twin = add(alone, 0, 1, 152);
  const auto work = static_cast<double>(alone.positions(twin).size() + alone.soft_state(twin).elements);
  World both = world_with_ground(312.0 / 320 * (2 * asked * cost * work / for_inner_steps) * (1 + 1e-9));
  World enough = world_with_ground(1e3);
  std::array<BodyId, 2> balls;
  for (World* world : {&both, &enough}) {
    balls[0] = add(*world, 0, 1, asked);
    balls[1] = add(*world, 2, 2, asked);
  }
  for (int i = 0; i < 30; ++i) {
    for (World* world : {&both, &enough, &alone}) {
      world->step();
      ASSERT_EQ(count_of(world->stats()[Stage::respond], "rounds"), 1U) << i;
    }
    ASSERT_EQ(both.limited_bodies().size(), 1U) << i;
    EXPECT_EQ(both.limited_bodies()[0].body, balls[0]);
    EXPECT_EQ(both.limited_bodies()[0].inner_steps, 152);
    for (std::size_t n = 0; n < both.nodes(balls[0]).size(); ++n) {
      ASSERT_LT((both.nodes(balls[0])[n] - alone.nodes(twin)[n]).norm(), 1e-12) << i;
      ASSERT_LT((both.nodes(balls[1])[n] - enough.nodes(balls[1])[n]).norm(), 1e-12) << i;
    }
  }
  EXPECT_GT(both.contacts().size(), 10U);
  EXPECT_GT((both.nodes(balls[0])[0] - enough.nodes(balls[0])[0]).norm(), 1e-12) << "there was something to tell apart";
}

/// The same of soft bodies that hang on one moving mesh: each island sees it move over the whole step.
TEST(TimeBudgetIslands, ThatHangOnOneMovingMeshAreSolvedAsIfTheyHadOneNumber) {
  const auto add = [](World& world, BodyId plate, double x, double importance, int inner_steps) {
    SoftBody cube;
    cube.name = "cube";
    cube.mesh = placed(make_box({0.2, 0.2, 0.2}, 4), Vector3d(x, 1, 0));
    cube.degrees_of_freedom = 600;
    cube.elasticity = {.density = 300, .young_modulus = 1e5, .poisson_ratio = 0.3, .damping = 0.01};
    cube.inner_steps = inner_steps;
    cube.importance = importance;
    const std::vector<Index> top = mixed::vertices_where(cube.mesh, [](const Vector3d& p) { return p.y() > 1.099; });
    const BodyId id = world.add(cube);
    world.attach(id, top, plate);
    return id;
  };
  const auto with_plate = [](double budget, BodyId& plate) {
    World world(options_of({.budget = budget, .distance = 0.02}));
    ScriptedBody body;
    body.name = "plate";
    body.mesh = mixed::level_sheet(8, 4, {1, 1.13, 0});
    body.motion = [rest = body.mesh.positions](double time, std::span<Vector3d> positions) {
      const Vector3d by(0.3 * std::sin(3 * time), 0.1 * std::sin(5 * time), 0);
      for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = rest[v] + by;
    };
    plate = world.add(body);
    return world;
  };
  BodyId plate;
  World alone = with_plate(1e3, plate);
  const BodyId twin = add(alone, plate, 0, 1, 152);
  const auto work = static_cast<double>(alone.positions(twin).size() + alone.soft_state(twin).elements);
  World both = with_plate(312.0 / 320 * (2 * asked * cost * work / for_inner_steps) * (1 + 1e-9), plate);
  World enough = with_plate(1e3, plate);
  std::array<BodyId, 2> cubes;
  for (World* world : {&both, &enough}) {
    cubes[0] = add(*world, plate, 0, 1, asked);
    cubes[1] = add(*world, plate, 2, 2, asked);
  }
  for (int i = 0; i < 30; ++i) {
    for (World* world : {&both, &enough, &alone}) {
      world->step();
      ASSERT_EQ(count_of(world->stats()[Stage::respond], "rounds"), 1U) << i;
    }
    ASSERT_EQ(both.limited_bodies().size(), 1U) << i;
    EXPECT_EQ(both.limited_bodies()[0].body, cubes[0]);
    for (std::size_t n = 0; n < both.nodes(cubes[0]).size(); ++n) {
      ASSERT_LT((both.nodes(cubes[0])[n] - alone.nodes(twin)[n]).norm(), 1e-12) << i;
      ASSERT_LT((both.nodes(cubes[1])[n] - enough.nodes(cubes[1])[n]).norm(), 1e-12) << i;
    }
  }
}

}  // namespace
}  // namespace carom
