// FCL's model needs this before it, and does not say so.
#include <fcl/math/bv/utility.h>
//
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "bench/mesh_peers.hpp"

namespace carom::bench {
namespace {

/// FCL with trees of OBBRSS, which it recommends for both questions.
class Fcl final : public MeshPeer {
 public:
  std::string_view name() const override { return "fcl"; }

  void add(const Shape& shape) override {
    if (shape.kind() == ShapeKind::box) {
      shapes_.push_back(std::make_unique<fcl::Box<double>>(2 * shape.support({1, 1, 1})));
    } else if (shape.kind() == ShapeKind::hull) {
      auto vertices = std::make_shared<std::vector<Eigen::Vector3d>>(shape.vertices().begin(), shape.vertices().end());
      auto faces = std::make_shared<std::vector<int>>();
      const IndexLists lists = shape.faces();
      for (std::size_t f = 0; f < lists.size(); ++f) {
        faces->push_back(static_cast<int>(lists[f].size()));
        faces->insert(faces->end(), lists[f].begin(), lists[f].end());
      }
      shapes_.push_back(std::make_unique<fcl::Convex<double>>(vertices, static_cast<int>(lists.size()), faces));
    } else {
      auto model = std::make_unique<fcl::BVHModel<fcl::OBBRSS<double>>>();
      std::vector<fcl::Triangle> triangles;
      for (const Triangle& t : shape.triangles()) {
        triangles.emplace_back(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]),
                               static_cast<std::size_t>(t[2]));
      }
      model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(shape.vertices().size()));
      model->addSubModel(std::vector<Eigen::Vector3d>(shape.vertices().begin(), shape.vertices().end()), triangles);
      model->endModel();
      shapes_.push_back(std::move(model));
    }
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

  double contacts(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    fcl::CollisionRequest<double> request(1000000, false);
    fcl::CollisionResult<double> result;
    return static_cast<double>(fcl::collide(at(a), pose_a, at(b), pose_b, request, result));
  }

 private:
  const fcl::CollisionGeometry<double>* at(int i) const { return shapes_[static_cast<std::size_t>(i)].get(); }
  std::vector<std::unique_ptr<fcl::CollisionGeometry<double>>> shapes_;
};

}  // namespace

std::unique_ptr<MeshPeer> make_mesh_fcl() {
  return std::make_unique<Fcl>();
}

}  // namespace carom::bench
