#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A sheet falls over three boxes, more of it on one side, and slides off.
Scene sheet_on_boxes() {
  constexpr double large = 0.15;  // m, half of an edge
  constexpr double small = 0.12;
  const auto crate = [](double half, const PoseSource& pose) {
    RigidSceneBody body = box({half, half, half}, pose);
    body.density = 400;  // wood
    return body;
  };

  ParticleSceneBody sheet;
  sheet.source.shape = SheetSource{.size_x = 1, .size_z = 0.6, .segments_x = 20, .segments_z = 12};
  sheet.source.placement.position = {0.3, 2 * (large + small) + 0.08, 0};
  sheet.mass = 0.3;
  sheet.stretch_stiffness = 200;
  sheet.bend_stiffness = 0.3;
  sheet.spring_damping = 0.1;
  sheet.air_damping = 0.3;
  sheet.material.friction = 0.1;  // silk

  Scene scene;
  scene.name = "sheet-on-boxes";
  scene.description = "A sheet of 0.3 kg falls over boxes that can move, more of it on one side, and slides off";
  scene.steps = 240;
  scene.world.dt = 1.0 / 60;
  scene.world.contact.pairs = PairScope::between;
  scene.bodies = {ground(),
                  {"left", crate(large, at(0, large, -1.05 * large))},
                  {"right", crate(large, at(0, large, 1.05 * large))},
                  {"top", crate(small, at(0, 2 * large + small, 0))},
                  {"sheet", sheet}};
  scene.bounds = SceneBounds{.min = {-3, -1, -3}, .max = {3, 3, 3}};
  return scene;
}

}  // namespace carom::scenes
