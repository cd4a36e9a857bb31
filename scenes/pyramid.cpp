#include <fmt/format.h>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A wall one box thick, every row a box shorter than the one below.
Scene pyramid(int base) {
  Scene scene;
  scene.name = base == 30 ? "pyramid" : fmt::format("pyramid-{}", base);
  scene.description = fmt::format("{} boxes of 1 m, {} in the lowest row, stand still", base * (base + 1) / 2, base);
  scene.steps = 600;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground()};
  for (int row = 0; row < base; ++row) {
    for (int i = 0; i < base - row; ++i) {
      scene.bodies.push_back(
          {fmt::format("box-{}-{}", row, i), box({0.5, 0.5, 0.5}, at((i - 0.5 * (base - row)) * 1.05, 0.5 + row, 0))});
    }
  }
  scene.bounds = SceneBounds{.min = {-2.0 * base, -1, -2.0 * base}, .max = {2.0 * base, 2.0 * base, 2.0 * base}};
  return scene;
}

}  // namespace carom::scenes
