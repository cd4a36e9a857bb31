#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/body/filter.hpp"
#include "carom/core/id.hpp"
#include "carom/core/unset.hpp"
#include "carom/shape/shape.hpp"

/// Pairs of many bounds that overlap, kept up to date while they move, come and go.
///
/// The pairs are exactly those whose bounds, as given, overlap (touching counts) and that filters and exclusions let
/// pass, in ascending order: neither the method nor the number of threads changes them.
namespace carom {

class Workers;
namespace broad {
class ColliderBroadPhase;
}

using ProxyId = Id<struct ProxyTag>;

struct BroadPhaseOptions {
  /// See broad_phase_methods(). "auto" measures what they cost and takes the cheapest.
  std::string method = "auto";
  /// m: boxes are kept larger by this, so that what moves less needs no search. Negative = by how fast each moves.
  double margin = -1;
  /// m: edge of a cell of the method "cells". 0 = by the sizes of the boxes.
  double cell = 0;
  int threads = 1;  ///< 0 = one for each core
};

/// "auto"; "tree": trees of boxes, rebuilt when much moved; "sap": sweep and prune along three axes; "sap18": along
/// the nine axes of 18-DOPs; "cells": a grid of cells, each with its own list.
std::span<const std::string_view> broad_phase_methods();

/// Bounds over a step: a box whose faces go straight from where they are at its start to where they are at its end.
struct SweptBox {
  AxisBox start;
  AxisBox end;
};

/// The `index` of two ids, a < b. An index is not used for another proxy before the update after the one that
/// reported the end of its pairs, so until then it is clear who is meant.
struct ProxyPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend auto operator<=>(const ProxyPair&, const ProxyPair&) = default;
};

/// The part of a step in which two may touch, from 0 to 1.
struct StepInterval {
  double begin = 0;
  double end = 1;
};

/// Counts of the last update.
struct BroadPhaseStats {
  std::string_view method;        ///< that was used
  std::uint64_t moved = 0;        ///< proxies whose bounds changed, added and removed ones too
  std::uint64_t searched = 0;     ///< moved proxies that left their enlarged box
  bool rebuilt = false;           ///< everything was searched again
  std::uint64_t candidates = 0;   ///< pairs of enlarged boxes that overlap
  std::uint64_t boxes = 0;        ///< pairs whose boxes (over the whole step) overlap, exclusions aside
  std::uint64_t dops_apart = 0;   ///< pairs with overlapping boxes that the other six axes of 18-DOPs take away
  std::uint64_t never_close = 0;  ///< pairs that moving boxes take away: never close at the same time
};

/// Hit: where a ray enters a box; 0 if it starts inside.
struct ProxyHit {
  ProxyId proxy;
  double t = unset;  ///< in lengths of the direction
};

/// Bounds may be infinite, as those of half-spaces, or of no size, but neither empty nor NaN: Error(invalid_argument,
/// not_finite) names the proxy and the axis. An id that names nothing is refused with Error(bad_index).
///
/// Two proxies that both have 18-DOPs overlap if they do along all nine axes; otherwise it is their boxes that count.
/// If one of two is swept, they overlap if they do at some time of the step.
class BroadPhase {
 public:
  explicit BroadPhase(const BroadPhaseOptions& options = {});
  ~BroadPhase();
  BroadPhase(BroadPhase&&) noexcept;
  BroadPhase& operator=(BroadPhase&&) noexcept;

  /// Two proxies make a pair only if may_collide() says so of their filters. `value` is the caller's own.
  ProxyId add(const AxisBox& box, const CollisionFilter& filter = {}, std::uint64_t value = 0);
  ProxyId add(const Dop<18>& dop, const CollisionFilter& filter = {}, std::uint64_t value = 0);
  ProxyId add(const SweptBox& swept, const CollisionFilter& filter = {}, std::uint64_t value = 0);

  void move(ProxyId id, const AxisBox& box);
  void move(ProxyId id, const Dop<18>& dop);
  void move(ProxyId id, const SweptBox& swept);
  /// Moves each proxy to its own box; as many boxes as ids. Nothing moves if one of them is wrong.
  void move(std::span<const ProxyId> ids, std::span<const AxisBox> boxes);

  void remove(ProxyId id);
  void set_filter(ProxyId id, const CollisionFilter& filter);
  /// Excludes two proxies: they make no pair, until include() or one of them is removed. False if that was so already.
  bool exclude(ProxyId a, ProxyId b);
  bool include(ProxyId a, ProxyId b);

  /// Brings the pairs up to all changes since the last call.
  void update();

  std::span<const ProxyPair> pairs() const;
  /// Interval of each pair, or empty if no proxy was ever swept.
  std::span<const StepInterval> intervals() const;
  /// Pairs that began in the last update, ascending. Pairs with a proxy that was removed ended.
  std::span<const ProxyPair> began() const;
  std::span<const ProxyPair> ended() const;
  const BroadPhaseStats& stats() const;

  std::size_t size() const;  ///< proxies there are
  bool contains(ProxyId id) const;
  /// Id of a proxy that is there, or was removed since the last update or in it.
  ProxyId id(std::uint32_t index) const;
  std::uint64_t value(std::uint32_t index) const;
  /// The box of what was given; of a swept box, over the whole step.
  AxisBox box(ProxyId id) const;

  /// Proxies whose boxes overlap `box`, ascending by index; filters do not matter here. Bounds are as they are now.
  /// Queries are fast after an update, where the method is "tree" or after prepare_queries(); otherwise they look at
  /// each box. They may be asked from several threads at a time.
  std::vector<ProxyId> overlapping(const AxisBox& box) const;

  /// Proxies whose boxes the ray origin + t direction meets for t in [0, limit], in the order in which it enters
  /// them, by index if at the same t.
  std::vector<ProxyHit> ray(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double limit) const;
  /// The same, one by one, as far as is wanted: `visit` returns the limit that holds from then on, such as the t at
  /// which the ray meets the shape in the box.
  void ray(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double limit,
           const std::function<double(ProxyId proxy, double t)>& visit) const;

  void prepare_queries();

 private:
  /// A world has threads already: a set for each part of a step would wait for each other.
  friend class broad::ColliderBroadPhase;
  void work_with(Workers& workers);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
