#include <fcl/broadphase/broadphase_SSaP.h>
#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/collision_object.h>

#include "bench/broad_peers.hpp"

namespace carom::bench {
namespace {

/// A body of which FCL sees nothing but the box.
class Bounds final : public fcl::CollisionGeometry<double> {
 public:
  void computeLocalAABB() override {}
  void set(const AxisBox& box) { aabb_local = fcl::AABB<double>(box.min, box.max); }
};

template <class Manager>
class Fcl final : public BroadPeer {
 public:
  void add(const std::vector<AxisBox>& boxes) override {
    std::vector<fcl::CollisionObject<double>*> all;
    for (const AxisBox& box : boxes) {
      geometry_.push_back(std::make_shared<Bounds>());
      geometry_.back()->set(box);
      objects_.push_back(std::make_unique<fcl::CollisionObject<double>>(geometry_.back()));
      objects_.back()->computeAABB();
      all.push_back(objects_.back().get());
    }
    manager_.registerObjects(all);
    manager_.setup();
  }
  std::size_t step(const std::vector<AxisBox>& boxes) override {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      geometry_[i]->set(boxes[i]);
      objects_[i]->computeAABB();
    }
    manager_.update();
    pairs_.clear();
    manager_.collide(&pairs_, [](fcl::CollisionObject<double>* a, fcl::CollisionObject<double>* b, void* pairs) {
      static_cast<Pairs*>(pairs)->push_back({a, b});
      return false;
    });
    return pairs_.size();
  }

 private:
  using Pairs = std::vector<std::pair<fcl::CollisionObject<double>*, fcl::CollisionObject<double>*>>;
  std::vector<std::shared_ptr<Bounds>> geometry_;
  std::vector<std::unique_ptr<fcl::CollisionObject<double>>> objects_;
  Manager manager_;
  Pairs pairs_;
};

}  // namespace

std::unique_ptr<BroadPeer> make_broad_fcl_tree() {
  return std::make_unique<Fcl<fcl::DynamicAABBTreeCollisionManager<double>>>();
}
std::unique_ptr<BroadPeer> make_broad_fcl_sap() {
  return std::make_unique<Fcl<fcl::SaPCollisionManager<double>>>();
}

std::unique_ptr<BroadPeer> make_broad_fcl_ssap() {
  return std::make_unique<Fcl<fcl::SSaPCollisionManager<double>>>();
}

}  // namespace carom::bench
