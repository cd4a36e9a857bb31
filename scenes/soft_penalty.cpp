#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "scenes/scenes.hpp"
#include "scenes/soft_parts.hpp"

/// The tori of the thesis with its response: forces at the start of a step, of a stiffness that steps of 2 ms resolve,
/// and detection at the frames alone. The upper one is put down from 0.1 m: at the speed of a fall from higher it would
/// pass through, as nothing but these forces holds it off.
namespace carom::scenes {

Scene soft_tori_penalty() {
  const TorusSource torus{.radius = 1, .tube_radius = 0.4, .around = 40, .across = 20};
  constexpr double tilt_degrees = 12;
  constexpr double drop = 0.1;  // m

  SoftSceneBody lower = soft_of(torus, 100, 1.5e5);
  lower.degrees_of_freedom = 2400;
  lower.detection = Detection::discrete;
  lower.sleeping_allowed = false;
  lower.source.placement.rotation_axis = Eigen::Vector3d::UnitX();
  lower.source.placement.rotation_degrees = 90;
  lower.fixed = {{.min = {-2, -2, -2}, .max = {2, -1, 2}}};
  lower.material.friction = 0.1;

  SoftSceneBody upper = soft_of(torus, 100, 1.5e5);
  upper.degrees_of_freedom = 2400;
  upper.detection = Detection::discrete;
  upper.sleeping_allowed = false;
  const double tilt = tilt_degrees * std::numbers::pi / 180;
  upper.source.placement.rotation_axis = Eigen::Vector3d::UnitZ();
  upper.source.placement.rotation_degrees = -tilt_degrees;
  upper.source.placement.position = {std::cos(tilt) + 0.1, 1.4 + 0.4 + drop - std::sin(tilt), 0};
  upper.material.friction = 0.1;

  Scene scene = soft_scene("soft-tori-penalty",
                           "A soft torus is put on an upright one and slides off, by the penalty forces of the thesis",
                           500, 0.002, 0.06);
  scene.world.response = "penalty";
  scene.world.contact.stiffness = 20000;
  scene.world.contact.damping = 50;
  scene.bounds = SceneBounds{.min = {-50, -50, -50}, .max = {50, 50, 50}};
  scene.bodies = {{"lower", lower}, {"upper", upper}};
  return scene;
}

}  // namespace carom::scenes
