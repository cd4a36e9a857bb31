#include <fmt/format.h>

#include "scenes/cloth_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A cloth falls on a ball, which then moves to and fro in a light wind (Zouiouche 2012, V.6). With more than one level
/// vertices move by themselves around contacts only (IV.4).
Scene cloth_on_ball(int vertices, int levels) {
  ScriptedSceneBody ball;
  ball.source.shape = IcosphereSource{.radius = 0.5, .subdivisions = vertices < 30 ? 3 : 4};
  for (const auto& [time, x] : {std::pair{1.5, 0.0}, {3.0, 0.6}, {4.5, -0.6}, {6.0, 0.0}})
    ball.keyframes.push_back({.time = time, .placement = {.position = {x, 0, 0}}});
  ball.material.friction = 0.4;

  ClothSceneBody cloth = sheet_of(2, 2, vertices, vertices);
  cloth.source.placement.position = {0, 0.54, 0};
  cloth.wind_source = WindSource{.velocity = {0, 0, 1}};
  cloth.material.friction = 0.4;
  cloth.air_damping = 0.2;
  cloth.levels = levels;

  Scene scene = cloth_scene(levels > 1 ? "cloth-on-ball-levels" : fmt::format("cloth-on-ball-{}", vertices),
                            fmt::format("A cotton cloth of 2 m, {0} x {0} vertices{1}, falls on a ball that moves in a "
                                        "light wind",
                                        vertices, levels > 1 ? fmt::format(" in {} levels", levels) : ""),
                            360, vertices > 100 ? 0.005 : 0.01);
  scene.bodies = {{"ball", ball}, {"cloth", cloth}};
  return scene;
}

}  // namespace carom::scenes
