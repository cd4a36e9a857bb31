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
#include "kernels/cluster_plain-inl.hpp"

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

HWY_INLINE Placed difference(const Placed& points, const PlacedCluster& before) {
  Placed out;
  for (std::size_t i = 0; i < cluster_lanes; ++i) {
    out.x[i] = points.x[i] - before.x[i];
    out.y[i] = points.y[i] - before.y[i];
    out.z[i] = points.z[i] - before.z[i];
  }
  return out;
}

HWY_INLINE float farthest_squared(const Placed& points, const float* from) {
  float most = 0;
  for (std::size_t i = 0; i < cluster_lanes; ++i) {
    const float x = points.x[i] - from[0];
    const float y = points.y[i] - from[1];
    const float z = points.z[i] - from[2];
    most = std::max(most, x * x + (y * y + z * z));
  }
  return most;
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

HWY_INLINE Placed difference(const Placed& points, const PlacedCluster& before) {
  const F4 f;
  Placed out;
  for (std::size_t g = 0; g < 4; ++g) {
    out.x[g] = hn::Sub(points.x[g], hn::Load(f, before.x + 4 * g));
    out.y[g] = hn::Sub(points.y[g], hn::Load(f, before.y + 4 * g));
    out.z[g] = hn::Sub(points.z[g], hn::Load(f, before.z + 4 * g));
  }
  return out;
}

HWY_INLINE float farthest_squared(const Placed& points, const float* from) {
  const F4 f;
  auto most = hn::Zero(f);
  for (std::size_t g = 0; g < 4; ++g) {
    const auto x = hn::Sub(points.x[g], hn::Set(f, from[0]));
    const auto y = hn::Sub(points.y[g], hn::Set(f, from[1]));
    const auto z = hn::Sub(points.z[g], hn::Set(f, from[2]));
    most = hn::Max(most, hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z))));
  }
  return hn::GetLane(hn::MaxOfLanes(f, most));
}

#endif
#undef CAROM_PLACE_PLAIN

/// Adds to the motion of a cluster what it did since it was placed last. Coordinates are floats: what their rounding
/// may hide counts as moved, over the largest of them.
HWY_INLINE void follow(const Placed& points, const double* origin, const MotionOfClusters& in, std::size_t number) {
  constexpr float hidden = 5e-7F;
  ClusterMotion& motion = in.clusters[number];
  if (motion.placed + (in.end ? 0 : 1) != in.call) {
    motion = {};
    motion.since = motion.placed = in.call;
    motion.last_moved = std::numeric_limits<float>::infinity();
    return;
  }
  const PlacedCluster& before = in.before[number];
  const Placed moved = difference(points, before);
  Extent extent[3];
  extents(moved, extent);
  float middle[3];
  float size = before.radius;
  for (std::size_t k = 0; k < 3; ++k) {
    middle[k] = 0.5F * (extent[k].low + extent[k].high);
    size += std::max(-extent[k].low, extent[k].high);
    const double went = origin[k] - (before.origin[k] + in.corner_before[k]) + static_cast<double>(middle[k]);
    motion.drift[k] += static_cast<double>(middle[k]);
    motion.last[k] = static_cast<float>(went);
    size += in.end ? std::abs(motion.last[k]) : 0;
  }
  const float farthest = std::sqrt(farthest_squared(moved, middle)) * 1.00001F + hidden * size;
  // What is not a number is never kept: no comparison with it is true.
  motion.moved += static_cast<double>(farthest);
  motion.last_moved = in.end ? motion.last_moved + farthest : farthest;
  motion.placed = in.call;
}

HWY_INLINE void set_lane(BoxGroup& boxes, std::size_t lane, const UnitBox& box) {
  for (std::size_t k = 0; k < 3; ++k) {
    boxes.low[k][lane] = box.low[k];
    boxes.high[k][lane] = box.high[k];
  }
}

