#include "carom/query/clash.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <tuple>

#include "carom/detect/broad_phase.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "geometry/check_pose.hpp"
#include "query/clash_pair.hpp"

namespace carom {
namespace {

constexpr double relative_tolerance = 1e-6;
/// Pairs between two calls of `progress`: a pair of large meshes takes milliseconds.
constexpr std::size_t pairs_at_a_time = 64;

/// Half-spaces end nowhere, nor does what is solid around a room.
AxisBox bounds_of(const Shape::Part& part) {
  const auto endless = [](const Shape& shape) { return shape.kind() == ShapeKind::half_space || shape.is_room(); };
  const auto pieces = part.shape.parts();
  if (endless(part.shape) ||
      std::any_of(pieces.begin(), pieces.end(), [&](const Shape::Part& piece) { return endless(piece.shape); })) {
    return {Eigen::Vector3d::Constant(-INFINITY), Eigen::Vector3d::Constant(INFINITY)};
  }
  return part.shape.bounding_box(part.pose);
}

std::vector<ProxyPair> near_pairs(std::span<const AxisBox> boxes, double reach, int threads) {
  BroadPhase broad({.threads = threads});
  for (const AxisBox& box : boxes) {
    // By half the reach, and by more than what rounding takes of it.
    const Eigen::Array3d grown = 0.5 * reach + 1e-14 * box.min.array().abs().max(box.max.array().abs());
    broad.add(AxisBox{(box.min.array() - grown).matrix(), (box.max.array() + grown).matrix()});
  }
  broad.update();
  return {broad.pairs().begin(), broad.pairs().end()};
}

/// Progress of the search, told by whichever thread comes by.
class Reporter {
 public:
  Reporter(const ClashOptions& options, std::size_t total) : progress_(options.progress), total_(total) {}

  /// Between two batches of pairs.
  bool tell(std::size_t found) {
    const std::lock_guard lock(mutex_);
    found_ = found;
    if (progress_ && !ended_) ended_ = !progress_({done_.load(), total_, found_.load(), none, none});
    return !ended_;
  }

  /// Within a pair: often asked, seldom told.
  bool go_on(std::uint32_t a, std::uint32_t b) {
    if (ended_) return false;
    if (!progress_ || Clock::now() - told_.load() < interval) return true;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || ended_) return !ended_;
    told_ = Clock::now();
    ended_ = !progress_({done_.load(), total_, found_.load(), static_cast<Index>(a), static_cast<Index>(b)});
    return !ended_;
  }

  void finish_pair(bool is_clash) {
    ++done_;
    if (is_clash) ++found_;
  }

  bool ended() const { return ended_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds interval{100};
  const std::function<bool(const ClashProgress&)>& progress_;
  std::size_t total_;
  std::mutex mutex_;
  std::atomic<bool> ended_{false};
  std::atomic<std::size_t> done_{0};
  std::atomic<std::size_t> found_{0};
  std::atomic<Clock::time_point> told_{Clock::now()};
};

/// Overlaps before the rest, by rank.
bool is_worse(const Clash& left, const Clash& right, ClashRank rank) {
  const bool both_overlap = left.kind == ClashKind::overlap && right.kind == ClashKind::overlap;
  if (rank == ClashRank::volume && both_overlap && left.volume != right.volume) {
    const double v = std::isnan(left.volume) ? -1 : left.volume;
    const double w = std::isnan(right.volume) ? -1 : right.volume;
    if (v != w) return v > w;
  }
  return std::tie(left.distance, left.a, left.b) < std::tie(right.distance, right.a, right.b);
}

}  // namespace

std::string_view to_string(ClashKind kind) {
  switch (kind) {
    case ClashKind::overlap:
      return "overlap";
    case ClashKind::touch:
      return "touch";
    case ClashKind::close:
      return "close";
  }
  return "";
}

std::string_view to_string(ClashRank rank) {
  return rank == ClashRank::depth ? "depth" : "volume";
}

std::vector<Clash> find_clashes(std::span<const Shape::Part> parts, const ClashOptions& options) {
  require(std::isfinite(options.clearance) && options.clearance >= 0, ErrorCode::invalid_argument,
          "clearance is {}; expected a number of metres that is not negative", options.clearance);
  require(std::isfinite(options.tolerance), ErrorCode::invalid_argument,
          "tolerance is {}; expected a finite number of metres", options.tolerance);
  for (std::size_t i = 0; i < parts.size(); ++i)
    check_pose(parts[i].pose, [&] { return fmt::format("find_clashes: part {}: its pose", i); });
  Workers workers(options.threads);
  std::vector<AxisBox> boxes(parts.size());
  parallel_for(workers, parts.size(), 1, [&](std::size_t i) { boxes[i] = bounds_of(parts[i]); });
  double largest = 0;
  for (const AxisBox& box : boxes) {
    if (const double size = (box.max - box.min).norm(); std::isfinite(size)) largest = std::max(largest, size);
  }
  const auto tolerance_of = [&](std::uint32_t a, std::uint32_t b) {
    if (options.tolerance >= 0) return options.tolerance;
    double size = 0;
    for (const std::uint32_t i : {a, b}) {
      if (const double s = (boxes[i].max - boxes[i].min).norm(); std::isfinite(s)) size = std::max(size, s);
    }
    return relative_tolerance * size;
  };
  const double reach =
      std::max(options.clearance, options.tolerance >= 0 ? options.tolerance : relative_tolerance * largest);
  const std::vector<ProxyPair> pairs = near_pairs(boxes, reach, options.threads);

  Reporter reporter(options, pairs.size());
  std::vector<std::optional<Clash>> results(std::min(pairs.size(), pairs_at_a_time));
  std::vector<Clash> clashes;
  for (std::size_t begin = 0; begin < pairs.size() && reporter.tell(clashes.size()); begin += pairs_at_a_time) {
    const std::size_t count = std::min(pairs_at_a_time, pairs.size() - begin);
    parallel_for(workers, count, 1, [&](std::size_t i) {
      const auto [a, b] = pairs[begin + i];
      results[i].reset();
      if (!reporter.go_on(a, b)) return;
      const double tolerance = tolerance_of(a, b);
      results[i] = clash_of(parts[a], parts[b],
                            {.tolerance = tolerance,
                             .reach = std::max(tolerance, options.clearance),
                             .separation = options.separation,
                             .go_on = [&reporter, first = a, second = b] { return reporter.go_on(first, second); }});
      reporter.finish_pair(results[i].has_value());
    });
    for (std::size_t i = 0; i < count; ++i) {
      if (!results[i]) continue;
      results[i]->a = static_cast<Index>(pairs[begin + i].a);
      results[i]->b = static_cast<Index>(pairs[begin + i].b);
      clashes.push_back(std::move(*results[i]));
    }
  }
  if (!reporter.ended()) reporter.tell(clashes.size());
  std::sort(clashes.begin(), clashes.end(),
            [&](const Clash& left, const Clash& right) { return is_worse(left, right, options.rank); });
  return clashes;
}

}  // namespace carom
