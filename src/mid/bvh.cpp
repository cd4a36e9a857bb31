#include "mid/bvh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bounds/bounds.hpp"
#include "broad/object_filter.hpp"
#include "core/at.hpp"
#include "core/stage_timer.hpp"

namespace carom::mid {

namespace {

using kernels::node_children;
using kernels::NodePair;

constexpr std::size_t node_grain = 64;

/// Clusters are cut again when the nodes of a level have together become this much larger. Cutting costs about as much
/// as finding the pairs of one frame, and half as large again means up to twice the pairs.
constexpr double worn_out = 1.5;

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();

/// Beyond the three axes: the four diagonals of a cube, or the six of its faces. Not unit vectors: a sum
/// of coordinates is cheaper, and the length only matters for the margin.
struct Diagonal {
  double x, y, z;
};
constexpr std::array<Diagonal, 4> cube_diagonals{{{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}}};
constexpr std::array<Diagonal, 6> face_diagonals{{{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}}};

std::span<const Diagonal> diagonals(Volume volume) {
  if (volume == Volume::dop18) return face_diagonals;
  return cube_diagonals;
}

}  // namespace

void Bvh::run(Context& context, const In& in, const BvhOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  bring_up_to_date(context, in, options);
  walk(context, in, options);
  fill_features(context, in, options.triangles_only);
  count_pairs(in, 0, stats);
}

/// Of all pairs of clusters, each also with itself; most are never looked at.
void Bvh::count_pairs(const In& in, std::uint64_t never, StageStats& stats) const {
  const std::uint64_t all = std::uint64_t{used_} * (used_ + 1) / 2;
  const std::uint64_t parted = parted_pairs(in.marks);
  stats.set_unit("pairs of clusters");
  stats.in += all;
  if (parted > 0) stats.add_culled("filtered", parted);
  stats.add_culled("box", all - parted - never - pairs_.size());
  if (!in.end.empty()) stats.add_culled("moving box", never);
  stats.out += pairs_.size();
}

/// Whether marks keep two nodes from making pairs. Nodes of several objects are decided further down.
bool Bvh::parted(const Level& level, const NodePair& pair, std::span<const std::uint8_t> marks) const {
  const Index a = level.object[pair.a];
  const Index b = level.object[pair.b];
  return a != none && b != none && (marks[at(a)] | marks[at(b)]) != broad::ObjectChoice::every_mark;
}

/// Number of pairs of clusters that marks keep from making pairs.
std::uint64_t Bvh::parted_pairs(std::span<const std::uint8_t> marks) const {
  if (marks.empty()) return 0;
  std::array<std::uint64_t, broad::ObjectChoice::every_mark + 1> clusters{};
  for (const Cluster& cluster : clusters_)
    if (cluster.triangle_count > 0) ++clusters[marks[at(cluster.object)]];
  std::uint64_t count = 0;
  for (std::size_t a = 0; a < clusters.size(); ++a) {
    if (a != broad::ObjectChoice::every_mark) count += clusters[a] * (clusters[a] + 1) / 2;
    for (std::size_t b = a + 1; b < clusters.size(); ++b)
      if ((a | b) != broad::ObjectChoice::every_mark) count += clusters[a] * clusters[b];
  }
  return count;
}

/// Clusters that fit the surface and the volumes of all nodes.
void Bvh::bring_up_to_date(Context& context, const In& in, const BvhOptions& options) {
  const bool same = revision_ == in.surface.revision() && volume_ == options.volume;
  if (!same) {
    volume_ = options.volume;
    build(context, in);
  }
  refit_clusters(context, in, options);
  refit_levels(context);
  if (same && !rebuilt_ && worn()) {
    build(context, in);
    refit_clusters(context, in, options);
    refit_levels(context);
  }
  if (rebuilt_) remember_sizes();
  rebuilt_ = false;
}

void Bvh::build(Context& context, const In& in) {
  revision_ = 0;  // of no surface, should memory run out on the way
  builder_.run(context, in.surface, in.positions, clusters_);
  rebuilt_ = true;
  directions_ = 3 + diagonals(volume_).size();

  // The middle of the scene. Any point would do.
  Box scene;
  for (const Box& box : in.objects)
    if (!box.empty()) scene.grow(box);
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    origin_[k] = scene.empty() ? 0 : 0.5 * static_cast<double>(scene.min[i]) + 0.5 * static_cast<double>(scene.max[i]);
    if (!std::isfinite(origin_[k])) origin_[k] = 0;
  }

  used_ = static_cast<std::size_t>(
      std::count_if(clusters_.begin(), clusters_.end(), [](const Cluster& p) { return p.triangle_count > 0; }));
  hulls_.assign(6 * clusters_.size(), nan_f);
  margin_.assign(clusters_.size(), 0);
  features_.lay_out(context, clusters_);
  shape_levels();
  revision_ = in.surface.revision();
}

