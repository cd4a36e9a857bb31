#include "scenes/cloth_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {
namespace {

using Eigen::Vector3d;

constexpr double leg = 0.09;    // m, from the middle to either leg of a loop
constexpr double lift = 0.03;   // m, over and under what is crossed
constexpr double reach = 0.45;  // m, from the knot to the ends
constexpr double width = 0.024;

/// A loop that opens to the left.
std::vector<Vector3d> loop() {
  return {{-reach, 0, leg},   {-0.3, 0, leg}, {-0.15, 0, leg},  {0, 0, leg},     {0.065, 0, 0.062}, {0.09, 0, 0},
          {0.065, 0, -0.062}, {0, 0, -leg},   {-0.15, 0, -leg}, {-0.3, 0, -leg}, {-reach, 0, -leg}};
}

/// Half of the other end: from the right under the bend of the loop, up through it, out over its leg and down.
std::vector<Vector3d> half() {
  return {{reach, -lift, 0.035},        {0.3, -lift, 0.035},         {0.13, -lift, 0.035},
          {0.07, -0.6 * lift, 0.035},   {0.02, 0.8 * lift, 0.035},   {-0.04, lift, 0.055},
          {-0.09, lift, leg},           {-0.115, 0.8 * lift, 0.135}, {-0.12, 0, 0.155},
          {-0.125, -0.8 * lift, 0.135}, {-0.13, -1.2 * lift, leg},   {-0.135, -1.3 * lift, 0.04}};
}

/// From the right through the loop, around both its legs, and back to the right.
std::vector<Vector3d> through() {
  std::vector<Vector3d> path = half();
  const std::vector<Vector3d> first = path;
  for (auto p = first.rbegin(); p != first.rend(); ++p) path.push_back({p->x(), p->y(), -p->z()});
  return path;
}

SceneBody ribbon(const char* name, std::vector<Vector3d> path, const Vector3d& pull) {
  constexpr int along = 110;
  constexpr int across = 3;
  ClothSceneBody body;
  body.source.shape = RibbonSource{.path = std::move(path), .width = width, .along = along, .across = across};
  body.fabric_properties = Fabric{
      .density = 0.2, .warp_stiffness = 3000, .weft_stiffness = 3000, .shear_stiffness = 800, .bend_stiffness = 2e-5};
  MovingPinsSource ends;
  for (int k = 0; k <= across; ++k) {
    ends.vertices.push_back(k);
    ends.vertices.push_back(along * (across + 1) + k);
  }
  ends.keyframes = {{.time = 0.1}, {.time = 2.5, .placement = {.position = pull}}};
  body.moving_pins_sources = {ends};
  body.material.friction = 0.25;
  body.air_damping = 2;
  body.sleeping_allowed = false;
  return {name, body};
}

}  // namespace

/// Two ribbons in a reef knot, which is pulled tight by their ends.
Scene reef_knot() {
  Scene scene = cloth_scene("reef-knot", "Two ribbons in a reef knot, pulled tight by their four ends", 180, 0.002);
  scene.world.gravity = {0, 0, 0};
  scene.bodies = {ribbon("loop", loop(), {-0.09, 0, 0}), ribbon("through", through(), {0.09, 0, 0})};
  return scene;
}

}  // namespace carom::scenes
