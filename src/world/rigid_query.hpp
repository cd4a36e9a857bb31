#pragma once

#include <memory>
#include <mutex>

#include "carom/broad_phase.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {

/// Without end for a half-space.
AxisBox bounding_box(const Shape& shape, const Eigen::Isometry3d& pose);

/// A tree over all bodies as they are, made when somebody asks and kept until something changes.
class QueryTree {
 public:
  QueryTree() = default;
  QueryTree(QueryTree&&) noexcept {}
  QueryTree& operator=(QueryTree&&) noexcept {
    forget();
    return *this;
  }

  void forget() { tree_.reset(); }
  /// Proxies are numbered as the bodies.
  const BroadPhase& of(const Bodies& bodies);

 private:
  std::mutex mutex_;
  std::unique_ptr<BroadPhase> tree_;
};

}  // namespace carom::rigid
