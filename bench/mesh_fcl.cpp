// FCL's model needs this before it, and does not say so.
#include <fcl/math/bv/utility.h>
//
#include <fcl/geometry/bvh/BVH_model.h>

#include "bench/fcl_shapes.hpp"
#include "bench/mesh_peers.hpp"

namespace carom::bench {
namespace {

/// FCL with trees of OBBRSS, which it recommends for both questions.
class Fcl final : public MeshPeer {
 public:
  std::string_view name() const override { return "fcl"; }

  void add(const Shape& shape) override {
    if (shape.kind() != ShapeKind::mesh) {
      shapes_.add_convex(shape);
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
      shapes_.add(std::move(model));
    }
  }

  bool collide(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return shapes_.collide(a, pose_a, b, pose_b);
  }

  double distance(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return shapes_.distance(a, pose_a, b, pose_b);
  }

  double contacts(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    fcl::CollisionRequest<double> request(1000000, false);
    fcl::CollisionResult<double> result;
    return static_cast<double>(fcl::collide(shapes_[a], pose_a, shapes_[b], pose_b, request, result));
  }

 private:
  FclShapes shapes_;
};

}  // namespace

std::unique_ptr<MeshPeer> make_mesh_fcl() {
  return std::make_unique<Fcl>();
}

}  // namespace carom::bench
