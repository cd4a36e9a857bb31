#include "scenes/cloth_parts.hpp"
#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A curtain is drawn along its rail, and a ball rolls into its folds.
Scene curtain() {
  constexpr int every = 4;  // columns from ring to ring

  ClothSceneBody curtain = sheet_of(2, 1.5, 49, 37);
  curtain.source.placement = {.position = {0, 0.95, 0}, .rotation_axis = {1, 0, 0}, .rotation_degrees = 90};
  const SheetGrid grid(curtain);
  for (int column = 0; column < grid.columns; column += every) {
    const double x = 2.0 * column / (grid.columns - 1);  // from the end that stays
    MovingPinsSource ring{.vertices = {grid.at(column, 0)}};
    ring.keyframes = {{.time = 0.2}, {.time = 2.5, .placement = {.position = {-0.55 * x, 0, 0}}}};
    curtain.moving_pins_sources.push_back(ring);
  }
  // A breeze, without which a flat sheet would not know to which side to fold.
  curtain.wind_source = WindSource{.velocity = {0.4, 0, 0.8}, .gust_strength = 0.8, .gust_period = 0.6};
  curtain.air_damping = 0.3;
  curtain.sleeping_allowed = false;

  RigidSceneBody ball;
  ball.source.shape = SphereShape{0.25};
  ball.mass = MassOverride{.mass = 0.5, .inertia_from_shape = true};
  ball.placement = at(-0.55, 0.25, 6.5);
  ball.velocity = {0, 0, -2};  // is there after three seconds
  ball.angular_velocity = {-8, 0, 0};

  Scene scene =
      cloth_scene("curtain", "A curtain of 2 m is drawn along its rail; then a ball rolls into its folds", 300, 0.006);
  scene.bodies = {ground(), {"curtain", curtain}, {"ball", ball}};
  return scene;
}

}  // namespace carom::scenes
