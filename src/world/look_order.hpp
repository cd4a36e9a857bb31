#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>
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
    begin_.resize(boxes.size() + 1);
    begin_.back() = static_cast<std::uint32_t>(pairs);
    // Counted, then added up: no branch depends on how many pairs a collider has.
    parallel_chunks(workers, boxes.size(), collider_grain, [&](std::size_t first, std::size_t last, std::size_t) {
      const auto places = std::views::iota(std::size_t{0}, pairs);
      const auto collider_of = [&](std::size_t i) { return static_cast<std::size_t>(first_of(i)); };
      const auto begin =
          static_cast<std::size_t>(std::ranges::lower_bound(places, first, {}, collider_of) - places.begin());
      std::fill(begin_.data() + first, begin_.data() + last, 0);
      for (std::size_t i = begin; i < pairs && collider_of(i) < last; ++i) ++begin_[collider_of(i)];
      auto next = static_cast<std::uint32_t>(begin);
      for (std::size_t c = first; c < last; ++c) next += std::exchange(begin_[c], next);
    });
    if (colliders_.size() != boxes.size() || ++age_ >= most_age) sort_colliders(workers, boxes);
    list(workers);
  }

  /// Places in the list of pairs.
  std::span<const std::uint32_t> places() const { return places_; }

 private:
  static constexpr std::size_t collider_grain = 1024;
  static constexpr int most_age = 30;  ///< no more than one a step: nothing gets far in so many

  void sort_colliders(Workers& workers, std::span<const Box> boxes);
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

}  // namespace carom::rigid
