#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "bench/convex_peers.hpp"

namespace carom::bench {
namespace {

/// FCL with libccd, its default and its faster solver here.
class Fcl final : public ConvexPeer {
 public:
  std::string_view name() const override { return "fcl"; }

  void add(const Shape& shape) override {
    if (shape.kind() == ShapeKind::box) {
      shapes_.push_back(std::make_unique<fcl::Box<double>>(2 * shape.support({1, 1, 1})));
      return;
    }
    auto vertices = std::make_shared<std::vector<Eigen::Vector3d>>(shape.vertices().begin(), shape.vertices().end());
    auto faces = std::make_shared<std::vector<int>>();
    const IndexLists lists = shape.faces();
    for (std::size_t f = 0; f < lists.size(); ++f) {
      faces->push_back(static_cast<int>(lists[f].size()));
      faces->insert(faces->end(), lists[f].begin(), lists[f].end());
    }
    shapes_.push_back(std::make_unique<fcl::Convex<double>>(vertices, static_cast<int>(lists.size()), faces));
  }

  bool collide(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    fcl::CollisionRequest<double> request;
    fcl::CollisionResult<double> result;
    return fcl::collide(at(a), pose_a, at(b), pose_b, request, result) > 0;
  }

  double distance(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    fcl::DistanceRequest<double> request;
    request.enable_nearest_points = true;
    fcl::DistanceResult<double> result;
    return fcl::distance(at(a), pose_a, at(b), pose_b, request, result);
  }

  double depth(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    fcl::CollisionRequest<double> request(1, true);
    fcl::CollisionResult<double> result;
    if (fcl::collide(at(a), pose_a, at(b), pose_b, request, result) == 0) return 0;
    return result.getContact(0).penetration_depth;
  }

 private:
  const fcl::CollisionGeometry<double>* at(int i) const { return shapes_[static_cast<std::size_t>(i)].get(); }
  std::vector<std::unique_ptr<fcl::CollisionGeometry<double>>> shapes_;
};

}  // namespace

std::unique_ptr<ConvexPeer> make_convex_fcl() {
  return std::make_unique<Fcl>();
}

}  // namespace carom::bench
