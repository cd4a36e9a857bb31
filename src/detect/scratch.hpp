#pragma once

#include "detect/continuous_detection.hpp"
#include "detect/detection.hpp"

namespace carom {

struct DetectScratch::Impl {
  Workers workers{1};
  Arena arena;
  detection::Scratch detection;
  detection::ContinuousScratch continuous;
};

}  // namespace carom
