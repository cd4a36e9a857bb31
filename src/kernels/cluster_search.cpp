#include "kernels/cluster_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cluster_search.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/cluster_measure-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D4 = hn::CappedTag<double, 4>;
using F4 = hn::CappedTag<float, 4>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of coordinates in units, which are below 2: what rounding to float and adding a few of them may do.
constexpr float box_slack = 5e-7F;

template <class D>
HWY_INLINE void measure_block(D d, const double* positions, std::size_t last, const double* padded,
                              const std::int32_t* list, std::size_t n, BlockBounds& bounds) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    auto low0 = hn::Set(d, infinity);
    auto high0 = hn::Set(d, -infinity);
    auto low1 = low0;
    auto high1 = high0;
    const auto load = [&](std::int32_t v) {
      return hn::LoadU(d, static_cast<std::size_t>(v) == last ? padded : positions + 3 * static_cast<std::size_t>(v));
    };
    std::size_t i = 0;
    for (; i + 2 <= n; i += 2) {
      const auto p = load(list[i]);
      const auto q = load(list[i + 1]);
      low0 = hn::Min(low0, p);
      high0 = hn::Max(high0, p);
      low1 = hn::Min(low1, q);
      high1 = hn::Max(high1, q);
    }
    if (i < n) {
      const auto p = load(list[i]);
      low0 = hn::Min(low0, p);
      high0 = hn::Max(high0, p);
    }
    hn::StoreU(hn::Min(low0, low1), d, bounds.low);
    hn::StoreU(hn::Max(high0, high1), d, bounds.high);
  } else {
    for (std::size_t k = 0; k < 3; ++k) {
      double low = infinity;
      double high = -infinity;
      for (std::size_t i = 0; i < n; ++i) {
        const double x = positions[3 * static_cast<std::size_t>(list[i]) + k];
        low = x < low ? x : low;
        high = x > high ? x : high;
      }
      bounds.low[k] = low;
      bounds.high[k] = high;
    }
  }
}

void measure_blocks_of(const double* positions, std::size_t vertices, const std::int32_t* block_vertices,
                       const ClusterBlock* blocks, const std::int32_t* numbers, std::size_t count, BlockBounds* out) {
  if (vertices == 0) return;
  // Four numbers are read for each vertex, of which the last has only three.
  const std::size_t last = vertices - 1;
  const double* end = positions + 3 * last;
  const double padded[4] = {end[0], end[1], end[2], end[0]};
  for (std::size_t i = 0; i < count; ++i) {
    const ClusterBlock& block = blocks[numbers[i]];
    measure_block(D4(), positions, last, padded, block_vertices + block.first_vertex, block.vertex_count,
                  out[numbers[i]]);
  }
}

#if HWY_MAX_BYTES < 32
#define CAROM_PLACE_PLAIN 1
#else
#define CAROM_PLACE_PLAIN 0
#endif

struct Extent {
  float low, high;
};

#if CAROM_PLACE_PLAIN

/// Coordinates of the vertices of a cluster.
struct Placed {
  float x[cluster_lanes], y[cluster_lanes], z[cluster_lanes];
};

HWY_INLINE void load_points(const double* positions, std::size_t, const double*, const SearchUnits& units,
                            const double* origin, const SurfaceCluster& cluster, Placed& out) {
  for (std::size_t i = 0; i < cluster_lanes; ++i) {
    const double* p = positions + 3 * static_cast<std::size_t>(cluster.vertices[i]);
    out.x[i] = static_cast<float>(p[0] * units.per_unit - origin[0]);
    out.y[i] = static_cast<float>(p[1] * units.per_unit - origin[1]);
    out.z[i] = static_cast<float>(p[2] * units.per_unit - origin[2]);
  }
}

HWY_INLINE void store_points(const Placed& points, PlacedCluster& out) {
  std::copy_n(points.x, cluster_lanes, out.x);
  std::copy_n(points.y, cluster_lanes, out.y);
  std::copy_n(points.z, cluster_lanes, out.z);
}

