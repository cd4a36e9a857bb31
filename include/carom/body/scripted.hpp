#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "carom/body/detection.hpp"
#include "carom/body/filter.hpp"
#include "carom/body/material.hpp"
#include "carom/field/distance_field.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Function that tells where the vertices of a scripted body are at a time. Called once per step, from one thread, and
/// once for each piece that came off the body; must fill every position.
using MotionFunction = std::function<void(double time, std::span<Eigen::Vector3d> positions)>;

/// Description of a surface that moves, and changes its shape, as it is told.
struct ScriptedBody {
  std::string name{};
  TriangleMesh mesh{};  ///< the rest shape; where it is, the motion says
  MotionFunction motion{};
  /// Whether blades cut it. What a cut adds to an edge stays at its fraction of the edge; parts that come off follow
  /// the same motion. Blades of its own and attachments to it are refused.
  bool cuttable = false;
  Material material{};
  CollisionFilter filter{};
  std::optional<Detection> detection{};  ///< as the world if not given
  /// Makes a distance field of the mesh, which is closed, as the motion has it when the body is added: particles, cloth
  /// and soft bodies then touch the field, as that of RigidBody. The motion has to keep the shape; a step in which a
  /// vertex leaves its place by more than 1e-5 of the size of the mesh throws Error(unsupported) that names it.
  std::optional<FieldOptions> field{};
};

}  // namespace carom
