#include <fmt/format.h>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// Random hulls fall on hills: one mesh, and contacts with many of its triangles at once.
Scene terrain(int count) {
  constexpr double half = 25;  // m, of the ground
  constexpr int across = 20;   // hulls along each side of a layer
  Scene scene;
  scene.name = count == 500 ? "terrain" : fmt::format("terrain-{}", count);
  scene.description = fmt::format("{} random hulls fall on a mesh of 100000 triangles", count);
  scene.steps = 600;
  scene.world.dt = 1.0 / 60;
  Chance chance(4);
  MeshShape hills;
  hills.mesh.shape = SheetSource{.size_x = 2 * half, .size_z = 2 * half, .segments_x = 250, .segments_z = 200};
  for (int i = 0; i < 60; ++i) {
    Dent dent;
    dent.center = {chance.number(-half, half), 0, chance.number(-half, half)};
    dent.direction = Eigen::Vector3d::UnitY();
    dent.radius = chance.number(3, 8);
    dent.depth = chance.number(-0.5, 0.5);
    hills.mesh.dents.push_back(dent);
  }
  RigidSceneBody ground;
  ground.source.shape = hills;
  ground.motion = MotionModel::fixed;
  scene.bodies = {{"hills", ground}};
  for (int i = 0; i < count; ++i) {
    RigidSceneBody body;
    body.source.shape = random_hull(chance, chance.number(0.2, 0.4));
    const double x = (i % across + 0.5) / across * 2 - 1;
    const double z = (i / across % across + 0.5) / across * 2 - 1;
    const int layer = i / (across * across);
    body.placement.position = {0.6 * half * x + chance.number(-0.1, 0.1), 3 + 0.9 * layer,
                               0.6 * half * z + chance.number(-0.1, 0.1)};
    scene.bodies.push_back({fmt::format("hull-{}", i), body});
  }
  scene.bounds = SceneBounds{.min = {-half, -10, -half}, .max = {half, 30, half}};
  return scene;
}

}  // namespace carom::scenes
