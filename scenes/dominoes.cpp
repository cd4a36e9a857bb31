#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A row of dominoes around most of a circle; a ball rolls against the first, and all fall.
Scene dominoes() {
  constexpr int count = 80;
  constexpr double radius = 7;  // m
  constexpr double arc = 0.45;  // m, from one to the next
  const Eigen::Vector3d half{0.06, 0.5, 0.25};
  Scene scene;
  scene.name = "dominoes";
  scene.description = fmt::format("A ball knocks over the first of {} dominoes", count);
  scene.steps = 900;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground()};
  for (int i = 0; i < count; ++i) {
    const double angle = arc * i / radius;
    PoseSource pose = at(radius * std::sin(angle), half.y(), radius * (1 - std::cos(angle)));
    pose.rotation_degrees = -angle * 180 / std::numbers::pi;
    scene.bodies.push_back({fmt::format("domino-{}", i), box(half, pose)});
  }
  RigidSceneBody ball;
  ball.source.shape = SphereShape{0.3};
  ball.placement = at(-1.5, 0.3, 0);
  ball.velocity = {3, 0, 0};
  ball.angular_velocity = {0, 0, -10};  // rolls: speed / radius
  scene.bodies.push_back({"ball", ball});
  scene.bounds = SceneBounds{.min = {-50, -1, -50}, .max = {50, 20, 50}};
  return scene;
}

}  // namespace carom::scenes
