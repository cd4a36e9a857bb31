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

/// Highest vertex, m.
double highest_of(const World& world, std::string_view name) {
  double highest = -INFINITY;
  for (const Vector3d& p : world.positions(soft_body_of(world, name))) highest = std::max(highest, p.y());
  return highest;
}

Vector3d center_of(const World& world, std::string_view name) {
  Vector3d sum = Vector3d::Zero();
  const auto positions = world.positions(soft_body_of(world, name));
  for (const Vector3d& p : positions) sum += p;
  return sum / static_cast<double>(positions.size());
}

/// Fastest vertex, m/s.
double fastest_of(const World& world, std::string_view name) {
  double fastest = 0;
  for (const Vector3d& v : world.velocities(soft_body_of(world, name))) fastest = std::max(fastest, v.norm());
  return fastest;
}

/// Runs a part of a scene and checks every `every`-th frame of it: all of them where that takes seconds. Returns the
/// largest number of contacts in a step.
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
  run_soft(world, 100);
  EXPECT_LT(highest_of(world, "upper"), -1.4) << "the upper one slides off, and falls away";
  EXPECT_GT(center_of(world, "upper").x(), 1.5) << "to the right";
}

/// Penalty forces of the thesis hold what is put down, without continuous detection.
TEST(SoftScenes, PenaltyHoldsTori) {
  World world = build_world(find_scene("soft-tori-penalty"));
  const double start = world.balance().energy();
  double low = start;
  std::size_t contacts = 0;
  for (int step = 1; step <= 500; ++step) {
    world.step();
    contacts = std::max(contacts, world.contacts().size());
    const double energy = world.balance().energy();
    ASSERT_LT(energy, low + 0.01 * std::abs(start)) << "step " << step;
    low = std::min(low, energy);
    ASSERT_EQ(oracle::count_intersections(world), 0U) << "step " << step;
  }
  EXPECT_GT(contacts, 15U);
  EXPECT_GT(center_of(world, "upper").x(), 1.5) << "it slid off to the right";
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
  run_soft(world, 15);
  EXPECT_LT(top(), before - 0.01);
}

/// Figure 5 of document 000. The border of the plate is the z axis.
TEST(SoftScenes, CubeTipsOverTheBorderAndLiesOnItByItsEdges) {
  World world = build_world(find_scene("cube-on-plate"));
  int first = 0;
  std::size_t at_first = 0;
  std::size_t of_edges_at_last = 0;
  for (int step = 1; step <= 110; ++step) {
    world.step();
    if (first == 0 && !world.contacts().empty()) {
      first = step;
      at_first = world.contacts().size();
    }
    ASSERT_EQ(oracle::count_intersections(world), 0U) << "step " << step;
  }
  EXPECT_LE(at_first, 2U) << "by a vertex first";
  for (const WorldContact& c : world.contacts()) {
    if (c.point_a.x() > -0.02) ++of_edges_at_last;
  }
  EXPECT_GT(of_edges_at_last, 0U) << "on the border";
  EXPECT_LT(fastest_of(world, "cube"), 0.02) << "at rest";
  EXPECT_GT(center_of(world, "cube").y(), 0.05) << "on the plate";
}

TEST(SoftScenes, WithoutContactsOfEdgesTheBorderPassesThroughTheCube) {
  World world = build_world(find_scene("cube-on-plate-vertices"));
  std::size_t largest = 0;
  for (int step = 1; step <= 240; ++step) {
    world.step();
    if (step % 20 == 0) largest = std::max(largest, oracle::count_intersections(world));
  }
  EXPECT_GT(largest, 0U);
  EXPECT_GT(oracle::count_intersections(world), 0U) << "at the end, too";
  EXPECT_LT(center_of(world, "cube").y(), -0.2) << "it hangs";
  EXPECT_GT(highest_of(world, "cube"), -0.05) << "from vertices that lie on the plate";
  EXPECT_LT(fastest_of(world, "cube"), 0.2) << "and comes to rest";
}

TEST(SoftScenes, BallIsPressedThroughTheRing) {
  World world = build_world(find_scene("squeeze"));
  EXPECT_GT(lowest_of(world, "ball"), 0.08);
  run_soft(world, 160, 20);
  EXPECT_LT(highest_of(world, "ball"), -0.08) << "below the ring, whose tube has a radius of 0.08 m";
}

TEST(SoftScenes, BallsLieInThePit) {
  World world = build_world(find_scene("ball-pit"));
  EXPECT_GT(run_soft(world, 30, 15), 500U);
  for (const BodyId id : world.bodies()) {
    if (world.motion(id) != MotionModel::particles) continue;
    for (const Vector3d& p : world.positions(id)) {
      ASSERT_GT(p.y(), 0) << world.name(id);
      ASSERT_LT(std::max(std::abs(p.x()), std::abs(p.z())), 0.44) << world.name(id);
    }
  }
}

TEST(SoftScenes, JellyStackStands) {
  World world = build_world(find_scene("jelly-stack"));
  run_soft(world, 150);
  // Five cubes of 0.12 m, and what their weight takes.
  EXPECT_GT(highest_of(world, "jelly-5"), 0.54);
  EXPECT_LT(highest_of(world, "jelly-5"), 0.63);
  for (const char* name : {"jelly-1", "jelly-2", "jelly-3", "jelly-4", "jelly-5"}) {
    EXPECT_LT(fastest_of(world, name), 0.02) << name;
    const Vector3d center = center_of(world, name);
    EXPECT_LT(std::hypot(center.x(), center.z()), 0.02) << name << " stands on the others";
  }
}

TEST(SoftScenes, OrganIsPressedIntoTheBone) {
  World world = build_world(find_scene("organ-on-bone"));
  run_soft(world, 80, 40);
  EXPECT_LT(fastest_of(world, "organ"), 0.05) << "it lies in the ring";
  const double lying = highest_of(world, "organ");
  EXPECT_GT(center_of(world, "organ").y(), 0.02);
  run_soft(world, 75, 25);
  // The tool is over the middle, which goes down.
  double middle = INFINITY;
  for (const Vector3d& p : world.positions(soft_body_of(world, "organ"))) {
    if (std::hypot(p.x() - 0.01, p.z()) < 0.02 && p.y() > center_of(world, "organ").y())
      middle = std::min(middle, p.y());
  }
  EXPECT_LT(middle, lying - 0.02);
}

TEST(SoftScenes, ProbePressesAFineOrgan) {
  World world = build_world(find_scene("organ-probe-20000"));
  EXPECT_GT(run_soft(world, 55), 5U);
}

TEST(SoftScenes, GripperLiftsTheCube) {
  World world = build_world(find_scene("gripper"));
  run_soft(world, 180);
  EXPECT_GT(lowest_of(world, "cube"), 0.05);
}

TEST(SoftScenes, ProbesPressOrgansOfAllSizes) {
  for (const int nodes : {12, 120, 258}) {
    World world = build_world(find_scene("organ-probe-" + std::to_string(nodes)));
    const std::size_t found = world.soft_state(soft_body_of(world, "organ")).nodes;
    EXPECT_LE(found, static_cast<std::size_t>(nodes));
    EXPECT_GE(4 * found, 3U * static_cast<std::size_t>(nodes));
    EXPECT_GT(run_soft(world, 90), 0U) << nodes;
  }
}

}  // namespace
}  // namespace carom
