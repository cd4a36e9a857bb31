#include "bench/rigid_scenes.hpp"

#include <cmath>
#include <random>

#include "carom/io/scene.hpp"
#include "scenes/scenes.hpp"

namespace carom::bench {
namespace {

/// A built-in scene under the name of its row.
RigidScene row(const std::string& name, const Scene& built_in) {
  RigidScene scene{name, {}};
  for (const SceneBody& body : built_in.bodies) scene.bodies.push_back(build(std::get<RigidSceneBody>(body.body)));
  if (built_in.bounds) scene.bounds = {built_in.bounds->min, built_in.bounds->max};
  return scene;
}

}  // namespace

RigidScene pyramid_scene(int base) {
  return row("pyramid " + std::to_string(base), scenes::pyramid(base));
}

RigidScene pile_scene(int count) {
  return row("pile " + std::to_string(count), scenes::pile(count));
}

RigidScene held_pile_scene(int count) {
  return row("held pile " + std::to_string(count), scenes::pile(count, 8, 6));
}

RigidScene wide_pile_scene(int count, int layers) {
  const int across = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count) / layers)));
  return row("wide pile " + std::to_string(count), scenes::pile(count, across));
}

RigidScene spheres_scene(int count) {
  return row("spheres on bricks " + std::to_string(count), scenes::spheres_on_bricks(count));
}

RigidScene terrain_scene(int count) {
  return row("terrain " + std::to_string(count), scenes::terrain(count));
}

RigidScene flying_scene(int count) {
  RigidScene scene{"flying " + std::to_string(count), {}};
  scene.bounds = {Eigen::Vector3d::Constant(-1e9), Eigen::Vector3d::Constant(1e9)};
  scene.gravity.setZero();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  const double size = std::cbrt(static_cast<double>(count));  // 2 m to a side for each
  for (int i = 0; i < count; ++i) {
    RigidBody body;
    body.name = "box";
    body.shape = Shape::box({0.1, 0.15, 0.2});
    body.pose = Eigen::Translation3d(size * number(random), size * number(random), size * number(random));
    body.velocity = 2 * Eigen::Vector3d(number(random), number(random), number(random));
    body.angular_velocity = 2 * Eigen::Vector3d(number(random), number(random), number(random));
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace carom::bench
