// Pairs of features of two clusters: bounds in eight bits, then gaps in single precision. Included once for each
// target, so there is no ordinary include guard.
#if defined(CAROM_KERNELS_CLUSTER_MEASURE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLUSTER_MEASURE_INL_HPP
#undef CAROM_KERNELS_CLUSTER_MEASURE_INL_HPP
#else
#define CAROM_KERNELS_CLUSTER_MEASURE_INL_HPP
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/cluster_search.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, cluster_lanes>;
using I = hn::RebindToSigned<F>;
using U = hn::RebindToUnsigned<F>;
using Float = hn::Vec<F>;
using FloatMask = hn::Mask<F>;
constexpr std::size_t float_lanes = hn::MaxLanes(F());
constexpr std::size_t float_parts = cluster_lanes / float_lanes;

template <class Tag, class Mask>
HWY_INLINE std::uint32_t mask_bits(Tag d, Mask mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint32_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

/// What is looked for: features at a frame, features over a step in which vertices go straight to their ends, or
/// triangles at a frame.
enum class SearchMode { frame, step, triangles };

/// What rounding may do to a distance, over the largest coordinate of what is measured: conversion to float, a sum of
/// two, a product with a direction.
constexpr float rounding = 4e-6F;

#if HWY_TARGET == HWY_SCALAR

/// All pairs of one cluster, A, with others, by their boxes and one by one: for machines without vectors, and as the
/// plain form of what is done below.
template <SearchMode mode>
class ClusterPairSearch {
  static constexpr bool step = mode == SearchMode::step;

 public:
  ClusterPairSearch(const SearchIn& in, SearchHits& hits) : in_(in), hits_(hits) {}

  void begin(std::int32_t a) { number_ = a; }

  void near_pair(const ClusterNeighbor& neighbor) { pair(neighbor.cluster, &neighbor); }
  void far_pair(std::int32_t b) { pair(b, nullptr); }

 private:
  struct Box {
    float low[3], high[3];
  };

  /// A cluster, with its origin from that of A.
  struct Side {
    const PlacedCluster* start;
    const PlacedCluster* end;  ///< of the step; null without
    float shift[3];
    float end_shift[3];
  };

  static Box box_of(const Side& side, const std::uint8_t* places, std::size_t count) {
    Box box = box_of(*side.start, side.shift, places, count);
    if constexpr (step) {
      const Box end = box_of(*side.end, side.end_shift, places, count);
      for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = std::min(box.low[k], end.low[k]);
        box.high[k] = std::max(box.high[k], end.high[k]);
      }
    }
    return box;
  }
  static Box box_of(const PlacedCluster& placed, const float* shift, const std::uint8_t* places, std::size_t count) {
    Box box;
    const float* rows[3] = {placed.x, placed.y, placed.z};
    for (std::size_t k = 0; k < 3; ++k) {
      box.low[k] = box.high[k] = rows[k][places[0]] + shift[k];
      for (std::size_t i = 1; i < count; ++i) {
        box.low[k] = std::min(box.low[k], rows[k][places[i]] + shift[k]);
        box.high[k] = std::max(box.high[k], rows[k][places[i]] + shift[k]);
      }
    }
    return box;
  }
  static bool apart(const Box& a, const Box& b, float margin) {
    for (std::size_t k = 0; k < 3; ++k)
      if (a.low[k] > b.high[k] + margin || b.low[k] > a.high[k] + margin) return true;
    return false;
  }

  void pair(std::int32_t b, const ClusterNeighbor* neighbor) {
    const SurfaceCluster& own = in_.clusters[number_];
    const SurfaceCluster& other = in_.clusters[b];
    Side own_side{in_.placed + number_, nullptr, {0, 0, 0}, {0, 0, 0}};
    Side side{in_.placed + b, nullptr, {0, 0, 0}, {0, 0, 0}};
    float largest = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      side.shift[k] = static_cast<float>(side.start->origin[k] - own_side.start->origin[k]);
      largest = std::max(largest, std::abs(side.shift[k]));
    }
    float radius = own_side.start->radius + side.start->radius;
    if constexpr (step) {
      own_side.end = in_.placed_end + number_;
      side.end = in_.placed_end + b;
      for (std::size_t k = 0; k < 3; ++k) {
        side.end_shift[k] = static_cast<float>(side.end->origin[k] - own_side.end->origin[k]);
        largest = std::max(largest, std::abs(side.end_shift[k]));
      }
      radius = std::max(radius, own_side.end->radius + side.end->radius);
    }
    const float margin = (in_.reach + rounding * (largest + radius)) * 1.00001F;
    const bool same = b == number_;
    ++hits_.counts.cluster_pairs;
    if constexpr (mode == SearchMode::triangles) {
      triangles(own, own_side, other, side, margin, same);
      return;
    }
    const bool compare = in_.hubs && neighbor == nullptr;
    for (std::size_t i = 0; i < own.edge_count; ++i) {
      const std::uint8_t ends[2] = {own.edge_from[i], own.edge_to[i]};
      const Box box = box_of(own_side, ends, 2);
      for (std::size_t j = same ? i + 1 : 0; j < other.edge_count; ++j) {
        const std::uint8_t others[2] = {other.edge_from[j], other.edge_to[j]};
        ++hits_.counts.tests;
        if (apart(box, box_of(side, others, 2), margin)) continue;
        if ((neighbor != nullptr && share(neighbor->place, ends, 2, others, 2)) ||
            (compare && share(own, ends, 2, other, others, 2))) {
          ++hits_.counts.adjacent;
          continue;
        }
        const auto e = static_cast<std::uint32_t>(own.edges[i]);
        const auto f = static_cast<std::uint32_t>(other.edges[j]);
        add(step ? hits_.edge_edge : hits_.unsure_edge_edge, std::min(e, f), std::max(e, f));
      }
    }
    const auto faces = [&](const SurfaceCluster& from, const Side& from_side, const SurfaceCluster& face,
                           const Side& face_side, const std::uint8_t* place) {
      for (std::size_t t = 0; t < face.triangle_count; ++t) {
        const std::uint8_t corners[3] = {face.corner[0][t], face.corner[1][t], face.corner[2][t]};
        const Box box = box_of(face_side, corners, 3);
        for (std::size_t v = 0; v < from.owned_vertex_count; ++v) {
          const std::uint8_t vertex[1] = {static_cast<std::uint8_t>(v)};
          ++hits_.counts.tests;
          if (apart(box_of(from_side, vertex, 1), box, margin)) continue;
          if ((place != nullptr && share(place, vertex, 1, corners, 3)) ||
              (compare && share(from, vertex, 1, face, corners, 3))) {
            ++hits_.counts.adjacent;
            continue;
          }
          add(step ? hits_.vertex_triangle : hits_.unsure_vertex_triangle, static_cast<std::uint32_t>(from.vertices[v]),
              static_cast<std::uint32_t>(face.triangles[t]));
        }
      }
    };
    faces(own, own_side, other, side, neighbor == nullptr ? nullptr : neighbor->place);
    if (!same) faces(other, side, own, own_side, neighbor == nullptr ? nullptr : neighbor->reverse);
  }

  void triangles(const SurfaceCluster& own, const Side& own_side, const SurfaceCluster& other, const Side& side,
                 float margin, bool same) {
    for (std::size_t s = 0; s < own.triangle_count; ++s) {
      const std::uint8_t corners[3] = {own.corner[0][s], own.corner[1][s], own.corner[2][s]};
      const Box box = box_of(own_side, corners, 3);
      for (std::size_t t = same ? s + 1 : 0; t < other.triangle_count; ++t) {
        const std::uint8_t others[3] = {other.corner[0][t], other.corner[1][t], other.corner[2][t]};
        ++hits_.counts.tests;
        if (apart(box, box_of(side, others, 3), margin)) continue;
        const auto a = static_cast<std::uint32_t>(own.triangles[s]);
        const auto b = static_cast<std::uint32_t>(other.triangles[t]);
        add(hits_.triangles, std::max(a, b), std::min(a, b));
      }
    }
  }

  static bool share(const std::uint8_t* place, const std::uint8_t* a, std::size_t a_count, const std::uint8_t* b,
                    std::size_t b_count) {
    for (std::size_t i = 0; i < a_count; ++i)
      for (std::size_t j = 0; j < b_count; ++j)
        if (place[a[i]] == b[j]) return true;
    return false;
  }
  /// The same of clusters that are not listed as neighbors.
  static bool share(const SurfaceCluster& from, const std::uint8_t* a, std::size_t a_count, const SurfaceCluster& to,
                    const std::uint8_t* b, std::size_t b_count) {
    for (std::size_t i = 0; i < a_count; ++i)
      for (std::size_t j = 0; j < b_count; ++j)
        if (from.vertices[a[i]] == to.vertices[b[j]]) return true;
    return false;
  }

  void add(PairList& list, std::uint32_t first, std::uint32_t second) {
    ++hits_.counts.measured;
    list.reserve_more(1);
    list.data[list.size++] = static_cast<std::uint64_t>(first) << 32U | second;
  }

  const SearchIn& in_;
  SearchHits& hits_;
  std::int32_t number_ = 0;
};

