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

/// One of two blades of scissors that point up and lie in the plane of x = 0, beside it. The pivot is at the origin;
/// the edge, along y, is beyond it by `offset` along z, so that the edges of the two cross above the pivot, and the
/// farther above the more they close. `side`: 1 for the blade that comes from below z = 0, -1 for the other.
ScriptedSceneBody scissor_blade(double side) {
  constexpr double length = 0.25;
  constexpr double width = 0.03;
  constexpr double tail = 0.12;
  constexpr double offset = 0.01;
  constexpr double thickness = 0.002;
  ScriptedSceneBody blade;
  blade.source.shape = BoxSource{.size = {thickness, length + tail, width}, .segments = 1};
  blade.source.placement.position = {0.5 * side * thickness, 0.5 * (length - tail), side * (offset - 0.5 * width)};
  blade.blade = Blade{.edge = {{0, 0, side * offset}, {0, length, side * offset}}};
  // Seven cuts of 0.2 m, each from where the one before ended: up while they open, then closed.
  const auto pose = [&](double time, double y, double degrees) {
    blade.keyframes.push_back(
        {.time = time,
         .placement = {.position = {0.13, y, 0}, .rotation_axis = {1, 0, 0}, .rotation_degrees = -side * degrees}});
  };
  constexpr double open = 18;
  constexpr double closed = 2;
  pose(0.1, 0.5, open);
  for (int i = 0; i < 7; ++i) {
    const double begin = 0.3 + 0.45 * i;
    const double y = 0.7 + 0.2 * i;
    pose(begin, y, open);
    pose(begin + 0.25, y, closed);
  }
  return blade;
}

}  // namespace

/// Scissors go up through a hanging sheet, in seven cuts.
Scene cut_cloth() {
  ClothSceneBody sheet = sheet_of(1, 1.2, 31, 37);
  sheet.source.placement = {.position = {0, 1.4, 0}, .rotation_axis = {1, 0, 0}, .rotation_degrees = 90};
  sheet.pinned = SheetGrid(sheet).row(0, 3);
  sheet.air_damping = 0.5;
  sheet.sleeping_allowed = false;

  Scene scene = cloth_scene("cut-cloth", "Scissors go up through a hanging sheet, which becomes two", 240, 0.004);
  scene.bodies = {ground(), {"sheet", sheet}, {"scissors-1", scissor_blade(1)}, {"scissors-2", scissor_blade(-1)}};
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
  scene.attachments = {{.body = "band", .vertices = grid.row(grid.rows - 1), .to = "weight"}};
  return scene;
}

}  // namespace carom::scenes
