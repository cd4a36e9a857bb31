#include "scenes/cloth_parts.hpp"
#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A cloth that lies on a table is pulled over its edge at 8 m/s.
Scene table_edge() {
  constexpr double speed = 8;     // m/s, the largest
  constexpr double start = 0.25;  // s
  const Eigen::Vector3d pull{0.45, -1.2, 0};

  RigidSceneBody table = box({0.7, 0.4, 0.5}, at(-0.7, -0.4, 0), MotionModel::fixed);
  table.material.friction = 0.3;

  ClothSceneBody cloth = sheet_of(1, 0.7, 41, 29);
  cloth.source.placement.position = {-0.44, 0.0065, 0};
  const SheetGrid grid(cloth);
  // Keyframes are passed smoothly: the largest speed is 1.5 times the mean.
  const double duration = 1.5 * pull.norm() / speed;
  cloth.moving_pins_sources = {
      {.vertices = grid.column(grid.columns - 1),
       .keyframes = {{.time = start}, {.time = start + duration, .placement = {.position = pull}}}}};
  cloth.material.friction = 0.3;

  Scene scene = cloth_scene("table-edge", "A cloth of 1 m is pulled over the edge of a table at 8 m/s", 90, 0.006);
  scene.bodies = {{"table", table}, {"cloth", cloth}};
  return scene;
}

}  // namespace carom::scenes
