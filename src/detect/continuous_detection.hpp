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
  OrderedAppend<MovingContact> append;
  std::vector<double> partial;
  std::vector<Eigen::Vector3d> partial_shift;
};

void run_continuous(Context& context, const narrow::MovingIn& in, const DetectContinuousOptions& options,
                    mid::Method method, Scratch& scratch, ContinuousScratch& continuous,
                    std::vector<MovingContact>& contacts, PipelineStats& stats);

}  // namespace carom::detection
