#include <fmt/format.h>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// Five equal balls in a row. There are no joints to hang them from: they move along a line without friction, and walls
/// send back the outer ones, as the strings of a cradle would. A ball needs more than a step from one to the next, so
/// that each impact is one of two bodies.
Scene newtons_cradle() {
  constexpr double radius = 0.25;
  constexpr double gap = 0.03;
  constexpr double speed = 1;
  Scene scene;
  scene.name = "newtons-cradle";
  scene.description = "A ball hits four others in a row: the last one leaves; balls slide along a line, between walls";
  scene.steps = 600;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground()};
  for (const int side : {-1, 1}) {
    scene.bodies.push_back(
        {side < 0 ? "left" : "right", box({0.1, 0.5, 0.5}, at(side * 3.1, 0.5, 0), MotionModel::fixed)});
  }
  for (int i = 0; i < 5; ++i) {
    RigidSceneBody ball;
    ball.source.shape = SphereShape{radius};
    ball.placement = at((i - 2) * (2 * radius + gap) - (i == 0 ? 1 : 0), radius + gap, 0);
    ball.velocity = {i == 0 ? speed : 0, 0, 0};
    ball.material.friction = 0;
    ball.material.restitution = 1;
    ball.locked_translation = {false, true, true};
    ball.locked_rotation = {true, true, true};
    ball.sleeping_allowed = false;
    scene.bodies.push_back({fmt::format("ball-{}", i), ball});
  }
  scene.bounds = SceneBounds{.min = {-4, -1, -4}, .max = {4, 4, 4}};
  return scene;
}

}  // namespace carom::scenes
