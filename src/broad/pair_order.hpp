#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "broad/collider_broad_phase.hpp"
#include "broad/spatial_order.hpp"

namespace carom::broad {

/// The order in which pairs are updated: those of colliders near each other one after the other, so that what the last
/// ones read is still in the cache. What is found does not depend on it.
class PairOrder {
 public:
  /// To be called when the pairs have changed. They are ascending; first_of(pair) is the first collider of one. `boxes`
  /// are those of the colliders.
  template <class Entry, class FirstOf>
  void update(Workers& workers, ColliderSpan<const ColliderBox> boxes, const std::vector<Entry>& pairs,
              const FirstOf& first_of) {
    begin_.resize(boxes.size() + 1);
    begin_.back() = static_cast<std::uint32_t>(pairs.size());
    // Counted, then added up: no branch depends on how many pairs a collider has.
    parallel_chunks(workers, boxes.size(), collider_grain, [&](std::size_t first, std::size_t last, std::size_t) {
      const auto collider_of = [&](const Entry& pair) { return first_of(pair).offset(); };
      const auto begin = std::partition_point(pairs.begin(), pairs.end(),
                                              [&](const Entry& pair) { return collider_of(pair) < first; });
      std::fill(begin_.data() + first, begin_.data() + last, 0);
      for (auto pair = begin; pair != pairs.end() && collider_of(*pair) < last; ++pair) ++begin_[collider_of(*pair)];
      auto next = static_cast<std::uint32_t>(begin - pairs.begin());
      for (std::size_t c = first; c < last; ++c) next += std::exchange(begin_[c], next);
    });
    if (colliders_.size() != boxes.size() || ++age_ >= max_age) sort_colliders(workers, boxes);
    list(workers);
  }

  /// Places in the list of pairs.
  std::span<const std::uint32_t> places() const { return places_; }

 private:
  static constexpr std::size_t collider_grain = 1024;
  static constexpr int max_age = 30;  ///< no more than one a step: nothing gets far in so many

  void sort_colliders(Workers& workers, ColliderSpan<const ColliderBox> boxes);
  void list(Workers& workers);

  broad::SpatialOrder order_;
  std::vector<carom::Box> boxes_;
  std::vector<std::uint32_t> items_;
  std::vector<std::uint32_t> colliders_;  ///< in the order of their places, as these were some updates ago
  std::vector<std::uint32_t> begin_;      ///< of the pairs of each collider, and their end
  std::vector<std::uint32_t> places_;
  OrderedAppend<std::uint32_t> append_;
  int age_ = 0;  ///< updates since the colliders were sorted
};

}  // namespace carom::broad
