#include "scenes/scenes.hpp"

/// Two wavy sheets, one above the other, that pass through each other: they cross along many curves at
/// once, and the curves move.
namespace carom::scenes {
namespace {

using Eigen::Vector3d;

constexpr double size = 1;
constexpr int segments = 100;
constexpr int waves = 8;  // hills and hollows along each side

/// Hills and hollows by turns, as a checkerboard.
MeshSource make_wavy(double height, double shift) {
  MeshSource mesh;
  mesh.shape = SheetSource{.size_x = size, .size_z = size, .segments_x = segments, .segments_z = segments};
  for (int j = 0; j < waves; ++j)
    for (int i = 0; i < waves; ++i) {
      Dent dent;
      dent.center = {size * ((i + 0.5 + shift) / waves - 0.5), 0, size * ((j + 0.5 + shift) / waves - 0.5)};
      dent.direction = Vector3d::UnitY();
      dent.radius = 0.7 * size / waves;
      dent.depth = (i + j) % 2 == 0 ? height : -height;
      mesh.dents.push_back(dent);
    }
  return mesh;
}

}  // namespace

Scene passing_sheets() {
  constexpr double height = 0.04;
  ScriptedSceneBody lower;
  lower.source = make_wavy(height, 0);
  lower.morph_target = make_wavy(-height, 0.1);
  lower.keyframes = {{.time = 0, .placement = {}, .morph = 0}, {.time = 1.2, .placement = {}, .morph = 1}};

  ScriptedSceneBody upper;
  upper.source = make_wavy(height, 0.3);
  upper.source.placement.rotation_degrees = 17;
  upper.morph_target = make_wavy(-height, 0.2);
  upper.keyframes = {{.time = 0, .placement = {}, .morph = 0}, {.time = 1.2, .placement = {}, .morph = 1}};
  upper.keyframes[0].placement.position = {0, 0.05, 0};
  upper.keyframes[1].placement.position = {0, -0.05, 0};

  Scene scene;
  scene.name = "passing-sheets";
  scene.description = "Two wavy sheets of 20000 triangles each pass through each other";
  scene.steps = 60;
  scene.world.dt = 0.02;
  scene.world.contact.distance = 0.003;  // 0.3 of an edge
  scene.world.contact.pairs = PairScope::between;
  scene.world.contact.immovable = true;  // all is scripted: the contacts are what there is to see
  scene.bodies = {{"lower", lower}, {"upper", upper}};
  return scene;
}

}  // namespace carom::scenes
