#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "carom/detect/intersect.hpp"
#include "carom/io/scene.hpp"
#include "carom/mesh/surface.hpp"

/// Built-in scenes of soft bodies that are cut: as many pieces as the cuts make, and nothing intersects on the way.
/// `make soak` runs them for 20 s after the last cut.
namespace carom {
namespace {

std::size_t count_bodies(const World& world, std::string_view name) {
  const auto ids = world.bodies();
  return static_cast<std::size_t>(
      std::count_if(ids.begin(), ids.end(), [&](BodyId id) { return world.name(id).starts_with(name); }));
}

/// Pairs of triangles of all bodies with vertices but the blades, which are in their cuts, that intersect.
std::size_t count_crossings(const World& world) {
  std::vector<Eigen::Vector3d> positions;
  std::vector<Triangle> triangles;
  for (const BodyId id : world.bodies()) {
    const std::string& name = world.name(id);
    if (name == "knife" || name == "scalpel" || name.starts_with("blade")) continue;
    const auto first = static_cast<Index>(positions.size());
    positions.insert(positions.end(), world.positions(id).begin(), world.positions(id).end());
    for (const Triangle& t : world.triangles(id)) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return intersections(Surface(positions.size(), triangles), positions).size();
}

double mass_of(const World& world) {
  return world.balance().mass;
}

/// Runs a scene up to a time (s), and checks every `every`-th frame.
World run_cut(std::string_view name, double until, int every) {
  const Scene scene = find_scene(std::string(name));
  World world = build_world(scene);
  const double mass = mass_of(world);
  EXPECT_EQ(count_crossings(world), 0U) << "at the start";
  const int steps = static_cast<int>(std::lround(until / scene.world.dt));
  for (int step = 1; step <= steps; ++step) {
    world.step();
    // What a blade has cut is no tangle, neither with the blade nor with what else the blade has cut.
    EXPECT_TRUE(world.tangles().empty()) << "step " << step;
    if (!world.tangles().empty()) break;
    if (step % every != 0) continue;
    const std::size_t intersecting = count_crossings(world);
    EXPECT_EQ(intersecting, 0U) << "step " << step;
    if (intersecting > 0) break;
  }
  EXPECT_NEAR(mass_of(world), mass, 1e-12 * mass);
  return world;
}

TEST(CutScenes, LiverBecomesTwo) {
  const World world = run_cut("liver-cut", 2.2, 5);
  EXPECT_EQ(count_bodies(world, "liver"), 2U);
}

/// Nothing is cut before the scalpel moves, at 0.5 s: what falls onto the table may only lose energy. Too few inner
/// steps for such voxels let it gain more than a joule within 20 steps.
TEST(CutScenes, FineLiverGainsNoEnergyBeforeItIsCut) {
  World world = build_world(find_scene("liver-cut-20000"));
  const double begin = world.balance().energy();
  for (int step = 1; step <= 30; ++step) {
    world.step();
    ASSERT_TRUE(world.cuts().empty()) << "step " << step;
    EXPECT_LE(world.balance().energy(), begin) << "step " << step;
  }
}

TEST(CutScenes, BlockBecomesTwentyFiveColumns) {
  const World world = run_cut("criss-cross", 3.2, 10);
  EXPECT_EQ(count_bodies(world, "block"), 25U);
}

TEST(CutScenes, LoafBecomesTenSlices) {
  const World world = run_cut("slice", 3.1, 10);
  EXPECT_EQ(count_bodies(world, "loaf"), 10U);
}

TEST(CutScenes, IncisionOpensAndLeavesOneBody) {
  const World world = run_cut("incision", 3.4, 10);
  EXPECT_EQ(count_bodies(world, "tissue"), 1U);
  // Spatulas are 4 cm apart at the end, so the lips are at least that far apart where they are.
  double left = -INFINITY;
  double right = INFINITY;
  for (const BodyId id : world.bodies()) {
    if (world.name(id) != "tissue") continue;
    const std::vector<std::uint8_t> made = world.cut_triangles(id);
    ASSERT_FALSE(made.empty());
    for (std::size_t t = 0; t < made.size(); ++t) {
      if (made[t] == 0) continue;
      for (const Index v : world.triangles(id)[t]) {
        const Eigen::Vector3d& p = world.positions(id)[static_cast<std::size_t>(v)];
        if (p.y() < 0.09) continue;
        if (std::abs(p.z() + 0.03) < 0.01 && p.x() < 0) left = std::max(left, p.x());
        if (std::abs(p.z() - 0.03) < 0.01 && p.x() > 0) right = std::min(right, p.x());
      }
    }
  }
  EXPECT_LT(left, -0.01);
  EXPECT_GT(right, 0.01);
}

TEST(CutScenes, ScissorsMakeTwoSheets) {
  const Scene scene = find_scene("cut-cloth");
  World world = build_world(scene);
  for (int step = 0; step < scene.steps; ++step) world.step();
  ASSERT_EQ(count_bodies(world, "sheet"), 2U);
  // Both hang from their part of the pinned row, above the ground.
  for (const BodyId id : world.bodies()) {
    if (!world.name(id).starts_with("sheet")) continue;
    double lowest = INFINITY;
    double highest = -INFINITY;
    for (const Triangle& t : world.triangles(id)) {
      for (const Index v : t) {
        lowest = std::min(lowest, world.positions(id)[static_cast<std::size_t>(v)].y());
        highest = std::max(highest, world.positions(id)[static_cast<std::size_t>(v)].y());
      }
    }
    EXPECT_GT(lowest, 0) << world.name(id);
    EXPECT_LT(highest, 2.1) << world.name(id);
  }
}

TEST(CutScenes, TheWeightFallsWhenItsBandIsCut) {
  World world = build_world(find_scene("cut-and-drop"));
  BodyId weight;
  for (const BodyId id : world.bodies()) {
    if (world.name(id) == "weight") weight = id;
  }
  const auto height = [&] { return world.pose(weight).translation().y(); };
  const double before = height();
  const auto parted = [&] {
    return std::any_of(world.cuts().begin(), world.cuts().end(),
                       [](const WorldCut& cut) { return !cut.pieces.empty(); });
  };
  do {
    ASSERT_LT(world.time(), 3);
    world.step();
    EXPECT_GT(height(), before - 0.2) << "the band of a meter stretches, and holds it";
  } while (!parted());
  const double begin = world.time();
  const double from = height();
  const double speed = world.velocity(weight).y();
  while (world.time() < begin + 0.2) world.step();
  // Free fall from where it was and as fast as it was. The band weighs a fiftieth of it.
  const double time = world.time() - begin;
  EXPECT_NEAR(height(), from + speed * time - 0.5 * 9.81 * time * time, 0.02);
  while (world.time() < begin + 1) world.step();
  EXPECT_NEAR(height(), 0.1, 0.02) << "on the ground, on the band or beside it";
  EXPECT_EQ(count_bodies(world, "band"), 2U);
}

}  // namespace
}  // namespace carom
