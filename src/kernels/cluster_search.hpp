#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

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

/// One box like these; at first empty.
struct UnitBox {
  float low[3] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(),
                  std::numeric_limits<float>::infinity()};
  float high[3] = {-std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                   -std::numeric_limits<float>::infinity()};

  void include(const UnitBox& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], other.low[k]);
      high[k] = std::max(high[k], other.high[k]);
    }
  }
  bool meets(const UnitBox& other) const {
    return low[0] <= other.high[0] && other.low[0] <= high[0] && low[1] <= other.high[1] && other.low[1] <= high[1] &&
           low[2] <= other.high[2] && other.low[2] <= high[2];
  }
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
template <class Number>
struct RawList {
  static_assert(std::is_trivially_copyable_v<Number>);
  Number* data = nullptr;
  std::size_t size = 0;
  std::size_t capacity = 0;

  RawList() = default;
  RawList(const RawList&) = delete;
  RawList& operator=(const RawList&) = delete;
  RawList(RawList&& other) noexcept
      : data(std::exchange(other.data, nullptr)),
        size(std::exchange(other.size, 0)),
        capacity(std::exchange(other.capacity, 0)) {}
  RawList& operator=(RawList&& other) noexcept {
    std::swap(data, other.data);
    std::swap(size, other.size);
    std::swap(capacity, other.capacity);
    return *this;
  }
  ~RawList() { std::free(data); }
  void clear() { size = 0; }
  /// Room for so many more.
  void reserve_more(std::size_t count) {
    if (size + count > capacity) grow(size + count);
  }

 private:
  void grow(std::size_t wanted) {
    const std::size_t more = std::max(wanted, capacity + capacity / 2);
    void* memory = std::realloc(data, more * sizeof(Number));
    if (memory == nullptr) throw std::bad_alloc();
    data = static_cast<Number*>(memory);
    capacity = more;
  }
};
using PairList = RawList<std::uint64_t>;

/// How a cluster moved from call to call. A vertex of it went from call s to call t by what the middle did, which is
/// the difference of origin + drift, and by no more than the difference of `moved` beside that.
struct alignas(64) ClusterMotion {
  double drift[3];       ///< of the middle against the origin, in units
  double moved;          ///< in units; never less than before
  float last[3];         ///< motion of the middle in the last call
  float last_moved;      ///< the same of `moved`
  std::uint32_t since;   ///< call from which on all this is known
  std::uint32_t placed;  ///< last call
};

/// Pairs of features that are closer than a reach beyond that of the call, for a pair of clusters at the end of some
/// call. The numbers of its candidates stand in the same store: pairs of edges, then of vertices of the first cluster
/// and triangles of the second, then the other way round.
struct KeptPair {
  double apart[3];  ///< from the middle of the first cluster to that of the second
  double limit;     ///< reach of the list, and what both clusters had moved then
  std::uint32_t call;
  std::uint32_t first;  ///< candidate
  std::uint16_t count[3];
  std::uint16_t unused;
};
static_assert(sizeof(KeptPair) == 48);
using KeptStore = RawList<std::uint32_t>;

/// Where the pairs of a cluster are: a count, the other clusters, padded to whole sixteens, and their KeptPairs.
struct KeptPlace {
  std::uint32_t store;
  std::uint32_t at;
};
inline constexpr std::uint32_t no_store = ~std::uint32_t{0};

/// Sums over pairs of clusters.
struct SearchCounts {
  std::uint64_t cluster_pairs = 0;
  std::uint64_t tests = 0;          ///< pairs of features in these
  std::uint64_t adjacent = 0;       ///< of these, close but with a vertex in common
  std::uint64_t measured = 0;       ///< of these, in single precision
  std::uint64_t kept_pairs = 0;     ///< pairs of clusters that were not searched, as what is near in them is known
  std::uint64_t kept_features = 0;  ///< pairs of features in these
  std::uint64_t added_pairs = 0;    ///< pairs of clusters that were searched farther, to be kept
  std::uint64_t flat = 0;           ///< pairs of clusters left out, see SearchIn::flat
};

