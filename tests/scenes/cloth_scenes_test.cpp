#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/io/scene.hpp"
#include "oracle/apart.hpp"

/// Built-in scenes of cloth: a short part of each, in which no two triangles may intersect in any frame. `make soak`
/// runs them to their end, at three lengths of a step.
namespace carom {
namespace {

using Eigen::Vector3d;

BodyId body_of(const World& world, std::string_view name) {
  for (const BodyId id : world.bodies()) {
    if (world.name(id) == name) return id;
  }
  ADD_FAILURE() << "no body is called " << name;
  return {};
}

double lowest_of(const World& world, std::string_view name) {
  double lowest = INFINITY;
  for (const Vector3d& p : world.positions(body_of(world, name))) lowest = std::min(lowest, p.y());
  return lowest;
}

/// Runs a part of a scene and checks every frame of it. Returns the largest number of contacts in a step.
std::size_t run_apart(World& world, int steps) {
  std::size_t most = 0;
  EXPECT_EQ(oracle::count_intersections(world), 0U) << "at the start";
  for (int step = 1; step <= steps; ++step) {
    world.step();
    most = std::max(most, world.contacts().size());
    const std::size_t intersecting = oracle::count_intersections(world);
    EXPECT_EQ(intersecting, 0U) << "step " << step;
    if (intersecting > 0) break;
  }
  return most;
}

TEST(ClothScenes, ClothDrapesOverTheBall) {
  World world = build_world(find_scene("cloth-on-ball-18"));
  EXPECT_GT(run_apart(world, 80), 300U);
  EXPECT_LT(lowest_of(world, "cloth"), -0.2) << "its corners hang down";
  for (const Vector3d& p : world.positions(body_of(world, "cloth"))) ASSERT_GT(p.norm(), 0.49);
}

TEST(ClothScenes, ClothOnBallComesInThreeSizes) {
  for (const int vertices : {18, 69, 200}) {
    const Scene scene = find_scene("cloth-on-ball-" + std::to_string(vertices));
    const ClothBody cloth = build(std::get<ClothSceneBody>(scene.bodies[1].body));
    EXPECT_EQ(cloth.mesh.positions.size(), static_cast<std::size_t>(vertices * vertices));
    const ScriptedBody ball = build(std::get<ScriptedSceneBody>(scene.bodies[0].body));
    std::vector<Vector3d> early(ball.mesh.positions.size());
    std::vector<Vector3d> late = early;
    ball.motion(1, early);
    ball.motion(3, late);
    EXPECT_NEAR((late[0] - early[0]).x(), 0.6, 1e-12) << "the ball moves";
  }
}

TEST(ClothScenes, LevelsAreFineWhereTheClothTouchesTheBall) {
  Scene scene = find_scene("cloth-on-ball-levels");
  World world = build_world(scene);
  const BodyId cloth = body_of(world, "cloth");
  run_apart(world, 24);
  std::size_t coarse = 0;
  for (const std::uint8_t level : world.vertex_levels(cloth)) coarse += level > 0 ? 1 : 0;
  EXPECT_GT(coarse, world.vertex_levels(cloth).size() / 4);
  EXPECT_LT(coarse, world.vertex_levels(cloth).size()) << "around the ball they are all fine";
}

TEST(ClothScenes, BalloonSwellsAndPushesTheBoxesOutward) {
  World world = build_world(find_scene("balloon"));
  const auto distance = [&](int i) {
    const Vector3d p = world.center_of_mass(body_of(world, "box-" + std::to_string(i)));
    return std::hypot(p.x(), p.z());
  };
  const double start = distance(0);
  run_apart(world, 90);
  for (int i = 0; i < 6; ++i) EXPECT_GT(distance(i), start + 0.01) << i;
}

TEST(ClothScenes, FlagFluttersDownwind) {
  World world = build_world(find_scene("flag"));
  const BodyId flag = body_of(world, "flag");
  const auto mean = [&] {
    Vector3d sum = Vector3d::Zero();
    for (const Vector3d& p : world.positions(flag)) sum += p;
    return Vector3d(sum / static_cast<double>(world.positions(flag).size()));
  };
  const Vector3d before = mean();
  run_apart(world, 30);
  EXPECT_GT(mean().z(), before.z() + 0.02) << "the wind has a part across the flag";
  EXPECT_GT(mean().x(), 0.5) << "and holds it up along the rest";
}

TEST(ClothScenes, SheetsOfTheStackStayInOrder) {
  World world = build_world(find_scene("stack"));
  EXPECT_GT(run_apart(world, 14), 1000U);
  double below = -INFINITY;
  for (int k = 0; k < 10; ++k) {
    const auto positions = world.positions(body_of(world, "sheet-" + std::to_string(k)));
    double highest = -INFINITY;
    for (const Vector3d& p : positions) highest = std::max(highest, p.y());
    EXPECT_GT(highest, below) << "sheet " << k;
    below = highest;
  }
}

TEST(ClothScenes, NeedleDoesNotPass) {
  World world = build_world(find_scene("needle"));
  run_apart(world, 40);
  const BodyId needle = body_of(world, "needle");
  // Its path from 20 cm at 6 m/s would have led it 4 m down.
  EXPECT_GT(world.center_of_mass(needle).y(), -0.1);
  EXPECT_GT(world.velocity(needle).y(), -1) << "the sheet has stopped it";
}

TEST(ClothScenes, TrampolineThrowsTheBoxUp) {
  World world = build_world(find_scene("trampoline"));
  const BodyId box = body_of(world, "box");
  EXPECT_DOUBLE_EQ(world.mass(box), 10);
  double lowest = INFINITY;
  double fastest_up = 0;
  for (int step = 0; step < 60; ++step) {
    world.step();
    ASSERT_EQ(oracle::count_intersections(world), 0U) << "step " << step;
    lowest = std::min(lowest, world.center_of_mass(box).y());
    fastest_up = std::max(fastest_up, world.velocity(box).y());
  }
  EXPECT_LT(lowest, 1.1) << "the sheet sags below its frame";
  EXPECT_GT(lowest, 0.4);
  EXPECT_GT(fastest_up, 1);
}

/// Height of the box and energy of all at the deepest point, and the fastest that the box goes up after it.
struct Bounce {
  double lowest = INFINITY;  // m
  double energy = 0;         // J
  double elastic = 0;        // J
  double fastest = 0;        // m/s
  double start_energy = 0;   // J
};

Bounce bounce_of(int inner_steps) {
  Scene scene = find_scene("trampoline");
  std::get<ClothSceneBody>(scene.bodies[1].body).inner_steps = inner_steps;
  World world = build_world(scene);
  const BodyId box = body_of(world, "box");
  Bounce bounce{.start_energy = world.balance().energy()};
  for (int step = 0; step < 52; ++step) {
    world.step();
    const double y = world.center_of_mass(box).y();
    if (y < bounce.lowest) {
      bounce.lowest = y;
      bounce.energy = world.balance().energy();
      bounce.elastic = world.balance().elastic_energy;
    }
    bounce.fastest = std::max(bounce.fastest, world.velocity(box).y());
  }
  return bounce;
}

/// With as many inner steps as the sheet takes by itself, and with so many that the rest does not matter.
TEST(ClothScenes, TrampolineThrowsAsHighWithDefaultInnerStepsAsWithMany) {
  const Bounce given = bounce_of(0);
  const Bounce truth = bounce_of(480);
  // What the box has lost in height is in the sheet, and what inner steps leave on top; it was 2.2 times the start.
  EXPECT_LT(truth.energy, 1.05 * truth.start_energy);
  EXPECT_LT(given.energy, 1.2 * given.start_energy);
  EXPECT_NEAR(given.lowest, truth.lowest, 0.03);
  EXPECT_NEAR(given.fastest, truth.fastest, 0.05 * truth.fastest);
}

TEST(ClothScenes, HangingSheetStopsTheBalls) {
  World world = build_world(find_scene("net-catch"));
  run_apart(world, 30);
  EXPECT_GT(world.center_of_mass(body_of(world, "ball-0")).z(), -1.2) << "it would be 3 m behind the sheet";
}

TEST(ClothScenes, CurtainIsGathered) {
  World world = build_world(find_scene("curtain"));
  const BodyId curtain = body_of(world, "curtain");
  run_apart(world, 60);
  double left = INFINITY;
  double right = -INFINITY;
  for (const Vector3d& p : world.positions(curtain)) {
    left = std::min(left, p.x());
    right = std::max(right, p.x());
  }
  EXPECT_LT(right - left, 1.95) << "it was 2 m wide";
}

TEST(ClothScenes, TwistTurnsBothEnds) {
  World world = build_world(find_scene("twist"));
  const BodyId sheet = body_of(world, "sheet");
  const Vector3d corner = world.positions(sheet)[0];
  run_apart(world, 60);
  // A quarter of a turn in half a second, so half of one.
  const Vector3d turned = world.positions(sheet)[0];
  EXPECT_LT((Vector3d(0, turned.y(), turned.z()) - Vector3d(0, -corner.y(), -corner.z())).norm(), 1e-9);
  EXPECT_GT(turned.x(), corner.x()) << "the ends come nearer";
}

TEST(ClothScenes, ClothFollowsOverTheEdge) {
  World world = build_world(find_scene("table-edge"));
  run_apart(world, 45);
  EXPECT_LT(lowest_of(world, "cloth"), -0.9) << "its pulled end is below the table's top";
}

TEST(ClothScenes, ReefKnotHoldsItsRibbons) {
  World world = build_world(find_scene("reef-knot"));
  EXPECT_GT(run_apart(world, 60), 0U);
}

/// Until its sides have closed, and beyond.
TEST(ClothScenes, ShirtIsSewnAroundTheFigure) {
  World world = build_world(find_scene("shirt"));
  const BodyId shirt = body_of(world, "shirt");
  const std::size_t stitches = world.joint_count();
  EXPECT_GT(stitches, 40U);
  run_apart(world, 110);
  EXPECT_LT(world.joint_count(), stitches / 10) << "nearly all seams have become one";
  // It hangs on the shoulders: its upper edge was 1.53 m high and fell a little, its hem is above the knees.
  double highest = -INFINITY;
  for (const Vector3d& p : world.positions(shirt)) highest = std::max(highest, p.y());
  EXPECT_GT(highest, 1.38);
  EXPECT_GT(lowest_of(world, "shirt"), 0.7);
}

}  // namespace
}  // namespace carom
