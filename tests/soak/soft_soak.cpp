#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "carom/io/scene.hpp"
#include "oracle/apart.hpp"

namespace carom {
namespace {

/// Scenes of soft bodies to their end: no two triangles intersect in any frame.
class SoftSoak : public testing::TestWithParam<std::string_view> {};

TEST_P(SoftSoak, NothingPassesThroughAnything) {
  const Scene scene = find_scene(std::string(GetParam()));
  World world = build_world(scene);
  ASSERT_EQ(oracle::count_intersections(world), 0U);
  std::uint64_t limited = 0;
  for (int step = 1; step <= scene.steps; ++step) {
    world.step();
    limited += world.stats()[Stage::commit].limited;
    ASSERT_EQ(oracle::count_intersections(world), 0U) << GetParam() << ", step " << step;
  }
  std::printf("%s: %d steps, %llu vertices limited, none intersecting\n", GetParam().data(), scene.steps,
              static_cast<unsigned long long>(limited));
}

INSTANTIATE_TEST_SUITE_P(Scenes, SoftSoak,
                         testing::Values("soft-tori-1600", "soft-tori-6400", "soft-tori-25600", "soft-knot", "squeeze",
                                         "ball-pit", "organ-probe-12", "organ-probe-120", "organ-probe-258",
                                         "organ-probe-20000", "organ-on-bone", "cube-on-plate", "jelly-stack",
                                         "gripper"),
                         [](const auto& scene) {
                           std::string name(scene.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace carom
