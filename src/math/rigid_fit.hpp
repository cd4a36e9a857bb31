#pragma once

#include <Eigen/Core>
#include <span>

namespace carom {

/// x -> rotation x + shift.
struct RigidMotion {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();

  Eigen::Vector3d operator()(const Eigen::Vector3d& x) const { return rotation * x + shift; }
  Eigen::Vector3d back(const Eigen::Vector3d& x) const { return rotation.transpose() * (x - shift); }
};

/// The rigid motion that brings `from` nearest to `to` in the sense of least squares; the identity where that
/// cannot be computed, as with coordinates whose squares overflow. The rotation is one to rounding.
RigidMotion fit_rigid(std::span<const Eigen::Vector3d> from, std::span<const Eigen::Vector3d> to);

}  // namespace carom
