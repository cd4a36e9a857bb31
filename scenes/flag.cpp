#include "scenes/cloth_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A flag of silk on a pole flutters in the wind.
Scene flag() {
  ClothSceneBody flag = sheet_of(1.5, 1, 46, 31);
  flag.source.placement = {.position = {0.75, 1.5, 0}, .rotation_axis = {1, 0, 0}, .rotation_degrees = 90};
  flag.fabric_name = "silk";
  flag.pinned = SheetGrid(flag).column(0);
  flag.wind_source = WindSource{.velocity = {7, 0, 1.5}};
  flag.sleeping_allowed = false;

  RigidSceneBody pole;
  pole.source.shape = CapsuleShape{.radius = 0.02, .half_length = 1.1};
  pole.motion = MotionModel::fixed;
  pole.placement = {.position = {-0.027, 1, 0}, .rotation_axis = {1, 0, 0}, .rotation_degrees = 90};

  Scene scene = cloth_scene("flag", "A silk flag of 1.5 m x 1 m flutters on its pole in a wind of 7 m/s", 480, 0.006);
  scene.bodies = {{"pole", pole}, {"flag", flag}};
  return scene;
}

}  // namespace carom::scenes
