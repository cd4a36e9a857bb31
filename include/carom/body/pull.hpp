#pragma once

#include <Eigen/Core>
#include <limits>

namespace carom {

/// Pull: a spring with a damper from a point of a body to a target, for World::pull. It is implicit along
/// the pull, so that no stiffness is too large for a vertex or for the center of a rigid body; beside the center, turns
/// are explicit (docs/limits.md).
struct Pull {
  Eigen::Vector3d target{0, 0, 0};                             ///< m, in the world
  Eigen::Vector3d velocity{0, 0, 0};                           ///< m/s, of the target
  double stiffness = 0;                                        ///< N/m
  double damping = 0;                                          ///< N s/m
  double max_force = std::numeric_limits<double>::infinity();  ///< N
};

}  // namespace carom