/// What one thread finds: pairs of features, the number of the first in the upper half.
struct SearchHits {
  PairList vertex_triangle;
  PairList edge_edge;  ///< the lower number first
  PairList unsure_vertex_triangle;
  PairList unsure_edge_edge;
  /// Over a step: pairs that are beyond reach at its start and may come within it. Unsure ones are so of the start.
  PairList later_vertex_triangle;
  PairList later_edge_edge;
  PairList triangles;  ///< the lower number in the lower half, so that it comes first in memory
  SearchCounts counts;
  KeptStore kept;                 ///< what the next call may use
  std::uint32_t kept_number = 0;  ///< of this store
};

/// Boxes of the vertices of `count` blocks, those of `numbers`. `positions` are three numbers for each of `vertices`.
void measure_blocks(const double* positions, std::size_t vertices, const std::int32_t* block_vertices,
                    const ClusterBlock* blocks, const std::int32_t* numbers, std::size_t count, BlockBounds* out);

/// Motion of clusters since they were placed last.
struct MotionOfClusters {
  ClusterMotion* clusters = nullptr;      ///< null: of no interest
  const PlacedCluster* before = nullptr;  ///< may be where they are placed now
  const double* corner_before = nullptr;  ///< of the units then; the scale is the same
  std::uint32_t call = 0;
  bool end = false;  ///< of a step, whose start was placed in this call
};

/// Places the clusters of a block. Those whose box misses `near`, a box around all that they may touch, are not placed
/// and get an empty box; null: all are placed.
void place_clusters(const double* positions, std::size_t vertices, const SearchUnits& units,
                    const SurfaceCluster* clusters, const ClusterBlock& block, PlacedCluster* placed, BoxGroup& boxes,
                    const MotionOfClusters& motion, const UnitBox* near);

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
  /// reach in the step are hits, those that are so at its start apart from those that are so later.
  const PlacedCluster* placed_end = nullptr;
  const BoxGroup* boxes = nullptr;  ///< of the clusters of each block, over the step
  const ClusterBlock* blocks = nullptr;
  const std::uint32_t* neighbor_begin = nullptr;
  const ClusterNeighbor* neighbors = nullptr;
  const std::uint32_t* around_begin = nullptr;
  const BlockNeighbors* around = nullptr;
  float reach = 0;
  float self_reach = 0;  ///< of pairs within one object, no longer than the other
  /// Of each cluster: 1 if it is left out with the clusters near it, which are its neighbors, itself among them, and
  /// those in `far`, by block. Both lists have a pair from both sides. `flat_of_block`: the same by block, one bit
  /// each. Null: none are.
  const std::uint8_t* flat = nullptr;
  const std::uint32_t* flat_of_block = nullptr;
  const std::uint32_t* far_begin = nullptr;
  const BlockNeighbors* far = nullptr;
  /// Of each cluster: how many pairs of features were found between it and its object, those of a pair of clusters with
  /// the lower one. Null: nobody asks.
  std::uint32_t* self_hits = nullptr;
  /// Clusters may have vertices in common that are not in `neighbors`; these are told by their numbers.
  bool hubs = false;
  /// Pairs of triangles whose bounds overlap are wanted instead of features, and nothing is measured.
  bool triangles = false;
  /// Null: nothing is kept.
  const ClusterMotion* motions = nullptr;
  const KeptStore* kept_before = nullptr;  ///< of the call before, by number
  const KeptPlace* kept_places = nullptr;  ///< in these, of each cluster
  KeptPlace* kept_now = nullptr;           ///< the same of this call
  std::uint32_t call = 0;
};

/// Pairs of features of a block with those of its partners, among which may be itself. Clusters that have vertices in
/// common are looked at if `neighbors` says so, with the block of the lower one.
void search_block(const SearchIn& in, std::int32_t block, const std::int32_t* partners, std::size_t partner_count,
                  bool neighbors, SearchHits& hits);

}  // namespace carom::kernels
