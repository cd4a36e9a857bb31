#include <fmt/format.h>

#include <Eigen/Geometry>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"
#include "scenes/soft_parts.hpp"

// Soft bodies that tools press, push and lift.
namespace carom::scenes {
namespace {

Keyframe moved(double time, const Eigen::Vector3d& to) {
  return {.time = time, .placement = {.position = to}};
}

}  // namespace

/// A ball of 0.4 m is pressed through the hole of 0.3 m of a ring.
Scene squeeze() {
  SoftSceneBody ball = soft_of(IcosphereSource{.radius = 0.2, .subdivisions = 4}, 500, 3e4);
  ball.degrees_of_freedom = 3000;
  ball.source.placement.position = {0, 0.32, 0};
  ball.material.friction = 0.05;

  FixedSceneBody ring;
  ring.source.shape = TorusSource{.radius = 0.23, .tube_radius = 0.08, .around = 48, .across = 24};
  ring.material.friction = 0.05;

  ScriptedSceneBody pusher;
  pusher.source.shape = IcosphereSource{.radius = 0.1, .subdivisions = 3};
  pusher.source.placement.position = {0, 0.64, 0};
  pusher.keyframes = {moved(0.3, {0, 0, 0}), moved(2.5, {0, -0.75, 0}), moved(3.5, {0, 0, 0})};
  pusher.material.friction = 0.05;

  Scene scene = soft_scene("squeeze", "A soft ball is pressed through a ring", 240, 1.0 / 60, 0.006);
  scene.bounds = SceneBounds{.min = {-5, -100, -5}, .max = {5, 5, 5}};
  scene.bodies = {{"ring", ring}, {"ball", ball}, {"pusher", pusher}};
  return scene;
}

/// An organ lies in a hollow, fixed below; a tool comes down, presses it, goes along it and leaves (document 000).
Scene organ_probe(int nodes) {
  const bool fine = nodes >= 20000;
  SoftSceneBody organ = soft_of(IcosphereSource{.radius = 0.1,
                                                .subdivisions = fine          ? 5
                                                                : nodes <= 12 ? 0
                                                                              : 2},
                                1000, 2e4);
  organ.source.placement.scale = {1, 0.6, 0.8};
  organ.degrees_of_freedom = fine ? 4500 : 3 * nodes;
  organ.elasticity.damping = 0.02;
  organ.fixed = {{.min = {-1, -1, -1}, .max = {1, nodes <= 12 ? -0.04 : -0.035, 1}}};
  organ.material.friction = 0.2;

  ScriptedSceneBody tool;
  tool.source.shape = IcosphereSource{.radius = 0.02, .subdivisions = 2};
  tool.source.placement.position = {-0.02, 0.1, 0};
  tool.keyframes = {moved(0.1, {0, 0, 0}), moved(0.8, {0, -0.04, 0}), moved(1.6, {0.04, -0.04, 0.01}),
                    moved(2.2, {0.04, 0, 0.01})};
  tool.material.friction = 0.2;

  Scene scene = soft_scene(fmt::format("organ-probe-{}", nodes),
                           fine ? std::string("A tool presses an organ of 20480 triangles")
                                : fmt::format("A tool presses an organ of {} nodes", nodes),
                           250, 0.01, fine ? 0.001 : 0.002);
  scene.bodies = {{"organ", organ}, {"tool", tool}};
  return scene;
}

/// An organ falls into a ring of bone that collides by its distance field, lies in it, and a tool presses it into it.
Scene organ_on_bone() {
  RigidSceneBody bone;
  bone.source.shape =
      MeshShape{.mesh = {.shape = TorusSource{.radius = 0.1, .tube_radius = 0.035, .around = 48, .across = 24},
                         .dents = {},
                         .placement = {.scale = {1, 1, 0.8}}}};
  bone.motion = MotionModel::fixed;
  bone.field_options = FieldOptions{};
  bone.material.friction = 0.3;

  SoftSceneBody organ = soft_of(IcosphereSource{.radius = 0.1, .subdivisions = 4}, 1000, 2e4);
  organ.source.placement = {.position = {0, 0.075, 0}, .scale = {1, 0.6, 0.8}};
  organ.degrees_of_freedom = 3000;
  organ.elasticity.damping = 0.02;
  organ.material.friction = 0.3;

  ScriptedSceneBody tool;
  tool.source.shape = IcosphereSource{.radius = 0.025, .subdivisions = 2};
  tool.source.placement.position = {0.01, 0.2, 0};
  tool.keyframes = {moved(0.8, {0, 0, 0}), moved(1.6, {0, -0.11, 0}), moved(2, {0, 0, 0})};
  tool.material.friction = 0.2;

  Scene scene = soft_scene("organ-on-bone", "A tool presses an organ into a ring of bone, which is a distance field",
                           240, 0.01, 0.002);
  scene.bodies = {{"bone", bone}, {"organ", organ}, {"tool", tool}};
  scene.bounds = SceneBounds{.min = {-1, -2, -1}, .max = {1, 2, 1}};
  return scene;
}

/// Figure 5 of document 000: a cube falls on an inclined plate, a vertex first, and tips over its border. Contacts of
/// edges hold it there. Without them the border passes through the cube, which swings about the vertices that came to
/// lie on the plate, and hangs from them.
Scene cube_on_plate(bool edges) {
  SoftSceneBody cube = soft_of(BoxSource{.size = {0.3, 0.3, 0.3}, .segments = 1}, 500, 2e6);
  cube.voxel_size = 0.075;
  cube.air_damping = 2;
  cube.material.friction = 0.8;
  // Its lowest vertices are 0.2 m before the border, its center 0.15 m.
  cube.source.placement = {.position = {-0.142, 0.2, 0}, .rotation_axis = {0.06, 0, 1}, .rotation_degrees = 30};
  FixedSceneBody plate;
  plate.source.shape = BoxSource{.size = {0.6, 0.04, 1}, .segments = 1};
  // The upper side of its border is the z axis.
  plate.source.placement = {
      .position = {-0.2919, -0.0718, 0}, .rotation_axis = Eigen::Vector3d::UnitZ(), .rotation_degrees = 10};
  plate.material.friction = 0.8;
  Scene scene = soft_scene(edges ? "cube-on-plate" : "cube-on-plate-vertices",
                           edges ? "A soft cube falls on an inclined plate by a vertex, tips over its border and lies "
                                   "on it by contacts of edges"
                                 : "A soft cube falls on an inclined plate by a vertex, and its border passes through "
                                   "the cube: contacts of edges are left out",
                           240, 1.0 / 60, 0.01);
  scene.world.contact.edges = edges;
  if (!edges) cube.detection = Detection::discrete;
  scene.bounds = SceneBounds{.min = {-50, -50, -50}, .max = {50, 50, 50}};
  scene.bodies = {{"plate", plate}, {"cube", cube}};
  return scene;
}

/// Two fingers close on a cube of 1 kg, lift it and hold it.
Scene gripper() {
  SoftSceneBody cube = soft_of(BoxSource{.size = {0.1, 0.1, 0.1}, .segments = 6}, 1000, 5e4);
  cube.degrees_of_freedom = 1500;
  cube.source.placement.position = {0, 0.06, 0};
  cube.material.friction = 0.8;
  Scene scene =
      soft_scene("gripper", "Two fingers close on a soft cube, and lift it by friction", 240, 1.0 / 60, 0.003);
  scene.bodies = {ground(), {"cube", cube}};
  for (const double side : {-1.0, 1.0}) {
    ScriptedSceneBody finger;
    finger.source.shape = BoxSource{.size = {0.02, 0.08, 0.06}, .segments = 3};
    finger.source.placement.position = {side * 0.08, 0.06, 0};
    const double in = -side * 0.026;
    finger.keyframes = {moved(0.4, {0, 0, 0}), moved(1.2, {in, 0, 0}), moved(1.5, {in, 0, 0}),
                        moved(2.8, {in, 0.15, 0})};
    finger.material.friction = 0.8;
    scene.bodies.push_back({side < 0 ? "left-finger" : "right-finger", finger});
  }
  return scene;
}

/// Five cubes fall on each other, each turned a little.
Scene jelly_stack() {
  Scene scene =
      soft_scene("jelly-stack", "Five cubes of jelly fall on each other and come to rest", 300, 1.0 / 60, 0.004);
  scene.bodies = {ground()};
  for (int i = 0; i < 5; ++i) {
    SoftSceneBody cube = soft_of(BoxSource{.size = {0.2, 0.12, 0.2}, .segments = 6}, 1000, 1e5);
    cube.degrees_of_freedom = 1200;
    cube.elasticity.damping = 0.02;
    cube.material.friction = 0.6;
    cube.source.placement = {
        .position = {0, 0.07 + 0.14 * i, 0}, .rotation_axis = Eigen::Vector3d::UnitY(), .rotation_degrees = 7.0 * i};
    scene.bodies.push_back({fmt::format("jelly-{}", i + 1), cube});
  }
  scene.bounds = SceneBounds{.min = {-2, -1, -2}, .max = {2, 3, 2}};
  return scene;
}

/// Soft balls fall into a pit, `across` along each of its sides and so many layers.
Scene ball_pit(int across) {
  constexpr double radius = 0.1;
  const double half = 0.5 * across * 2.2 * radius;
  Scene scene = soft_scene("ball-pit", fmt::format("{} soft balls fall into a pit", across * across * across), 240,
                           1.0 / 60, 0.008);
  scene.bodies = {ground()};
  const double wall = 0.1;
  for (const double side : {-1.0, 1.0}) {
    scene.bodies.push_back({side < 0 ? "left" : "right",
                            box({wall, 0.5, half + 2 * wall}, at(side * (half + wall), 0.5, 0), MotionModel::fixed)});
    scene.bodies.push_back(
        {side < 0 ? "back" : "front", box({half, 0.5, wall}, at(0, 0.5, side * (half + wall)), MotionModel::fixed)});
  }
  Chance chance(7);
  for (int y = 0; y < across; ++y)
    for (int z = 0; z < across; ++z)
      for (int x = 0; x < across; ++x) {
        SoftSceneBody ball = soft_of(IcosphereSource{.radius = radius, .subdivisions = 2}, 300, 2e4);
        ball.degrees_of_freedom = 400;
        ball.source.placement.position = Eigen::Vector3d((x - 0.5 * (across - 1)) * 2.15 * radius, 0.12 + 0.23 * y,
                                                         (z - 0.5 * (across - 1)) * 2.15 * radius) +
                                         chance.in_cube(0.004);
        scene.bodies.push_back({fmt::format("ball-{}{}{}", x, y, z), ball});
      }
  scene.bounds = SceneBounds{.min = {-3, -1, -3}, .max = {3, 5, 3}};
  return scene;
}

}  // namespace carom::scenes
