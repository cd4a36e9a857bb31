#pragma once

#include <array>
#include <string_view>

#include "carom/body/cloth.hpp"
#include "world/mixed.hpp"

/// Worlds with a time budget. The cost of inner steps is given, so that no clock is read.
namespace carom::time_budget {

inline constexpr double cost = 1e-6;
/// Part of a budget that inner steps may use; the rest is kept back for continuous detection.
inline constexpr double for_inner_steps = 0.75;
/// Inner steps that sheets ask for, so many that they keep their energy with nine tenths of them as well.
inline constexpr int asked = 160;

struct Shortage {
  double budget = 0;  ///< s
  std::array<double, 2> importance{1, 1};
  int threads = 1;
  double distance = 0.008;  ///< m; steps have the more rounds the less it is
};

inline WorldOptions options_of(const Shortage& shortage) {
  WorldOptions options;
  options.dt = 1.0 / 60;
  options.contact.distance = shortage.distance;
  options.time_budget = shortage.budget;
  options.inner_step_cost = cost;
  options.solver.sleep.enabled = false;
  options.threads = shortage.threads;
  return options;
}

inline std::uint64_t count_of(const StageStats& stage, std::string_view name) {
  for (const Counted& entry : stage.counted()) {
    if (entry.name == name) return entry.count;
  }
  return 0;
}

}  // namespace carom::time_budget
