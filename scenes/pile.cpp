#include <fmt/format.h>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

HullShape random_hull(Chance& chance, double radius) {
  HullShape hull;
  for (int i = chance.integer(12, 24); i > 0; --i) hull.points.push_back(radius * chance.direction());
  return hull;
}

/// Random hulls rain into a pit and come to rest.
Scene pile(int count, int across, double thick) {
  const double half = 0.625 * across;  // m, of the pit
  constexpr double wall = 20;          // m, half its height
  Scene scene;
  scene.name = count == 2000 ? "pile" : fmt::format("pile-{}", count);
  scene.description = fmt::format("{} random hulls of 12 to 24 corners fall into a pit", count);
  scene.steps = 600;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground()};
  for (const int side : {-1, 1}) {
    scene.bodies.push_back(
        {fmt::format("wall-x{}", side),
         box({thick / 2, wall, half + thick}, at(side * (half + thick / 2), wall, 0), MotionModel::fixed)});
    scene.bodies.push_back(
        {fmt::format("wall-z{}", side),
         box({half + thick, wall, thick / 2}, at(0, wall, side * (half + thick / 2)), MotionModel::fixed)});
  }
  Chance chance(1);
  for (int i = 0; i < count; ++i) {
    RigidSceneBody body;
    body.source.shape = random_hull(chance, chance.number(0.2, 0.4));
    const double x = (i % across + 0.5) / across * 2 - 1;
    const double z = (i / across % across + 0.5) / across * 2 - 1;
    const int layer = i / (across * across);
    body.placement.position = {(half - 0.6) * x + chance.number(-0.1, 0.1), 0.8 + 0.9 * layer,
                               (half - 0.6) * z + chance.number(-0.1, 0.1)};
    scene.bodies.push_back({fmt::format("hull-{}", i), body});
  }
  scene.bounds = SceneBounds{.min = {-half, 0, -half}, .max = {half, 2 * wall, half}};
  return scene;
}

}  // namespace carom::scenes
