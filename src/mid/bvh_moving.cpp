#include <cmath>
#include <limits>

#include "core/stage_timer.hpp"
#include "mid/bvh.hpp"

/// How a tree is walked over a step.
namespace carom::mid {

namespace {

using kernels::node_children;
using kernels::NodePair;

/// Meets nothing.
constexpr MovingBox no_box{{INFINITY, INFINITY, INFINITY},
                           {-INFINITY, -INFINITY, -INFINITY},
                           {INFINITY, INFINITY, INFINITY},
                           {-INFINITY, -INFINITY, -INFINITY}};

/// Meets everything: for what is so far away that floats cannot tell how fast it moves.
constexpr MovingBox any_box{{-INFINITY, -INFINITY, -INFINITY},
                            {INFINITY, INFINITY, INFINITY},
                            {-INFINITY, -INFINITY, -INFINITY},
                            {INFINITY, INFINITY, INFINITY}};
constexpr double too_far = 1e30;

void grow(MovingBox& box, const MovingBox& other) {
  for (std::size_t k = 0; k < 3; ++k) {
    box.min_start[k] = std::min(box.min_start[k], other.min_start[k]);
    box.max_start[k] = std::max(box.max_start[k], other.max_start[k]);
    box.min_end[k] = std::min(box.min_end[k], other.min_end[k]);
    box.max_end[k] = std::max(box.max_end[k], other.max_end[k]);
  }
}

}  // namespace

void Bvh::run_moving(Context& context, const In& in, const BvhOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  bring_up_to_date(context, in, options);
  fit_moving_boxes(context, in);
  const std::uint64_t never = walk_moving(context, in, options);
  fill_features(context, in, options.triangles_only);
  count_pairs(in, never, stats);
}

void Bvh::fit_moving_boxes(Context& context, const In& in) {
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    level.moving.resize(level.count);
    parallel_for(context.workers, level.count, cluster_grain, [&](std::size_t i) {
      MovingBox box = no_box;
      if (l > 0) {
        const std::vector<MovingBox>& below = levels_[l - 1].moving;
        for (std::size_t c = node_children * i; c < std::min(node_children * (i + 1), below.size()); ++c)
          grow(box, below[c]);
      } else if (clusters_[i].triangle_count > 0) {
        const Cluster& cluster = clusters_[i];
        double farthest = margin_[i];
        const auto hold = [&](std::span<const Eigen::Vector3d> positions, std::array<float, 3>& min,
                              std::array<float, 3>& max) {
          constexpr double far = std::numeric_limits<double>::infinity();
          Eigen::Array3d low = Eigen::Array3d::Constant(far);
          Eigen::Array3d high = Eigen::Array3d::Constant(-far);
          for (std::size_t v = 0; v < cluster.vertex_count; ++v) {
            const Eigen::Array3d x = positions[static_cast<std::size_t>(cluster.vertices[v])].array();
            low = low.min(x);
            high = high.max(x);
          }
          for (int k = 0; k < 3; ++k) {
            min[static_cast<std::size_t>(k)] = round_down((low[k] - origin_[k]) - margin_[i]);
            max[static_cast<std::size_t>(k)] = round_up((high[k] - origin_[k]) + margin_[i]);
            farthest = std::max({farthest, std::abs(low[k] - origin_[k]), std::abs(high[k] - origin_[k])});
          }
        };
        hold(in.positions, box.min_start, box.max_start);
        hold(in.end, box.min_end, box.max_end);
        if (!(farthest < too_far)) box = any_box;
      }
      level.moving[i] = box;
    });
  }
}

/// Returns how many pairs of clusters, whose volumes overlap, never meet in time, as far as these were looked at: the
/// descendants of nodes that never meet are not counted one by one.
std::uint64_t Bvh::walk_moving(Context& context, const In& in, const BvhOptions& options) {
  const kernels::NodeScope scope = node_scope(options.pairs);
  moving_pairs_.assign(clusters_.empty() ? 0 : 1, MovingPair{});
  std::uint64_t never = 0;
  for (std::size_t l = levels_.size(); l-- > 0;) {
    const Level& level = levels_[l];
    const kernels::NodeLevel children{level.groups.data(), directions_, level.object.data()};
    never_.assign(chunk_count(moving_pairs_.size(), pair_grain), 0);
    append_moving_.run(context.workers, moving_pairs_.size(), pair_grain, next_moving_,
                       [&](std::size_t begin, std::size_t end, std::vector<MovingPair>& out, std::size_t chunk) {
                         std::array<NodePair, node_children * node_children> found;
                         for (std::size_t i = begin; i < end; ++i) {
                           const std::size_t count =
                               kernels::expand(&moving_pairs_[i].pair, 1, children, scope, found.data());
                           for (std::size_t n = 0; n < count; ++n) {
                             if (!in.marks.empty() && parted(level, found[n], in.marks)) continue;
                             const Interval part = overlap_interval(level.moving[found[n].a], level.moving[found[n].b],
                                                                    moving_pairs_[i].part);
                             if (part.empty()) {
                               never_[chunk] += l == 0 ? 1 : 0;
                             } else {
                               out.push_back({found[n], part});
                             }
                           }
                         }
                       });
    for (const std::uint64_t count : never_) never += count;
    moving_pairs_.swap(next_moving_);
  }
  pairs_.clear();
  intervals_.clear();
  for (const MovingPair& pair : moving_pairs_) {
    pairs_.push_back(pair.pair);
    intervals_.push_back(pair.part);
  }
  return never;
}

}  // namespace carom::mid
