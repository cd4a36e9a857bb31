#pragma once

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <memory>
#include <vector>

#include "carom/shape/shape.hpp"

namespace carom::bench {

/// Our shapes as FCL's, and what all comparisons ask of two of them.
class FclShapes {
 public:
  void add(std::unique_ptr<fcl::CollisionGeometry<double>> shape) { shapes_.push_back(std::move(shape)); }

  /// A box or a hull.
  void add_convex(const Shape& shape) {
    if (shape.kind() == ShapeKind::box) {
      add(std::make_unique<fcl::Box<double>>(2 * shape.support({1, 1, 1})));
      return;
    }
    auto vertices = std::make_shared<std::vector<Eigen::Vector3d>>(shape.vertices().begin(), shape.vertices().end());
    auto faces = std::make_shared<std::vector<int>>();
    const IndexLists lists = shape.faces();
    for (std::size_t f = 0; f < lists.size(); ++f) {
      faces->push_back(static_cast<int>(lists[f].size()));
      faces->insert(faces->end(), lists[f].begin(), lists[f].end());
    }
    add(std::make_unique<fcl::Convex<double>>(vertices, static_cast<int>(lists.size()), faces));
  }

  const fcl::CollisionGeometry<double>* operator[](int i) const { return shapes_[static_cast<std::size_t>(i)].get(); }

  bool collide(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) const {
    fcl::CollisionRequest<double> request;
    fcl::CollisionResult<double> result;
    return fcl::collide((*this)[a], pose_a, (*this)[b], pose_b, request, result) > 0;
  }

  double distance(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) const {
    fcl::DistanceRequest<double> request;
    request.enable_nearest_points = true;
    fcl::DistanceResult<double> result;
    return fcl::distance((*this)[a], pose_a, (*this)[b], pose_b, request, result);
  }

 private:
  std::vector<std::unique_ptr<fcl::CollisionGeometry<double>>> shapes_;
};

}  // namespace carom::bench
