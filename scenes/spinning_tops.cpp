#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// Cones on their tips, each leaning and spinning about its axis: those that spin fast go round the vertical, the one
/// that barely spins falls.
Scene spinning_tops() {
  constexpr double radius = 0.5;
  constexpr double half_length = 0.35;
  constexpr double lean_degrees = 12;
  constexpr double lean = lean_degrees * std::numbers::pi / 180;
  Scene scene;
  scene.name = "spinning-tops";
  scene.description = "Tops spin on their tips and go round; the slowest falls";
  scene.steps = 600;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground()};
  int i = 0;
  for (const double spin : {5.0, 40.0, 60.0, 80.0, 100.0}) {
    RigidSceneBody top;
    top.source.shape = ConeShape{radius, half_length};
    // Turned so that the apex, at +z, is below, and leans in the x-y plane.
    const Eigen::Vector3d axis(std::sin(lean), std::cos(lean), 0);  // up, out of the base
    top.placement.rotation_axis = Eigen::Vector3d(std::cos(lean), -std::sin(lean), 0);
    top.placement.rotation_degrees = 90;
    top.placement.position = Eigen::Vector3d(2.5 * (i - 2), 0, 0) + half_length * axis;
    top.angular_velocity = spin * axis;
    scene.bodies.push_back({fmt::format("top-{}", spin), top});
    ++i;
  }
  scene.bounds = SceneBounds{.min = {-20, -1, -20}, .max = {20, 20, 20}};
  return scene;
}

}  // namespace carom::scenes