#else

using B32 = hn::CappedTag<std::uint8_t, cluster_edge_lanes>;  ///< edges
constexpr std::size_t edge_part = hn::MaxLanes(B32());
constexpr std::size_t edge_parts = cluster_edge_lanes / edge_part;
using B64 = hn::CappedTag<std::uint8_t, 64>;  ///< blocks of 16 bytes, as many as there are
constexpr std::size_t wide_bytes = hn::MaxLanes(B64());
constexpr std::size_t wide_parts = 64 / wide_bytes;
using B16 = hn::CappedTag<std::uint8_t, 16>;

constexpr std::size_t directions = 4;

template <class Tag, class Mask>
HWY_INLINE std::uint64_t wide_mask_bits(Tag d, Mask mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

/// Three coordinates of 16 points.
struct Points16 {
  Float x[float_parts];
  Float y[float_parts];
  Float z[float_parts];
};

struct Wide {
  Float x, y, z;
};
HWY_INLINE Wide minus(const Wide& a, const Wide& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Float inner(const Wide& a, const Wide& b) {
  return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}
HWY_INLINE Wide outer(const Wide& a, const Wide& b) {
  return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)), hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
          hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}
HWY_INLINE Wide along(Float s, const Wide& a, const Wide& b) {
  return {hn::MulAdd(s, a.x, b.x), hn::MulAdd(s, a.y, b.y), hn::MulAdd(s, a.z, b.z)};
}
HWY_INLINE Wide choose(FloatMask m, const Wide& a, const Wide& b) {
  return {hn::IfThenElse(m, a.x, b.x), hn::IfThenElse(m, a.y, b.y), hn::IfThenElse(m, a.z, b.z)};
}
HWY_INLINE Float unit_interval(Float v) {
  const F f;
  return hn::Min(hn::Max(v, hn::Zero(f)), hn::Set(f, 1.0F));
}

/// Entry `index` of sixteen.
HWY_INLINE Float look_up(const Float* table, hn::Vec<I> index) {
  const I i;
  const F f;
  if constexpr (float_parts == 1) {
    return hn::TableLookupLanes(table[0], hn::IndicesFromVec(f, index));
  } else {
    const auto lane = hn::IndicesFromVec(f, hn::And(index, hn::Set(i, static_cast<std::int32_t>(float_lanes - 1))));
    Float result = hn::TableLookupLanes(table[0], lane);
    for (std::size_t p = 1; p < float_parts; ++p) {
      const auto here = hn::Gt(index, hn::Set(i, static_cast<std::int32_t>(p * float_lanes - 1)));
      result = hn::IfThenElse(hn::RebindMask(f, here), hn::TableLookupLanes(table[p], lane), result);
    }
    return result;
  }
}
HWY_INLINE Wide look_up(const Points16& points, hn::Vec<I> index) {
  return {look_up(points.x, index), look_up(points.y, index), look_up(points.z, index)};
}

/// What is surely within reach and what surely beyond it, squared.
struct Limits {
  float within;
  float beyond;
};

/// Lanes, one bit each.
struct Verdicts {
  std::uint32_t within;
  std::uint32_t unsure;
};

/// u goes from a point of the one feature to a point of the other, so it is no shorter than their distance; along u, as
/// along any direction, the gap between the features is no longer than that.
HWY_INLINE Verdicts judge(Float gap, const Wide& u, const Limits& limits) {
  const F f;
  const Float squared = inner(u, u);
  const Float least = hn::MulAdd(hn::Set(f, limits.beyond), squared, hn::Set(f, 1e-35F));
  const std::uint32_t within = mask_bits(f, hn::Lt(squared, hn::Set(f, limits.within)));
  const std::uint32_t beyond = mask_bits(f, hn::And(hn::Gt(gap, hn::Zero(f)), hn::Gt(hn::Mul(gap, gap), least)));
  return {within, ~(within | beyond)};
}

/// To about 24 bits.
HWY_INLINE Float reciprocal(Float v) {
  const F f;
  const Float r = hn::ApproximateReciprocal(v);
  return hn::Mul(r, hn::NegMulAdd(v, r, hn::Set(f, 2.0F)));
}

/// Lanes that are surely beyond reach all along a step: the gap along u changes no faster than linearly, as each vertex
/// goes straight, so it is never less than the smaller of those at its start and its end.
HWY_INLINE std::uint32_t never(Float start, Float end, const Wide& u, const Limits& limits) {
  const F f;
  const Float gap = hn::Min(start, end);
  const Float least = hn::MulAdd(hn::Set(f, limits.beyond), inner(u, u), hn::Set(f, 1e-35F));
  return mask_bits(f, hn::And(hn::Gt(gap, hn::Zero(f)), hn::Gt(hn::Mul(gap, gap), least)));
}

/// From the nearest point of the edge from the origin to da to that of the edge from b0 to b1.
HWY_INLINE Wide between_edges(const Wide& da, const Wide& b0, const Wide& b1) {
  const F f;
  const Float tiny = hn::Set(f, 1e-35F);
  const Wide db = minus(b1, b0);
  const Float aa = hn::Max(inner(da, da), tiny);
  const Float bb = hn::Max(inner(db, db), tiny);
  const Float ab = inner(da, db);
  const Float ca = inner(da, b0);
  const Float cb = inner(db, b0);
  // The interior pair, then each clamped against the other; parallel edges start anywhere.
  const Float determinant = hn::Max(hn::MulSub(aa, bb, hn::Mul(ab, ab)), tiny);
  const Float s0 = unit_interval(hn::Mul(hn::MulSub(ca, bb, hn::Mul(ab, cb)), hn::ApproximateReciprocal(determinant)));
  const Float t = unit_interval(hn::Mul(hn::MulSub(ab, s0, cb), hn::ApproximateReciprocal(bb)));
  const Float s = unit_interval(hn::Mul(hn::MulAdd(ab, t, ca), hn::ApproximateReciprocal(aa)));
  const Wide on_b = along(t, db, b0);
  return {hn::NegMulAdd(s, da.x, on_b.x), hn::NegMulAdd(s, da.y, on_b.y), hn::NegMulAdd(s, da.z, on_b.z)};
}
HWY_INLINE Float gap_of_edges(const Wide& da, const Wide& b0, const Wide& b1, const Wide& u) {
  return hn::Sub(hn::Min(inner(b0, u), inner(b1, u)), hn::Max(hn::Zero(F()), inner(da, u)));
}

/// Two edges: from the origin to da, and from b0 to b1.
HWY_INLINE Verdicts judge_edges(const Wide& da, const Wide& b0, const Wide& b1, const Limits& limits) {
  const Wide u = between_edges(da, b0, b1);
  return judge(gap_of_edges(da, b0, b1, u), u, limits);
}

