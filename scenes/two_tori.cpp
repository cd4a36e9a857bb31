#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "scenes/scenes.hpp"

/// Two deforming tori, after the example of F. Léonard's thesis. The lower one stands upright on
/// its base like a wheel. The upper one lies across the top of the rim, its centre to the right;
/// it falls, both give way where they press, both spring back, it slides along the rim to the
/// right and falls away.
///
/// The centre of the wheel is the origin of the world, so that a keyframe which turns around z
/// takes the upper torus along the rim and keeps it in touch.
namespace carom::scenes {
namespace {

using Eigen::Vector3d;

constexpr double radius = 1;
constexpr double tube_radius = 0.4;
constexpr double tilt_degrees = 12;  // of the upper torus: its far side hangs lower

/// How far the tori are pressed together, shared by both. Around the touching point the gap of
/// two tubes that cross grows as c r^2, with c = 1.25 (the lower, across) to 1.6 (both, along the
/// rim); two dents of this width take away press (1 - (r / width)^2)^2 = press - c r^2 + ..., so
/// that pressed surfaces follow each other closely over the patch instead of meeting at a point.
constexpr double press = 0.2;
constexpr double dent_width = 0.54;
constexpr double dent_depth = 0.108;  // half of `press`, and 8 mm so that no surface runs through the other

Dent make_dent(const Vector3d& touching_point, const Vector3d& inward) {
  return {.center = touching_point, .direction = inward, .radius = dent_width, .depth = dent_depth};
}

ScriptedSceneBody make_lower(const TorusSource& torus) {
  ScriptedSceneBody body;
  body.source.shape = torus;
  body.source.placement.rotation_axis = Vector3d::UnitX();
  body.source.placement.rotation_degrees = 90;
  body.morph_target = MeshSource{.shape = torus, .dents = {}, .placement = {}};
  // The top of the rim, (0, radius + tube_radius, 0) in the world.
  body.morph_target->dents = {make_dent({0, 0, -(radius + tube_radius)}, Vector3d::UnitZ())};
  return body;
}

/// Placed where it touches the top of the rim.
ScriptedSceneBody make_upper(const TorusSource& torus) {
  const double tilt = tilt_degrees * std::numbers::pi / 180;
  const Vector3d up(-std::sin(tilt), std::cos(tilt), 0);  // of the world, in the frame of the torus
  const Vector3d touching_point = Vector3d(-radius, 0, 0) - tube_radius * up;

  ScriptedSceneBody body;
  body.source.shape = torus;
  body.morph_target = MeshSource{.shape = torus, .dents = {make_dent(touching_point, up)}, .placement = {}};
  Placement& placement = body.source.placement;
  placement.rotation_axis = Vector3d::UnitZ();
  placement.rotation_degrees = -tilt_degrees;
  placement.position =
      Vector3d(0, radius + tube_radius, 0) - Eigen::AngleAxisd(-tilt, Vector3d::UnitZ()) * touching_point;
  return body;
}

Keyframe key(double time, double morph, const Vector3d& position = Vector3d::Zero(), double degrees_along_rim = 0) {
  Keyframe result{.time = time, .placement = {}, .morph = morph};
  result.placement.position = position;
  if (degrees_along_rim == 0) return result;
  result.placement.rotation_axis = Vector3d::UnitZ();
  result.placement.rotation_degrees = -degrees_along_rim;  // to the right
  return result;
}

Scene make(int around, int across) {
  const TorusSource torus{.radius = radius, .tube_radius = tube_radius, .around = around, .across = across};
  constexpr double touch = 1.0;
  constexpr double pressed = 1.8;
  constexpr double release = 2.4;
  constexpr double slide = 3.2;
  constexpr double leave = 4.6;
  constexpr double end = 6.0;

  ScriptedSceneBody lower = make_lower(torus);
  lower.keyframes = {key(touch, 0), key(pressed, 1), key(release, 1), key(slide, 0)};

  ScriptedSceneBody upper = make_upper(torus);
  const Vector3d down(0, -press, 0);
  upper.keyframes = {key(0, 0, {0, 1.6, 0}),          key(touch, 0), key(pressed, 1, down),
                     key(release, 1, down),           key(slide, 0), key(leave, 0, {0, 0, 0}, 75),
                     key(end, 0, {1.5, -2.5, 0}, 120)};

  Scene scene;
  scene.name = fmt::format("two-tori-{}", 2 * around * across);
  scene.description = fmt::format(
      "A torus falls on an upright one, both dent, it slides off to the side and falls away; "
      "{} triangles each",
      2 * around * across);
  scene.steps = 300;
  scene.world.dt = 0.02;
  scene.world.contact.distance = tube_radius / 20;
  scene.world.contact.pairs = PairScope::between;
  scene.world.contact.immovable = true;  // all is scripted: the contacts are what there is to see
  scene.bodies = {{"lower", lower}, {"upper", upper}};
  return scene;
}

}  // namespace

Scene two_tori_1600() {
  return make(40, 20);
}
Scene two_tori_6400() {
  return make(80, 40);
}
Scene two_tori_25600() {
  return make(160, 80);
}

}  // namespace carom::scenes