/// Numbers of nodes, and whose they are; volumes are still to be made.
void Bvh::shape_levels() {
  std::size_t count = clusters_.size();
  std::size_t depth = 0;
  for (bool top = false; !top; ++depth) {
    if (levels_.size() <= depth) levels_.emplace_back();
    Level& level = levels_[depth];
    const std::size_t groups = (count + node_children - 1) / node_children;
    level.count = count;
    level.groups.assign(groups * 2 * directions_ * node_children, nan_f);
    level.object.assign(groups * node_children, none);
    for (std::size_t i = 0; i < count; ++i) {
      if (depth == 0) {
        level.object[i] = clusters_[i].object;
        continue;
      }
      const Level& below = levels_[depth - 1];
      Index object = none;
      bool several = false;
      for (std::size_t c = node_children * i; c < std::min(node_children * (i + 1), below.count); ++c) {
        const bool empty = depth == 1 && clusters_[c].triangle_count == 0;
        if (empty) continue;
        if (below.object[c] == none || (object != none && below.object[c] != object)) several = true;
        object = below.object[c];
      }
      level.object[i] = several ? none : object;
    }
    top = groups <= 1;
    count = groups;
  }
  levels_.resize(depth);
}

void Bvh::refit_clusters(Context& context, const In& in, const BvhOptions& options) {
  Level& leaves = levels_[0];
  const std::size_t group_size = 2 * directions_ * node_children;
  const std::span<const Diagonal> extra = diagonals(volume_);
  parallel_for(context.workers, clusters_.size(), cluster_grain, [&](std::size_t p) {
    const Cluster& cluster = clusters_[p];
    float* lane = leaves.groups.data() + p / node_children * group_size + p % node_children;
    float* hull = hulls_.data() + 6 * p;
    if (cluster.triangle_count == 0 || in.object_wanted[at(cluster.object)] == 0) {
      for (std::size_t k = 0; k < 2 * directions_; ++k) lane[k * node_children] = nan_f;
      std::fill_n(hull, 6, nan_f);
      return;
    }
    const double infinity = std::numeric_limits<double>::infinity();
    double low[3] = {infinity, infinity, infinity};
    double high[3] = {-infinity, -infinity, -infinity};
    const auto hold = [&](std::span<const Eigen::Vector3d> positions) {
      for (std::size_t v = 0; v < cluster.vertex_count; ++v) {
        const double* x = positions[at(cluster.vertices[v])].data();
        for (std::size_t k = 0; k < 3; ++k) {
          low[k] = x[k] < low[k] ? x[k] : low[k];
          high[k] = x[k] > high[k] ? x[k] : high[k];
        }
      }
    };
    hold(in.positions);
    if (!in.end.empty()) hold(in.end);
    const double size = (high[0] - low[0]) + (high[1] - low[1]) + (high[2] - low[2]);
    const double margin = 0.5 * options.distance + bounds::relative_slack * (size + options.distance);
    margin_[p] = margin;
    for (std::size_t k = 0; k < 3; ++k) {
      const double o = origin_[static_cast<Eigen::Index>(k)];
      hull[k] = lane[k * node_children] = round_down((low[k] - o) - margin);
      hull[k + 3] = lane[(directions_ + k) * node_children] = round_up((high[k] - o) + margin);
    }
    double far = 0;  // the largest coordinate: a sum of three is wrong by less than 1e-15 of it
    for (std::size_t k = 0; k < 3; ++k) {
      const double o = origin_[static_cast<Eigen::Index>(k)];
      far = std::max({far, std::abs(low[k] - o), std::abs(high[k] - o)});
    }
    for (std::size_t i = 0; i < extra.size(); ++i) {
      const Diagonal& n = extra[i];
      double smallest = infinity;
      double largest = -infinity;
      const auto reach_along = [&](std::span<const Eigen::Vector3d> positions) {
        for (std::size_t v = 0; v < cluster.vertex_count; ++v) {
          const Eigen::Array3d x = positions[at(cluster.vertices[v])].array() - origin_;
          const double along = n.x * x[0] + n.y * x[1] + n.z * x[2];
          smallest = std::min(smallest, along);
          largest = std::max(largest, along);
        }
      };
      reach_along(in.positions);
      if (!in.end.empty()) reach_along(in.end);
      const double length = std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
      const double wider = length * margin + 1e-15 * far;
      // A sum that overflowed says nothing: the interval is then all there is.
      const bool sane = std::isfinite(smallest) && std::isfinite(largest);
      lane[(3 + i) * node_children] = sane ? round_down(smallest - wider) : -std::numeric_limits<float>::infinity();
      lane[(directions_ + 3 + i) * node_children] =
          sane ? round_up(largest + wider) : std::numeric_limits<float>::infinity();
    }
  });
}

