#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {
namespace {

constexpr double pi = std::numbers::pi;

Eigen::Vector2d polar(double radius, double angle) {
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

ExtrusionSource bracket() {
  return {.outline = {{-0.1, -0.1}, {0.2, -0.1}, {0.2, -0.05}, {-0.05, -0.05}, {-0.05, 0.2}, {-0.1, 0.2}},
          .length = 0.16};
}

ExtrusionSource channel() {
  return {.outline = {{-0.12, -0.08},
                      {0.12, -0.08},
                      {0.12, 0.12},
                      {0.08, 0.12},
                      {0.08, -0.04},
                      {-0.08, -0.04},
                      {-0.08, 0.12},
                      {-0.12, 0.12}},
          .length = 0.3};
}

/// Eight teeth with slanting flanks.
ExtrusionSource gear() {
  ExtrusionSource gear{.outline = {}, .length = 0.08};
  for (int tooth = 0; tooth < 8; ++tooth) {
    const auto corner = [&](double radius, double at) { gear.outline.push_back(polar(radius, pi / 4 * (tooth + at))); };
    corner(0.14, 0.0);
    corner(0.14, 0.36);
    corner(0.2, 0.5);
    corner(0.2, 0.86);
  }
  return gear;
}

/// Three quarters of a ring with a rectangular section.
ExtrusionSource hook() {
  ExtrusionSource hook{.outline = {}, .length = 0.05};
  constexpr int segments = 12;
  for (int i = 0; i <= segments; ++i) hook.outline.push_back(polar(0.18, 1.5 * pi * i / segments));
  for (int i = segments; i >= 0; --i) hook.outline.push_back(polar(0.13, 1.5 * pi * i / segments));
  return hook;
}

RevolutionSource pipe() {
  return {.profile = {{0.08, -0.2}, {0.11, -0.2}, {0.11, 0.2}, {0.08, 0.2}}, .around = 20};
}

/// Half of a hollow ball.
RevolutionSource bowl() {
  RevolutionSource bowl{.profile = {}, .around = 16};
  constexpr int segments = 5;
  for (int i = 0; i <= segments; ++i) {
    const Eigen::Vector2d p = polar(0.2, pi / 2 * (i - segments) / segments);
    bowl.profile.emplace_back(i == 0 ? 0 : p.x(), p.y());
  }
  for (int i = segments; i >= 0; --i) {
    const Eigen::Vector2d p = polar(0.16, pi / 2 * (i - segments) / segments);
    bowl.profile.emplace_back(i == 0 ? 0 : p.x(), p.y());
  }
  return bowl;
}

constexpr double ring_radius = 0.15;  // m
/// Distance of the centers of rings that are linked, m: every second one is clear of the next but one.
constexpr double pitch = 0.2;

RigidSceneBody part(const decltype(MeshSource::shape)& source, const PoseSource& pose) {
  RigidSceneBody body;
  body.source.shape = MeshShape{.mesh = {.shape = source, .dents = {}, .placement = {}}};
  body.placement = pose;
  body.angular_damping = 1;  // parts that rock on others come to rest within seconds
  return body;
}

/// Rings through each other, each turned by a quarter.
void add_chain(Scene& scene, int number, int links, const Eigen::Vector3d& start) {
  for (int i = 0; i < links; ++i) {
    PoseSource pose{.position = start + Eigen::Vector3d(i * pitch, 0, 0)};
    if (i % 2 == 1) pose = {pose.position, Eigen::Vector3d::UnitX(), 90};
    const TorusSource ring{.radius = ring_radius, .tube_radius = 0.03, .around = 24, .across = 10};
    scene.bodies.push_back({fmt::format("ring-{}-{}", number, i), part(ring, pose)});
  }
}

}  // namespace

/// Concave parts, as CAD models are, fall into a bin: some stack, some catch in each other, chains stay linked.
Scene dropped_parts() {
  constexpr double half = 0.75;   // m, of the floor of the bin
  constexpr double wall = 0.5;    // m, half its height
  constexpr double thick = 0.05;  // m, half of it
  Scene scene;
  scene.name = "dropped-parts";
  scene.description = "Brackets, channels, gears, hooks, pipes, bowls and chains of rings fall into a bin";
  scene.steps = 300;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground()};
  for (const int side : {-1, 1}) {
    scene.bodies.push_back(
        {fmt::format("wall-x{}", side),
         box({thick, wall, half + 2 * thick}, at(side * (half + thick), wall, 0), MotionModel::fixed)});
    scene.bodies.push_back({fmt::format("wall-z{}", side),
                            box({half, wall, thick}, at(0, wall, side * (half + thick)), MotionModel::fixed)});
  }
  struct Kind {
    const char* name;
    decltype(MeshSource::shape) source;
  };
  const std::array<Kind, 6> kinds{{{"bracket", bracket()},
                                   {"pipe", pipe()},
                                   {"gear", gear()},
                                   {"bowl", bowl()},
                                   {"hook", hook()},
                                   {"channel", channel()}}};
  Chance chance(6);
  constexpr int across = 3;
  for (int i = 0; i < 36; ++i) {
    const Kind& kind = kinds[static_cast<std::size_t>(i) % kinds.size()];
    const double x = (i % across - 1) * 0.48 + chance.number(-0.03, 0.03);
    const double z = (i / across % across - 1) * 0.48 + chance.number(-0.03, 0.03);
    const int layer = i / (across * across);
    PoseSource pose = at(x, 0.5 + 0.6 * layer, z);
    pose.rotation_axis = chance.direction();
    pose.rotation_degrees = chance.number(0, 360);
    RigidSceneBody body = part(kind.source, pose);
    if (std::string_view(kind.name) == "bowl") body.decomposition.tolerance = 0.03;  // half of its wall
    scene.bodies.push_back({fmt::format("{}-{}", kind.name, i), body});
  }
  for (int i = 0; i < 3; ++i) add_chain(scene, i, 4, {-1.5 * pitch, 3 + 0.5 * i, 0.4 * (i - 1)});
  scene.bounds = SceneBounds{.min = {-half, 0, -half}, .max = {half, 10, half}};
  return scene;
}

}  // namespace carom::scenes
