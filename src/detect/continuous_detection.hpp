#pragma once

#include "carom/detect_continuous.hpp"
#include "detect/detection.hpp"
#include "narrow/moving_boxes.hpp"

/// The stages bounds to narrow over a step: what detect_continuous() and a world share.
namespace carom::detection {

struct ContinuousScratch {
  /// Of one chunk of pairs: those of one kind.
  struct Queries {
    std::vector<std::array<Index, 4>> vertices;
    std::vector<std::size_t> hits;
    std::vector<IndexedImpact> impacts;
  };
  std::vector<Queries> queries;
  /// What the vertices of an object, and all vertices, have in common, for pairs within objects and between them.
  CommonMotion self, between;
  std::uint64_t revision = 0;  ///< of the surface that these look at
  CommonMotion::Points start_sample, end_sample;
  std::vector<narrow::Hit> hits;
  OrderedAppend<MovingContact> append;
  std::vector<double> partial;
  /// Times as integers, which sort alike as they are not negative, and places in `found`.
  struct Timed {
    std::uint64_t time = 0;
    std::size_t place = 0;
  };
  std::vector<Timed> order;
  RadixSort<Timed> sort;
  std::vector<MovingContact> found;
};

void run_continuous(Context& context, const narrow::MovingIn& in, const DetectContinuousOptions& options,
                    mid::Method method, Scratch& scratch, ContinuousScratch& continuous,
                    std::vector<MovingContact>& contacts, PipelineStats& stats);

}  // namespace carom::detection
