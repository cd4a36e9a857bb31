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
#include "mid/triangle_pair.hpp"
#include "narrow/hit.hpp"
#include "narrow/pair_sort.hpp"

namespace carom::detection {

/// The method `bvh`, which is behind `auto`: pairs of features by the clusters that were made with the surface. Boxes
/// of blocks of clusters come first. Clusters are placed where blocks meet, and features of clusters are looked at
/// where clusters meet: bounds, then measure, without anything written in between but the pairs found. Nothing is kept
/// from call to call but memory. Over a step, boxes hold where things are at its start and at its end, less what the
/// scene moves as a whole.
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

  /// Every pair of features within the distance, in canonical order. Positions are finite. Over a step to `in.end`:
  /// every pair that comes within the distance, and some that come near it.
  void find(Context& context, const bounds::In& in, const Options& options, StageStats& mid_stats,
            StageStats& narrow_stats);
  /// Pairs of triangles (a < b) that may be within the distance, adjacent ones too, in an order that depends on the
  /// input alone: all that are, and few that are not.
  void find_triangles(Context& context, const bounds::In& in, const Options& options,
                      std::vector<mid::TrianglePair>& pairs, StageStats& stats);
  /// The clusters that a search goes by: those of the surface, or, of one whose triangles are loose, some by place.
  const mesh::SurfaceClusters& clusters_of(Context& context, const bounds::In& in);
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

  void prepare(Context& context, const bounds::In& in, const Options& options);
  void measure(Context& context, const bounds::In& in);
  bool worn();
  void choose_blocks(const Surface& surface, const Options& options);
  void set_units(double distance);
  void order_blocks(Context& context);
  void pair_blocks(Context& context, const Options& options);
  bool wanted(Index a, Index b, const Options& options) const;
  void add_end(Context& context, const bounds::In& in);
  void place(Context& context, const bounds::In& in);
  void touch(Context& context, std::span<const std::uint8_t> touched);
  void search(Context& context, const bounds::In& in, const Options& options, bool triangles);
  void settle(const bounds::In& in, double distance, kernels::SearchHits& hits) const;
  void sort(Context& context);
  kernels::SearchCounts count_clusters(const Options& options, StageStats& stats);

  const mesh::SurfaceClusters* clusters_ = nullptr;  ///< of the call
  std::uint64_t cluster_pairs_ = 0;
  // Of a surface whose triangles are loose.
  mesh::SurfaceClusters by_place_;
  std::uint64_t by_place_revision_ = 0;
  std::vector<double> made_sizes_;  ///< of blocks, in m; empty until they are measured first
  std::vector<kernels::BlockBounds> block_bounds_, end_bounds_;
  double shift_[3] = {0, 0, 0};               ///< m, of the scene over a step
  std::vector<std::uint8_t> self_wanted_;     ///< objects
  std::vector<std::uint8_t> between_wanted_;  ///< objects
  std::vector<std::int32_t> chosen_;          ///< blocks
  kernels::SearchUnits units_, end_units_;
  std::vector<std::uint64_t> keyed_;
  RadixSort<std::uint64_t> key_sort_;
  std::vector<std::int32_t> order_;  ///< blocks along a curve
  std::vector<kernels::BoxGroup> groups_, upper_;
  std::vector<std::uint8_t> used_;  ///< blocks
  std::vector<std::int32_t> used_list_;
  std::vector<Chunk> chunks_;
  std::size_t chunk_count_ = 0;
  std::vector<kernels::PlacedCluster> placed_, placed_end_;
  std::vector<kernels::BoxGroup> boxes_;
  std::vector<std::uint8_t> touched_;  ///< clusters
  std::vector<const kernels::PairList*> lists_;
  std::vector<std::size_t> starts_;
  narrow::PairSort pair_sort_;
  narrow::RawNumbers vertex_triangle_, edge_edge_;
};

}  // namespace carom::detection
