#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "broad/rigid_broad.hpp"
#include "broad/spatial_order.hpp"

namespace carom::rigid {

/// The order in which pairs are looked at: those of colliders near each other one after the other, so that what the
/// last ones read is still in the cache. What is found does not depend on it.
class LookOrder {
 public:
  /// To be called when the pairs have changed. They are ascending; first_of(i) is the first collider of pair i of so
  /// many. `boxes` are those of the colliders.
  template <class FirstOf>
  void update(Workers& workers, std::span<const Box> boxes, std::size_t pairs, const FirstOf& first_of) {
    begin_.assign(boxes.size() + 1, 0);
    for (std::size_t i = 0; i < pairs; ++i) ++begin_[static_cast<std::size_t>(first_of(i)) + 1];
    for (std::size_t c = 0; c < boxes.size(); ++c) begin_[c + 1] += begin_[c];
    if (colliders_.size() != boxes.size() || ++age_ >= most_age) sort_colliders(workers, boxes);
    list();
  }

  /// Places in the list of pairs.
  std::span<const std::uint32_t> places() const { return places_; }

 private:
  static constexpr int most_age = 30;  ///< no more than one a step: nothing gets far in so many

  void sort_colliders(Workers& workers, std::span<const Box> boxes);
  void list();

  broad::SpatialOrder order_;
  std::vector<carom::Box> boxes_;
  std::vector<std::uint32_t> items_;
  std::vector<std::uint32_t> colliders_;  ///< in the order of their places, as these were some updates ago
  std::vector<std::uint32_t> begin_;      ///< of the pairs of each collider, and their end
  std::vector<std::uint32_t> places_;
  int age_ = 0;  ///< updates since the colliders were sorted
};

}  // namespace carom::rigid
