#include "bench/convex_peers.hpp"
#include "bench/fcl_shapes.hpp"

namespace carom::bench {
namespace {

/// FCL with libccd, its default and its faster solver here.
class Fcl final : public ConvexPeer {
 public:
  std::string_view name() const override { return "fcl"; }

  void add(const Shape& shape) override { shapes_.add_convex(shape); }

  bool collide(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return shapes_.collide(a, pose_a, b, pose_b);
  }

  double distance(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return shapes_.distance(a, pose_a, b, pose_b);
  }

  double depth(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    fcl::CollisionRequest<double> request(1, true);
    fcl::CollisionResult<double> result;
    if (fcl::collide(shapes_[a], pose_a, shapes_[b], pose_b, request, result) == 0) return 0;
    return result.getContact(0).penetration_depth;
  }

 private:
  FclShapes shapes_;
};

}  // namespace

std::unique_ptr<ConvexPeer> make_convex_fcl() {
  return std::make_unique<Fcl>();
}

}  // namespace carom::bench
