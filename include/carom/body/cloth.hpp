#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "carom/body/detection.hpp"
#include "carom/body/fabric.hpp"
#include "carom/body/filter.hpp"
#include "carom/body/material.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Description of cloth: a sheet of particles that resists stretch, shear and bending by compliant constraints
/// (adr/0014). Needs the response `soft`.
struct ClothBody {
  std::string name{};
  TriangleMesh mesh{};                ///< also the rest shape
  Fabric fabric{};                    ///< see fabric_by_name()
  Eigen::Vector3d warp{1, 0, 0};      ///< direction of the warp at rest, of any length but zero
  std::vector<Index> pinned{};        ///< vertices that never move
  Eigen::Vector3d velocity{0, 0, 0};  ///< m/s, at the beginning, of all that is not pinned
  double air_damping = 0;             ///< 1/s, of the velocity
  Wind wind{};
  /// Inner steps of a step. The strain beyond that of the fabric falls with their square. 0 = as many as keep it near a
  /// hundredth.
  int inner_steps = 0;
  bool sleeping_allowed = true;
  Material material{};
  CollisionFilter filter{};
  std::optional<Detection> detection{};  ///< continuous if not given
};

}  // namespace carom
