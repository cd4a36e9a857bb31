#include "bench/convex_peers.hpp"
#include "carom/query/query.hpp"

namespace carom::bench {
namespace {

class Carom final : public ConvexPeer {
 public:
  std::string_view name() const override { return "carom"; }
  void add(const Shape& shape) override { shapes_.push_back(shape); }
  bool collide(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return carom::collide(at(a), pose_a, at(b), pose_b);
  }
  double distance(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return carom::distance(at(a), pose_a, at(b), pose_b).distance;
  }
  double depth(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return -carom::penetration(at(a), pose_a, at(b), pose_b).distance;
  }

 private:
  const Shape& at(int i) const { return shapes_[static_cast<std::size_t>(i)]; }
  std::vector<Shape> shapes_;
};

}  // namespace

std::unique_ptr<ConvexPeer> make_convex_carom() {
  return std::make_unique<Carom>();
}

}  // namespace carom::bench
