#include "geometry/check_pose.hpp"

#include <Eigen/LU>

#include "core/check.hpp"

namespace carom {
namespace {

template <class Pose>
[[noreturn]] void refuse_as(const Pose& pose, const std::string& name) {
  const auto affine = pose.affine();
  require(affine.allFinite() && pose.translation().cwiseAbs().maxCoeff() <= farthest_place, ErrorCode::not_finite,
          "{} is not finite, or beyond {}", name, farthest_place);
  const auto r = pose.linear();
  const std::string start = fmt::format("{} is not a rotation and a translation", name);
  for (Eigen::Index k = 0; k < r.cols(); ++k) {
    const double length = r.col(k).stableNorm();
    require(std::abs(length - 1) <= rotation_tolerance, ErrorCode::invalid_argument,
            "{}: column {} of its matrix has length {:.10g}; expected 1 within {}", start, k, length,
            rotation_tolerance);
  }
  for (Eigen::Index k = 1; k < r.cols(); ++k) {
    for (Eigen::Index j = 0; j < k; ++j) {
      require(std::abs(r.col(j).dot(r.col(k))) <= rotation_tolerance, ErrorCode::invalid_argument,
              "{}: columns {} and {} of its matrix are not perpendicular, their dot product is {:.2g}", start, j, k,
              r.col(j).dot(r.col(k)));
    }
  }
  require(r.determinant() > 0, ErrorCode::invalid_argument, "{}: it mirrors, its determinant is {:.2g}", start,
          r.determinant());
  fail(ErrorCode::invalid_argument, "{}: its matrix is off by more than {}", start, rotation_tolerance);
}

}  // namespace

void refuse_pose(const Eigen::Isometry3d& pose, const std::string& name) {
  refuse_as(pose, name);
}
void refuse_pose(const Eigen::Isometry2d& pose, const std::string& name) {
  refuse_as(pose, name);
}

}  // namespace carom
