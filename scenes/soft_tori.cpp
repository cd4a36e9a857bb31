#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenes/scenes.hpp"
#include "scenes/soft_parts.hpp"

/// The two tori of F. Léonard's thesis, simulated: the lower one stands upright, fixed at its base; the upper one lies
/// above its rim with its center to the right, falls, dents both, slides off to the right and falls away.
namespace carom::scenes {

Scene soft_tori(int triangles) {
  const int across = static_cast<int>(std::lround(std::sqrt(triangles / 4.0)));
  // A fifth to two fifths of an edge of the finest tori, and less of the others.
  const double contact_distance = std::min(0.02, 0.8 / across);
  const TorusSource torus{.radius = 1, .tube_radius = 0.4, .around = 2 * across, .across = across};
  constexpr double tilt_degrees = 12;
  constexpr double drop = 1.2;  // m

  SoftSceneBody lower = soft_of(torus, 100, 1.5e5);
  lower.degrees_of_freedom = 2400;
  lower.source.placement.rotation_axis = Eigen::Vector3d::UnitX();
  lower.source.placement.rotation_degrees = 90;
  lower.fixed = {{.min = {-2, -2, -2}, .max = {2, -1, 2}}};
  lower.material.friction = 0.1;

  SoftSceneBody upper = soft_of(torus, 100, 1.5e5);
  upper.degrees_of_freedom = 2400;
  const double tilt = tilt_degrees * std::numbers::pi / 180;
  upper.source.placement.rotation_axis = Eigen::Vector3d::UnitZ();
  upper.source.placement.rotation_degrees = -tilt_degrees;
  // Its tube is above the rim, and 0.3 m beyond the top of it.
  upper.source.placement.position = {1 * std::cos(tilt) + 0.1, 1.4 + 0.4 + drop - std::sin(tilt), 0};
  upper.material.friction = 0.1;

  Scene scene = soft_scene(fmt::format("soft-tori-{}", triangles),
                           fmt::format("A soft torus falls on an upright one, both dent, it slides off to the side; "
                                       "{} triangles each",
                                       triangles),
                           300, 0.02, contact_distance);
  scene.bounds = SceneBounds{.min = {-200, -300, -200}, .max = {200, 50, 200}};
  scene.bodies = {{"lower", lower}, {"upper", upper}};
  return scene;
}

/// A knotted tube, fixed below, sinks into itself under its weight.
Scene soft_knot() {
  SoftSceneBody knot =
      soft_of(TrefoilSource{.radius = 1, .height = 0.4, .tube_radius = 0.2, .along = 165, .across = 12}, 200, 4e4);
  knot.degrees_of_freedom = 6000;
  knot.fixed = {{.min = {-5, -5, -5}, .max = {5, -0.3, 5}}};
  knot.elasticity.damping = 0.05;
  knot.material.friction = 0.2;
  Scene scene = soft_scene("soft-knot", "A knotted soft tube, fixed below, sinks into itself", 370, 0.02, 0.02);
  scene.bounds = SceneBounds{.min = {-5, -5, -5}, .max = {5, 5, 5}};
  scene.bodies = {{"knot", knot}};
  return scene;
}

}  // namespace carom::scenes
