#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>

#include "carom/io/scene.hpp"
#include "kernels/every_target.hpp"
#include "oracle/brute_force.hpp"
#include "oracle/scene_frames.hpp"

namespace carom {
namespace {

struct Outcome {
  std::uint64_t state = 0;
  std::vector<oracle::Pair> pairs;
  struct Found {
    ContactAnchor a;
    ContactAnchor b;
    std::array<double, 3> values{};  ///< distance, normal speed, impulse
    friend bool operator==(const Found&, const Found&) = default;
  };
  std::vector<Found> contacts;
  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> counts;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run_scene(std::string_view name, int threads, int skip, int steps) {
  Scene scene = find_scene(std::string(name));
  scene.world.threads = threads;
  const auto rigid = [](const SceneBody& body) { return std::holds_alternative<RigidSceneBody>(body.body); };
  if (std::any_of(scene.bodies.begin(), scene.bodies.end(), rigid)) scene.world.solver.sleep.enabled = false;
  World world = build_world(scene);
  Outcome outcome;
  for (int i = 0; i < skip + steps; ++i) {
    world.step();
    if (i < skip) continue;
    for (const WorldContact& c : world.contacts()) {
      outcome.contacts.push_back({c.anchor_a, c.anchor_b, {c.distance, c.normal_speed, c.impulse}});
      outcome.ids.push_back(c.id);
    }
    for (const StageStats& stage : world.stats().stages) {
      outcome.counts.insert(outcome.counts.end(), {stage.in, stage.out, stage.culled_total(), stage.limited});
    }
  }
  outcome.state = world.state_hash();
  return outcome;
}

/// Steps of a scene of cloth or soft bodies in which much touches, and which are early: they are slow.
struct Window {
  std::string_view name;
  int skip = 0;
  int steps = 0;
};
constexpr std::array windows{
    Window{"cloth-on-ball-18", 20, 10},
    Window{"cloth-on-ball-69", 6, 3},
    Window{"cloth-on-ball-200", 5, 2},
    Window{"flag", 0, 6},
    Window{"stack", 6, 3},
    Window{"needle", 1, 4},
    Window{"trampoline", 18, 6},
    Window{"net-catch", 5, 6},
    Window{"curtain", 30, 3},
    Window{"twist", 90, 3},
    Window{"table-edge", 4, 3},
    Window{"reef-knot", 60, 3},
    Window{"shirt", 20, 4},
    Window{"soft-tori-1600", 26, 6},
    Window{"soft-tori-6400", 27, 2},
    Window{"soft-tori-25600", 27, 1},
    Window{"soft-knot", 16, 6},
    Window{"squeeze", 12, 6},
    Window{"ball-pit", 20, 3},
    Window{"organ-probe-12", 60, 6},
    Window{"organ-probe-120", 50, 6},
    Window{"organ-probe-258", 50, 6},
    Window{"organ-probe-20000", 50, 2},
    Window{"cube-on-plate", 6, 6},
    Window{"cube-on-plate-vertices", 6, 6},
    Window{"jelly-stack", 3, 6},
    Window{"gripper", 3, 6},
    Window{"tool-probe", 6, 6},
    Window{"liver-cut", 55, 6},
    Window{"liver-cut-20000", 4, 1},
    Window{"criss-cross", 70, 4},
    Window{"slice", 48, 4},
    Window{"incision", 40, 4},
};

/// Scenes in which something falls through, or is cut by a blade that makes no contacts.
constexpr std::array<std::string_view, 4> without_contacts{"cube-on-plate-vertices", "cut-cloth", "cut-and-drop",
                                                           "incision"};

class DeterminismOfScene : public testing::TestWithParam<std::string_view> {};

TEST_P(DeterminismOfScene, SameBitsForOneTwoAndFourThreads) {
  const Scene scene = find_scene(std::string(GetParam()));
  // A part of the scene where much touches; short for the large ones, early for the slow one.
  const bool large = GetParam() == "two-tori-25600";
  const bool full = GetParam() == "rolled-sheet-20000" || GetParam() == "soft-balls" || GetParam() == "passing-sheets";
  const bool rigid = std::holds_alternative<RigidSceneBody>(scene.bodies[0].body);
  // Rigid ones when all that falls has landed.
  int skip = full ? 1 : rigid ? 55 : GetParam() == "particles-on-ball" ? 150 : scene.steps * 11 / 20;
  int steps = full ? 2 : large ? 4 : rigid ? 15 : 30;
  for (const Window& window : windows) {
    if (window.name != GetParam()) continue;
    skip = window.skip;
    steps = window.steps;
  }
  const Outcome one = run_scene(GetParam(), 1, skip, steps);
  if (std::find(without_contacts.begin(), without_contacts.end(), GetParam()) == without_contacts.end()) {
    EXPECT_GT(one.contacts.size(), 0U) << "a scene in which nothing touches proves nothing";
  }
  EXPECT_EQ(run_scene(GetParam(), 2, skip, steps), one);
  EXPECT_EQ(run_scene(GetParam(), 4, skip, steps), one);
}

/// The large organ while it is cut. In the scene this begins after half a second; here the scalpel is at the organ from
/// the beginning and goes through a third of it in two steps.
TEST(DeterminismOfCut, SameBitsForOneTwoAndFourThreads) {
  std::vector<std::uint64_t> states;
  for (const int threads : {1, 2, 4}) {
    Scene scene = find_scene("liver-cut-20000");
    scene.world.threads = threads;
    for (SceneBody& body : scene.bodies) {
      if (body.name() != "scalpel") continue;
      auto& path = std::get<ScriptedSceneBody>(body.body).keyframes;
      ASSERT_EQ(path.size(), 2U);
      path[0].time = 0;
      path[0].placement.position.z() = 0.13;
      path[1].time = 0.1;
      path[1].placement.position.z() = -0.2;
    }
    World world = build_world(scene);
    std::size_t crossed = 0;
    for (int i = 0; i < 3; ++i) {
      world.step();
      for (const WorldCut& cut : world.cuts()) crossed += cut.crossed;
    }
    EXPECT_GT(crossed, 50U) << "a step in which nothing is cut proves nothing";
    states.push_back(world.state_hash());
  }
  EXPECT_EQ(states[1], states[0]);
  EXPECT_EQ(states[2], states[0]);
}

std::vector<std::string_view> scene_names() {
  std::vector<std::string_view> names;
  for (const BuiltinScene& scene : builtin_scenes()) names.push_back(scene.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Builtin, DeterminismOfScene, testing::ValuesIn(scene_names()), [](const auto& scene) {
  std::string name(scene.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

class DeterminismOfTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

/// A cloth that lies on a ball and on itself, which moves: contacts, what is kept from step to step, certificates of
/// motion and the solver. Counts of the narrow phase may differ.
TEST_P(DeterminismOfTarget, SameBitsOfAShortWorldOfCloth) {
  const Outcome best = run_scene("cloth-on-ball-18", 1, 30, 10);
  hwy::SetSupportedTargetsForTest(GetParam());
  const Outcome here = run_scene("cloth-on-ball-18", 1, 30, 10);
  EXPECT_EQ(here.state, best.state);
  EXPECT_EQ(here.contacts, best.contacts);
  EXPECT_EQ(here.ids, best.ids);
  EXPECT_GT(best.contacts.size(), 100U);
}

INSTANTIATE_TEST_SUITE_P(Every, DeterminismOfTarget, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

class DeterminismOfMethod : public testing::TestWithParam<std::string_view> {};

/// Contacts and counts of one frame that is large enough for many chunks.
TEST_P(DeterminismOfMethod, SameBitsForOneTwoAndFourThreads) {
  World world = build_world(find_scene("two-tori-6400"));
  for (int step = 0; step < 100; ++step) world.step();
  const oracle::Joined joined = oracle::join(world);
  const Surface surface(joined.positions.size(), joined.triangles, joined.object_of_triangle);
  std::size_t contacts = 0;
  for (const PairScope scope : {PairScope::all, PairScope::between, PairScope::self}) {
    std::vector<Outcome> outcomes;
    for (const int threads : {1, 2, 4}) {
      DetectScratch scratch;
      std::vector<Contact> found;
      PipelineStats stats;
      detect(surface, joined.positions,
             {.distance = world.options().contact.distance,
              .pairs = scope,
              .method = std::string(GetParam()),
              .threads = threads},
             scratch, found, stats);
      Outcome& outcome = outcomes.emplace_back();
      outcome.pairs = oracle::as_pairs(found);
      for (const StageStats& stage : stats.stages) {
        outcome.counts.insert(outcome.counts.end(), {stage.in, stage.out, stage.limited});
        for (const Culled& entry : stage.culled()) outcome.counts.push_back(entry.count);
        for (const Counted& entry : stage.counted()) outcome.counts.push_back(entry.count);
      }
    }
    contacts += outcomes[0].pairs.size();
    EXPECT_EQ(outcomes[1], outcomes[0]);
    EXPECT_EQ(outcomes[2], outcomes[0]);
  }
  EXPECT_GT(contacts, 500U) << "a frame in which nothing touches proves nothing";
}

/// Methods that know of frames alone leave tangles and the stage continuous to the clusters of the surface.
TEST_P(DeterminismOfMethod, SameBitsOfAShortWorldOfCloth) {
  const auto state = [](std::string_view method) {
    Scene scene = find_scene("cloth-on-ball-18");
    scene.world.method = method;
    World world = build_world(scene);
    for (int step = 0; step < 36; ++step) world.step();
    EXPECT_GT(world.contacts().size(), 10U);
    return world.state_hash();
  };
  EXPECT_EQ(state(GetParam()), state("auto"));
}

INSTANTIATE_TEST_SUITE_P(Every, DeterminismOfMethod,
                         testing::ValuesIn(detect_methods().begin(), detect_methods().end()),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace carom
