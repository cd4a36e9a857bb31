#pragma once

#include "carom/detect/detect_continuous.hpp"
#include "core/radix_sort.hpp"
#include "narrow/build_contacts.hpp"
#include "narrow/moving_boxes.hpp"
#include "narrow/narrow.hpp"

namespace carom::detection {

struct ImpactScratch {
  /// Of one chunk of pairs: those of one kind.
  struct Queries {
    std::vector<std::array<Index, 4>> vertices;
    std::vector<IndexedImpact> impacts;
  };
  /// A time as an integer, which sorts alike as it is not negative, and a place among those found.
  struct Timed {
    std::uint64_t time = 0;
    std::size_t place = 0;
  };
  /// Found at time 0 all the same: its place among those found, and how many pairs at the start come before it.
  struct AtZero {
    std::size_t place = 0;
    std::size_t before = 0;
  };
  std::vector<Queries> queries;
  OrderedAppend<IndexedImpact> append;
  std::vector<IndexedImpact> found;  ///< of the pairs that are not within the distance at the start
  std::vector<AtZero> at_zero;
  std::vector<Timed> order;
  RadixSort<Timed> sort;
};

/// Pairs of features that may come within the distance over a step, in canonical order.
struct StepPairs {
  narrow::FeaturePairs at_start;  ///< those that are within it at the start
  narrow::FeaturePairs later;     ///< the others
};

/// Sorted hits as two lists: those within the separation at the start, and the others. With 0, none are.
void split_at_start(Context& context, const narrow::MovingIn& in, std::span<const narrow::Hit> hits, double separation,
                    narrow::Scratch& scratch, narrow::NumberedPairs& at_start, narrow::NumberedPairs& later);

/// Those of the pairs that come within the separation over the step, the earliest first. What is within it at the start
/// is measured as at a frame; the rest is for the elementary tests.
void find_impacts(Context& context, const narrow::MovingIn& in, const StepPairs& pairs,
                  const ContinuousOptions& options, ImpactScratch& scratch, std::vector<MovingContact>& contacts);

}  // namespace carom::detection