void Bvh::refit_levels(Context& context) {
  const std::size_t group_size = 2 * directions_ * node_children;
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    const Level& below = levels_[l - 1];
    Level& level = levels_[l];
    parallel_for(context.workers, level.count, node_grain, [&](std::size_t i) {
      const float* children = below.groups.data() + i * group_size;
      float* lane = level.groups.data() + i / node_children * group_size + i % node_children;
      for (std::size_t k = 0; k < directions_; ++k) {
        float low = nan_f;
        float high = nan_f;
        for (std::size_t c = 0; c < node_children; ++c) {
          const float a = children[k * node_children + c];
          const float b = children[(directions_ + k) * node_children + c];
          // NaN, a place without a node, loses every comparison.
          low = low <= a || std::isnan(a) ? low : a;
          high = high >= b || std::isnan(b) ? high : b;
        }
        lane[k * node_children] = low;
        lane[(directions_ + k) * node_children] = high;
      }
    });
  }
}

/// Edge lengths of all boxes of a level together.
double Bvh::size_of(const Level& level) const {
  const std::size_t group_size = 2 * directions_ * node_children;
  double sum = 0;
  for (std::size_t i = 0; i < level.count; ++i) {
    const float* lane = level.groups.data() + i / node_children * group_size + i % node_children;
    for (std::size_t k = 0; k < 3; ++k) {
      const float low = lane[k * node_children];
      const float high = lane[(directions_ + k) * node_children];
      if (low <= high) sum += static_cast<double>(high) - static_cast<double>(low);
    }
  }
  return sum;
}

bool Bvh::worn() const {
  for (std::size_t l = 0; l < levels_.size(); ++l)
    if (size_of(levels_[l]) > worn_out * built_sizes_[l]) return true;
  return false;
}

void Bvh::remember_sizes() {
  built_sizes_.clear();
  for (const Level& level : levels_) built_sizes_.push_back(size_of(level));
}

void Bvh::walk(Context& context, const In& in, const BvhOptions& options) {
  const kernels::NodeScope scope = node_scope(options.pairs);
  pairs_.assign(clusters_.empty() ? 0 : 1, NodePair{0, 0});
  for (std::size_t l = levels_.size(); l-- > 0;) {
    const Level& level = levels_[l];
    const kernels::NodeLevel children{level.groups.data(), directions_, level.object.data()};
    append_.run(context.workers, pairs_.size(), pair_grain, next_,
                [&](std::size_t begin, std::size_t end, std::vector<NodePair>& out, std::size_t) {
                  out.resize((end - begin) * node_children * node_children);
                  out.resize(kernels::expand(pairs_.data() + begin, end - begin, children, scope, out.data()));
                  if (!in.marks.empty())
                    std::erase_if(out, [&](const NodePair& pair) { return parted(level, pair, in.marks); });
                });
    pairs_.swap(next_);
  }
}

void Bvh::triangle_pairs(Context& context, std::vector<TrianglePair>& pairs, StageStats& stats) {
  const StageTimer timer(stats);
  using kernels::FeaturePair;
  append_triangles_.run(context.workers, pairs_.size(), pair_grain, pairs,
                        [&](std::size_t begin, std::size_t end, std::vector<TrianglePair>& out, std::size_t) {
                          std::array<FeaturePair, std::size_t{cluster_triangles} * cluster_triangles> found;
                          for (std::size_t i = begin; i < end; ++i) {
                            const auto [a, b] = pairs_[i];
                            const kernels::FeatureCount count =
                                a == b ? kernels::box_pairs(features_.triangles(a), found.data())
                                       : kernels::box_pairs(features_.triangles(a), hull(a), features_.triangles(b),
                                                            hull(b), found.data());
                            const std::size_t first = out.size();
                            out.resize(first + count.pairs);
                            for (std::size_t n = 0; n < count.pairs; ++n) {
                              const Index s = clusters_[a].triangles[found[n].a];
                              const Index t = clusters_[b].triangles[found[n].b];
                              out[first + n] = {std::min(s, t), std::max(s, t)};
                            }
                          }
                        });
  std::uint64_t tested = 0;
  for (const auto [a, b] : pairs_) {
    const std::uint64_t n = clusters_[a].triangle_count;
    tested += a == b ? n * (n - 1) / 2 : n * clusters_[b].triangle_count;
  }
  // From here on the stage speaks of triangles.
  stats.set_units("pairs of clusters", "pairs of triangles");
  stats.in += tested - pairs_.size();
  stats.add_culled("triangle box", tested - pairs.size());
  stats.out += pairs.size() - pairs_.size();
}

void Bvh::fill_features(Context& context, const In& in, bool triangles_only) {
  active_.assign(clusters_.size(), 0);
  for (const NodePair& pair : pairs_) active_[pair.a] = active_[pair.b] = 1;
  active_list_.clear();
  for (std::size_t p = 0; p < clusters_.size(); ++p)
    if (active_[p] != 0) active_list_.push_back(static_cast<Index>(p));
  parallel_for(context.workers, active_list_.size(), cluster_grain, [&](std::size_t n) {
    const std::size_t p = at(active_list_[n]);
    features_.fill(p, clusters_[p], {in.positions, in.end, origin_, margin_[p]}, triangles_only);
  });
}

}  // namespace carom::mid
