#include "math/rigid_fit.hpp"

#include <Eigen/Dense>
#include <cassert>

namespace carom {

RigidMotion fit_rigid(std::span<const Eigen::Vector3d> from, std::span<const Eigen::Vector3d> to) {
  assert(from.size() == to.size());
  if (from.empty()) return {};
  Eigen::Vector3d from_centre = Eigen::Vector3d::Zero();
  Eigen::Vector3d to_centre = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < from.size(); ++i) {
    from_centre += from[i];
    to_centre += to[i];
  }
  from_centre /= static_cast<double>(from.size());
  to_centre /= static_cast<double>(from.size());
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < from.size(); ++i) covariance += (to[i] - to_centre) * (from[i] - from_centre).transpose();
  if (!covariance.allFinite()) return {};
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d rotation = svd.matrixU() * svd.matrixV().transpose();
  if (rotation.determinant() < 0) {
    // A mirror image fits best; the nearest rotation turns the axis that matters least.
    Eigen::Matrix3d u = svd.matrixU();
    u.col(2) *= -1;
    rotation = u * svd.matrixV().transpose();
  }
  const RigidMotion motion{rotation, to_centre - rotation * from_centre};
  if (!motion.rotation.allFinite() || !motion.shift.allFinite()) return {};
  return motion;
}

}  // namespace carom