/// From the origin to the nearest point of a triangle.
HWY_INLINE Wide to_triangle(const Wide& a, const Wide& b, const Wide& c) {
  const F f;
  const Float zero = hn::Zero(f);
  const Float tiny = hn::Set(f, 1e-35F);
  const Wide ab = minus(b, a);
  const Wide bc = minus(c, b);
  const Wide ca = minus(a, c);
  const auto share = [&](const Wide& from, const Wide& side) {
    return unit_interval(
        hn::Mul(hn::Neg(inner(from, side)), hn::ApproximateReciprocal(hn::Max(inner(side, side), tiny))));
  };
  const Wide on_ab = along(share(a, ab), ab, a);
  const Wide on_bc = along(share(b, bc), bc, b);
  const Wide on_ca = along(share(c, ca), ca, c);
  const Float q_ab = inner(on_ab, on_ab);
  const Float q_bc = inner(on_bc, on_bc);
  const Float q_ca = inner(on_ca, on_ca);
  Wide u = choose(hn::Gt(q_ab, q_bc), on_bc, on_ab);
  u = choose(hn::Gt(hn::Min(q_ab, q_bc), q_ca), on_ca, u);
  const Wide n = outer(ab, ca);
  // The foot of the perpendicular, as a combination of the corners: a point of the triangle even where a sliver's
  // normal is poor.
  const Float at_c = inner(n, outer(ab, a));
  const Float at_a = inner(n, outer(bc, b));
  const Float at_b = inner(n, outer(ca, c));
  const Float sum = hn::Add(hn::Add(at_a, at_b), at_c);
  // Shares of a sum that nearly vanishes are noise, and do not add up to one.
  const FloatMask inside = hn::And(hn::And(hn::Gt(at_c, zero), hn::Gt(at_a, zero)),
                                   hn::And(hn::Gt(at_b, zero), hn::Gt(sum, hn::Set(f, 1e-30F))));
  const Float per_sum = reciprocal(hn::Max(sum, tiny));
  const auto combine = [&](Float p, Float q, Float r) {
    return hn::Mul(hn::MulAdd(at_a, p, hn::MulAdd(at_b, q, hn::Mul(at_c, r))), per_sum);
  };
  return choose(inside, {combine(a.x, b.x, c.x), combine(a.y, b.y, c.y), combine(a.z, b.z, c.z)}, u);
}
HWY_INLINE Float gap_to_triangle(const Wide& a, const Wide& b, const Wide& c, const Wide& u) {
  return hn::Min(hn::Min(inner(a, u), inner(b, u)), inner(c, u));
}

/// The origin and a triangle.
HWY_INLINE Verdicts judge_triangle(const Wide& a, const Wide& b, const Wide& c, const Limits& limits) {
  const Wide u = to_triangle(a, b, c);
  return judge(gap_to_triangle(a, b, c, u), u, limits);
}

/// Sixteen bytes from the vectors step(0), step(1) and so on.
template <class Step>
HWY_INLINE hn::Vec<B16> assemble(const Step& step) {
  if constexpr (float_parts == 1) {
    return step(0);
  } else if constexpr (float_parts == 2) {
    return hn::Combine(B16(), step(1), step(0));
  } else {
    const hn::CappedTag<std::uint8_t, 8> d8;
    return hn::Combine(B16(), hn::Combine(d8, step(3), step(2)), hn::Combine(d8, step(1), step(0)));
  }
}

/// Vertices of a cluster along the four directions, in bytes: each direction's sixteen together.
struct Bytes16 {
  hn::Vec<B16> along[directions];
};

/// Lowest and highest byte of each vertex along each direction: those of the start and of the end of a step, or the
/// same.
struct SweptBytes {
  Bytes16 low, high;
};

HWY_INLINE void sweep_bytes(const Bytes16& start, const Bytes16& end, SweptBytes& out) {
  for (std::size_t k = 0; k < directions; ++k) {
    out.low.along[k] = hn::Min(start.along[k], end.along[k]);
    out.high.along[k] = hn::Max(start.along[k], end.along[k]);
  }
}

/// Four times sixteen bytes in as few vectors as they fit.
struct Joined {
  hn::Vec<B64> part[wide_parts];
};

template <class D, class Bytes, class Parts>
HWY_INLINE void join(D d, const Bytes& bytes, Parts& out) {
  if constexpr (hn::MaxLanes(D()) == 64) {
    const hn::Half<D> half;
    out.part[0] = hn::Combine(d, hn::Combine(half, bytes.along[3], bytes.along[2]),
                              hn::Combine(half, bytes.along[1], bytes.along[0]));
  } else if constexpr (hn::MaxLanes(D()) == 32) {
    out.part[0] = hn::Combine(d, bytes.along[1], bytes.along[0]);
    out.part[1] = hn::Combine(d, bytes.along[3], bytes.along[2]);
  } else {
    for (std::size_t k = 0; k < directions; ++k) out.part[k] = bytes.along[k];
  }
}

/// The lowest and highest byte of each sixteen, in all of them.
HWY_INLINE void extremes(const Joined& bytes, Joined& low, Joined& high) {
  const B64 d;
  const hn::Repartition<std::uint32_t, B64> w;
  for (std::size_t p = 0; p < wide_parts; ++p) {
    auto l = hn::BitCast(w, bytes.part[p]);
    auto h = l;
    const auto fold = [&](auto a, auto b) {
      l = hn::BitCast(w, hn::Min(hn::BitCast(d, l), hn::BitCast(d, a)));
      h = hn::BitCast(w, hn::Max(hn::BitCast(d, h), hn::BitCast(d, b)));
    };
    fold(hn::Shuffle1032(l), hn::Shuffle1032(h));
    fold(hn::Shuffle2301(l), hn::Shuffle2301(h));
    fold(hn::RotateRight<16>(l), hn::RotateRight<16>(h));
    fold(hn::RotateRight<8>(l), hn::RotateRight<8>(h));
    low.part[p] = hn::BitCast(d, l);
    high.part[p] = hn::BitCast(d, h);
  }
}

/// Of each byte: which sixteen it is in.
alignas(64) constexpr std::uint8_t block_number[64] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1,
                                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                                       2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};

struct EdgeBytes {
  hn::Vec<B32> low[directions][edge_parts];
  hn::Vec<B32> high[directions][edge_parts];
};

template <class D>
HWY_INLINE hn::Vec<D> spread16(D d, hn::Vec<B16> bytes) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    (void)d;
    return bytes;
  } else if constexpr (hn::MaxLanes(D()) == 32) {
    return hn::Combine(d, bytes, bytes);
  } else {
    const hn::Half<D> half;
    const auto two = hn::Combine(half, bytes, bytes);
    return hn::Combine(d, two, two);
  }
}

template <bool step>
HWY_INLINE void bound_edges(const SurfaceCluster& cluster, const SweptBytes& bytes, EdgeBytes& out) {
  const B32 d;
  for (std::size_t p = 0; p < edge_parts; ++p) {
    const auto from = hn::Load(d, cluster.edge_from + p * edge_part);
    const auto to = hn::Load(d, cluster.edge_to + p * edge_part);
    for (std::size_t k = 0; k < directions; ++k) {
      const auto table = spread16(d, bytes.low.along[k]);
      const auto a = hn::TableLookupBytes(table, from);
      const auto b = hn::TableLookupBytes(table, to);
      out.low[k][p] = hn::Min(a, b);
      if constexpr (step) {
        const auto highs = spread16(d, bytes.high.along[k]);
        out.high[k][p] = hn::Max(hn::TableLookupBytes(highs, from), hn::TableLookupBytes(highs, to));
      } else {
        out.high[k][p] = hn::Max(a, b);
      }
    }
  }
}

/// Grown bounds of triangles: lowest, and how far up from there.
struct TriangleBytes {
  alignas(16) std::uint8_t low[directions][cluster_lanes];
  alignas(16) std::uint8_t width[directions][cluster_lanes];
};

