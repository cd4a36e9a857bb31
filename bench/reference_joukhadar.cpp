#include "bench/reference_joukhadar.hpp"

#include "carom/query/query.hpp"

namespace carom::bench {

JoukhadarDepth joukhadar_depth(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                               const Eigen::Isometry3d& pose_b, double beyond) {
  const auto overlap = [&](const Eigen::Vector3d& n) {
    const Eigen::Vector3d top = pose_a * a.support(pose_a.linear().transpose() * n);
    const Eigen::Vector3d bottom = pose_b * b.support(pose_b.linear().transpose() * -n);
    return n.dot(top - bottom);
  };
  JoukhadarDepth best;
  const Eigen::Vector3d between = pose_b.translation() - pose_a.translation();
  best.normal = between.norm() > 0 ? between.normalized() : Eigen::Vector3d::UnitX().eval();
  best.depth = overlap(best.normal);
  for (int i = 0; i < 50; ++i) {
    Eigen::Isometry3d moved = pose_b;
    moved.translation() += (best.depth + beyond) * best.normal;
    const QueryResult r = distance(a, pose_a, b, moved);
    ++best.iterations;
    const double depth = overlap(r.normal);
    if (!(depth < best.depth - 1e-12)) break;
    best.depth = depth;
    best.normal = r.normal;
  }
  return best;
}

}  // namespace carom::bench
