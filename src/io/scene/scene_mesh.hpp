#pragma once

#include <Eigen/Geometry>
#include <optional>
#include <span>
#include <string>

#include "carom/io/scene.hpp"

namespace carom {

using MeshMaker = decltype(MeshSource::shape);

/// Says so if a generator would make more triangles than our 32-bit indices can handle: before
/// the memory is asked for.
std::optional<std::string> too_many_triangles(const MeshMaker& shape);

/// The shape with its dents, before its placement.
TriangleMesh build_unplaced(const MeshSource& source);

/// A placement ready for use.
struct Transform {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();

  Eigen::Vector3d operator*(const Eigen::Vector3d& p) const { return position + rotation * scale.cwiseProduct(p); }
};

/// Throws Error that names what is not finite, or zero where it must not be.
Transform to_transform(const Placement& placement);

void place(const Placement& placement, std::span<Eigen::Vector3d> positions);

}  // namespace carom
