#pragma once

#include <chrono>

#include "carom/core/stats.hpp"

namespace carom {

/// Adds the wall time of its own life to a stage.
class StageTimer {
 public:
  explicit StageTimer(StageStats& stats) : stats_(stats), start_(Clock::now()) {}
  ~StageTimer() { stats_.seconds += std::chrono::duration<double>(Clock::now() - start_).count(); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  StageStats& stats_;
  Clock::time_point start_;
};

}  // namespace carom
