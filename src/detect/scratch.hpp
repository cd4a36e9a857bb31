#pragma once

#include <optional>

#include "carom/mesh/surface.hpp"
#include "core/parallel.hpp"
#include "detect/continuous_detection.hpp"
#include "detect/detection.hpp"

namespace carom {

struct DetectScratch::Impl {
  Workers workers{1};
  Arena arena;
  detection::Scratch detection;
  detection::ContinuousScratch continuous;

  /// For a call: one is made of many short loops, between which threads had better not fall asleep. Where the whole
  /// call takes some microseconds, waking them takes longer.
  void gather(const Surface& surface, std::optional<Workers::Session>& session) {
    constexpr std::size_t worth_waking = 10'000;  // triangles
    if (workers.threads() > 1 && surface.live_triangle_count() > worth_waking) session.emplace(workers);
  }
};

}  // namespace carom