HWY_INLINE Extent extent_along(const Placed& points, float x, float y, float z) {
  Extent extent{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (std::size_t i = 0; i < cluster_lanes; ++i) {
    const float v = x * points.x[i] + (y * points.y[i] + z * points.z[i]);
    extent.low = std::min(extent.low, v);
    extent.high = std::max(extent.high, v);
  }
  return extent;
}

HWY_INLINE void extents(const Placed& points, Extent* out) {
  out[0] = extent_along(points, 1, 0, 0);
  out[1] = extent_along(points, 0, 1, 0);
  out[2] = extent_along(points, 0, 0, 1);
}

#else

/// Coordinates of the vertices of a cluster, four at a time.
struct Placed {
  hn::Vec<F4> x[4], y[4], z[4];
};

HWY_INLINE void load_points(const double* positions, std::size_t last, const double* padded, const SearchUnits& units,
                            const double* origin, const SurfaceCluster& cluster, Placed& out) {
  const D4 d;
  const F4 f;
  const auto o = hn::LoadU(d, origin);
  const auto per_unit = hn::Set(d, units.per_unit);
  const auto load = [&](std::int32_t v) {
    const auto p =
        hn::LoadU(d, static_cast<std::size_t>(v) == last ? padded : positions + 3 * static_cast<std::size_t>(v));
    return hn::DemoteTo(f, hn::Sub(hn::Mul(p, per_unit), o));
  };
  const hn::Repartition<double, F4> pairs;
  for (std::size_t g = 0; g < 4; ++g) {
    const auto a = load(cluster.vertices[4 * g]);
    const auto b = load(cluster.vertices[4 * g + 1]);
    const auto c = load(cluster.vertices[4 * g + 2]);
    const auto e = load(cluster.vertices[4 * g + 3]);
    const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(f, a, b));
    const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(f, a, b));
    const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(f, c, e));
    const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(f, c, e));
    out.x[g] = hn::BitCast(f, hn::InterleaveLower(pairs, ab_low, ce_low));
    out.y[g] = hn::BitCast(f, hn::InterleaveUpper(pairs, ab_low, ce_low));
    out.z[g] = hn::BitCast(f, hn::InterleaveLower(pairs, ab_high, ce_high));
  }
}

HWY_INLINE void store_points(const Placed& points, PlacedCluster& out) {
  const F4 f;
  for (std::size_t g = 0; g < 4; ++g) {
    hn::Store(points.x[g], f, out.x + 4 * g);
    hn::Store(points.y[g], f, out.y + 4 * g);
    hn::Store(points.z[g], f, out.z + 4 * g);
  }
}

HWY_INLINE Extent extent_of(const hn::Vec<F4>* v) {
  const F4 f;
  return {hn::GetLane(hn::MinOfLanes(f, hn::Min(hn::Min(v[0], v[1]), hn::Min(v[2], v[3])))),
          hn::GetLane(hn::MaxOfLanes(f, hn::Max(hn::Max(v[0], v[1]), hn::Max(v[2], v[3]))))};
}

HWY_INLINE Extent extent_along(const Placed& points, float x, float y, float z) {
  const F4 f;
  hn::Vec<F4> along[4];
  for (std::size_t g = 0; g < 4; ++g)
    along[g] = hn::MulAdd(hn::Set(f, x), points.x[g],
                          hn::MulAdd(hn::Set(f, y), points.y[g], hn::Mul(hn::Set(f, z), points.z[g])));
  return extent_of(along);
}

HWY_INLINE void extents(const Placed& points, Extent* out) {
  out[0] = extent_of(points.x);
  out[1] = extent_of(points.y);
  out[2] = extent_of(points.z);
}

#endif
#undef CAROM_PLACE_PLAIN

