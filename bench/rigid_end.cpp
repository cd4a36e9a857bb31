#include <algorithm>
#include <cmath>

#include "bench/rigid_run.hpp"
#include "carom/query/query.hpp"

namespace carom::bench {
namespace {

/// Of a ball around the origin of the shape that holds it.
double radius_of(const Shape& shape) {
  if (shape.kind() == ShapeKind::half_space || shape.kind() == ShapeKind::mesh) return INFINITY;
  double squared = 0;
  for (const Eigen::Vector3d& p : shape.vertices()) squared = std::max(squared, p.squaredNorm());
  if (squared > 0) return std::sqrt(squared);
  return shape.support({1, 1, 1}).norm();
}

}  // namespace

void note_step(const Duration& duration, int threads, RigidRun& run) {
  run.step_ms.push_back(threads == 1 ? duration.cpu_ms : duration.wall_ms);
  run.wall_ms.push_back(duration.wall_ms);
}

RigidEnd examine(const RigidScene& scene, const RigidRun& run) {
  RigidEnd end;
  std::vector<std::size_t> there;
  std::vector<double> radius;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    radius.push_back(radius_of(scene.bodies[i].shape));
    const bool dynamic = scene.bodies[i].motion == MotionModel::rigid;
    // The origin of a random hull may be outside of it.
    const Eigen::Vector3d center =
        dynamic ? scene.bodies[i].shape.mass_properties().center : Eigen::Vector3d(Eigen::Vector3d::Zero());
    const Eigen::Vector3d p = run.poses[i] * center;
    const bool inside = p.allFinite() && scene.bounds.contains(p);
    if (dynamic) {
      const double drift = (p - scene.bodies[i].pose * center).norm();
      if (inside) end.largest_drift = std::max(end.largest_drift, drift);
      if (!inside) ++end.lost;
    }
    if (inside || !dynamic) there.push_back(i);
  }
  for (std::size_t k = 0; k < there.size(); ++k) {
    for (std::size_t l = 0; l < k; ++l) {
      const std::size_t i = there[k];
      const std::size_t j = there[l];
      const RigidBody& a = scene.bodies[i];
      const RigidBody& b = scene.bodies[j];
      if (a.motion != MotionModel::rigid && b.motion != MotionModel::rigid) continue;
      if ((run.poses[i].translation() - run.poses[j].translation()).norm() > radius[i] + radius[j]) continue;
      const double depth = -penetration(a.shape, run.poses[i], b.shape, run.poses[j]).distance;
      const double fraction = depth / (2 * std::min(radius[i], radius[j]));
      end.deepest = std::max(end.deepest, fraction);
      if (fraction > 0.01) ++end.deep_pairs;
    }
  }
  return end;
}

}  // namespace carom::bench
