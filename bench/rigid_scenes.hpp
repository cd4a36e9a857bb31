#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "carom/body/rigid.hpp"

/// Scenes of rigid bodies for all engines, see docs/benchmarks.md.
namespace carom::bench {

struct RigidScene {
  std::string name;
  std::vector<RigidBody> bodies{};       ///< spheres, boxes, hulls; static meshes; half-spaces facing up
  Eigen::Vector3d gravity{0, -9.81, 0};  ///< m/s^2
  /// A centre that is outside is lost.
  Eigen::AlignedBox3d bounds{Eigen::Vector3d(-1e9, -1, -1e9), Eigen::Vector3d(1e9, 1e9, 1e9)};
};

/// A wall of unit boxes, `base` in the lowest row.
RigidScene pyramid_scene(int base);
/// Random hulls of 12 to 24 corners that fall into a pit.
RigidScene pile_scene(int count);
/// The same between walls of 6 m, which other engines lose fewer bodies through.
RigidScene held_pile_scene(int count);
/// Spheres that fall on fixed bricks.
RigidScene spheres_scene(int count);
/// Random hulls that fall on hills of 100 000 triangles.
RigidScene terrain_scene(int count);
/// Small boxes in flight without gravity, of which few touch.
RigidScene flying_scene(int count);
/// The same hulls in a pit as wide as it takes for `layers` of them.
RigidScene wide_pile_scene(int count, int layers);

}  // namespace carom::bench