HWY_INLINE void place(const double* positions, std::size_t last, const double* padded, const SearchUnits& units,
                      const SurfaceCluster& cluster, PlacedCluster& out, BoxGroup& boxes, std::size_t lane) {
  const double* first = positions + 3 * static_cast<std::size_t>(cluster.vertices[0]);
  const double origin[4] = {first[0] * units.per_unit, first[1] * units.per_unit, first[2] * units.per_unit, 0};
  Placed points;
  load_points(positions, last, padded, units, origin, cluster, points);
  store_points(points, out);
  Extent extent[3];
  extents(points, extent);
  const float grow = 0.50001F * units.reach + box_slack;
  float radius = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    out.origin[k] = origin[k] - units.corner[k];
    const auto at = static_cast<float>(out.origin[k]);
    boxes.low[k][lane] = at + extent[k].low - grow;
    boxes.high[k][lane] = at + extent[k].high + grow;
    radius = std::max(radius, std::max(-extent[k].low, extent[k].high));
  }
  out.radius = radius;

  // Any direction is right. A normal is good.
  const std::uint8_t* c = cluster.across;
  const float u[3] = {out.x[c[1]] - out.x[c[0]], out.y[c[1]] - out.y[c[0]], out.z[c[1]] - out.z[c[0]]};
  const float v[3] = {out.x[c[3]] - out.x[c[2]], out.y[c[3]] - out.y[c[2]], out.z[c[3]] - out.z[c[2]]};
  const float n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  const float squared = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  const float scale = squared > 1e-30F ? 1 / std::sqrt(squared) : 0;
  for (std::size_t k = 0; k < 3; ++k) out.normal[k] = n[k] * scale;
  const Extent slab = extent_along(points, out.normal[0], out.normal[1], out.normal[2]);
  out.slab_low = slab.low;
  out.slab_high = slab.high;
}

void place_clusters_of(const double* positions, std::size_t vertices, const SearchUnits& units,
                       const SurfaceCluster* clusters, const ClusterBlock& block, PlacedCluster* placed,
                       BoxGroup& boxes) {
  const std::size_t last = vertices - 1;
  const double* end = positions + 3 * last;
  const double padded[4] = {end[0], end[1], end[2], end[0]};
  const auto first = static_cast<std::size_t>(block.first);
  const auto count = static_cast<std::size_t>(block.count);
  const auto empty = [&](std::size_t i) {
    for (std::size_t k = 0; k < 3; ++k) {
      boxes.low[k][i] = std::numeric_limits<float>::infinity();
      boxes.high[k][i] = -std::numeric_limits<float>::infinity();
    }
  };
  for (std::size_t i = 0; i < count; ++i) {
    place(positions, last, padded, units, clusters[first + i], placed[first + i], boxes, i);
    if (clusters[first + i].triangle_count == 0) empty(i);
  }
  for (std::size_t i = count; i < cluster_lanes; ++i) empty(i);
}

void enclose_of(const BoxGroup& boxes, BoxGroup& out, std::size_t place) {
  const F f;
  for (std::size_t k = 0; k < 3; ++k) {
    auto low = hn::Load(f, boxes.low[k]);
    auto high = hn::Load(f, boxes.high[k]);
    for (std::size_t i = float_lanes; i < cluster_lanes; i += float_lanes) {
      low = hn::Min(low, hn::Load(f, boxes.low[k] + i));
      high = hn::Max(high, hn::Load(f, boxes.high[k] + i));
    }
    out.low[k][place] = hn::GetLane(hn::MinOfLanes(f, low));
    out.high[k][place] = hn::GetLane(hn::MaxOfLanes(f, high));
  }
}

struct OneBox {
  float low[3];
  float high[3];
};

HWY_INLINE OneBox one_box(const BoxGroup& boxes, std::size_t lane) {
  return {{boxes.low[0][lane], boxes.low[1][lane], boxes.low[2][lane]},
          {boxes.high[0][lane], boxes.high[1][lane], boxes.high[2][lane]}};
}

/// Bit l: box l of the group overlaps.
HWY_INLINE std::uint32_t overlap(const OneBox& box, const BoxGroup& group) {
  const F f;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < cluster_lanes; i += float_lanes) {
    auto mask = hn::And(hn::Le(hn::Set(f, box.low[0]), hn::Load(f, group.high[0] + i)),
                        hn::Le(hn::Load(f, group.low[0] + i), hn::Set(f, box.high[0])));
    mask = hn::And(mask, hn::And(hn::Le(hn::Set(f, box.low[1]), hn::Load(f, group.high[1] + i)),
                                 hn::Le(hn::Load(f, group.low[1] + i), hn::Set(f, box.high[1]))));
    mask = hn::And(mask, hn::And(hn::Le(hn::Set(f, box.low[2]), hn::Load(f, group.high[2] + i)),
                                 hn::Le(hn::Load(f, group.low[2] + i), hn::Set(f, box.high[2]))));
    bits |= mask_bits(f, mask) << i;
  }
  return bits;
}

