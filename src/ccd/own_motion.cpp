#include "ccd/own_motion.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/parallel.hpp"

namespace carom::ccd {
namespace {

using Eigen::Vector3d;
using kernels::SurfaceCluster;

/// Trace of a rotation by a thousandth: one by less, whose trace is larger, is as good as none.
constexpr double turning_trace = 3 - 1e-6;
/// Rounding of the trace of a rotation is less.
constexpr double trace_rounding = 1e-12;
constexpr std::size_t own_grain = 64;

}  // namespace

std::vector<RigidMotion> OwnMotion::fit_objects(Context& context, const In& in) const {
  const std::size_t objects = in.surface.objects().size();
  const mesh::SurfaceClusters& clusters = in.surface.clusters();
  std::vector<std::vector<Vector3d>> from(objects);
  std::vector<std::vector<Vector3d>> to(objects);
  for (std::size_t c = 0; c < clusters.clusters.size(); ++c) {
    const SurfaceCluster& cluster = clusters.clusters[c];
    if (cluster.vertex_count == 0) continue;
    from[at(cluster.object)].push_back(in.middles[c]);
    to[at(cluster.object)].emplace_back(in.middles[c] + in.shifts[c]);
  }
  std::vector<RigidMotion> whole(objects);
  parallel_for(context.workers, objects, 1, [&](std::size_t o) { whole[o] = fit_rigid(from[o], to[o]); });
  return whole;
}

void OwnMotion::measure(Context& context, const In& in) {
  const std::vector<RigidMotion> whole = fit_objects(context, in);
  kept_.assign(whole.size(), 1);
  turns_.assign(whole.size(), 0);
  for (std::size_t o = 0; o < whole.size(); ++o) {
    const double trace = whole[o].rotation.trace();
    if (!(trace < turning_trace)) continue;
    turns_[o] = 1;
    // The trace is 1 + 2 cos(a) = 4 cos(a / 2)^2 - 1.
    kept_[o] = 0.5 * std::sqrt(std::max(0.0, trace + 1 - trace_rounding));
  }
  any_ = std::ranges::any_of(turns_, [](std::uint8_t turns) { return turns != 0; });
  if (!any_) return;
  const mesh::SurfaceClusters& clusters = in.surface.clusters();
  object_of_vertex_.assign(in.start.size(), none);
  moves_.resize(in.start.size());
  clusters_.resize(clusters.clusters.size());
  parallel_for(context.workers, clusters_.size(), own_grain, [&](std::size_t c) {
    const SurfaceCluster& cluster = clusters.clusters[c];
    if (turns(cluster.object)) measure_cluster(in, cluster, whole[at(cluster.object)], clusters_[c]);
  });
  blocks_.resize(clusters.blocks.size());
  parallel_for(context.workers, blocks_.size(), own_grain, [&](std::size_t i) {
    const kernels::ClusterBlock& block = clusters.blocks[i];
    if (!turns(block.object)) return;
    const auto parts = std::span(clusters_).subspan(at(block.first), at(block.count));
    Shift& all = blocks_[i] = {};
    for (const Shift& part : parts) all.shift += part.shift / static_cast<double>(parts.size());
    for (const Shift& part : parts) all.rest = std::max(all.rest, (part.shift - all.shift).norm() + part.rest);
  });
}

void OwnMotion::measure_cluster(const In& in, const SurfaceCluster& cluster, const RigidMotion& whole, Shift& own) {
  own = {};
  const auto count = static_cast<std::size_t>(cluster.vertex_count);
  if (count == 0) return;
  std::array<Vector3d, kernels::cluster_lanes> moved;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t v = at(cluster.vertices[k]);
    moved[k] = in.end[v] - whole(in.start[v]);
    own.shift += moved[k];
  }
  own.shift /= static_cast<double>(count);
  double square = 0;
  for (std::size_t k = 0; k < count; ++k) square = std::max(square, (moved[k] - own.shift).squaredNorm());
  own.rest = std::sqrt(square);
  // Each vertex is owned by one cluster.
  for (std::size_t k = 0; k < cluster.owned_vertex_count; ++k) {
    moves_[at(cluster.vertices[k])] = moved[k];
    object_of_vertex_[at(cluster.vertices[k])] = cluster.object;
  }
}

Index OwnMotion::object_of(const std::array<Index, 4>& vertices) const {
  if (!any_) return none;
  const Index object = object_of_vertex_[at(vertices[0])];
  const bool all = std::ranges::all_of(vertices, [&](Index v) { return object_of_vertex_[at(v)] == object; });
  return all ? object : none;
}

}  // namespace carom::ccd
