#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bodies/rigid.hpp"
#include "bounds/collider_box.hpp"
#include "carom/detect/broad_phase.hpp"
#include "core/parallel.hpp"

/// Which colliders may touch: all pairs of boxes that overlap. Boxes are larger than what they hold, so that pairs are
/// looked for only when something left its box.
namespace carom::broad {

using bounds::ColliderBox;

/// Two colliders, the smaller number first.
struct ColliderPair {
  ColliderIndex a{};
  ColliderIndex b{};
  friend auto operator<=>(const ColliderPair&, const ColliderPair&) = default;
};

/// The proxies of all colliders, in their order, so that the index of a proxy is the number of its collider. Colliders
/// that are vacant have proxies as well, in a group of their own that meets nothing.
class ColliderBroadPhase {
 public:
  /// For boxes of another time.
  void forget() { broad_.reset(); }

  /// Brings the pairs up to these boxes, of which those marked have changed since the last call. Boxes may be infinite.
  /// Vacant colliders make no pairs. False if the pairs are the same as before.
  bool update(Workers& workers, ColliderSpan<const rigid::Collider> colliders, ColliderSpan<const ColliderBox> boxes,
              ColliderSpan<const std::uint8_t> changed);

  /// All pairs of boxes that overlap, ascending.
  std::span<const ProxyPair> pairs() const { return broad_->pairs(); }
  /// Colliders whose boxes overlap a box, ascending.
  void overlapping(const ColliderBox& box, std::vector<ColliderIndex>& found) const;

 private:
  std::optional<BroadPhase> broad_;
  ByCollider<ProxyId> ids_;
  ByCollider<std::uint8_t> vacant_;  ///< as of the last call
  std::vector<ProxyId> moved_;
  std::vector<AxisBox> moved_boxes_;
  OrderedAppend<ProxyId> append_;
};

}  // namespace carom::broad
