#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A closed cloth swells under pressure and pushes the boxes around it outward.
Scene balloon() {
  constexpr int boxes = 6;
  ClothSceneBody balloon;
  balloon.source.shape = IcosphereSource{.radius = 0.2, .subdivisions = 3};
  balloon.source.placement.position = {0, 0.215, 0};
  // A skin of rubber: the gas swells it by a third.
  balloon.fabric_properties = Fabric{
      .density = 0.6, .warp_stiffness = 300, .weft_stiffness = 300, .shear_stiffness = 100, .bend_stiffness = 1e-3};
  balloon.air_damping = 2;  // not that of the fabric, which inner steps do not resolve (docs/limits.md)
  balloon.pressure = 1500;

  Scene scene;
  scene.name = "balloon";
  scene.description = fmt::format("A closed cloth swells under pressure and pushes {} boxes outward", boxes);
  scene.steps = 300;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground(), {"balloon", balloon}};
  for (int i = 0; i < boxes; ++i) {
    const double angle = 2 * std::numbers::pi * i / boxes;
    PoseSource pose = at(0.33 * std::cos(angle), 0.15, -0.33 * std::sin(angle));
    pose.rotation_degrees = angle * 180 / std::numbers::pi;
    RigidSceneBody body = box({0.1, 0.15, 0.1}, pose);
    body.density = 200;
    scene.bodies.push_back({fmt::format("box-{}", i), body});
  }
  scene.bounds = SceneBounds{.min = {-5, -1, -5}, .max = {5, 5, 5}};
  return scene;
}

}  // namespace carom::scenes
