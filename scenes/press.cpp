#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A plate comes forward and bulges, pushes crates, a ball and a soft ball ahead of it, and goes back.
Scene press() {
  ScriptedSceneBody plate;
  plate.source.shape = BoxSource{.size = {0.1, 0.6, 1.4}, .segments = 12};
  plate.source.placement.position = {-0.5, 0.35, 0};
  plate.morph_target.emplace();
  plate.morph_target->shape = plate.source.shape;
  plate.morph_target->dents = {{.center = {0.05, 0, 0}, .direction = {1, 0, 0}, .radius = 0.6, .depth = 0.25}};
  const auto key = [](double time, double x, double morph) {
    return Keyframe{.time = time, .placement = {.position = {x, 0, 0}}, .morph = morph};
  };
  plate.keyframes = {key(0.5, 0, 0), key(2.5, 0.35, 1), key(3, 0.35, 1), key(4, 0, 0)};

  const auto crate = [](double half, const PoseSource& pose) {
    RigidSceneBody body = box({half, half, half}, pose);
    body.density = 500;
    return body;
  };
  RigidSceneBody ball;
  ball.source.shape = SphereShape{0.12};
  ball.density = 500;
  ball.placement = at(-0.2, 0.12, 0);

  ParticleSceneBody soft;
  soft.source.shape = IcosphereSource{.radius = 0.15, .subdivisions = 3};
  soft.source.placement.position = {-0.22, 0.17, 0.4};
  soft.mass = 1;
  soft.stretch_stiffness = 300;
  soft.bend_stiffness = 5;
  soft.spring_damping = 1;
  soft.pressure = 500;

  Scene scene;
  scene.name = "press";
  scene.description = "A plate comes forward and bulges, pushes crates, a ball and a soft ball, and goes back";
  scene.steps = 360;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground(),
                  {"plate", plate},
                  {"crate", crate(0.12, at(-0.25, 0.12, -0.4))},
                  {"small-crate", crate(0.1, at(-0.25, 0.34, -0.4))},
                  {"ball", ball},
                  {"soft-ball", soft}};
  scene.bounds = SceneBounds{.min = {-10, -1, -10}, .max = {10, 3, 10}};
  return scene;
}

}  // namespace carom::scenes
