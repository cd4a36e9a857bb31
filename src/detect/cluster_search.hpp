#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bounds/bounds.hpp"
#include "broad/broad.hpp"
#include "core/context.hpp"
#include "core/radix_sort.hpp"
#include "kernels/cluster_search.hpp"
#include "mesh/surface_clusters.hpp"
#include "narrow/hit.hpp"
#include "narrow/pair_sort.hpp"

namespace carom::detection {

/// The method `bvh`, which is behind `auto`: pairs of features by the clusters that were made with the surface. Boxes
/// of blocks of clusters come first. Clusters are placed where blocks meet, and features of clusters are looked at
/// where clusters meet: bounds, then measure, without anything written in between but the pairs found. Nothing is kept
/// from call to call but memory.
class ClusterSearch {
 public:
  struct Options {
    double distance = 0;  ///< m
    PairScope pairs = PairScope::all;
    /// Pairs of objects that are looked at, ascending; nothing: all that the scope allows.
    std::optional<std::span<const broad::ObjectPair>> object_pairs{};
    std::span<const std::uint8_t> marks{};    ///< of objects, as in broad::ObjectChoice
    std::span<const std::uint8_t> touched{};  ///< of vertices: only clusters that use one of these; empty: all
  };

  /// Boxes of objects into `out`, as the stage bounds makes them. Throws Error(not_finite) that names the vertex.
  void bounds(Context& context, const bounds::In& in, double distance, bounds::Out& out, StageStats& stats);

  /// Every pair of features within the distance, in canonical order. `measured`: is_measured() may be believed.
  void find(Context& context, const bounds::In& in, const Options& options, bool measured, StageStats& mid_stats,
            StageStats& narrow_stats);
  /// Whether the boxes of blocks are those of these positions, which have not changed since bounds().
  bool is_measured(const bounds::In& in) const { return measured_ == in.positions.data(); }
  /// Of the search before: pairs of clusters, and pairs of features found.
  std::uint64_t cluster_pairs() const { return cluster_pairs_; }
  std::size_t found() const { return vertex_triangle().size() + edge_edge().size(); }

  /// The vertex in the upper half, the triangle in the lower one.
  std::span<const std::uint64_t> vertex_triangle() const { return vertex_triangle_.span(); }
  /// Numbers of edges, the lower one in the upper half.
  std::span<const std::uint64_t> edge_edge() const { return edge_edge_.span(); }
  /// The same as hits.
  void hits(Context& context, const mesh::SurfaceClusters& clusters, std::vector<narrow::Hit>& out) const;

 private:
  /// Some blocks that follow each other in the order, their partners, and what was found.
  struct Chunk {
    std::vector<std::uint32_t> partner_begin;
    std::vector<std::int32_t> partners;
    kernels::SearchHits hits;
  };

  void measure(Context& context, const bounds::In& in);
  void choose_blocks(const Surface& surface, const Options& options);
  void set_units(double distance);
  void order_blocks(Context& context);
  void pair_blocks(Context& context, const Options& options);
  bool wanted(Index a, Index b, const Options& options) const;
  void place(Context& context, const bounds::In& in);
  void touch(Context& context, std::span<const std::uint8_t> touched);
  void search(Context& context, const bounds::In& in, const Options& options);
  void settle(const bounds::In& in, double distance, kernels::SearchHits& hits) const;
  void sort(Context& context, const Surface& surface);
  void count(const Options& options, StageStats& mid_stats, StageStats& narrow_stats);

  const mesh::SurfaceClusters* clusters_ = nullptr;  ///< of the call
  const Eigen::Vector3d* measured_ = nullptr;        ///< the positions that block_bounds_ are of
  std::uint64_t cluster_pairs_ = 0;
  std::vector<kernels::BlockBounds> block_bounds_;
  std::vector<std::uint8_t> self_wanted_;     ///< objects
  std::vector<std::uint8_t> between_wanted_;  ///< objects
  std::vector<std::int32_t> chosen_;          ///< blocks
  kernels::SearchUnits units_;
  std::vector<std::uint64_t> keyed_;
  RadixSort<std::uint64_t> key_sort_;
  std::vector<std::int32_t> order_;  ///< blocks along a curve
  std::vector<kernels::BoxGroup> groups_, upper_;
  std::vector<std::uint8_t> used_;  ///< blocks
  std::vector<std::int32_t> used_list_;
  std::vector<Chunk> chunks_;
  std::size_t chunk_count_ = 0;
  std::vector<kernels::PlacedCluster> placed_;
  std::vector<kernels::BoxGroup> boxes_;
  std::vector<std::uint8_t> touched_;  ///< clusters
  std::vector<const kernels::PairList*> lists_;
  narrow::PairSort pair_sort_;
  narrow::RawNumbers vertex_triangle_, edge_edge_;
};

}  // namespace carom::detection
