#pragma once

#include "carom/detect/detect_continuous.hpp"
#include "core/radix_sort.hpp"
#include "narrow/moving_boxes.hpp"
#include "narrow/narrow.hpp"

namespace carom::detection {

struct ImpactScratch {
  /// Of one chunk of pairs: those of one kind.
  struct Queries {
    std::vector<std::array<Index, 4>> vertices;
    std::vector<std::size_t> hits;
    std::vector<IndexedImpact> impacts;
  };
  /// A time as an integer, which sorts alike as it is not negative, and a place.
  struct Timed {
    std::uint64_t time = 0;
    std::size_t place = 0;
  };
  std::vector<Queries> queries;
  std::vector<Contact> at_start;
  std::vector<narrow::Hit> later;  ///< pairs that are not within the distance at the start
  OrderedAppend<MovingContact> append;
  std::vector<MovingContact> found;  ///< of those
  std::vector<Timed> order;
  RadixSort<Timed> sort;
};

/// Those of the pairs, which are in canonical order, that come within the separation over the step, the earliest first.
/// What is within it at the start is measured as at a frame; the rest is for the elementary tests.
void find_impacts(Context& context, const narrow::MovingIn& in, std::span<const narrow::Hit> pairs,
                  const ContinuousOptions& options, narrow::Scratch& narrow, ImpactScratch& scratch,
                  std::vector<MovingContact>& contacts);

}  // namespace carom::detection
