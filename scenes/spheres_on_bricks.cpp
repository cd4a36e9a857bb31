#include <fmt/format.h>

#include <cmath>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {
namespace {

/// A floor of bricks of different heights, and a rim of high ones around it, none of which moves.
void add_bricks(Scene& scene, int across, Chance& chance) {
  const double middle = 0.5 * (across - 1);
  for (int j = 0; j < across; ++j) {
    for (int i = 0; i < across; ++i) {
      const bool rim = i == 0 || j == 0 || i == across - 1 || j == across - 1;
      const double half_height = rim ? 1.0 : chance.number(0.1, 0.35);
      scene.bodies.push_back(
          {fmt::format("brick-{}-{}", i, j),
           box({0.48, half_height, 0.48}, at(i - middle, half_height, j - middle), MotionModel::fixed)});
    }
  }
}

}  // namespace

/// Balls in free fall on a few fixed bricks: figure 6 of Dequidt, Grisoni, Meseure and Chaillou, "Détection de
/// collisions entre objets rigides convexes autonomes", who time it with 200 and with 600 objects.
Scene spheres_on_bricks(int count) {
  constexpr double radius = 0.25;
  const int across = 2 + static_cast<int>(std::lround(std::sqrt(count / 5.0)));
  Scene scene;
  scene.name = count == 200 ? "spheres-on-bricks" : fmt::format("spheres-on-bricks-{}", count);
  scene.description = fmt::format("{} spheres fall on fixed bricks", count);
  scene.steps = 600;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground()};
  Chance chance(2);
  add_bricks(scene, across, chance);
  const int in_row = across - 2;
  for (int i = 0; i < count; ++i) {
    RigidSceneBody body;
    body.source.shape = SphereShape{radius};
    const double x = i % in_row - 0.5 * (in_row - 1);
    const double z = i / in_row % in_row - 0.5 * (in_row - 1);
    const int layer = i / (in_row * in_row);
    body.placement =
        at(x + chance.number(-0.2, 0.2), 2 + 0.7 * layer + chance.number(0, 0.1), z + chance.number(-0.2, 0.2));
    body.material.restitution = 0.3;
    scene.bodies.push_back({fmt::format("sphere-{}", i), body});
  }
  scene.bounds = SceneBounds{.min = {-50, -1, -50}, .max = {50, 50, 50}};
  return scene;
}

}  // namespace carom::scenes
