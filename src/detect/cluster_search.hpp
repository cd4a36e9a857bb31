#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bounds/bounds.hpp"
#include "broad/broad.hpp"
#include "core/context.hpp"
#include "core/radix_sort.hpp"
#include "detect/flat_clusters.hpp"
#include "detect/kept_clusters.hpp"
#include "detect/lonely_blocks.hpp"
#include "kernels/cluster_search.hpp"
#include "mesh/surface_clusters.hpp"
#include "mid/triangle_pair.hpp"
#include "narrow/hit.hpp"
#include "narrow/pair_sort.hpp"

namespace carom::detection {

/// The method `bvh`, which is behind `auto`: pairs of features by the clusters that were made with the surface. Boxes
/// of blocks of clusters come first. Clusters are placed where blocks meet, and features of clusters are looked at
/// where clusters meet: bounds, then measure, without anything written in between but the pairs found. Pairs of
/// clusters that move slowly against each other are kept from call to call. Over a step, boxes hold where things are at
/// its start and at its end, less what the scene moves as a whole.
class ClusterSearch {
 public:
  struct Options {
    double distance = 0;  ///< m
    PairScope pairs = PairScope::all;
    /// Pairs of objects that are looked at, ascending; nothing: all that the scope allows.
    std::optional<std::span<const broad::ObjectPair>> object_pairs{};
    std::span<const std::uint8_t> marks{};  ///< of objects, as in broad::ObjectChoice
    /// m, of features of one object if that is less; not over a step.
    double self_distance = std::numeric_limits<double>::infinity();
    const FlatClusters* flat = nullptr;  ///< pairs of clusters that are left out; not over a step
    bool coherent = true;                ///< may use what the last call kept
  };

  /// Every pair of features within the distance, in canonical order. Positions are finite. Over a step to `in.end`:
  /// every pair that comes within the distance, and some that come near it.
  void find(Context& context, const bounds::In& in, const Options& options, StageStats& mid_stats,
            StageStats& narrow_stats);
  /// Pairs of triangles (a < b) that may be within the distance, adjacent ones too, in an order that depends on the
  /// input alone: all that are, and few that are not.
  void find_triangles(Context& context, const bounds::In& in, const Options& options,
                      std::vector<mid::TrianglePair>& pairs, StageStats& stats);
  /// Of each cluster of the last call: pairs of features that were found between it and others of its object, or
  /// nothing. Where clusters were left out as flat, so were their pairs.
  std::span<const std::uint32_t> self_hits() const { return self_hits_; }
  /// The clusters that a search goes by: those of the surface, or, of one whose triangles are loose, some by place.
  const mesh::SurfaceClusters& clusters_of(Context& context, const bounds::In& in);
  /// Those found, which the caller may take some from. Numbers of edges are those of the clusters of the surface.
  narrow::NumberedPairs& pairs() { return pairs_; }
  /// Over a step: pairs that may come within the distance after its start. Those of `pairs` are within it at the start;
  /// with distance 0, none are.
  narrow::NumberedPairs& later() { return later_; }
  /// What is left of them as hits.
  void hits(Context& context, const mesh::SurfaceClusters& clusters, std::vector<narrow::Hit>& out) const;

 private:
  /// Some blocks that follow each other in the order, their partners, and what was found.
  struct Chunk {
    std::vector<std::uint32_t> partner_begin;
    std::vector<std::int32_t> partners;
    kernels::SearchHits hits;
  };

  void prepare(Context& context, const bounds::In& in, const Options& options, bool keep);
  void measure(Context& context, const bounds::In& in);
  bool worn();
  void choose_blocks(const Surface& surface, const Options& options);
  void set_units(const Options& options);
  void box_blocks(Context& context);
  void order_blocks(Context& context);
  void pair_blocks(Context& context, const Options& options);
  void list_used();
  bool wanted(Index a, Index b, const Options& options) const;
  void add_end(Context& context, const bounds::In& in);
  void place(Context& context, const bounds::In& in);
  void search(Context& context, const bounds::In& in, const Options& options, bool triangles);
  void settle(const bounds::In& in, const Options& options, kernels::SearchHits& hits) const;
  void sort(Context& context);
  kernels::SearchCounts count_clusters(const Options& options, StageStats& stats);

  const mesh::SurfaceClusters* clusters_ = nullptr;  ///< of the call
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
  float self_reach_ = 0;
  std::vector<kernels::UnitBox> block_boxes_;  ///< of the chosen blocks
  LonelyBlocks lonely_;
  std::vector<std::uint64_t> keyed_;
  RadixSort<std::uint64_t> key_sort_;
  std::vector<std::int32_t> order_;  ///< blocks along a curve
  std::vector<kernels::BoxGroup> groups_, upper_;
  std::vector<std::uint8_t> used_;  ///< blocks
  std::vector<std::int32_t> used_list_;
  std::vector<kernels::UnitBox> near_;  ///< of used blocks: the boxes of their partners
  std::vector<Chunk> chunks_;
  std::size_t chunk_count_ = 0;
  std::vector<kernels::PlacedCluster> placed_, placed_end_;
  std::vector<kernels::BoxGroup> boxes_;
  KeptClusters kept_;
  std::vector<kernels::SearchHits*> hits_lists_;
  std::vector<std::uint32_t> self_hits_;
  std::vector<kernels::PairList*> lists_;
  std::vector<std::size_t> starts_;
  narrow::PairSort pair_sort_;
  narrow::NumberedPairs pairs_, later_;
};

}  // namespace carom::detection
