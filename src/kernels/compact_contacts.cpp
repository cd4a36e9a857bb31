#include "kernels/compact_contacts.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/compact_contacts.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/closest-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

using U64 = hn::RebindToUnsigned<D>;
constexpr std::size_t compact_lanes = hn::MaxLanes(D());

/// Positions of vertices, of which the last has no fourth number behind it.
struct PointReader {
  const double* positions;
  std::size_t last;
  double padded[4];

  PointReader(const double* from, std::size_t vertices) : positions(from), last(vertices - 1) {
    const double* end = positions + 3 * last;
    padded[0] = end[0];
    padded[1] = end[1];
    padded[2] = end[2];
    padded[3] = 0;
  }

  HWY_INLINE const double* at(std::int32_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return v == last ? padded : positions + 3 * v;
  }
};

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE Wide3 read_points(D d, const PointReader& reader, const std::int32_t* numbers) {
  const double* p = reader.at(numbers[0]);
  return {hn::Set(d, p[0]), hn::Set(d, p[1]), hn::Set(d, p[2])};
}

#else

template <class Tag>
HWY_INLINE Wide3Of<Tag> read_four(Tag d, const PointReader& reader, const std::int32_t* numbers) {
  const auto a = hn::LoadU(d, reader.at(numbers[0]));
  const auto b = hn::LoadU(d, reader.at(numbers[1]));
  const auto c = hn::LoadU(d, reader.at(numbers[2]));
  const auto e = hn::LoadU(d, reader.at(numbers[3]));
  const auto ab_low = hn::InterleaveLower(d, a, b);
  const auto ab_high = hn::InterleaveUpper(d, a, b);
  const auto ce_low = hn::InterleaveLower(d, c, e);
  const auto ce_high = hn::InterleaveUpper(d, c, e);
  return {hn::ConcatLowerLower(d, ce_low, ab_low), hn::ConcatLowerLower(d, ce_high, ab_high),
          hn::ConcatUpperUpper(d, ce_low, ab_low)};
}

template <class Tag>
HWY_INLINE Wide3Of<Tag> read_points(Tag d, const PointReader& reader, const std::int32_t* numbers) {
  if constexpr (hn::MaxLanes(Tag()) == 8) {
    const hn::Half<Tag> half;
    const auto low = read_four(half, reader, numbers);
    const auto high = read_four(half, reader, numbers + 4);
    return {hn::Combine(d, high.x, low.x), hn::Combine(d, high.y, low.y), hn::Combine(d, high.z, low.z)};
  } else if constexpr (hn::MaxLanes(Tag()) == 4) {
    return read_four(d, reader, numbers);
  } else {
    alignas(16) double x[hn::MaxLanes(Tag())];
    alignas(16) double y[hn::MaxLanes(Tag())];
    alignas(16) double z[hn::MaxLanes(Tag())];
    for (std::size_t i = 0; i < hn::MaxLanes(Tag()); ++i) {
      const double* p = reader.at(numbers[i]);
      x[i] = p[0];
      y[i] = p[1];
      z[i] = p[2];
    }
    return {hn::LoadU(d, x), hn::LoadU(d, y), hn::LoadU(d, z)};
  }
}

#endif

/// What a group of pairs comes to.
struct Measured {
  Double weight_a, weight_b, squared, size;
};

HWY_INLINE void store_records(const std::uint64_t* pairs, const Measured& m, double* out) {
  const D d;
  const U64 u;
  const auto numbers = hn::LoadU(u, pairs);
  const auto swapped = hn::Or(hn::ShiftRight<32>(numbers), hn::ShiftLeft<32>(numbers));
#if HWY_TARGET == HWY_SCALAR
  hn::Store(hn::BitCast(d, swapped), d, out);
  hn::Store(m.weight_a, d, out + 1);
  hn::Store(m.weight_b, d, out + 2);
  hn::Store(hn::Sqrt(m.squared), d, out + 3);
#else
  hn::StoreInterleaved4(hn::BitCast(d, swapped), m.weight_a, m.weight_b, hn::Sqrt(m.squared), d, out);
#endif
}

