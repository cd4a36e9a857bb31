#pragma once

#include <optional>
#include <string>

#include "carom/body/detection.hpp"
#include "carom/body/filter.hpp"
#include "carom/body/material.hpp"
#include "carom/field/distance_field.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Description of a surface that never moves.
struct FixedBody {
  std::string name{};
  TriangleMesh mesh{};
  /// Whether blades cut it, as a sheet that nothing moves: parts that come off become fixed bodies. Such a surface has
  /// no inside.
  bool cuttable = false;
  Material material{};
  CollisionFilter filter{};
  std::optional<Detection> detection{};  ///< as the world if not given
  /// Makes a distance field of the mesh, which is closed: particles, cloth and soft bodies then touch the field, as
  /// that of RigidBody.
  std::optional<FieldOptions> field{};
};

}  // namespace carom
