#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/bench_scene.hpp"
#include "bench/reference_grid.hpp"

/// Whole calls, positions in and contacts out, of the reference and of carom::detect side by side.
namespace carom::bench {

struct Contender {
  std::string method;  ///< one of detect_methods(), or "reference"
  int threads = 1;
};
inline constexpr std::string_view reference_name = "reference";

/// Means over the frames, of the best of the passes for each frame.
struct Result {
  Contender contender;
  double wall_ms = 0;
  double cpu_ms = 0;  ///< of the processor, all threads together
  double contacts = 0;

  /// What is compared. One thread: time of the processor, which other programs that run at the same time
  /// disturb least and which is that on the clock if there are none. Several: time on the clock.
  double ms() const { return contender.threads == 1 ? cpu_ms : wall_ms; }
};

struct MeasureOptions {
  int passes = 3;  ///< over all frames; contenders take turns pass by pass, so that all meet the same noise
  std::function<void(const std::string& what)> progress{};  ///< called before each pass of a contender
  std::function<bool()> cancelled{};                        ///< asked before each pass of a contender
};

/// One result for each contender, in their order; nothing more is run once cancelled. Before each pass a contender
/// forgets everything and runs the first frames backwards, unmeasured. Throws Error.
std::vector<Result> measure(const BenchScene& scene, const std::vector<Contender>& contenders,
                            const MeasureOptions& options);

/// What is worth measuring: all of detect_methods() but the slow twins.
std::vector<std::string> fast_methods();

}  // namespace carom::bench
