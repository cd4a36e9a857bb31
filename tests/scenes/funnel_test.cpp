#include <gtest/gtest.h>

#include "carom/io/scene.hpp"
#include "carom/mesh/generate.hpp"
#include "world/light_sheet.hpp"

namespace carom {
namespace {

/// Stages that ran, from the first that makes pairs to the last that takes contacts.
void expect_funnel(const PipelineStats& stats, const std::string& where) {
  const StageStats* before = nullptr;
  for (auto stage = static_cast<std::size_t>(Stage::broad); stage <= static_cast<std::size_t>(Stage::respond);
       ++stage) {
    const StageStats& s = stats.stages[stage];
    if (s.in_unit.empty()) {
      EXPECT_EQ(s.in + s.out, 0U) << where << ", a stage that ran names what it counts";
      continue;
    }
    EXPECT_FALSE(s.out_unit.empty());
    EXPECT_LE(s.remembered, s.in);
    if (before != nullptr && before->out_unit == s.in_unit) {
      EXPECT_EQ(before->out, s.in - s.remembered) << where << ", " << to_string(static_cast<Stage>(stage));
    }
    // Pairs of colliders go past the mid phase.
    const bool nothing = before != nullptr && before->out == 0 &&
                         (s.in_unit != "pairs of colliders and of features" || stats[Stage::broad].out == 0);
    if (nothing) {
      EXPECT_EQ(s.in, s.remembered) << where << ", " << to_string(static_cast<Stage>(stage)) << ": from nothing";
    }
    if (s.in_unit == s.out_unit) {
      EXPECT_EQ(s.in - s.culled_total(), s.out) << where << ", " << to_string(static_cast<Stage>(stage));
    }
    before = &s;
  }
}

TEST(Funnel, AddsUpFromStageToStageInEveryKindOfWorld) {
  for (const char* name : {"two-tori", "particles-on-ball", "knot", "spheres-on-bricks", "terrain", "dominoes",
                           "ball-in-sheet", "press", "sheet-on-boxes"}) {
    World world = build_world(find_scene(name));
    const int steps = std::string(name) == "particles-on-ball" ? 220 : 70;
    for (int step = 0; step < steps; ++step) {
      world.step();
      expect_funnel(world.stats(), std::string(name) + ", step " + std::to_string(step));
      if (testing::Test::HasFailure()) return;
    }
  }
  for (const char* method : {"sweep", "grid", "hgrid", "bvh18"}) {
    World world({.dt = 0.001, .contact = {.distance = 0.05}, .method = method});
    world.add(FixedBody{"floor", make_box({2, 0.2, 2}, 6)});
    world.add(light_sheet(8, 0.12, 0.05, 0.2));
    for (int step = 0; step < 5; ++step) {
      world.step();
      expect_funnel(world.stats(), method);
    }
    EXPECT_FALSE(world.contacts().empty());
  }
}

}  // namespace
}  // namespace carom
