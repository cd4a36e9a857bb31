#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "carom/detect/broad_phase.hpp"
#include "carom/world/world.hpp"
#include "world/rigid_pipeline.hpp"

namespace carom::query {

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

  void forget() {
    tree_.reset();
    surfaces_.clear();
  }
  /// Proxies are numbered as the bodies.
  const BroadPhase& of(const carom::World::State& state);
  /// Shape of a body with vertices, as they are; nullptr: the body has a shape of its own. After of().
  const Shape* surface(std::size_t body) const { return surfaces_[body] ? &*surfaces_[body] : nullptr; }

 private:
  std::mutex mutex_;
  std::unique_ptr<BroadPhase> tree_;
  std::vector<std::optional<Shape>> surfaces_;  ///< of each body
};

}  // namespace carom::query
