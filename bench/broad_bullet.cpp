#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>

#include "bench/broad_peers.hpp"

namespace carom::bench {
namespace {

btVector3 vector(const Eigen::Vector3d& p) {
  return {static_cast<btScalar>(p.x()), static_cast<btScalar>(p.y()), static_cast<btScalar>(p.z())};
}

class Bullet final : public BroadPeer {
 public:
  explicit Bullet(std::unique_ptr<btBroadphaseInterface> broad) : broad_(std::move(broad)) {}
  ~Bullet() override {
    for (btBroadphaseProxy* proxy : proxies_) broad_->destroyProxy(proxy, &dispatcher_);
  }

  void add(const std::vector<AxisBox>& boxes) override {
    for (const AxisBox& box : boxes) {
      proxies_.push_back(broad_->createProxy(vector(box.min), vector(box.max), 0, this,
                                             btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter,
                                             &dispatcher_));
    }
    broad_->calculateOverlappingPairs(&dispatcher_);
  }
  std::size_t step(const std::vector<AxisBox>& boxes) override {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      broad_->setAabb(proxies_[i], vector(boxes[i].min), vector(boxes[i].max), &dispatcher_);
    }
    broad_->calculateOverlappingPairs(&dispatcher_);
    return static_cast<std::size_t>(broad_->getOverlappingPairCache()->getNumOverlappingPairs());
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  std::unique_ptr<btBroadphaseInterface> broad_;
  std::vector<btBroadphaseProxy*> proxies_;
};

}  // namespace

std::unique_ptr<BroadPeer> make_broad_bullet_tree() {
  return std::make_unique<Bullet>(std::make_unique<btDbvtBroadphase>());
}

std::unique_ptr<BroadPeer> make_broad_bullet_sweep(const AxisBox& world) {
  return std::make_unique<Bullet>(
      std::make_unique<bt32BitAxisSweep3>(vector(world.min), vector(world.max), 200000U, nullptr, true));
}

}  // namespace carom::bench
