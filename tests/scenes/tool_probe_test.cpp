#include <gtest/gtest.h>

#include <algorithm>

#include "carom/io/scene.hpp"

namespace carom {
namespace {

/// The probe comes to lie on a ball of a tenth of its mass, which it presses into the sheet.
TEST(ToolProbe, ProbeAndBallsOverlapByLittleWhilePressedIntoTheSheet) {
  Scene scene = find_scene("tool-probe");
  scene.world.threads = 1;
  World world = build_world(scene);
  constexpr double radius = 0.03;  // m, of a ball
  double deepest = 0;
  double pressed = 0;  // N s
  for (int step = 0; step < 240; ++step) {
    world.step();
    for (const WorldContact& c : world.contacts()) {
      if (world.motion(c.body_a) != MotionModel::rigid || world.motion(c.body_b) != MotionModel::rigid) continue;
      deepest = std::max(deepest, -c.distance);
      pressed += c.impulse;
    }
  }
  EXPECT_GT(pressed, 0.5) << "they press each other";
  EXPECT_LT(deepest, 0.03 * radius);
}

}  // namespace
}  // namespace carom