std::size_t overlapping_of(const BoxGroup* groups, const BoxGroup* upper, std::size_t group_count, std::size_t place,
                           std::size_t first, std::uint32_t* out) {
  const OneBox box = one_box(groups[place / cluster_lanes], place % cluster_lanes);
  std::size_t count = 0;
  const std::size_t first_group = first / cluster_lanes;
  for (std::size_t u = first_group / cluster_lanes; u * cluster_lanes < group_count; ++u) {
    for (std::uint32_t hit = overlap(box, upper[u]); hit != 0; hit &= hit - 1) {
      const std::size_t g = cluster_lanes * u + static_cast<std::size_t>(std::countr_zero(hit));
      if (g < first_group || g >= group_count) continue;
      for (std::uint32_t bits = overlap(box, groups[g]); bits != 0; bits &= bits - 1) {
        const std::size_t at = cluster_lanes * g + static_cast<std::size_t>(std::countr_zero(bits));
        if (at >= first) out[count++] = static_cast<std::uint32_t>(at);
      }
    }
  }
  return count;
}

/// Looks at a list of far clusters, while those next in it come from memory.
template <SearchMode mode>
HWY_INLINE void visit_far(const SearchIn& in, ClusterPairSearch<mode>& search, const std::int32_t* far,
                          std::size_t count) {
  constexpr std::size_t ahead = 3;
  const auto fetch = [&](std::int32_t cluster) {
    const auto* placed = reinterpret_cast<const char*>(in.placed + cluster);
    for (std::size_t line = 0; line < sizeof(PlacedCluster); line += 64) hwy::Prefetch(placed + line);
    if constexpr (mode == SearchMode::step) {
      const auto* end = reinterpret_cast<const char*>(in.placed_end + cluster);
      for (std::size_t line = 0; line < sizeof(PlacedCluster); line += 64) hwy::Prefetch(end + line);
    }
    const auto* record = reinterpret_cast<const char*>(in.clusters + cluster);
    hwy::Prefetch(record);
    hwy::Prefetch(record + 64);
  };
  for (std::size_t k = 0; k < std::min(count, ahead); ++k) fetch(far[k]);
  for (std::size_t k = 0; k < count; ++k) {
    if (k + ahead < count) fetch(far[k + ahead]);
    search.far_pair(far[k]);
  }
}

template <SearchMode mode>
void search_block_in(const SearchIn& in, std::int32_t block, const std::int32_t* partners, std::size_t partner_count,
                     bool neighbors, SearchHits& hits) {
  constexpr std::size_t max_partners = 1024;
  constexpr std::size_t max_far = 4096;
  if (partner_count > max_partners) {
    for (std::size_t i = 0; i < partner_count; i += max_partners)
      search_block_in<mode>(in, block, partners + i, std::min(max_partners, partner_count - i), neighbors && i == 0,
                            hits);
    return;
  }
  const ClusterBlock& own = in.blocks[block];
  const BoxGroup& own_boxes = in.boxes[block];
  std::uint32_t rows[max_partners];
  for (std::size_t q = 0; q < partner_count; ++q) {
    const BoxGroup& other = in.boxes[partners[q]];
    alignas(64) BoxGroup hull;
    enclose_of(other, hull, 0);
    rows[q] = overlap(one_box(hull, 0), own_boxes);
  }
  ClusterPairSearch<mode> search(in, hits);
  std::int32_t far[max_far];
  for (std::int32_t i = 0; i < own.count; ++i) {
    const std::int32_t a = own.first + i;
    const bool touched = in.touched == nullptr || in.touched[a] != 0;
    search.begin(a);
    if (neighbors) {
      for (std::uint32_t n = in.neighbor_begin[a]; n < in.neighbor_begin[a + 1]; ++n) {
        if (!touched && in.touched[in.neighbors[n].cluster] == 0) continue;
        search.near_pair(in.neighbors[n]);
      }
    }
    const OneBox box = one_box(own_boxes, static_cast<std::size_t>(i));
    std::size_t count = 0;
    for (std::size_t q = 0; q < partner_count; ++q) {
      if ((rows[q] >> i & 1U) == 0) continue;
      const std::int32_t partner = partners[q];
      std::uint32_t bits = overlap(box, in.boxes[partner]);
      if (partner == block) bits &= ~0U << (i + 1);
      if (bits == 0) continue;
      if (in.blocks[partner].object == own.object) {
        for (std::uint32_t x = in.around_begin[a]; x < in.around_begin[a + 1]; ++x)
          if (in.around[x].block == partner) bits &= ~in.around[x].clusters;
      }
      if (count + cluster_lanes > max_far) {
        visit_far(in, search, far, count);
        count = 0;
      }
      for (; bits != 0; bits &= bits - 1) {
        const std::int32_t b = in.blocks[partner].first + std::countr_zero(bits);
        if (touched || in.touched[b] != 0) far[count++] = b;
      }
    }
    visit_far(in, search, far, count);
  }
}

