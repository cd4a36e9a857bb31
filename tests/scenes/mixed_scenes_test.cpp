#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "carom/io/scene.hpp"
#include "carom/query/query.hpp"

/// Built-in scenes in which rigid bodies, particles and scripted meshes act on each other.
namespace carom {
namespace {

using Eigen::Vector3d;

struct SceneRun {
  explicit SceneRun(const std::string& name, int threads = 0) : scene(find_scene(name)) {
    scene.world.threads = threads;
    world.emplace(build_world(scene));
    for (const BodyId id : world->bodies()) ids[world->name(id)] = id;
  }

  void step() { world->step(); }
  BodyId id(const std::string& name) const { return ids.at(name); }
  Vector3d center(const std::string& name) const {
    const auto positions = world->positions(id(name));
    if (positions.empty()) return world->center_of_mass(id(name));
    Vector3d sum = Vector3d::Zero();
    for (const Vector3d& p : positions) sum += p;
    return sum / static_cast<double>(positions.size());
  }
  double fastest(const std::string& name) const {
    double speed = 0;
    for (const Vector3d& v : world->velocities(id(name))) speed = std::max(speed, v.norm());
    return speed;
  }
  /// Distance between every solid and every triangle of a mesh that is not a solid, by queries of single pairs.
  double smallest_distance() const {
    double smallest = INFINITY;
    for (const BodyId solid : world->bodies()) {
      if (!world->positions(solid).empty()) continue;
      for (const BodyId surface : world->bodies()) {
        const auto positions = world->positions(surface);
        for (const Triangle& t : world->triangles(surface)) {
          const auto corner = [&](int k) {
            return positions[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
          };
          if (positions.empty()) break;
          const Shape triangle = Shape::triangle(corner(0), corner(1), corner(2));
          const auto found = distance(world->shape(solid), world->pose(solid), triangle, Eigen::Isometry3d::Identity());
          smallest = std::min(smallest, found.distance);
        }
      }
    }
    return smallest;
  }

  Scene scene;
  std::optional<World> world{};
  std::map<std::string, BodyId> ids{};
};

/// Runs a scene to its end, and checks now and then that nothing overlaps a surface.
void run_apart(SceneRun& run, int every) {
  for (int step = 0; step < run.scene.steps; ++step) {
    run.step();
    if (step % every == 0) {
      ASSERT_GE(run.smallest_distance(), 0) << run.scene.name << ", step " << step;
    }
  }
  ASSERT_GE(run.smallest_distance(), 0) << run.scene.name;
}

TEST(MixedScenes, TheBallIsCaughtAndTheSheetSwings) {
  SceneRun run("ball-in-sheet");
  const double low = run.center("sheet").y();
  double swing = 0;
  for (int step = 0; step < run.scene.steps; ++step) {
    run.step();
    if (step % 8 == 0) {
      ASSERT_GE(run.smallest_distance(), 0) << "step " << step;
    }
    swing = std::max(swing, std::abs(run.center("sheet").x()));
  }
  EXPECT_GT(swing, 0.004) << "the thrown ball takes the sheet along";
  EXPECT_LT(run.center("sheet").y(), low);
  // Held: in the middle of the sheet, far above the ground, and slow.
  const Vector3d ball = run.center("ball");
  EXPECT_LT(std::hypot(ball.x(), ball.z()), 0.2);
  EXPECT_GT(ball.y(), 0.3);
  EXPECT_LT(ball.y(), 1.2);
  EXPECT_LT(run.world->velocity(run.id("ball")).norm(), 0.5);
}

TEST(MixedScenes, TheSheetSlidesOffTheBoxes) {
  SceneRun run("sheet-on-boxes");
  run_apart(run, 16);
  // All of it is on the floor, beside boxes that stand where they stood.
  for (const Vector3d& p : run.world->positions(run.id("sheet"))) EXPECT_LT(p.y(), 0.25);
  const SceneRun start("sheet-on-boxes");
  for (const char* name : {"left", "right", "top"}) {
    EXPECT_LT((run.center(name) - start.center(name)).norm(), 0.1) << name;
  }
}

TEST(MixedScenes, ThePressMovesRigidBodiesAndParticles) {
  SceneRun run("press");
  const SceneRun start("press");
  run_apart(run, 60);
  for (const char* name : {"crate", "ball", "soft-ball"}) {
    EXPECT_GT(run.center(name).x() - start.center(name).x(), 0.2) << name;
    EXPECT_LT(run.center(name).x(), 5) << name;
  }
  EXPECT_LT(run.fastest("soft-ball"), 0.5);
  EXPECT_LT(run.world->velocity(run.id("crate")).norm(), 0.05);
}

TEST(MixedScenes, TheBalloonPushesTheBoxesOutward) {
  SceneRun run("balloon");
  const SceneRun start("balloon");
  run_apart(run, 16);
  for (int i = 0; i < 6; ++i) {
    const std::string name = "box-" + std::to_string(i);
    const Vector3d before = start.center(name);
    const Vector3d after = run.center(name);
    EXPECT_GT(std::hypot(after.x(), after.z()), std::hypot(before.x(), before.z()) + 0.02) << name;
    EXPECT_LT(run.world->velocity(run.id(name)).norm(), 0.05) << name;
  }
}

TEST(MixedScenes, AreTheSameForAnyNumberOfThreads) {
  for (const char* name : {"ball-in-sheet", "sheet-on-boxes", "press", "balloon"}) {
    SceneRun one(name, 1);
    SceneRun two(name, 2);
    for (int step = 0; step < 90; ++step) {
      one.step();
      two.step();
    }
    EXPECT_EQ(one.world->state_hash(), two.world->state_hash()) << name;
  }
}

}  // namespace
}  // namespace carom
