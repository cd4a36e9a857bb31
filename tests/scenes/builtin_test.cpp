#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"
#include "scenes/crossings.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

/// All kinematic bodies of a scene as one surface.
struct Snapshot {
  std::vector<Vector3d> positions;
  std::vector<Triangle> triangles;
  std::vector<Index> objects;

  void add(std::span<const Vector3d> more, std::span<const Triangle> more_triangles, Index object) {
    const auto offset = static_cast<Index>(positions.size());
    positions.insert(positions.end(), more.begin(), more.end());
    for (const Triangle& t : more_triangles) {
      triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
      objects.push_back(object);
    }
  }
};

std::vector<ScriptedBody> build_bodies(const Scene& scene) {
  std::vector<ScriptedBody> bodies;
  for (const SceneBody& spec : scene.bodies) {
    bodies.push_back(build(std::get<ScriptedSceneBody>(spec.body)));
  }
  return bodies;
}

Snapshot snapshot(const std::vector<ScriptedBody>& bodies, double time) {
  Snapshot result;
  Index object = 0;
  for (const ScriptedBody& body : bodies) {
    std::vector<Vector3d> positions(body.mesh.positions.size());
    body.motion(time, positions);
    result.add(positions, body.mesh.triangles, object++);
  }
  return result;
}

Snapshot snapshot(const World& world) {
  Snapshot result;
  Index object = 0;
  for (const BodyId body : world.bodies()) result.add(world.positions(body), world.triangles(body), object++);
  return result;
}

std::size_t count_contacts(const Scene& scene, double time) {
  const Snapshot frame = snapshot(build_bodies(scene), time);
  const Surface surface(frame.positions.size(), frame.triangles, frame.objects);
  return detect(surface, frame.positions,
                {.distance = scene.world.contact.distance, .pairs = scene.world.contact.pairs, .method = "auto"})
      .size();
}

/// Contacts after each step.
std::vector<std::size_t> run(const Scene& scene) {
  World world = build_world(scene);
  std::vector<std::size_t> counts;
  for (int step = 0; step < scene.steps; ++step) {
    world.step();
    counts.push_back(world.contacts().size());
  }
  return counts;
}

std::size_t frames_with_contacts(const std::vector<std::size_t>& counts) {
  return counts.size() - static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0U));
}

void expect_continuous(const Scene& scene, double fastest) {
  const std::vector<ScriptedBody> bodies = build_bodies(scene);
  Snapshot before = snapshot(bodies, 0);
  for (int step = 1; step <= scene.steps; ++step) {
    const Snapshot now = snapshot(bodies, step * scene.world.dt);
    double farthest = 0;
    for (std::size_t i = 0; i < now.positions.size(); ++i) {
      farthest = std::max(farthest, (now.positions[i] - before.positions[i]).norm());
    }
    ASSERT_LT(farthest, fastest * scene.world.dt) << "step " << step;
    before = now;
  }
}

TEST(BuiltinScenes, AreFoundByName) {
  for (const BuiltinScene& builtin : builtin_scenes()) {
    EXPECT_EQ(find_scene(std::string(builtin.name)).name, builtin.name);
    EXPECT_FALSE(builtin.description.empty());
  }
  EXPECT_EQ(find_scene("two-tori").name, "two-tori-1600");
  EXPECT_EQ(find_scene("cloth-on-ball").name, "cloth-on-ball-69");
  try {
    find_scene("three-tori");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_name);
    EXPECT_NE(std::string(error.what()).find("cloth-on-ball"), std::string::npos);
  }
}

