#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include "bench/convex_peers.hpp"

namespace carom::bench {
namespace {

btVector3 vector(const Eigen::Vector3d& p) {
  return {static_cast<btScalar>(p.x()), static_cast<btScalar>(p.y()), static_cast<btScalar>(p.z())};
}

/// Bullet in single precision, as Debian builds it first, without collision margins so that it is asked the same.
class Bullet final : public ConvexPeer {
 public:
  std::string_view name() const override { return "bullet"; }

  void add(const Shape& shape) override {
    if (shape.kind() == ShapeKind::box) {
      shapes_.push_back(std::make_unique<btBoxShape>(vector(shape.support({1, 1, 1}))));
    } else {
      auto hull = std::make_unique<btConvexHullShape>();
      for (const Eigen::Vector3d& p : shape.vertices()) hull->addPoint(vector(p), false);
      hull->recalcLocalAabb();
      shapes_.push_back(std::move(hull));
    }
    shapes_.back()->setMargin(0);
  }

  bool collide(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return ask(a, pose_a, b, pose_b, false) <= 0;
  }
  double distance(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return ask(a, pose_a, b, pose_b, true);
  }
  double depth(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return -ask(a, pose_a, b, pose_b, true);
  }

 private:
  static btTransform transform(const Eigen::Isometry3d& pose) {
    const Eigen::Matrix3f r = pose.linear().cast<float>();
    return btTransform(btMatrix3x3(r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2)),
                       vector(pose.translation()));
  }

  double ask(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b, bool at_any_distance) {
    btGjkPairDetector detector(shapes_[static_cast<std::size_t>(a)].get(), shapes_[static_cast<std::size_t>(b)].get(),
                               &simplex_, &depth_solver_);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = transform(pose_a);
    input.m_transformB = transform(pose_b);
    if (!at_any_distance) input.m_maximumDistanceSquared = 0;
    btPointCollector result;
    detector.getClosestPoints(input, result, nullptr);
    return result.m_hasResult ? result.m_distance : 1e9;
  }

  std::vector<std::unique_ptr<btConvexInternalShape>> shapes_;
  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver depth_solver_;
};

}  // namespace

std::unique_ptr<ConvexPeer> make_convex_bullet() {
  return std::make_unique<Bullet>();
}

}  // namespace carom::bench
