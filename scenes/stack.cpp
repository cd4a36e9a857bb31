#include <fmt/format.h>

#include "scenes/cloth_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// Ten sheets, one above the other, fall on a ball and come to rest in ten layers (adr/0014).
Scene stack(int sheets, int vertices) {
  RigidSceneBody ball;
  ball.source.shape = SphereShape{0.3};
  ball.motion = MotionModel::fixed;
  ball.material.friction = 0.4;

  Scene scene =
      cloth_scene("stack", fmt::format("{} sheets of 1 m fall on a ball and lie on it in layers", sheets), 180, 0.004);
  scene.bodies = {{"ball", ball}};
  for (int k = 0; k < sheets; ++k) {
    ClothSceneBody sheet = sheet_of(1, 1, vertices, vertices);
    sheet.source.placement.position = {0, 0.36 + 0.01 * k, 0};
    sheet.source.placement.rotation_degrees = 9 * k;
    sheet.material.friction = 0.4;
    sheet.air_damping = 0.2;
    scene.bodies.push_back({fmt::format("sheet-{}", k), sheet});
  }
  return scene;
}

}  // namespace carom::scenes
