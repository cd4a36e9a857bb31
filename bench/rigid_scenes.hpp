#pragma once

#include <string>
#include <vector>

#include "carom/rigid.hpp"

/// Scenes of rigid bodies for all engines, see docs/benchmarks.md.
namespace carom::bench {

struct RigidScene {
  std::string name;
  std::vector<RigidBody> bodies;  ///< spheres, boxes, hulls; half-spaces facing up
};

/// A wall of unit boxes, `base` in the lowest row.
RigidScene pyramid_scene(int base);
/// Random hulls of 12 to 24 corners that fall into a pit.
RigidScene pile_scene(int count);
/// Spheres that fall on a wall of bricks.
RigidScene spheres_scene(int count);
/// Small boxes in flight, of which few touch.
RigidScene flying_scene(int count);

/// What an engine makes of a scene.
struct RigidRun {
  std::string engine{};
  std::vector<double> step_ms{};
  double largest_drift = 0;  ///< m, of a dynamic body from its start
  int lost = 0;              ///< bodies that fell out of the scene, or are no number
};

RigidRun run_carom(const RigidScene& scene, int steps, double dt, int threads);
RigidRun run_bullet(const RigidScene& scene, int steps, double dt);

}  // namespace carom::bench
