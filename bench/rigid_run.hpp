#pragma once

#include "bench/rigid_scenes.hpp"
#include "bench/stopwatch.hpp"

namespace carom::bench {

/// What an engine makes of a scene.
struct RigidRun {
  std::string engine{};
  /// Of each step: of the processor where there is one thread, which other work on the machine changes little, else of
  /// the clock.
  std::vector<double> step_ms{};
  std::vector<double> wall_ms{};
  std::vector<Eigen::Isometry3d> poses{};  ///< of the shapes of all bodies, after the last step
};

/// Adds what a step took.
void note_step(const Duration& duration, int threads, RigidRun& run);

RigidRun run_carom(const RigidScene& scene, int steps, double dt, int threads);
RigidRun run_bullet(const RigidScene& scene, int steps, double dt);
RigidRun run_ode(const RigidScene& scene, int steps, double dt);

/// How a run ended.
struct RigidEnd {
  double largest_drift = 0;  ///< m, of a dynamic body from its start
  int lost = 0;              ///< bodies that fell out of the scene, or are no number
  /// By penetration() of every pair as it lies, not by what the engine remembers of its contacts: the deepest, as a
  /// share of the diameter of a ball around the smaller body, and how many are deeper than 1%.
  double deepest = 0;
  int deep_pairs = 0;
};

RigidEnd examine(const RigidScene& scene, const RigidRun& run);

}  // namespace carom::bench