/// `number(k, pair)` is vertex k of a pair; `measure(points)` what its four points come to.
template <class Number, class Measure>
HWY_INLINE std::uint64_t compact_all(const double* positions, std::size_t vertices, const std::uint64_t* pairs,
                                     std::size_t count, CompactRecord* out, const Number& number,
                                     const Measure& measure) {
  const D d;
  if (count == 0) return 0;
  const PointReader reader(positions, vertices);
  std::uint64_t unsafe = 0;
  for (std::size_t at = 0; at < count; at += compact_lanes) {
    const std::size_t here = std::min(count - at, compact_lanes);
    std::uint64_t padded[compact_lanes];
    const std::uint64_t* group = pairs + at;
    if (here < compact_lanes) {
      for (std::size_t l = 0; l < compact_lanes; ++l) padded[l] = pairs[at + std::min(l, here - 1)];
      group = padded;
    }
    std::int32_t numbers[4][compact_lanes];
    for (std::size_t l = 0; l < compact_lanes; ++l)
      for (std::size_t k = 0; k < 4; ++k) numbers[k][l] = number(k, group[l]);
    const Wide3 points[4] = {read_points(d, reader, numbers[0]), read_points(d, reader, numbers[1]),
                             read_points(d, reader, numbers[2]), read_points(d, reader, numbers[3])};
    const Measured measured = measure(points);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Not(in_safe_range(measured.size)), bits);
    const std::uint64_t all = (std::uint64_t{1} << here) - 1;
    unsafe |= (std::uint64_t{bits[0]} & all) << at;
    if (here == compact_lanes) {
      store_records(group, measured, reinterpret_cast<double*>(out + at));
    } else {
      CompactRecord records[compact_lanes];
      store_records(group, measured, reinterpret_cast<double*>(records));
      std::copy_n(records, here, out + at);
    }
  }
  return unsafe;
}

std::uint64_t compact_vertex_triangle_of(const double* positions, std::size_t vertices,
                                         const std::int32_t (*triangles)[3], const std::uint64_t* pairs,
                                         std::size_t count, CompactRecord* out) {
  return compact_all(
      positions, vertices, pairs, count, out,
      [&](std::size_t k, std::uint64_t pair) {
        return k == 0 ? static_cast<std::int32_t>(pair >> 32U) : triangles[pair & 0xffffffffU][k - 1];
      },
      [](const Wide3* points) -> Measured {
        const TrianglePoint found = closest_in_triangle(points[0], points + 1);
        return {found.w1, found.w2, found.squared, found.size};
      });
}

std::uint64_t compact_edge_edge_of(const double* positions, std::size_t vertices, const std::int32_t (*edges)[2],
                                   const std::uint64_t* pairs, std::size_t count, CompactRecord* out) {
  return compact_all(
      positions, vertices, pairs, count, out,
      [&](std::size_t k, std::uint64_t pair) { return edges[k < 2 ? pair >> 32U : pair & 0xffffffffU][k & 1U]; },
      [](const Wide3* points) -> Measured {
        const EdgePair best = closest_of_edges(points[0], points[1], points[2], points[3]);
        return {best.a1, best.b1, best.squared, best.size};
      });
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(compact_vertex_triangle_of);
HWY_EXPORT(compact_edge_edge_of);

std::uint64_t compact_vertex_triangle(const double* positions, std::size_t vertices, const std::int32_t (*triangles)[3],
                                      const std::uint64_t* pairs, std::size_t count, CompactRecord* out) {
  return HWY_DYNAMIC_DISPATCH(compact_vertex_triangle_of)(positions, vertices, triangles, pairs, count, out);
}
std::uint64_t compact_edge_edge(const double* positions, std::size_t vertices, const std::int32_t (*edges)[2],
                                const std::uint64_t* pairs, std::size_t count, CompactRecord* out) {
  return HWY_DYNAMIC_DISPATCH(compact_edge_edge_of)(positions, vertices, edges, pairs, count, out);
}

}  // namespace carom::kernels
#endif
