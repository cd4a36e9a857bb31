#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "carom/body/detection.hpp"
#include "carom/body/filter.hpp"
#include "carom/body/material.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Description of particles at the vertices of a mesh, joined by springs along its edges and, against bending,
/// across each inner edge between the two opposite corners. Blades cut it, in worlds with the response `soft`.
struct ParticleBody {
  std::string name{};
  TriangleMesh mesh{};                ///< also the rest shape
  double mass = 1;                    ///< kg, of the whole body, shared out by area
  double stretch_stiffness = 500;     ///< N/m of each spring along an edge
  double bend_stiffness = 5;          ///< N/m of each spring across an edge
  double spring_damping = 0.5;        ///< N s/m along each spring
  double air_damping = 0.1;           ///< 1/s, of the velocity
  std::vector<Index> pinned{};        ///< vertices that never move
  Eigen::Vector3d velocity{0, 0, 0};  ///< m/s, at the beginning, of all that is not pinned
  /// Pa over that outside, while the volume is that of the rest shape; it falls as the volume grows. The mesh must be
  /// closed and face outward. 0 = none.
  double pressure = 0;
  /// Where WorldOptions::time_budget does not suffice, inner steps are left out of the bodies with the least importance
  /// first. Of equal ones those that a hand pulls, or a tool touches, and those with fresh contacts keep theirs
  /// longest.
  double importance = 1;
  bool sleeping_allowed = true;
  Material material{};
  CollisionFilter filter{};
  std::optional<Detection> detection{};  ///< as the world if not given
};

}  // namespace carom
