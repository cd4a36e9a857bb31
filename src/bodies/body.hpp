#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/world.hpp"

namespace carom {

/// A spring between two particles of one body.
struct Spring {
  Index a = none;
  Index b = none;
  double rest_length = 0;  ///< m
  double stiffness = 0;    ///< N/m
};

/// The state of a body between two steps, and what moves it.
struct Body {
  std::string name;
  BodyKind kind = BodyKind::static_body;
  /// Counts up over the life of a world, so that the order of bodies outlives removals.
  std::uint32_t serial = 0;
  std::vector<Triangle> triangles;
  std::vector<Eigen::Vector3d> rest_positions;
  std::vector<Eigen::Vector3d> positions;
  std::vector<Eigen::Vector3d> velocities;
  std::vector<double> inverse_mass;  ///< 1/kg; 0 for what no force moves

  std::uint32_t group = 1;
  std::uint32_t mask = 0xffffffff;
  std::optional<Detection> detection;

  std::int32_t rigid = -1;  ///< number among the rigid bodies, whose state is elsewhere

  Motion motion;  ///< kinematic only

  // Particles only.
  std::vector<Spring> springs;
  double spring_damping = 0;  ///< N s/m
  double air_damping = 0;     ///< 1/s
};

}  // namespace carom
