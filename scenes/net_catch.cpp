#include <fmt/format.h>

#include "scenes/cloth_parts.hpp"
#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// Balls are thrown at a sheet that hangs from its upper edge and is held at its lower corners, one after the other.
Scene net_catch() {
  ClothSceneBody sheet = sheet_of(1.6, 1.4, 41, 36);
  sheet.source.placement = {.position = {0, 1.5, 0}, .rotation_axis = {1, 0, 0}, .rotation_degrees = 90};
  const SheetGrid grid(sheet);
  sheet.pinned = grid.row(0, 8);
  sheet.pinned.insert(sheet.pinned.end(), {grid.at(0, grid.rows - 1), grid.at(grid.columns - 1, grid.rows - 1)});
  sheet.material.friction = 0.3;

  Scene scene = cloth_scene("net-catch", "Six balls of 0.3 kg are thrown at a hanging sheet at 9 m/s", 240, 0.008);
  scene.bodies = {ground(), {"sheet", sheet}};
  Chance chance(19);
  for (int k = 0; k < 6; ++k) {
    RigidSceneBody ball;
    ball.source.shape = SphereShape{0.08};
    ball.mass = MassOverride{.mass = 0.3, .inertia_from_shape = true};
    // Later balls start farther away.
    ball.placement = at(chance.number(-0.4, 0.4), chance.number(1.3, 1.7), 1 + 0.9 * k);
    ball.velocity = {0, 0.4 + 0.45 * k, -9};
    scene.bodies.push_back({fmt::format("ball-{}", k), ball});
  }
  scene.bounds = SceneBounds{.min = {-20, -1, -20}, .max = {20, 10, 20}};
  return scene;
}

}  // namespace carom::scenes
