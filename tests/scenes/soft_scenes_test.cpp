#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/io/scene.hpp"
#include "oracle/apart.hpp"

/// Built-in scenes of soft bodies: a short part of each, in which no two triangles may intersect in any frame. `make
/// soak` runs them to their end.
namespace carom {
namespace {

using Eigen::Vector3d;

BodyId soft_body_of(const World& world, std::string_view name) {
  for (const BodyId id : world.bodies()) {
    if (world.name(id) == name) return id;
  }
  ADD_FAILURE() << "no body is called " << name;
  return {};
}

double lowest_of(const World& world, std::string_view name) {
  double lowest = INFINITY;
  for (const Vector3d& p : world.positions(soft_body_of(world, name))) lowest = std::min(lowest, p.y());
  return lowest;
}

/// Runs a part of a scene and checks every `every`-th frame of it. Returns the largest number of contacts in a step.
std::size_t run_soft(World& world, int steps, int every = 1) {
  std::size_t most = 0;
  EXPECT_EQ(oracle::count_intersections(world), 0U) << "at the start";
  for (int step = 1; step <= steps; ++step) {
    world.step();
    most = std::max(most, world.contacts().size());
    if (step % every != 0) continue;
    const std::size_t intersecting = oracle::count_intersections(world);
    EXPECT_EQ(intersecting, 0U) << "step " << step;
    if (intersecting > 0) break;
  }
  return most;
}

TEST(SoftScenes, ToriDentEachOther) {
  World world = build_world(find_scene("soft-tori-1600"));
  EXPECT_GT(run_soft(world, 50), 20U);
  EXPECT_LT(lowest_of(world, "lower"), -1.39) << "fixed below";
}

TEST(SoftScenes, ToriComeInThreeSizes) {
  for (const int triangles : {1600, 6400, 25600}) {
    const Scene scene = find_scene("soft-tori-" + std::to_string(triangles));
    const SoftBody torus = build(std::get<SoftSceneBody>(scene.bodies[0].body));
    EXPECT_EQ(torus.mesh.triangles.size(), static_cast<std::size_t>(triangles));
  }
}

TEST(SoftScenes, KnotSinks) {
  World world = build_world(find_scene("soft-knot"));
  const auto top = [&] {
    double high = -INFINITY;
    for (const Vector3d& p : world.positions(soft_body_of(world, "knot"))) high = std::max(high, p.y());
    return high;
  };
  const double before = top();
  run_soft(world, 15, 5);
  EXPECT_LT(top(), before - 0.01);
}

TEST(SoftScenes, CubeLiesOnItsEdges) {
  World world = build_world(find_scene("cube-on-plate"));
  run_soft(world, 60);
  EXPECT_GT(lowest_of(world, "cube"), -0.2);
  World without = build_world(find_scene("cube-on-plate-vertices"));
  for (int step = 0; step < 60; ++step) without.step();
  EXPECT_LT(lowest_of(without, "cube"), -0.5) << "it falls through";
}

TEST(SoftScenes, GripperLiftsTheCube) {
  World world = build_world(find_scene("gripper"));
  run_soft(world, 180, 4);
  EXPECT_GT(lowest_of(world, "cube"), 0.05);
}

TEST(SoftScenes, ProbesPressOrgansOfAllSizes) {
  for (const int nodes : {12, 120, 258}) {
    World world = build_world(find_scene("organ-probe-" + std::to_string(nodes)));
    const std::size_t found = world.soft_state(soft_body_of(world, "organ")).nodes;
    EXPECT_LE(found, static_cast<std::size_t>(nodes));
    EXPECT_GE(4 * found, 3U * static_cast<std::size_t>(nodes));
    EXPECT_GT(run_soft(world, 90, 3), 0U) << nodes;
  }
}

}  // namespace
}  // namespace carom
