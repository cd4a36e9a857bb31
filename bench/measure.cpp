#include "bench/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/stopwatch.hpp"

namespace carom::bench {

namespace {

/// Seen backwards before the first, so that things move as they do later.
constexpr std::size_t warm_frames = 4;

/// What one frame cost and gave.
struct Cost {
  double wall_ms = INFINITY;
  double cpu_ms = INFINITY;
  double contacts = 0;

  void take_best(const Cost& other) {
    wall_ms = std::min(wall_ms, other.wall_ms);
    cpu_ms = std::min(cpu_ms, other.cpu_ms);
    contacts = other.contacts;
  }
};

Cost cost_of(const Duration& duration) {
  Cost cost;
  cost.wall_ms = duration.wall_ms;
  cost.cpu_ms = duration.cpu_ms;
  return cost;
}

/// A contender with the memory that it keeps from frame to frame.
class Runner {
 public:
  Runner(const BenchScene& scene, Contender contender) : scene_(scene), contender_(std::move(contender)) {
    if (contender_.method == reference_name) grid_ = std::make_unique<reference::Grid>(scene.surface);
  }

  const Contender& contender() const { return contender_; }

  /// Forgets what was kept from frame to frame, and sees some frames: which frames are slow because something is found
  /// anew must not differ from pass to pass, or the best of each would hide it.
  void start_again() {
    scratch_ = DetectScratch();
    for (std::size_t f = std::min<std::size_t>(scene_.frames.size(), warm_frames); f-- > 0;) run(scene_.frames[f]);
  }

  Cost run(const std::vector<Eigen::Vector3d>& positions) {
    return grid_ ? run_reference(positions) : run_ours(positions);
  }

 private:
  Cost run_reference(const std::vector<Eigen::Vector3d>& positions) {
    const reference::Options options{.distance = scene_.distance, .pairs = scene_.pairs, .threads = contender_.threads};
    const Stopwatch stopwatch;
    grid_->detect(positions, options, contacts_, reference_stats_);
    Cost cost = cost_of(stopwatch.elapsed());
    cost.contacts = static_cast<double>(contacts_.size());
    return cost;
  }

  Cost run_ours(const std::vector<Eigen::Vector3d>& positions) {
    const DetectOptions options{
        .distance = scene_.distance, .pairs = scene_.pairs, .method = contender_.method, .threads = contender_.threads};
    const Stopwatch stopwatch;
    detect(scene_.surface, positions, options, scratch_, contacts_, stats_);
    Cost cost = cost_of(stopwatch.elapsed());
    cost.contacts = static_cast<double>(contacts_.size());
    return cost;
  }

  const BenchScene& scene_;
  Contender contender_;
  std::unique_ptr<reference::Grid> grid_;
  reference::Stats reference_stats_;
  DetectScratch scratch_;
  PipelineStats stats_;
  std::vector<Contact> contacts_;
};

}  // namespace

std::vector<Result> measure(const BenchScene& scene, const std::vector<Contender>& contenders,
                            const MeasureOptions& options) {
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<Result> results;
  for (const Contender& contender : contenders) {
    runners.push_back(std::make_unique<Runner>(scene, contender));
    results.push_back({.contender = contender});
  }
  if (scene.frames.empty()) return results;
  std::vector<std::vector<Cost>> best(runners.size(), std::vector<Cost>(scene.frames.size()));
  for (int pass = 0; pass < options.passes; ++pass) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      if (options.cancelled && options.cancelled()) return results;
      if (options.progress) {
        options.progress(fmt::format("{}: {}, {} thread{}", scene.name, contenders[i].method, contenders[i].threads,
                                     contenders[i].threads == 1 ? "" : "s"));
      }
      runners[i]->start_again();
      for (std::size_t f = 0; f < scene.frames.size(); ++f) best[i][f].take_best(runners[i]->run(scene.frames[f]));
    }
  }
  const double frames = static_cast<double>(scene.frames.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const Cost& cost : best[i]) {
      results[i].wall_ms += cost.wall_ms / frames;
      results[i].cpu_ms += cost.cpu_ms / frames;
      results[i].contacts += cost.contacts / frames;
    }
  }
  return results;
}

std::vector<std::string> fast_methods() {
  std::vector<std::string> methods;
  for (const std::string_view method : detect_methods()) {
    if (method != "sweep" && method != "brute") methods.emplace_back(method);
  }
  return methods;
}

}  // namespace carom::bench
