#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "carom/io/scene.hpp"
#include "oracle/apart.hpp"

namespace carom {
namespace {

/// Scenes of cloth to their end, at three lengths of a step: no two triangles intersect in any frame.
class ClothSoak : public testing::TestWithParam<std::string_view> {};

TEST_P(ClothSoak, NothingPassesThroughAnything) {
  for (const int frequency : {30, 60, 120}) {
    Scene scene = find_scene(std::string(GetParam()));
    const double duration = scene.steps * scene.world.dt;
    scene.world.dt = 1.0 / frequency;
    World world = build_world(scene);
    ASSERT_EQ(oracle::count_intersections(world), 0U);
    const int steps = static_cast<int>(std::lround(duration * frequency));
    std::uint64_t limited = 0;
    for (int step = 1; step <= steps; ++step) {
      world.step();
      limited += world.stats()[Stage::commit].limited;
      ASSERT_EQ(oracle::count_intersections(world), 0U) << GetParam() << ", dt 1/" << frequency << ", step " << step;
    }
    std::printf("%s at 1/%d: %d steps, %llu vertices limited, none intersecting\n", GetParam().data(), frequency, steps,
                static_cast<unsigned long long>(limited));
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, ClothSoak,
                         testing::Values("cloth-on-ball-18", "cloth-on-ball-69", "flag", "stack", "needle",
                                         "trampoline", "net-catch", "curtain", "twist", "table-edge", "reef-knot"),
                         [](const auto& scene) {
                           std::string name(scene.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace carom
