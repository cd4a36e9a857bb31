#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/surface_cluster.hpp"

/// Which features of clusters may be closer than a reach: the innermost loops of detection.
///
/// Nothing is stored of a frame but the vertices of clusters, as floats in a frame of each cluster's own, and boxes of
/// clusters. Bounds of features are made in registers when two clusters meet: eight bits along four directions of the
/// one cluster, three across the edges of a triangle in its middle and one along its normal, which is where neighbors
/// on a smooth surface are apart. Whatever passes is measured in single precision: surely within reach, surely beyond
/// it, or unsure. The few unsure ones are left to the caller, who has double precision. Bounds and measures allow for
/// rounding, so that the pairs within reach do not depend on how they were found.
namespace carom::kernels {

/// Lengths are in units: a power of two, so that the scene is no larger than 1 and floats neither overflow nor, where
/// it matters, underflow. A point is at x * per_unit - corner.
struct SearchUnits {
  double per_unit = 1;
  double corner[3] = {};
  float reach = 0;  ///< in units
};

/// Where the vertices of a block are, in m.
struct BlockBounds {
  double low[4];
  double high[4];
};

/// Sixteen boxes, in units, grown by half the reach and by what rounding needs. Two that do not overlap hold no
/// features within reach. An empty box overlaps none.
struct alignas(64) BoxGroup {
  float low[3][cluster_lanes];
  float high[3][cluster_lanes];
};

/// Where a cluster is.
struct alignas(64) PlacedCluster {
  float x[cluster_lanes];  ///< of vertices, in units from `origin`
  float y[cluster_lanes];
  float z[cluster_lanes];
  double origin[3];
  float normal[3];  ///< a unit vector, or zero
  float slab_low;   ///< of the vertices along the normal
  float slab_high;
  float radius;  ///< largest coordinate
};
static_assert(sizeof(PlacedCluster) == 256);

/// A list of numbers that grows without being initialised.
struct PairList {
  std::uint64_t* data = nullptr;
  std::size_t size = 0;
  std::size_t capacity = 0;

  PairList() = default;
  PairList(const PairList&) = delete;
  PairList& operator=(const PairList&) = delete;
  PairList(PairList&& other) noexcept;
  PairList& operator=(PairList&& other) noexcept;
  ~PairList();
  void clear() { size = 0; }
  /// Room for so many more.
  void reserve_more(std::size_t count) {
    if (size + count > capacity) grow(size + count);
  }

 private:
  void grow(std::size_t wanted);
};

/// Sums over pairs of clusters.
struct SearchCounts {
  std::uint64_t cluster_pairs = 0;
  std::uint64_t tests = 0;     ///< pairs of features in these
  std::uint64_t adjacent = 0;  ///< of these, close but with a vertex in common
  std::uint64_t measured = 0;  ///< of these, in single precision
};

/// What one thread finds: pairs of features, the number of the first in the upper half.
struct SearchHits {
  PairList vertex_triangle;
  PairList edge_edge;  ///< the lower number first
  PairList unsure_vertex_triangle;
  PairList unsure_edge_edge;
  PairList triangles;  ///< the lower number in the lower half, so that it comes first in memory
  SearchCounts counts;
};

/// Boxes of the vertices of `count` blocks, those of `numbers`. `positions` are three numbers for each of `vertices`.
void measure_blocks(const double* positions, std::size_t vertices, const std::int32_t* block_vertices,
                    const ClusterBlock* blocks, const std::int32_t* numbers, std::size_t count, BlockBounds* out);

/// Places the clusters of a block.
void place_clusters(const double* positions, std::size_t vertices, const SearchUnits& units,
                    const SurfaceCluster* clusters, const ClusterBlock& block, PlacedCluster* placed, BoxGroup& boxes);

/// Lowest and highest of the boxes of a group, into one place of another.
void enclose(const BoxGroup& boxes, BoxGroup& out, std::size_t place);

/// Places from `first` on, in `groups` of boxes, whose boxes overlap box `place` of these; `upper` has a box for each
/// group. Returns how many were written to `out`.
std::size_t overlapping(const BoxGroup* groups, const BoxGroup* upper, std::size_t group_count, std::size_t place,
                        std::size_t first, std::uint32_t* out);

struct SearchIn {
  const SurfaceCluster* clusters = nullptr;
  const PlacedCluster* placed = nullptr;
  /// At the end of a step, in which vertices go straight; null: they stand still. Then all pairs that may come within
  /// reach in the step are hits.
  const PlacedCluster* placed_end = nullptr;
  const BoxGroup* boxes = nullptr;  ///< of the clusters of each block, over the step
  const ClusterBlock* blocks = nullptr;
  const std::uint32_t* neighbor_begin = nullptr;
  const ClusterNeighbor* neighbors = nullptr;
  const std::uint32_t* around_begin = nullptr;
  const BlockNeighbors* around = nullptr;
  float reach = 0;
  /// Of each cluster; pairs of clusters of which none is marked are left out. Null: none are.
  const std::uint8_t* touched = nullptr;
  /// Clusters may have vertices in common that are not in `neighbors`; these are told by their numbers.
  bool hubs = false;
  /// Pairs of triangles whose bounds overlap are wanted instead of features, and nothing is measured.
  bool triangles = false;
};

/// Pairs of features of a block with those of its partners, among which may be itself. Clusters that have vertices in
/// common are looked at if `neighbors` says so, with the block of the lower one.
void search_block(const SearchIn& in, std::int32_t block, const std::int32_t* partners, std::size_t partner_count,
                  bool neighbors, SearchHits& hits);

}  // namespace carom::kernels
