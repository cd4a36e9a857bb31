#include "scenes/cloth_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A needle with a point of a tenth of a millimeter falls on a sheet in a frame, which catches it.
Scene needle() {
  ClothSceneBody sheet = sheet_of(0.6, 0.6, 31, 31);
  sheet.fabric_name = "silk";
  sheet.pinned = SheetGrid(sheet).border();
  sheet.material.friction = 0.5;

  RigidSceneBody needle;
  needle.source.shape = ConeShape{.radius = 0.004, .half_length = 0.06};
  needle.source.margin = 1e-4;
  needle.placement = {.position = {0.01, 0.2, 0.007}, .rotation_axis = {1, 0, 0}, .rotation_degrees = 90};
  needle.density = 7800;
  needle.velocity = {0, -6, 0};

  Scene scene =
      cloth_scene("needle", "A steel needle, 12 cm long, falls point first on a silk sheet in a frame", 180, 0.003);
  scene.bodies = {{"sheet", sheet}, {"needle", needle}};
  return scene;
}

}  // namespace carom::scenes