template <bool step>
HWY_INLINE void bound_triangles(const SurfaceCluster& cluster, const SweptBytes& bytes, const std::uint8_t* grow,
                                TriangleBytes& out) {
  const B16 d;
  const auto c0 = hn::Load(d, cluster.corner[0]);
  const auto c1 = hn::Load(d, cluster.corner[1]);
  const auto c2 = hn::Load(d, cluster.corner[2]);
  for (std::size_t k = 0; k < directions; ++k) {
    const auto by = hn::Set(d, grow[k]);
    auto a = hn::TableLookupBytes(bytes.low.along[k], c0);
    auto b = hn::TableLookupBytes(bytes.low.along[k], c1);
    auto c = hn::TableLookupBytes(bytes.low.along[k], c2);
    const auto low = hn::SaturatedSub(hn::Min(hn::Min(a, b), c), by);
    hn::Store(low, d, out.low[k]);
    if constexpr (step) {
      a = hn::TableLookupBytes(bytes.high.along[k], c0);
      b = hn::TableLookupBytes(bytes.high.along[k], c1);
      c = hn::TableLookupBytes(bytes.high.along[k], c2);
    }
    hn::Store(hn::Sub(hn::SaturatedAdd(hn::Max(hn::Max(a, b), c), by), low), d, out.width[k]);
  }
}

/// All pairs of one cluster, A, with others. Coordinates are in the frame of A. Over a step the frame goes with a
/// vertex of A, so that a motion that clusters share does not count: what changes between them is the difference of two
/// straight motions, which is straight.
template <SearchMode mode>
class ClusterPairSearch {
  static constexpr bool step = mode == SearchMode::step;

 public:
  ClusterPairSearch(const SearchIn& in, SearchHits& hits) : in_(in), hits_(hits) {}

  void begin(std::int32_t a) {
    number_ = a;
    cluster_ = &in_.clusters[a];
    placed_ = &in_.placed[a];
    prepared_ = false;
    radius_ = placed_->radius;
    slab_low_ = placed_->slab_low;
    slab_high_ = placed_->slab_high;
    if constexpr (step) {
      placed_end_ = &in_.placed_end[a];
      radius_ = std::max(radius_, placed_end_->radius);
      load(*placed_end_, own_end_);
      const F f;
      const auto along = [&](std::size_t p) {
        return hn::MulAdd(hn::Set(f, placed_->normal[0]), own_end_.x[p],
                          hn::MulAdd(hn::Set(f, placed_->normal[1]), own_end_.y[p],
                                     hn::Mul(hn::Set(f, placed_->normal[2]), own_end_.z[p])));
      };
      Float lows = along(0);
      Float highs = lows;
      for (std::size_t p = 1; p < float_parts; ++p) {
        lows = hn::Min(lows, along(p));
        highs = hn::Max(highs, along(p));
      }
      slab_low_ = std::min(slab_low_, hn::GetLane(hn::MinOfLanes(f, lows)));
      slab_high_ = std::max(slab_high_, hn::GetLane(hn::MaxOfLanes(f, highs)));
    }
  }

  void near_pair(const ClusterNeighbor& neighbor) {
    if (!prepared_) prepare(8 * (radius_ + in_.reach));
    if constexpr (mode == SearchMode::triangles) {
      if (neighbor.cluster == number_) {
        count(*cluster_);
        triangle_rows(own_bytes_, *cluster_, true);
      } else {
        other_pair<true>(neighbor.cluster);
      }
      return;
    }
    const SurfaceCluster& other = in_.clusters[neighbor.cluster];
    // Edges and triangles of the other at each vertex of A, and triangles of A at each vertex of the other.
    for (std::size_t v = 0; v < cluster_lanes; ++v) {
      const std::uint8_t to = neighbor.place[v];
      const std::uint8_t back = neighbor.reverse[v];
      edges_at_[v] = to == no_place ? 0 : other.edges_at[to];
      triangles_at_[v] = to == no_place ? 0 : other.triangles_at[to];
      own_triangles_at_[v] = back == no_place ? 0 : cluster_->triangles_at[back];
    }
    if (neighbor.cluster == number_) {
      same_pair();
    } else {
      other_pair<true>(neighbor.cluster);
    }
  }

  void far_pair(std::int32_t b) { other_pair<false>(b); }

 private:
  static HWY_INLINE void load(const PlacedCluster& placed, Points16& out) {
    const F f;
    for (std::size_t p = 0; p < float_parts; ++p) {
      out.x[p] = hn::Load(f, placed.x + p * float_lanes);
      out.y[p] = hn::Load(f, placed.y + p * float_lanes);
      out.z[p] = hn::Load(f, placed.z + p * float_lanes);
    }
  }

  /// The other cluster in the frame of A. Returns the largest coordinate of the shift.
  static HWY_INLINE float load_shifted(const PlacedCluster& own, const PlacedCluster& placed, float* shift,
                                       Points16& out) {
    const F f;
    for (std::size_t k = 0; k < 3; ++k) shift[k] = static_cast<float>(placed.origin[k] - own.origin[k]);
    load(placed, out);
    const auto x = hn::Set(f, shift[0]);
    const auto y = hn::Set(f, shift[1]);
    const auto z = hn::Set(f, shift[2]);
    for (std::size_t p = 0; p < float_parts; ++p) {
      out.x[p] = hn::Add(out.x[p], x);
      out.y[p] = hn::Add(out.y[p], y);
      out.z[p] = hn::Add(out.z[p], z);
    }
    return std::max(std::max(std::abs(shift[0]), std::abs(shift[1])), std::abs(shift[2]));
  }

