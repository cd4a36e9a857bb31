#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bodies/carried_fields.hpp"

namespace carom::bodies {
namespace {

using Eigen::Vector3d;

Vector3d any_vector() {
  const auto any = [] { return *rc::gen::inRange(-1000, 1001) / 1000.0; };
  const double x = any();
  const double y = any();
  return {x, y, any()};
}

Eigen::Isometry3d any_pose() {
  Eigen::Quaterniond q(1, 0, 0, 0);
  q.vec() = 3 * any_vector();
  Eigen::Isometry3d pose(q.normalized().toRotationMatrix());
  pose.translation() = 10 * any_vector();
  return pose;
}

RC_GTEST_PROP(RigidFit, FindsTheMotionThatThePointsWent, ()) {
  std::vector<Vector3d> from{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};  // not on a line
  for (int i = 0; i < 5; ++i) from.push_back(any_vector());
  const Eigen::Isometry3d pose = any_pose();
  std::vector<Vector3d> to;
  for (const Vector3d& p : from) to.push_back(pose * p);
  RC_ASSERT((rigid_fit(from, to).matrix() - pose.matrix()).cwiseAbs().maxCoeff() < 1e-12);
}

/// No small turn or shift of the fit brings the points nearer in the sum of squares.
RC_GTEST_PROP(RigidFit, NoOtherMotionNearItIsBetter, ()) {
  std::vector<Vector3d> from{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::vector<Vector3d> to;
  const Eigen::Isometry3d pose = any_pose();
  for (const Vector3d& p : from) to.push_back(pose * p + 0.1 * any_vector());
  const auto sum = [&](const Eigen::Isometry3d& at) {
    double squares = 0;
    for (std::size_t i = 0; i < from.size(); ++i) squares += (at * from[i] - to[i]).squaredNorm();
    return squares;
  };
  const Eigen::Isometry3d fit = rigid_fit(from, to);
  RC_ASSERT(std::abs(fit.linear().determinant() - 1) < 1e-12);
  for (int k = 0; k < 3; ++k) {
    for (const double by : {-1e-3, 1e-3}) {
      const Eigen::AngleAxisd turn(by, Vector3d::Unit(k));
      RC_ASSERT(sum(fit * turn) >= sum(fit) - 1e-15);
      RC_ASSERT(sum(Eigen::Translation3d(by * Vector3d::Unit(k)) * fit) >= sum(fit) - 1e-15);
    }
  }
}

}  // namespace
}  // namespace carom::bodies
