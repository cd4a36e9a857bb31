#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A ball is thrown at a sheet that hangs by its corners, which catches it and swings.
Scene ball_in_sheet() {
  constexpr int segments = 24;
  constexpr int row = segments + 1;

  ParticleSceneBody sheet;
  sheet.source.shape = SheetSource{.size_x = 1.2, .size_z = 1.2, .segments_x = segments, .segments_z = segments};
  sheet.source.dents = {{.center = {0, 0, 0}, .direction = {0, -1, 0}, .radius = 0.7, .depth = 0.45}};
  sheet.source.placement.position = {0, 1.2, 0};
  sheet.mass = 0.6;
  sheet.stretch_stiffness = 600;
  sheet.bend_stiffness = 2;
  sheet.spring_damping = 0.2;
  sheet.air_damping = 3;
  sheet.pinned = {0, segments, row * segments, row * segments + segments};

  RigidSceneBody ball;
  ball.source.shape = SphereShape{0.1};
  ball.mass = MassOverride{.mass = 0.5, .inertia_from_shape = true};
  ball.placement = at(-1, 1.5, 0);
  ball.velocity = {2, 0.5, 0};

  Scene scene;
  scene.name = "ball-in-sheet";
  scene.description =
      "A ball of 0.5 kg is thrown at a sheet that hangs by its corners; the sheet catches it and swings";
  scene.steps = 360;
  scene.world.dt = 1.0 / 60;
  scene.world.contact.pairs = PairScope::between;
  scene.bodies = {ground(), {"sheet", sheet}, {"ball", ball}};
  scene.bounds = SceneBounds{.min = {-3, -1, -3}, .max = {3, 4, 3}};
  return scene;
}

}  // namespace carom::scenes
