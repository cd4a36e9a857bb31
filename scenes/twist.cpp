#include "scenes/cloth_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A sheet is wrung by its two ends, five turns each, while they come nearer.
Scene twist(int vertices_x, int vertices_z) {
  constexpr int turns = 10;           // of one end against the other
  constexpr int keys_per_turn = 4;    // a turn of less than half a circle from key to key
  constexpr double turn_time = 1;     // s
  constexpr double shortening = 0.3;  // m, of the distance of the ends

  ClothSceneBody sheet = sheet_of(1, 0.4, vertices_x, vertices_z);
  const SheetGrid grid(sheet);
  for (const double side : {-1.0, 1.0}) {
    MovingPinsSource pins{.vertices = grid.column(side < 0 ? 0 : grid.columns - 1)};
    constexpr int keys = turns / 2 * keys_per_turn;
    for (int k = 0; k <= keys; ++k) {
      Keyframe key{.time = 2 * turn_time * k / keys_per_turn};
      key.placement.rotation_axis = {1, 0, 0};
      key.placement.rotation_degrees = side * 360.0 * k / keys_per_turn;
      key.placement.position = {-side * 0.5 * shortening * k / keys, 0, 0};
      pins.keyframes.push_back(key);
    }
    sheet.moving_pins_sources.push_back(pins);
  }
  sheet.air_damping = 0.5;
  sheet.material.friction = 0.2;
  sheet.sleeping_allowed = false;

  Scene scene = cloth_scene("twist", "A sheet of 1 m is wrung by its two ends for ten turns", 630, 0.004);
  scene.world.gravity = {0, -1, 0};
  scene.bodies = {{"sheet", sheet}};
  return scene;
}

}  // namespace carom::scenes
