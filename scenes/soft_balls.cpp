#include <fmt/format.h>

#include <Eigen/Geometry>

#include "scenes/scenes.hpp"

/// A block of soft balls, packed so closely that each is flattened where it meets a neighbour. They
/// wobble and drift against each other: many bodies, a patch of contacts between each two that touch.
namespace carom::scenes {
namespace {

using Eigen::Vector3d;

constexpr double ball_spacing = 1.9;  // of balls of radius 1

/// The six flats. Where 4 depth = width^2 a dent takes away the curvature of the ball around its centre; this one
/// leaves the flat 7 mm inside the middle plane, so that neighbours are 14 mm apart.
constexpr double flat_depth = 0.057;
constexpr double flat_width = 0.48;

/// Different for each ball and each use, the same on every machine, in [0, 1).
double spread(int ball, int use) {
  const auto n = static_cast<std::uint32_t>(ball * 7 + use) * 2654435761U;
  return static_cast<double>(n >> 8U) * 0x1p-24;
}

/// Every ball is turned in its own way, so that no two meshes mirror each other; its flats are not.
MeshSource make_ball(int ball, const Vector3d& centre) {
  MeshSource mesh;
  mesh.shape = IcosphereSource{.radius = 1, .subdivisions = 3};
  mesh.placement.position = centre;
  mesh.placement.rotation_axis = {spread(ball, 0) - 0.5, spread(ball, 1) - 0.5, spread(ball, 2) + 0.1};
  mesh.placement.rotation_degrees = 360 * spread(ball, 3);
  const Eigen::AngleAxisd turn(mesh.placement.rotation_degrees * EIGEN_PI / 180,
                               mesh.placement.rotation_axis.normalized());
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const Vector3d outward = turn.inverse() * (side * Vector3d::Unit(axis));
      mesh.dents.push_back({.center = outward, .direction = -outward, .radius = flat_width, .depth = flat_depth});
    }
  }
  return mesh;
}

ScriptedSceneBody make_body(int ball, const Vector3d& centre) {
  ScriptedSceneBody body;
  body.source = make_ball(ball, centre);
  body.morph_target = body.source;
  body.morph_target->placement = {};
  body.morph_target->placement.scale = {0.98 + 0.04 * spread(ball, 4), 0.98 + 0.04 * spread(ball, 5), 1};
  for (int i = 0; i <= 4; ++i) {
    Keyframe key{.time = 0.3 * i, .placement = {}, .morph = i % 2 == 0 ? 0.0 : 1.0};
    key.placement.position =
        0.03 * Vector3d(spread(ball + 64 * i, 0) - 0.5, spread(ball + 64 * i, 1) - 0.5, spread(ball + 64 * i, 2) - 0.5);
    body.keyframes.push_back(key);
  }
  return body;
}

}  // namespace

Scene soft_balls() {
  constexpr int side = 4;
  Scene scene;
  scene.name = "soft-balls";
  scene.description = "64 soft balls of 1280 triangles each wobble against their neighbours";
  scene.steps = 60;
  scene.world.dt = 0.02;
  scene.world.contact.distance = 0.04;  // 0.3 of an edge
  scene.world.contact.pairs = PairScope::all;
  scene.world.contact.immovable = true;  // all is scripted: the contacts are what there is to see
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const Vector3d centre = ball_spacing * (Vector3d(x, y, z).array() - 0.5 * (side - 1)).matrix();
        const auto ball = static_cast<int>(scene.bodies.size());
        scene.bodies.push_back({fmt::format("ball-{}{}{}", x, y, z), make_body(ball, centre)});
      }
  return scene;
}

}  // namespace carom::scenes