  /// Bounds of the features of A, good for coordinates up to `largest`.
  HWY_NOINLINE void prepare(float largest) {
    const F f;
    largest_ = largest;
    const float margin = (in_.reach + rounding * largest) * 1.00001F;
    limits_.beyond = margin * margin * 1.00001F;
    const float inner_reach = in_.reach * 0.99999F - rounding * largest;
    limits_.within = inner_reach > 0 ? inner_reach * inner_reach * 0.99999F : 0;
    load(*placed_, own_);
    const float* n = placed_->normal;
    const auto point = [&](std::uint8_t place, float* out) {
      out[0] = placed_->x[place];
      out[1] = placed_->y[place];
      out[2] = placed_->z[place];
    };
    float corner[3][3];
    for (std::size_t k = 0; k < 3; ++k) point(cluster_->middle[k], corner[k]);
    for (std::size_t k = 0; k < directions; ++k) {
      float along[3] = {n[0], n[1], n[2]};
      if (k < 3) {
        const float* from = corner[k];
        const float* to = corner[k == 2 ? 0 : k + 1];
        const float e[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        along[0] = n[1] * e[2] - n[2] * e[1];
        along[1] = n[2] * e[0] - n[0] * e[2];
        along[2] = n[0] * e[1] - n[1] * e[0];
      }
      const float squared = along[0] * along[0] + along[1] * along[1] + along[2] * along[2];
      if (squared > 1e-30F) {
        const float scale = 1 / std::sqrt(squared);
        for (float& component : along) component *= scale;
      } else {
        along[0] = k % 3 == 0 ? 1 : 0;
        along[1] = k % 3 == 1 ? 1 : 0;
        along[2] = k % 3 == 2 ? 1 : 0;
      }
      const auto x = hn::Set(f, along[0]);
      const auto y = hn::Set(f, along[1]);
      const auto z = hn::Set(f, along[2]);
      Float lows = hn::MulAdd(x, own_.x[0], hn::MulAdd(y, own_.y[0], hn::Mul(z, own_.z[0])));
      Float highs = lows;
      for (std::size_t p = 1; p < float_parts; ++p) {
        const Float v = hn::MulAdd(x, own_.x[p], hn::MulAdd(y, own_.y[p], hn::Mul(z, own_.z[p])));
        lows = hn::Min(lows, v);
        highs = hn::Max(highs, v);
      }
      if constexpr (step) {
        for (std::size_t p = 0; p < float_parts; ++p) {
          const Float v = hn::MulAdd(x, own_end_.x[p], hn::MulAdd(y, own_end_.y[p], hn::Mul(z, own_end_.z[p])));
          lows = hn::Min(lows, v);
          highs = hn::Max(highs, v);
        }
      }
      const float low = hn::GetLane(hn::MinOfLanes(f, lows));
      const float high = hn::GetLane(hn::MaxOfLanes(f, highs));
      const float steps = 246 / (high - low + 2 * margin);
      for (std::size_t c = 0; c < 3; ++c) direction_[k][c] = along[c] * steps;
      direction_[k][3] = 3 - (low - margin) * steps;
      grow_[k] = static_cast<std::uint8_t>(static_cast<int>(margin * steps) + 1);
    }
    project_swept(own_, own_end_, own_bytes_);
    bound_edges<step>(*cluster_, own_bytes_, own_edges_);
    bound_triangles<step>(*cluster_, own_bytes_, grow_, own_triangles_);
    const B32 d;
    for (std::size_t k = 0; k < directions; ++k) {
      const auto by = hn::Set(d, grow_[k]);
      for (std::size_t p = 0; p < edge_parts; ++p) {
        hn::Store(hn::SaturatedSub(own_edges_.low[k][p], by), d, row_low_[k] + p * edge_part);
        hn::Store(hn::SaturatedAdd(own_edges_.high[k][p], by), d, row_high_[k] + p * edge_part);
      }
    }
    Bytes16 by;
    const B16 d16;
    for (std::size_t k = 0; k < directions; ++k) by.along[k] = hn::Set(d16, grow_[k]);
    join(B64(), by, joined_grow_);
    Joined low;
    Joined high;
    join_swept(own_bytes_, own_joined_low_, own_joined_high_, low, high);
    for (std::size_t p = 0; p < wide_parts; ++p) {
      hull_low_.part[p] = hn::SaturatedSub(low.part[p], joined_grow_.part[p]);
      hull_high_.part[p] = hn::SaturatedAdd(high.part[p], joined_grow_.part[p]);
    }
    prepared_ = true;
  }

  /// Rounded down to bytes; what is beyond their range goes to its ends.
  HWY_INLINE void project(const Points16& points, Bytes16& out) const {
    const F f;
    const I i;
    const hn::Rebind<std::uint8_t, I> u8;
    const auto most = hn::Set(f, 256.0F);
    for (std::size_t k = 0; k < directions; ++k) {
      const auto x = hn::Set(f, direction_[k][0]);
      const auto y = hn::Set(f, direction_[k][1]);
      const auto z = hn::Set(f, direction_[k][2]);
      const auto o = hn::Set(f, direction_[k][3]);
      const auto bytes_of = [&](std::size_t p) {
        const Float v = hn::MulAdd(x, points.x[p], hn::MulAdd(y, points.y[p], hn::MulAdd(z, points.z[p], o)));
        return hn::DemoteTo(u8, hn::ConvertTo(i, hn::Max(hn::Min(v, most), hn::Zero(f))));
      };
      out.along[k] = assemble(bytes_of);
    }
  }

  HWY_INLINE void project_swept(const Points16& start, const Points16& end, SweptBytes& out) const {
    project(start, out.low);
    if constexpr (step) {
      const Bytes16 bytes = out.low;
      Bytes16 end_bytes;
      project(end, end_bytes);
      sweep_bytes(bytes, end_bytes, out);
    }
  }

  /// Bytes side by side, and the lowest and highest of all vertices.
  static HWY_INLINE void join_swept(const SweptBytes& bytes, Joined& joined_low, Joined& joined_high, Joined& low,
                                    Joined& high) {
    join(B64(), bytes.low, joined_low);
    extremes(joined_low, low, high);
    if constexpr (step) {
      join(B64(), bytes.high, joined_high);
      Joined ignored;
      extremes(joined_high, ignored, high);
    } else {
      joined_high = joined_low;
    }
  }

  /// Whether all vertices are on one side of a slab, beyond `margin`.
  static HWY_INLINE bool beyond_slab(const float* normal, float low, float high, const Points16& points) {
    const F f;
    const auto x = hn::Set(f, normal[0]);
    const auto y = hn::Set(f, normal[1]);
    const auto z = hn::Set(f, normal[2]);
    bool above = true;
    bool below = true;
    for (std::size_t p = 0; p < float_parts; ++p) {
      const Float v = hn::MulAdd(x, points.x[p], hn::MulAdd(y, points.y[p], hn::Mul(z, points.z[p])));
      above = above && hn::AllTrue(f, hn::Gt(v, hn::Set(f, high)));
      below = below && hn::AllTrue(f, hn::Lt(v, hn::Set(f, low)));
    }
    return above || below;
  }
  /// The same at both ends of a step, on the same side.
  static HWY_INLINE bool beyond_slab(const float* normal, float low, float high, const Points16& start,
                                     const Points16& end) {
    const F f;
    const auto x = hn::Set(f, normal[0]);
    const auto y = hn::Set(f, normal[1]);
    const auto z = hn::Set(f, normal[2]);
    bool above = true;
    bool below = true;
    for (std::size_t p = 0; p < float_parts; ++p) {
      const Float v = hn::MulAdd(x, start.x[p], hn::MulAdd(y, start.y[p], hn::Mul(z, start.z[p])));
      const Float w = hn::MulAdd(x, end.x[p], hn::MulAdd(y, end.y[p], hn::Mul(z, end.z[p])));
      above = above && hn::AllTrue(f, hn::Gt(hn::Min(v, w), hn::Set(f, high)));
      below = below && hn::AllTrue(f, hn::Lt(hn::Max(v, w), hn::Set(f, low)));
    }
    return above || below;
  }

  void count(const SurfaceCluster& other) {
    ++hits_.counts.cluster_pairs;
    const SurfaceCluster& own = *cluster_;
    if constexpr (mode == SearchMode::triangles) {
      const std::uint64_t n = own.triangle_count;
      hits_.counts.tests += &other == &own ? n * (n - (n > 0)) / 2 : n * other.triangle_count;
      return;
    }
    if (&other == &own) {
      hits_.counts.tests += static_cast<std::uint64_t>(own.edge_count) * (own.edge_count - (own.edge_count > 0)) / 2 +
                            static_cast<std::uint64_t>(own.owned_vertex_count) * own.triangle_count;
    } else {
      hits_.counts.tests += static_cast<std::uint64_t>(own.edge_count) * other.edge_count +
                            static_cast<std::uint64_t>(own.owned_vertex_count) * other.triangle_count +
                            static_cast<std::uint64_t>(other.owned_vertex_count) * own.triangle_count;
    }
  }

  static std::uint32_t first_bits(std::uint32_t count) { return count >= 32 ? ~0U : (1U << count) - 1; }

  void same_pair() {
    count(*cluster_);
    compare_ = false;
    edge_rows<true>(first_bits(cluster_->edge_count), own_edges_, *cluster_, true);
    measure_edges(*cluster_, own_, own_end_);
    vertex_rows<true>(*cluster_, own_bytes_, first_bits(cluster_->owned_vertex_count), *cluster_, own_triangles_,
                      triangles_at_);
    measure_vertices(*cluster_, own_, own_end_, *cluster_, own_, own_end_);
  }

  template <bool near>
  HWY_INLINE void other_pair(std::int32_t b) {
    const SurfaceCluster& other = in_.clusters[b];
    const PlacedCluster& placed = in_.placed[b];
    count(other);
    float shift[3];
    Points16 points;
    const float farthest = load_shifted(*placed_, placed, shift, points);
    float largest = placed_->radius + placed.radius + farthest;
    Points16 end_points;
    if constexpr (step) {
      float end_shift[3];
      const float end_farthest = load_shifted(*placed_end_, in_.placed_end[b], end_shift, end_points);
      largest = std::max(largest, placed_end_->radius + in_.placed_end[b].radius + end_farthest);
    }
    if constexpr (!near) {
      const float margin = (in_.reach + rounding * largest) * 1.00001F;
      const float low = slab_low_ - margin;
      const float high = slab_high_ + margin;
      if constexpr (step) {
        if (beyond_slab(placed_->normal, low, high, points, end_points)) return;
      } else {
        if (beyond_slab(placed_->normal, low, high, points)) return;
        Points16 own;
        load(*placed_, own);
        const float offset = placed.normal[0] * shift[0] + placed.normal[1] * shift[1] + placed.normal[2] * shift[2];
        if (beyond_slab(placed.normal, placed.slab_low + offset - margin, placed.slab_high + offset + margin, own))
          return;
      }
    }
    if (!prepared_ || largest > largest_) prepare(std::max(2 * largest, 8 * (radius_ + in_.reach)));
    SweptBytes bytes;
    project_swept(points, end_points, bytes);
    Joined joined_low;
    Joined joined_high;
    Joined low;
    Joined high;
    join_swept(bytes, joined_low, joined_high, low, high);
    const B64 d;
    alignas(64) std::uint8_t hull_low[64];
    alignas(64) std::uint8_t hull_high[64];
    std::uint64_t own_inside = 0;    // vertices of A in the grown hull of the other, a bit a byte
    std::uint64_t other_inside = 0;  // the other way round
    for (std::size_t p = 0; p < wide_parts; ++p) {
      const auto zero = hn::Zero(d);
      if constexpr (!near) {
        const auto apart = hn::Or(hn::SaturatedSub(low.part[p], hull_high_.part[p]),
                                  hn::SaturatedSub(hull_low_.part[p], high.part[p]));
        if (!hn::AllTrue(d, hn::Eq(apart, zero))) return;
      }
      const auto grown_low = hn::SaturatedSub(low.part[p], joined_grow_.part[p]);
      const auto grown_high = hn::SaturatedAdd(high.part[p], joined_grow_.part[p]);
      hn::Store(grown_low, d, hull_low + p * wide_bytes);
      hn::Store(grown_high, d, hull_high + p * wide_bytes);
      const auto own_outside = hn::Or(hn::SaturatedSub(own_joined_low_.part[p], grown_high),
                                      hn::SaturatedSub(grown_low, own_joined_high_.part[p]));
      const auto other_outside = hn::Or(hn::SaturatedSub(joined_low.part[p], hull_high_.part[p]),
                                        hn::SaturatedSub(hull_low_.part[p], joined_high.part[p]));
      own_inside |= wide_mask_bits(d, hn::Eq(own_outside, zero)) << (p * wide_bytes % 64);
      other_inside |= wide_mask_bits(d, hn::Eq(other_outside, zero)) << (p * wide_bytes % 64);
    }
    if constexpr (mode == SearchMode::triangles) {
      triangle_rows(bytes, other, false);
      return;
    }
    compare_ = !near && in_.hubs;
    const auto in_all = [](std::uint64_t bits, std::uint32_t count) {
      bits &= bits >> 32;
      bits &= bits >> 16;
      return static_cast<std::uint32_t>(bits) & first_bits(count);
    };
    {
      // Edges of A that meet the hull of the other.
      const B32 e;
      std::uint32_t rows = 0;
      for (std::size_t p = 0; p < edge_parts; ++p) {
        auto outside = hn::Zero(e);
        for (std::size_t k = 0; k < directions; ++k) {
          outside = hn::Or(outside, hn::SaturatedSub(hn::Set(e, hull_low[16 * k]), own_edges_.high[k][p]));
          outside = hn::Or(outside, hn::SaturatedSub(own_edges_.low[k][p], hn::Set(e, hull_high[16 * k])));
        }
        rows |= mask_bits(e, hn::Eq(outside, hn::Zero(e))) << (p * edge_part);
      }
      rows &= first_bits(cluster_->edge_count);
      if (rows != 0) {
        EdgeBytes edges;
        bound_edges<step>(other, bytes, edges);
        edge_rows<near>(rows, edges, other, false);
        measure_edges(other, points, end_points);
      }
    }
    const std::uint32_t own_vertices = in_all(own_inside, cluster_->owned_vertex_count);
    if (own_vertices != 0) {
      TriangleBytes triangles;
      bound_triangles<step>(other, bytes, grow_, triangles);
      vertex_rows<near>(*cluster_, own_bytes_, own_vertices, other, triangles, triangles_at_);
      measure_vertices(*cluster_, own_, own_end_, other, points, end_points);
    }
    const std::uint32_t other_vertices = in_all(other_inside, other.owned_vertex_count);
    if (other_vertices != 0) {
      vertex_rows<near>(other, bytes, other_vertices, *cluster_, own_triangles_, own_triangles_at_);
      measure_vertices(other, points, end_points, *cluster_, own_, own_end_);
    }
  }

  /// Appends the columns whose bits are set, each with the row. Without a branch on any of them: barely one could be
  /// predicted.
  template <std::size_t parts = cluster_edge_lanes / float_lanes>
  HWY_INLINE std::size_t add_row(std::uint32_t row, std::uint32_t bits, const hn::Vec<U>* columns_of, std::size_t n) {
    const U u;
    if constexpr (float_lanes < cluster_lanes) {
      // Where there is no instruction for it, packing costs more than the branches do.
      alignas(64) std::uint32_t words[parts * float_lanes];
      for (std::size_t p = 0; p < parts; ++p) hn::Store(columns_of[p], u, words + p * float_lanes);
      for (; bits != 0; bits &= bits - 1) candidate_[n++] = row | words[std::countr_zero(bits)];
      return n;
    }
    const auto all = hn::Set(u, row);
    for (std::size_t p = 0; p < parts; ++p) {
      const std::uint32_t here = bits >> (p * float_lanes) & first_bits(float_lanes);
      alignas(8) std::uint8_t bytes[8] = {};
      std::memcpy(bytes, &here, sizeof here);
      const auto kept = hn::Compress(hn::Or(columns_of[p], all), hn::LoadMaskBits(u, bytes));
      hn::StoreU(kept, u, candidate_ + n);
      n += static_cast<std::size_t>(std::popcount(here));
    }
    return n;
  }

  /// Candidates among edges of A, those in `rows`, and edges of the other; within A, each pair once.
  template <bool near>
  HWY_INLINE void edge_rows(std::uint32_t rows, const EdgeBytes& edges, const SurfaceCluster& other, bool same) {
    const B32 d;
    const std::uint32_t columns = first_bits(other.edge_count);
    std::size_t n = 0;
    hn::Vec<U> columns_of[cluster_edge_lanes / float_lanes];
    for (std::size_t p = 0; p < cluster_edge_lanes / float_lanes; ++p) {
      const U u;
      const hn::Rebind<std::uint8_t, U> u8;
      const auto ends = hn::Or(hn::ShiftLeft<8>(hn::PromoteTo(u, hn::LoadU(u8, other.edge_from + p * float_lanes))),
                               hn::ShiftLeft<12>(hn::PromoteTo(u, hn::LoadU(u8, other.edge_to + p * float_lanes))));
      columns_of[p] = hn::Or(ends, hn::ShiftLeft<24>(hn::Iota(u, static_cast<std::uint32_t>(p * float_lanes))));
    }
    for (; rows != 0; rows &= rows - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rows));
      std::uint32_t bits = 0;
      for (std::size_t p = 0; p < edge_parts; ++p) {
        auto outside = hn::Or(hn::SaturatedSub(hn::Set(d, row_low_[0][i]), edges.high[0][p]),
                              hn::SaturatedSub(edges.low[0][p], hn::Set(d, row_high_[0][i])));
        for (std::size_t k = 1; k < directions; ++k) {
          outside = hn::Or(outside, hn::SaturatedSub(hn::Set(d, row_low_[k][i]), edges.high[k][p]));
          outside = hn::Or(outside, hn::SaturatedSub(edges.low[k][p], hn::Set(d, row_high_[k][i])));
        }
        bits |= mask_bits(d, hn::Eq(outside, hn::Zero(d))) << (p * edge_part);
      }
      bits &= columns;
      if (same) bits &= ~1U << i;
      const std::uint32_t from = cluster_->edge_from[i];
      const std::uint32_t to = cluster_->edge_to[i];
      if constexpr (near) {
        const std::uint32_t adjacent = edges_at_[from] | edges_at_[to];
        hits_.counts.adjacent += static_cast<std::uint64_t>(std::popcount(bits & adjacent));
        bits &= ~adjacent;
      }
      if (near && bits == 0) continue;
      n = add_row(from | to << 4U | static_cast<std::uint32_t>(i) << 16U, bits, columns_of, n);
    }
    candidates_ = n;
  }

  /// Candidates among owned vertices of one cluster and triangles of another, whose bounds are grown.
  template <bool near>
  HWY_INLINE void vertex_rows(const SurfaceCluster& from, const SweptBytes& bytes, std::uint32_t vertices,
                              const SurfaceCluster& face, const TriangleBytes& triangles,
                              const std::uint32_t* adjacent_at) {
    const B64 d;
    constexpr std::size_t at_once = wide_bytes / 16;
    hn::Vec<B64> table[directions];
    hn::Vec<B64> high_table[directions];
    hn::Vec<B64> low[directions];
    hn::Vec<B64> width[directions];
    for (std::size_t k = 0; k < directions; ++k) {
      table[k] = spread16(d, bytes.low.along[k]);
      if constexpr (step) high_table[k] = spread16(d, bytes.high.along[k]);
      low[k] = hn::LoadDup128(d, triangles.low[k]);
      width[k] = hn::LoadDup128(d, triangles.width[k]);
    }
    const auto number = hn::Load(d, block_number);
    hn::Vec<U> faces_of[float_parts];
    for (std::size_t p = 0; p < float_parts; ++p) {
      const U u;
      const hn::Rebind<std::uint8_t, U> u8;
      const auto corner = [&](std::size_t k) {
        return hn::PromoteTo(u, hn::LoadU(u8, face.corner[k] + p * float_lanes));
      };
      faces_of[p] = hn::Or(hn::Or(hn::ShiftLeft<4>(corner(0)), hn::ShiftLeft<8>(corner(1))),
                           hn::Or(hn::ShiftLeft<12>(corner(2)),
                                  hn::ShiftLeft<24>(hn::Iota(u, static_cast<std::uint32_t>(p * float_lanes)))));
    }
    const std::uint64_t all = first_bits(face.triangle_count) * 0x0001000100010001ULL;
    std::size_t n = 0;
    for (std::size_t i = 0; i < from.owned_vertex_count; i += at_once) {
      const std::uint32_t here = vertices >> i & first_bits(at_once);
      if (here == 0) continue;
      const auto vertex = hn::Add(number, hn::Set(d, static_cast<std::uint8_t>(i)));
      auto outside = hn::Zero(d);
      for (std::size_t k = 0; k < directions; ++k) {
        const auto lowest = hn::TableLookupBytes(table[k], vertex);
        if constexpr (step) {
          const auto highest = hn::TableLookupBytes(high_table[k], vertex);
          outside = hn::Or(outside, hn::SaturatedSub(low[k], highest));
          outside = hn::Or(outside, hn::SaturatedSub(lowest, hn::Add(low[k], width[k])));
        } else {
          outside = hn::Or(outside, hn::SaturatedSub(hn::Sub(lowest, low[k]), width[k]));
        }
      }
      std::uint64_t bits = wide_mask_bits(d, hn::Eq(outside, hn::Zero(d))) & all;
      std::uint64_t adjacent = 0;
      std::uint64_t wanted = 0;
      for (std::size_t v = 0; v < at_once; ++v) {
        if ((here >> v & 1U) != 0) wanted |= std::uint64_t{0xffff} << (16 * v);
        if constexpr (near) adjacent |= std::uint64_t{adjacent_at[i + v]} << (16 * v);
      }
      bits &= wanted;
      if constexpr (near) {
        hits_.counts.adjacent += static_cast<std::uint64_t>(std::popcount(bits & adjacent));
        bits &= ~adjacent;
      }
      if (bits == 0) continue;
      for (std::size_t v = 0; v < at_once; ++v) {
        const auto vertex_number = static_cast<std::uint32_t>(i + v);
        n = add_row<float_parts>(vertex_number | vertex_number << 16U,
                                 static_cast<std::uint32_t>(bits >> (16 * v)) & 0xffffU, faces_of, n);
      }
    }
    candidates_ = n;
  }

  /// Pairs of triangles, those of A grown, whose bounds overlap; within A, each once.
  HWY_INLINE void triangle_rows(const SweptBytes& bytes, const SurfaceCluster& other, bool same) {
    const B64 d;
    const B16 b16;
    constexpr std::size_t at_once = wide_bytes / 16;
    const auto c0 = hn::Load(b16, other.corner[0]);
    const auto c1 = hn::Load(b16, other.corner[1]);
    const auto c2 = hn::Load(b16, other.corner[2]);
    hn::Vec<B64> low[directions];
    hn::Vec<B64> high[directions];
    hn::Vec<B64> own_low[directions];
    hn::Vec<B64> own_width[directions];
    for (std::size_t k = 0; k < directions; ++k) {
      const auto a = hn::TableLookupBytes(bytes.low.along[k], c0);
      const auto b = hn::TableLookupBytes(bytes.low.along[k], c1);
      const auto c = hn::TableLookupBytes(bytes.low.along[k], c2);
      low[k] = spread16(d, hn::Min(hn::Min(a, b), c));
      high[k] = spread16(d, hn::Max(hn::Max(a, b), c));
      own_low[k] = hn::LoadDup128(d, own_triangles_.low[k]);
      own_width[k] = hn::LoadDup128(d, own_triangles_.width[k]);
    }
    const auto number = hn::Load(d, block_number);
    const std::uint64_t all = first_bits(other.triangle_count) * 0x0001000100010001ULL;
    for (std::size_t i = 0; i < cluster_->triangle_count; i += at_once) {
      const auto row = hn::Add(number, hn::Set(d, static_cast<std::uint8_t>(i)));
      auto outside = hn::Zero(d);
      for (std::size_t k = 0; k < directions; ++k) {
        const auto lowest = hn::TableLookupBytes(own_low[k], row);
        const auto highest = hn::Add(lowest, hn::TableLookupBytes(own_width[k], row));
        outside = hn::Or(outside, hn::Or(hn::SaturatedSub(low[k], highest), hn::SaturatedSub(lowest, high[k])));
      }
      const std::uint64_t bits = wide_mask_bits(d, hn::Eq(outside, hn::Zero(d))) & all;
      if (bits == 0) continue;
      for (std::size_t r = 0; r < at_once && i + r < cluster_->triangle_count; ++r) {
        std::uint32_t here = static_cast<std::uint32_t>(bits >> (16 * r)) & 0xffffU;
        if (same) here &= ~1U << (i + r);
        add_triangles(static_cast<std::uint32_t>(cluster_->triangles[i + r]), other.triangles, here);
      }
    }
  }

  HWY_INLINE void add_triangles(std::uint32_t own, const std::int32_t* others, std::uint32_t bits) {
    PairList& out = hits_.triangles;
    out.reserve_more(cluster_lanes);
    hits_.counts.measured += static_cast<std::uint64_t>(std::popcount(bits));
    if constexpr (float_lanes == cluster_lanes) {
      const U u;
      alignas(8) std::uint8_t mask_bytes[8] = {};
      std::memcpy(mask_bytes, &bits, sizeof bits);
      const auto mask = hn::LoadMaskBits(u, mask_bytes);
      const auto a = hn::Set(u, own);
      const auto b = hn::BitCast(u, hn::Load(I(), others));
      hn::StoreInterleaved2(hn::Compress(hn::Min(a, b), mask), hn::Compress(hn::Max(a, b), mask), u,
                            reinterpret_cast<std::uint32_t*>(out.data + out.size));
      out.size += static_cast<std::size_t>(std::popcount(bits));
    } else {
      for (; bits != 0; bits &= bits - 1) {
        const auto other = static_cast<std::uint32_t>(others[std::countr_zero(bits)]);
        out.data[out.size++] = static_cast<std::uint64_t>(std::max(own, other)) << 32U | std::min(own, other);
      }
    }
  }

  HWY_INLINE hn::Vec<I> places(std::size_t at, int which) const {
    const I i;
    const U u;
    auto words = hn::LoadU(u, candidate_ + at);
    if (which == 1) words = hn::ShiftRight<4>(words);
    if (which == 2) words = hn::ShiftRight<8>(words);
    if (which == 3) words = hn::ShiftRight<12>(words);
    return hn::BitCast(i, hn::And(words, hn::Set(u, 15U)));
  }

  HWY_INLINE void measure_edges(const SurfaceCluster& other, const Points16& points, const Points16& end_points) {
    if (HWY_UNLIKELY(compare_)) drop_adjacent<2>(cluster_->vertices, other.vertices);
    hits_.counts.measured += candidates_;
    if (candidates_ == 0) return;
    for (std::size_t c = 0; c < candidates_; c += float_lanes) {
      const auto i = places(c, 0);
      const auto j = places(c, 1);
      const auto k = places(c, 2);
      const auto l = places(c, 3);
      const Wide a0 = look_up(own_, i);
      const Wide da = minus(look_up(own_, j), a0);
      const Wide b0 = minus(look_up(points, k), a0);
      const Wide b1 = minus(look_up(points, l), a0);
      Verdicts verdicts;
      if constexpr (step) {
        const Wide u = between_edges(da, b0, b1);
        const Wide a0_end = look_up(own_end_, i);
        const Float end = gap_of_edges(minus(look_up(own_end_, j), a0_end), minus(look_up(end_points, k), a0_end),
                                       minus(look_up(end_points, l), a0_end), u);
        verdicts = {~never(gap_of_edges(da, b0, b1, u), end, u, limits_), 0};
      } else {
        verdicts = judge_edges(da, b0, b1, limits_);
      }
      keep(verdicts, c, cluster_->edges, other.edges, true, hits_.edge_edge, hits_.unsure_edge_edge);
    }
  }

  HWY_INLINE void measure_vertices(const SurfaceCluster& from, const Points16& vertices, const Points16& end_vertices,
                                   const SurfaceCluster& face, const Points16& corners, const Points16& end_corners) {
    if (HWY_UNLIKELY(compare_)) drop_adjacent<1>(from.vertices, face.vertices);
    hits_.counts.measured += candidates_;
    if (candidates_ == 0) return;
    for (std::size_t c = 0; c < candidates_; c += float_lanes) {
      const auto i = places(c, 0);
      const auto j = places(c, 1);
      const auto k = places(c, 2);
      const auto l = places(c, 3);
      const Wide v = look_up(vertices, i);
      const Wide a = minus(look_up(corners, j), v);
      const Wide b = minus(look_up(corners, k), v);
      const Wide e = minus(look_up(corners, l), v);
      Verdicts verdicts;
      if constexpr (step) {
        const Wide u = to_triangle(a, b, e);
        const Wide v_end = look_up(end_vertices, i);
        const Float end = gap_to_triangle(minus(look_up(end_corners, j), v_end), minus(look_up(end_corners, k), v_end),
                                          minus(look_up(end_corners, l), v_end), u);
        verdicts = {~never(gap_to_triangle(a, b, e, u), end, u, limits_), 0};
      } else {
        verdicts = judge_triangle(a, b, e, limits_);
      }
      keep(verdicts, c, from.vertices, face.triangles, false, hits_.vertex_triangle, hits_.unsure_vertex_triangle);
    }
  }

  /// Where clusters may have vertices in common that no list of neighbors knows of: takes features with a common vertex
  /// from the candidates. The first `of_first` places of a candidate are of the first feature.
  template <std::size_t of_first>
  HWY_NOINLINE void drop_adjacent(const std::int32_t* first, const std::int32_t* second) {
    std::size_t kept = 0;
    for (std::size_t n = 0; n < candidates_; ++n) {
      const std::uint32_t pair = candidate_[n];
      bool common = false;
      for (std::size_t i = 0; i < of_first; ++i)
        for (std::size_t j = of_first; j < 4; ++j)
          common = common || first[pair >> 4 * i & 15U] == second[pair >> 4 * j & 15U];
      candidate_[kept] = pair;
      kept += common ? 0 : 1;
    }
    hits_.counts.adjacent += candidates_ - kept;
    candidates_ = kept;
  }

  /// Numbers of the features that are within reach, and of those that may be.
  HWY_INLINE void keep(const Verdicts& verdicts, std::size_t at, const std::int32_t* first, const std::int32_t* second,
                       bool order, PairList& within, PairList& unsure) const {
    const std::uint32_t lanes = first_bits(static_cast<std::uint32_t>(std::min(candidates_ - at, float_lanes)));
    const auto add = [&](std::uint32_t bits, PairList& out) {
      out.reserve_more(float_lanes);
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t pair = candidate_[at + static_cast<std::size_t>(std::countr_zero(bits))];
        const auto a = static_cast<std::uint32_t>(first[pair >> 16U & 255U]);
        const auto b = static_cast<std::uint32_t>(second[pair >> 24U]);
        out.data[out.size++] = order ? static_cast<std::uint64_t>(std::min(a, b)) << 32U | std::max(a, b)
                                     : static_cast<std::uint64_t>(a) << 32U | b;
      }
    };
    if ((verdicts.within & lanes) != 0) add(verdicts.within & lanes, within);
    if ((verdicts.unsure & lanes) != 0) add(verdicts.unsure & lanes, unsure);
  }

  const SearchIn& in_;
  SearchHits& hits_;

  // Cluster A.
  std::int32_t number_ = 0;
  const SurfaceCluster* cluster_ = nullptr;
  const PlacedCluster* placed_ = nullptr;
  const PlacedCluster* placed_end_ = nullptr;
  bool prepared_ = false;
  float radius_ = 0;  ///< largest coordinate
  float slab_low_ = 0;
  float slab_high_ = 0;
  float largest_ = 0;
  Limits limits_{};
  Points16 own_;
  Points16 own_end_;                ///< of a step
  float direction_[directions][4];  ///< in steps, and offset
  std::uint8_t grow_[directions];   ///< steps that the reach takes
  SweptBytes own_bytes_;
  EdgeBytes own_edges_;
  TriangleBytes own_triangles_;                                       ///< grown
  alignas(64) std::uint8_t row_low_[directions][cluster_edge_lanes];  ///< grown edges
  alignas(64) std::uint8_t row_high_[directions][cluster_edge_lanes];
  Joined joined_grow_, own_joined_low_, own_joined_high_;
  Joined hull_low_, hull_high_;  ///< grown

  // The pair at hand.
  std::uint32_t edges_at_[cluster_lanes];          ///< of the other, at vertices of A
  std::uint32_t triangles_at_[cluster_lanes];      ///< of the other, at vertices of A
  std::uint32_t own_triangles_at_[cluster_lanes];  ///< of A, at vertices of the other
  bool compare_ = false;                           ///< vertices by number
  std::size_t candidates_ = 0;
  /// From the lowest bit: four places of vertices, four bits each; the numbers of both features, eight bits each.
  alignas(64) std::uint32_t candidate_[cluster_edge_lanes * cluster_edge_lanes + 2 * cluster_lanes];
};

#endif  // HWY_SCALAR

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
