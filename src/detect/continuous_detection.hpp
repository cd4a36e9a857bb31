#pragma once

#include "carom/detect/detect_continuous.hpp"
#include "detect/detection.hpp"
#include "detect/impacts.hpp"
#include "narrow/moving_boxes.hpp"

/// The stages bounds to narrow over a step: what detect_continuous() and a world share.
namespace carom::detection {

struct ContinuousScratch {
  /// What the vertices of an object, and all vertices, have in common, for pairs within objects and between them.
  CommonMotion self, between;
  std::uint64_t revision = 0;  ///< of the surface that these look at
  CommonMotion::Points start_sample, end_sample;
  std::vector<double> partial;
  std::vector<narrow::Hit> hits;
  ImpactScratch impacts;
};

void run_continuous(Context& context, const narrow::MovingIn& in, const DetectContinuousOptions& options,
                    mid::Method method, Scratch& scratch, ContinuousScratch& continuous,
                    std::vector<MovingContact>& contacts, PipelineStats& stats, const broad::ObjectChoice& choice = {});

}  // namespace carom::detection
