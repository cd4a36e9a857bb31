#pragma once

#include "carom/detect/detect_continuous.hpp"
#include "detect/detection.hpp"
#include "detect/impacts.hpp"
#include "narrow/moving_boxes.hpp"

/// The stages bounds to narrow over a step: what detect_continuous() and a world share.
namespace carom::detection {

struct ContinuousScratch {
  // Of trees.
  std::vector<narrow::Hit> hits;
  narrow::NumberedPairs at_start, later;
  ImpactScratch impacts;
};

void run_continuous(Context& context, const narrow::MovingIn& in, const DetectContinuousOptions& options,
                    mid::Method method, Scratch& scratch, ContinuousScratch& continuous,
                    std::vector<MovingContact>& contacts, PipelineStats& stats, const broad::ObjectChoice& choice = {});

}  // namespace carom::detection
