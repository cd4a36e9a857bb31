#include <fmt/format.h>

#include <cmath>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"
#include "scenes/soft_parts.hpp"

// Soft bodies that blades cut. Blades do not push what they are about to cut; their sides collide.
namespace carom::scenes {
namespace {

/// Plate of 2 mm that stands upright across x or z, with its edge below: it cuts from above. Its edge is at the origin.
ScriptedSceneBody chopper(double length, bool across_z) {
  ScriptedSceneBody blade;
  const double height = 0.08;
  const Eigen::Vector3d size =
      across_z ? Eigen::Vector3d(0.002, height, length) : Eigen::Vector3d(length, height, 0.002);
  blade.source.shape = BoxSource{.size = size, .segments = 1};
  blade.source.placement.position = {0, 0.5 * height, 0};
  const Eigen::Vector3d end = across_z ? Eigen::Vector3d(0, 0, 0.5 * length) : Eigen::Vector3d(0.5 * length, 0, 0);
  blade.blade = Blade{.edge = {-end, end}};
  return blade;
}

Keyframe blade_at(double time, double x, double y, double z) {
  return {.time = time, .placement = {.position = {x, y, z}}};
}

SoftSceneBody flesh_of(const Eigen::Vector3d& size, double voxel_size) {
  SoftSceneBody body = soft_of(BoxSource{.size = size, .segments = 1}, 500, 3e4);
  body.source.placement.position = {0, 0.5 * size.y() + 0.004, 0};
  body.voxel_size = voxel_size;
  body.cuttable = true;
  body.elasticity.damping = 0.02;
  body.material.friction = 0.3;
  return body;
}

}  // namespace

/// A scalpel is drawn through an organ on a table; the halves slide apart and come to rest. `fine`: of 21 000
/// triangles, which takes as many voxels.
Scene liver_cut(bool fine) {
  const double distance = fine ? 0.001 : 0.002;
  SoftSceneBody liver = soft_of(IcosphereSource{.radius = 0.1, .subdivisions = fine ? 5 : 4}, 1000, 1.5e4);
  liver.source.placement.scale = {1.3, 0.6, 0.9};
  liver.source.placement.position = {0, 0.06 + 2 * distance, 0};
  liver.voxel_size = fine ? 0.0056 : 0.018;
  liver.cuttable = true;
  liver.elasticity.damping = 0.02;
  liver.material.friction = 0.1;

  ScriptedSceneBody scalpel = chopper(0.08, true);
  // Down beside it, then along it with the edge below: drawn through, as a knife is.
  scalpel.blade = Blade{.edge = {{0, 0, 0.04}, {0, 0, -0.04}, {0, 0.14, -0.06}}};
  scalpel.keyframes = {blade_at(0.5, 0.02, 0.003, 0.2), blade_at(2, 0.02, 0.003, -0.2)};

  Scene scene = soft_scene(fine ? "liver-cut-20000" : "liver-cut",
                           fine ? "A scalpel cuts an organ of 21184 triangles in two"
                                : "A scalpel cuts an organ in two; the halves slide apart",
                           360, 1.0 / 60, distance);
  scene.bodies = {ground(), {"liver", liver}, {"scalpel", scalpel}};
  return scene;
}

/// Eight blades come down one after the other, four along each side of a block, which becomes 25 columns.
Scene criss_cross() {
  Scene scene = soft_scene("criss-cross", "Eight crossing cuts make 25 columns of a block", 300, 1.0 / 60, 0.002);
  scene.bodies = {ground(), {"block", flesh_of({0.3, 0.08, 0.3}, 0.02)}};
  for (int i = 0; i < 8; ++i) {
    const bool across_z = i % 2 == 0;
    const int row = i / 2;
    const double offset = -0.09 + 0.06 * row;
    ScriptedSceneBody blade = chopper(0.36, across_z);
    const double x = across_z ? offset : 0;
    const double z = across_z ? 0 : offset;
    const double begin = 0.5 + 0.3 * i;
    blade.keyframes = {blade_at(begin, x, 0.15, z), blade_at(begin + 0.3, x, 0.006, z),
                       blade_at(begin + 0.6, x, 0.2, z)};
    scene.bodies.push_back({fmt::format("blade-{}", i + 1), blade});
  }
  return scene;
}

/// A knife comes down nine times and makes ten slices of a loaf.
Scene slice() {
  ScriptedSceneBody knife = chopper(0.24, true);
  for (int i = 0; i < 9; ++i) {
    const double x = 0.16 - 0.04 * i;
    const double begin = 0.4 + 0.3 * i;
    knife.keyframes.push_back(blade_at(begin, x, 0.16, 0));
    knife.keyframes.push_back(blade_at(begin + 0.12, x, 0.006, 0));
    knife.keyframes.push_back(blade_at(begin + 0.24, x, 0.16, 0));
  }
  Scene scene = soft_scene("slice", "A knife makes ten slices of a loaf", 300, 1.0 / 60, 0.002);
  scene.bodies = {ground(), {"loaf", flesh_of({0.4, 0.12, 0.16}, 0.02)}, {"knife", knife}};
  return scene;
}

/// A blade cuts half-way into a block and leaves; two spatulas go into the cut and open it.
Scene incision() {
  SoftSceneBody tissue = flesh_of({0.24, 0.1, 0.24}, 0.02);
  tissue.source.placement.position.y() = 0.05;
  tissue.fixed = {{.min = {-1, -1, -1}, .max = {1, 0.001, 1}}};

  ScriptedSceneBody scalpel = chopper(0.04, true);
  scalpel.blade = Blade{.edge = {{0, 0, 0.02}, {0, 0, -0.02}, {0, 0.1, -0.03}}};
  scalpel.keyframes = {blade_at(0.2, 0, 0.14, 0.07), blade_at(0.5, 0, 0.045, 0.07), blade_at(1.2, 0, 0.045, -0.06),
                       blade_at(1.5, 0, 0.18, -0.06)};

  const auto spatula = [](double z, double side) {
    ScriptedSceneBody body;
    body.source.shape = IcosphereSource{.radius = 0.04, .subdivisions = 3};
    body.source.placement.scale = {0.1, 1, 0.5};
    body.source.placement.position = {0, 0, z};
    body.keyframes = {blade_at(1.5, 0, 0.16, 0), blade_at(2.3, 0, 0.105, 0), blade_at(3.3, 0.02 * side, 0.105, 0)};
    body.material.friction = 0.1;
    return body;
  };

  Scene scene = soft_scene("incision", "A cut that ends half-way, opened by a retractor", 260, 1.0 / 60, 0.002);
  scene.bodies = {{"tissue", tissue}, {"scalpel", scalpel}, {"left", spatula(-0.03, -1)}, {"right", spatula(0.03, 1)}};
  return scene;
}

}  // namespace carom::scenes