TEST(BuiltinScenes, HaveTheTrianglesTheyPromise) {
  EXPECT_EQ(snapshot(build_bodies(find_scene("two-tori-1600")), 0).triangles.size(), 2 * 1600U);
  EXPECT_EQ(snapshot(build_bodies(find_scene("two-tori-6400")), 0).triangles.size(), 2 * 6400U);
  EXPECT_EQ(snapshot(build_bodies(find_scene("two-tori-25600")), 0).triangles.size(), 2 * 25600U);
  EXPECT_EQ(snapshot(build_bodies(find_scene("knot")), 0).triangles.size(), 3960U);
  EXPECT_EQ(snapshot(build_bodies(find_scene("rolled-sheet-20000")), 0).triangles.size(), 20'000U);
  EXPECT_EQ(snapshot(build_bodies(find_scene("soft-balls")), 0).triangles.size(), 64 * 1280U);
  EXPECT_EQ(snapshot(build_bodies(find_scene("passing-sheets")), 0).triangles.size(), 2 * 20'000U);
}

TEST(TwoTori, TouchInAGoodPartOfTheFrames) {
  const std::vector<std::size_t> counts = run(find_scene("two-tori"));
  ASSERT_EQ(counts.size(), 300U);
  EXPECT_EQ(frames_with_contacts({counts.begin(), counts.begin() + 40}), 0U) << "before the fall ends";
  EXPECT_EQ(frames_with_contacts({counts.begin() + 240, counts.end()}), 0U) << "after it has left";
  EXPECT_GE(frames_with_contacts(counts), 100U);
  EXPECT_LE(frames_with_contacts(counts), 200U);
  EXPECT_GE(counts[100], 150U) << "pressed";
}

TEST(TwoTori, PressAtEveryResolutionAndStartApart) {
  std::size_t coarser = 0;
  for (const char* name : {"two-tori-1600", "two-tori-6400", "two-tori-25600"}) {
    const Scene scene = find_scene(name);
    EXPECT_EQ(count_contacts(scene, 0), 0U) << name;
    const std::size_t pressed = count_contacts(scene, 2.0);
    EXPECT_GT(pressed, 3 * coarser) << name;
    EXPECT_GT(pressed, 150U) << name;
    coarser = pressed;
  }
}

TEST(TwoTori, NeverRunThroughEachOther) {
  const Scene scene = find_scene("two-tori");
  const std::vector<ScriptedBody> bodies = build_bodies(scene);
  for (int step = 0; step <= scene.steps; step += 4) {
    const Snapshot frame = snapshot(bodies, step * scene.world.dt);
    EXPECT_EQ(tests::count_crossings(frame.positions, frame.triangles), 0U) << "step " << step;
  }
}

TEST(TwoTori, MoveWithoutJumps) {
  expect_continuous(find_scene("two-tori"), 12);
}

TEST(Knot, TouchesItselfInTheSecondHalf) {
  const std::vector<std::size_t> counts = run(find_scene("knot"));
  ASSERT_EQ(counts.size(), 370U);
  EXPECT_EQ(frames_with_contacts({counts.begin(), counts.begin() + 180}), 0U);
  EXPECT_GE(frames_with_contacts(counts), 150U);
  // The three crossings are alike, but the mesh is not; neighbours would come in thousands.
  EXPECT_GE(counts.back(), 30U);
  EXPECT_LE(counts.back(), 300U);
}

TEST(Knot, NeighboursOnTheSurfaceAreFartherApartThanTheContactDistance) {
  Scene scene = find_scene("knot");
  scene.world.contact.distance *= 2;
  EXPECT_EQ(count_contacts(scene, 0), 0U);
}

TEST(Knot, KeepsTheThicknessOfItsTube) {
  const Scene scene = find_scene("knot");
  const auto& spec = std::get<ScriptedSceneBody>(scene.bodies[0].body);
  const auto& tube = std::get<TrefoilSource>(spec.source.shape);
  const std::vector<ScriptedBody> bodies = build_bodies(scene);
  for (int step = 0; step <= scene.steps; step += 10) {
    const Snapshot frame = snapshot(bodies, step * scene.world.dt);
    for (std::size_t ring = 0; ring < static_cast<std::size_t>(tube.along); ++ring) {
      const auto first = frame.positions.begin() + static_cast<std::ptrdiff_t>(ring) * tube.across;
      Vector3d centre = Vector3d::Zero();
      for (auto p = first; p != first + tube.across; ++p) centre += *p / tube.across;
      for (auto p = first; p != first + tube.across; ++p) {
        ASSERT_NEAR((*p - centre).norm(), tube.tube_radius, 0.02 * tube.tube_radius) << "step " << step;
      }
    }
  }
}

TEST(Knot, NeverRunsThroughItself) {
  const Scene scene = find_scene("knot");
  const std::vector<ScriptedBody> bodies = build_bodies(scene);
  for (int step = 0; step <= scene.steps; step += 10) {
    const Snapshot frame = snapshot(bodies, step * scene.world.dt);
    EXPECT_EQ(tests::count_crossings(frame.positions, frame.triangles), 0U) << "step " << step;
  }
}

TEST(Knot, MovesWithoutJumps) {
  expect_continuous(find_scene("knot"), 1);
}

TEST(RolledSheet, LayersTouchAndNeighboursOnTheSheetDoNot) {
  Scene scene = find_scene("rolled-sheet-20000");
  for (const double time : {0.0, 0.3}) {
    const std::size_t vertices = snapshot(build_bodies(scene), time).positions.size();
    EXPECT_GT(count_contacts(scene, time), 3 * vertices) << "at " << time << " s";
  }
  // Layers far apart: what is left would be neighbours.
  auto& body = std::get<ScriptedSceneBody>(scene.bodies[0].body);
  std::get<RollSource>(body.source.shape).gap = 2 * scene.world.contact.distance;
  EXPECT_EQ(count_contacts(scene, 0), 0U);
}

TEST(RolledSheet, MovesWithoutJumps) {
  expect_continuous(find_scene("rolled-sheet-20000"), 1);
}

TEST(SoftBalls, TouchTheirNeighbours) {
  Scene scene = find_scene("soft-balls");
  scene.world.contact.pairs = PairScope::between;
  const Snapshot frame = snapshot(build_bodies(scene), 0.1);
  const Surface surface(frame.positions.size(), frame.triangles, frame.objects);
  std::vector<Index> object_of_vertex(frame.positions.size());
  for (std::size_t t = 0; t < frame.triangles.size(); ++t) {
    for (const Index v : frame.triangles[t]) object_of_vertex[static_cast<std::size_t>(v)] = frame.objects[t];
  }
  std::vector<std::pair<Index, Index>> touching;
  for (const Contact& c :
       detect(surface, frame.positions, {.distance = scene.world.contact.distance, .pairs = PairScope::between})) {
    const Index a = object_of_vertex[static_cast<std::size_t>(c.vertices[0])];
    const Index b = object_of_vertex[static_cast<std::size_t>(c.vertices[3])];
    touching.emplace_back(std::min(a, b), std::max(a, b));
  }
  EXPECT_GT(touching.size(), 5'000U);
  std::sort(touching.begin(), touching.end());
  touching.erase(std::unique(touching.begin(), touching.end()), touching.end());
  // 3 * 3 * 16 pairs of a 4 x 4 x 4 block are next to each other; all others are far apart.
  EXPECT_LE(touching.size(), 144U);
  EXPECT_GE(touching.size(), 130U);
}

TEST(PassingSheets, CrossAllAlongTheWay) {
  const Scene scene = find_scene("passing-sheets");
  for (const double time : {0.1, 0.6, 1.1}) EXPECT_GT(count_contacts(scene, time), 1'000U) << "at " << time << " s";
}

TEST(ParticlesOnBall, DrapeWithoutPassingThrough) {
  const Scene scene = find_scene("particles-on-ball");
  World world = build_world(scene);
  const BodyId cloth = world.bodies()[1];
  world.step();
  EXPECT_TRUE(world.contacts().empty());
  for (int step = 1; step < 500; ++step) {
    world.step();
    for (const Vector3d& p : world.positions(cloth)) ASSERT_GT(p.norm(), 0.295) << "step " << step;
    if (step % 50 != 0) continue;
    const Snapshot frame = snapshot(world);
    EXPECT_EQ(tests::count_crossings(frame.positions, frame.triangles), 0U) << "step " << step;
  }
  EXPECT_GT(world.contacts().size(), 500U);
  double lowest = 1;
  double highest = -1;
  for (const Vector3d& p : world.positions(cloth)) {
    lowest = std::min(lowest, p.y());
    highest = std::max(highest, p.y());
  }
  EXPECT_LT(lowest, -0.1) << "its corners hang down";
  EXPECT_GT(highest, 0.3) << "its middle lies on the ball";
}

}  // namespace
}  // namespace carom
