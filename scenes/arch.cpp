#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// Half a circle of wedge stones, nothing between them but friction. Its thickness is a quarter of its radius; one of
/// less than 0.107 could not stand, whatever its friction (Couplet, 1729).
Scene arch() {
  constexpr int stones = 17;
  constexpr double inner = 3.5;  // m
  constexpr double outer = 4.5;  // m
  constexpr double half_depth = 0.5;
  Scene scene;
  scene.name = "arch";
  scene.description = fmt::format("An arch of {} wedge stones that friction alone holds", stones);
  scene.steps = 600;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground()};
  for (int i = 0; i < stones; ++i) {
    RigidSceneBody stone;
    HullShape wedge;
    const double middle = std::numbers::pi * (i + 0.5) / stones;
    const Eigen::Vector3d centre = 0.5 * (inner + outer) * Eigen::Vector3d(-std::cos(middle), std::sin(middle), 0);
    for (const int end : {i, i + 1}) {
      // Sines that are zero: the first and the last stone stand flat on the ground.
      const double angle = std::numbers::pi * end / stones;
      const Eigen::Vector3d out(-std::cos(angle), end % stones == 0 ? 0 : std::sin(angle), 0);
      for (const double radius : {inner, outer}) {
        for (const double z : {-half_depth, half_depth})
          wedge.points.push_back(radius * out - centre + Eigen::Vector3d(0, 0, z));
      }
    }
    stone.source.shape = wedge;
    stone.placement.position = centre;
    stone.density = 2400;
    stone.material.friction = 0.7;
    scene.bodies.push_back({fmt::format("stone-{}", i), stone});
  }
  std::get<RigidSceneBody>(scene.bodies[0].body).material.friction = 0.7;
  scene.bounds = SceneBounds{.min = {-20, -1, -20}, .max = {20, 20, 20}};
  return scene;
}

}  // namespace carom::scenes
