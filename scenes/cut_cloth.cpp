#include "scenes/cloth_parts.hpp"
#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

namespace {

/// Blade of 40 by 30 cm and 4 mm that stands upright, its edge ahead of it by 8 mm along y.
ScriptedSceneBody upright_blade() {
  ScriptedSceneBody blade;
  blade.source.shape = BoxSource{.size = {0.004, 0.4, 0.3}, .segments = 1};
  blade.blade = Blade{.edge = {{0, 0.208, -0.15}, {0, 0.208, 0.15}}};
  return blade;
}

}  // namespace

/// Scissors, as one blade, go up through a hanging sheet.
Scene cut_cloth() {
  ClothSceneBody sheet = sheet_of(1, 1.2, 31, 37);
  sheet.source.placement = {.position = {0, 1.4, 0}, .rotation_axis = {1, 0, 0}, .rotation_degrees = 90};
  sheet.pinned = SheetGrid(sheet).row(0, 3);
  sheet.air_damping = 0.5;
  sheet.sleeping_allowed = false;

  ScriptedSceneBody scissors = upright_blade();
  scissors.keyframes = {{.time = 0.3, .placement = {.position = {0.13, 0.4, 0}}},
                        {.time = 2.5, .placement = {.position = {0.13, 2.1, 0}}}};

  Scene scene = cloth_scene("cut-cloth", "Scissors go up through a hanging sheet, which becomes two", 240, 0.004);
  scene.bodies = {ground(), {"sheet", sheet}, {"scissors", scissors}};
  scene.excluded_bodies = {{"sheet", "scissors"}};  // the blade cuts and does not push
  return scene;
}

/// A weight hangs on a band, and falls when that is cut.
Scene cut_and_drop() {
  ClothSceneBody band = sheet_of(0.12, 1, 7, 51);
  band.source.placement = {.position = {0, 1.5, 0}, .rotation_axis = {1, 0, 0}, .rotation_degrees = 90};
  const SheetGrid grid(band);
  band.pinned = grid.row(0);
  band.fabric_name = "denim";
  band.air_damping = 0.5;
  band.sleeping_allowed = false;

  RigidSceneBody weight;
  weight.source.shape = BoxShape{{0.1, 0.1, 0.1}};
  weight.mass = MassOverride{.mass = 2, .inertia_from_shape = true};
  weight.placement = at(0, 0.894, 0);
  weight.sleeping_allowed = false;

  // Turned so that its edge is ahead along x.
  ScriptedSceneBody knife = upright_blade();
  knife.source.placement = {.position = {0, 0, 0}, .rotation_axis = {0, 0, 1}, .rotation_degrees = -90};
  knife.blade = Blade{.edge = {{0.208, 0, -0.15}, {0.208, 0, 0.15}}};
  knife.keyframes = {{.time = 1, .placement = {.position = {-0.6, 1.5, 0}}},
                     {.time = 2, .placement = {.position = {0.1, 1.5, 0}}}};

  Scene scene = cloth_scene("cut-and-drop", "A weight of 2 kg hangs on a band; a knife cuts it, and the weight falls",
                            240, 0.004);
  scene.bodies = {ground(), {"band", band}, {"weight", weight}, {"knife", knife}};
  scene.excluded_bodies = {{"band", "knife"}};
  scene.attachments = {{.body = "band", .vertices = grid.row(grid.rows - 1), .to = "weight"}};
  return scene;
}

}  // namespace carom::scenes
