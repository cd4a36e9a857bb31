#include "carom/query.hpp"

#include "core/check.hpp"
#include "narrow/convex/convex.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace {

void check_pose(const Eigen::Isometry3d& pose, const char* which) {
  // The sum is finite exactly if all are, but for overflow, which a pose may not come near.
  const double* m = pose.matrix().data();
  double sum = 0;
  for (int i = 0; i < 16; ++i) sum += std::abs(m[i]);
  require(sum <= 1e100, ErrorCode::not_finite, "query: the pose of {} is not finite, or beyond 1e100", which);
}

QueryResult ask(convex::Question question, const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  check_pose(pose_a, "a");
  check_pose(pose_b, "b");
  return convex::query(question, a.data().core, pose_a, b.data().core, pose_b, cache);
}

}  // namespace

bool collide(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
             QueryCache* cache) {
  return ask(convex::Question::collide, a, pose_a, b, pose_b, cache).distance <= 0;
}

QueryResult distance(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                     QueryCache* cache) {
  return ask(convex::Question::distance, a, pose_a, b, pose_b, cache);
}

QueryResult penetration(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                        const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  return ask(convex::Question::penetration, a, pose_a, b, pose_b, cache);
}

}  // namespace carom
