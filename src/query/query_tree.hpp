#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "bodies/body.hpp"
#include "bodies/rigid.hpp"
#include "carom/detect/broad_phase.hpp"

namespace carom::query {

/// Bounding box of a shape at a pose; without end for a half-space.
AxisBox bounding_box(const Shape& shape, const Eigen::Isometry3d& pose);

/// Tree over all bodies as they are, made when somebody asks and kept until something changes.
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
    slots_.clear();
    surfaces_.clear();
  }
  /// Proxies are numbered as `order` is. May be asked by several threads at a time.
  const BroadPhase& of(std::span<const BodyId> order, const BodyMap& bodies, const rigid::Bodies& table);
  /// Slot of the body of a proxy. After of().
  BodySlot slot(std::size_t proxy) const { return slots_[proxy]; }
  /// Shape of a body with vertices, as they are; nullptr: the body has a shape of its own. After of().
  const Shape* surface(std::size_t proxy) const { return surfaces_[proxy] ? &*surfaces_[proxy] : nullptr; }

 private:
  std::mutex mutex_;
  std::unique_ptr<BroadPhase> tree_;
  std::vector<BodySlot> slots_;                 ///< of each proxy
  std::vector<std::optional<Shape>> surfaces_;  ///< of each proxy
};

}  // namespace carom::query