HWY_INLINE void place(const double* positions, std::size_t last, const double* padded, const SearchUnits& units,
                      const SurfaceCluster& cluster, PlacedCluster& out, BoxGroup& boxes, std::size_t lane,
                      const MotionOfClusters& motion, std::size_t number, const UnitBox* near) {
  const double* first = positions + 3 * static_cast<std::size_t>(cluster.vertices[0]);
  const double origin[4] = {first[0] * units.per_unit, first[1] * units.per_unit, first[2] * units.per_unit, 0};
  Placed points;
  load_points(positions, last, padded, units, origin, cluster, points);
  Extent extent[3];
  extents(points, extent);
  const float grow = 0.50001F * units.reach + box_slack;
  double placed_at[3];
  UnitBox box;
  for (std::size_t k = 0; k < 3; ++k) {
    placed_at[k] = origin[k] - units.corner[k];
    const auto at = static_cast<float>(placed_at[k]);
    box.low[k] = at + extent[k].low - grow;
    box.high[k] = at + extent[k].high + grow;
  }
  if (near != nullptr && !box.meets(*near)) return set_lane(boxes, lane, UnitBox());
  set_lane(boxes, lane, box);
  if (motion.clusters != nullptr) follow(points, origin, motion, number);
  store_points(points, out);
  float radius = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    out.origin[k] = placed_at[k];
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
                       BoxGroup& boxes, const MotionOfClusters& motion, const UnitBox* near) {
  const std::size_t last = vertices - 1;
  const double* end = positions + 3 * last;
  const double padded[4] = {end[0], end[1], end[2], end[0]};
  const auto first = static_cast<std::size_t>(block.first);
  const auto count = static_cast<std::size_t>(block.count);
  for (std::size_t i = 0; i < count; ++i) {
    place(positions, last, padded, units, clusters[first + i], placed[first + i], boxes, i, motion, first + i, near);
    if (clusters[first + i].triangle_count == 0) set_lane(boxes, i, UnitBox());
  }
  for (std::size_t i = count; i < cluster_lanes; ++i) set_lane(boxes, i, UnitBox());
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

HWY_INLINE UnitBox one_box(const BoxGroup& boxes, std::size_t lane) {
  return {{boxes.low[0][lane], boxes.low[1][lane], boxes.low[2][lane]},
          {boxes.high[0][lane], boxes.high[1][lane], boxes.high[2][lane]}};
}

HWY_INLINE UnitBox smaller(const UnitBox& box, float by) {
  return {{box.low[0] + by, box.low[1] + by, box.low[2] + by}, {box.high[0] - by, box.high[1] - by, box.high[2] - by}};
}

/// Bit l: box l of the group overlaps.
HWY_INLINE std::uint32_t overlap(const UnitBox& box, const BoxGroup& group) {
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
  const UnitBox box = one_box(groups[place / cluster_lanes], place % cluster_lanes);
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
    SearchIn part = in;
    part.motions = nullptr;  // what is kept of a cluster is written in one go
    for (std::size_t i = 0; i < partner_count; i += max_partners)
      search_block_in<mode>(part, block, partners + i, std::min(max_partners, partner_count - i), neighbors && i == 0,
                            hits);
    return;
  }
  const ClusterBlock& own = in.blocks[block];
  const BoxGroup& own_boxes = in.boxes[block];
  std::uint32_t rows[max_partners];
  std::uint32_t any = 0;
  for (std::size_t q = 0; q < partner_count; ++q) {
    const BoxGroup& other = in.boxes[partners[q]];
    alignas(64) BoxGroup hull;
    enclose_of(other, hull, 0);
    rows[q] = overlap(one_box(hull, 0), own_boxes);
    any |= rows[q];
  }
  ClusterPairSearch<mode> search(in, hits);
  std::int32_t far[max_far];
  const auto add = [&](std::int32_t partner, std::uint32_t bits, std::size_t& count) {
    if (count + cluster_lanes > max_far) {
      visit_far(in, search, far, count);
      count = 0;
    }
    for (; bits != 0; bits &= bits - 1) far[count++] = in.blocks[partner].first + std::countr_zero(bits);
  };
  const float shorter = 0.9999F * (in.reach - in.self_reach);
  for (std::int32_t i = 0; i < own.count; ++i) {
    if (!neighbors && (any >> i & 1U) == 0) continue;  // nothing is near it
    const std::int32_t a = own.first + i;
    search.begin(a);
    search.set_reach(in.self_reach);
    const std::size_t found_before = hits.vertex_triangle.size + hits.edge_edge.size;
    if (neighbors) {
      for (std::uint32_t n = in.neighbor_begin[a]; n < in.neighbor_begin[a + 1]; ++n) {
        if (in.flat != nullptr && (in.flat[a] | in.flat[in.neighbors[n].cluster]) != 0) {
          ++hits.counts.flat;
          continue;
        }
        search.near_pair(in.neighbors[n]);
      }
    }
    const UnitBox box = one_box(own_boxes, static_cast<std::size_t>(i));
    const UnitBox self_box = smaller(box, shorter);
    // Pairs within the object, then the others.
    std::size_t count = 0;
    bool others = false;
    for (std::size_t q = 0; q < partner_count; ++q) {
      if ((rows[q] >> i & 1U) == 0) continue;
      const std::int32_t partner = partners[q];
      if (in.blocks[partner].object != own.object) {
        others = true;
        continue;
      }
      std::uint32_t bits = overlap(self_box, in.boxes[partner]);
      if (partner == block) bits &= ~0U << (i + 1);
      if (bits == 0) continue;
      for (std::uint32_t x = in.around_begin[a]; x < in.around_begin[a + 1]; ++x)
        if (in.around[x].block == partner) bits &= ~in.around[x].clusters;
      if (in.flat != nullptr) {
        std::uint32_t left_out = 0;
        for (std::uint32_t x = in.far_begin[a]; x < in.far_begin[a + 1]; ++x)
          if (in.far[x].block == partner) left_out |= in.far[x].clusters;
        left_out &= in.flat[a] != 0 ? ~0U : in.flat_of_block[partner];
        hits.counts.flat += static_cast<std::uint64_t>(std::popcount(bits & left_out));
        bits &= ~left_out;
      }
      add(partner, bits, count);
    }
    visit_far(in, search, far, count);
    if (in.self_hits != nullptr && neighbors) {
      const std::size_t found = hits.vertex_triangle.size + hits.edge_edge.size - found_before;
      in.self_hits[a] = static_cast<std::uint32_t>(found);
    }
    count = 0;
    if (others) {
      search.set_reach(in.reach);
      for (std::size_t q = 0; q < partner_count; ++q) {
        if ((rows[q] >> i & 1U) != 0 && in.blocks[partners[q]].object != own.object)
          add(partners[q], overlap(box, in.boxes[partners[q]]), count);
      }
      visit_far(in, search, far, count);
    }
    search.end();
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
                    const SurfaceCluster* clusters, const ClusterBlock& block, PlacedCluster* placed, BoxGroup& boxes,
                    const MotionOfClusters& motion, const UnitBox* near) {
  HWY_DYNAMIC_DISPATCH(place_clusters_of)(positions, vertices, units, clusters, block, placed, boxes, motion, near);
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

}  // namespace carom::kernels
#endif
