#include <Eigen/Geometry>
#include <cmath>

#include "carom/query/query.hpp"
#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "narrow/convex/convex_manifold.hpp"
#include "query/ask.hpp"
#include "shapes/shape_data.hpp"

namespace carom {

Manifold manifold(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                  double within) {
  require(std::isfinite(within), ErrorCode::not_finite, "manifold: within is not finite");
  require(within >= 0, ErrorCode::invalid_argument, "manifold: within is {}, expected at least 0", within);
  for (const auto& [shape, name] : {std::pair{&a, "a"}, {&b, "b"}}) {
    require(shape->convex(), ErrorCode::invalid_argument, "manifold: {} is a {}, expected a convex shape", name,
            to_string(shape->kind()));
  }
  check_pose(pose_a, "manifold", "pose_a");
  check_pose(pose_b, "manifold", "pose_b");
  Manifold result;
  result.closest = ask(convex::Question::distance, a, pose_a, b, pose_b);
  const QueryResult& closest = result.closest;
  if (!(closest.distance <= within)) return result;
  thread_local std::vector<convex::ConvexManifoldPoint> points;
  convex::find_all_points(a.data().core, pose_a, b.data().core, pose_b, within, closest, points);
  for (const convex::ConvexManifoldPoint& p : points) {
    const Eigen::Vector3d middle = math::to_eigen(p.middle);
    const Eigen::Vector3d half = 0.5 * p.distance * closest.normal;
    result.points.push_back({middle - half, middle + half, p.distance});
  }
  if (points.empty()) result.points = {{closest.point_a, closest.point_b, closest.distance}};
  return result;
}

}  // namespace carom