void search_block_of(const SearchIn& in, std::int32_t block, const std::int32_t* partners, std::size_t partner_count,
                     bool neighbors, SearchHits& hits) {
  if (in.triangles) {
    search_block_in<SearchMode::triangles>(in, block, partners, partner_count, neighbors, hits);
  } else if (in.placed_end == nullptr) {
    search_block_in<SearchMode::frame>(in, block, partners, partner_count, neighbors, hits);
  } else {
    search_block_in<SearchMode::step>(in, block, partners, partner_count, neighbors, hits);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(measure_blocks_of);
HWY_EXPORT(place_clusters_of);
HWY_EXPORT(enclose_of);
HWY_EXPORT(overlapping_of);
HWY_EXPORT(search_block_of);

void measure_blocks(const double* positions, std::size_t vertices, const std::int32_t* block_vertices,
                    const ClusterBlock* blocks, const std::int32_t* numbers, std::size_t count, BlockBounds* out) {
  HWY_DYNAMIC_DISPATCH(measure_blocks_of)(positions, vertices, block_vertices, blocks, numbers, count, out);
}
void place_clusters(const double* positions, std::size_t vertices, const SearchUnits& units,
                    const SurfaceCluster* clusters, const ClusterBlock& block, PlacedCluster* placed, BoxGroup& boxes) {
  HWY_DYNAMIC_DISPATCH(place_clusters_of)(positions, vertices, units, clusters, block, placed, boxes);
}
void enclose(const BoxGroup& boxes, BoxGroup& out, std::size_t place) {
  HWY_DYNAMIC_DISPATCH(enclose_of)(boxes, out, place);
}
std::size_t overlapping(const BoxGroup* groups, const BoxGroup* upper, std::size_t group_count, std::size_t place,
                        std::size_t first, std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(overlapping_of)(groups, upper, group_count, place, first, out);
}
void search_block(const SearchIn& in, std::int32_t block, const std::int32_t* partners, std::size_t partner_count,
                  bool neighbors, SearchHits& hits) {
  HWY_DYNAMIC_DISPATCH(search_block_of)(in, block, partners, partner_count, neighbors, hits);
}

PairList::PairList(PairList&& other) noexcept : data(other.data), size(other.size), capacity(other.capacity) {
  other.data = nullptr;
  other.size = other.capacity = 0;
}
PairList& PairList::operator=(PairList&& other) noexcept {
  std::swap(data, other.data);
  std::swap(size, other.size);
  std::swap(capacity, other.capacity);
  return *this;
}
PairList::~PairList() {
  std::free(data);
}
void PairList::grow(std::size_t wanted) {
  const std::size_t more = std::max(wanted, capacity + capacity / 2);
  void* memory = std::realloc(data, more * sizeof(std::uint64_t));
  if (memory == nullptr) throw std::bad_alloc();
  data = static_cast<std::uint64_t*>(memory);
  capacity = more;
}

}  // namespace carom::kernels
#endif
