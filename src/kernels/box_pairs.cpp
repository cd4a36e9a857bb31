#include "kernels/box_pairs.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/box_pairs.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, box_lanes>;
using V = hn::Vec<D>;

/// One box in all lanes.
struct Wide {
  V min[3];
  V max[3];
};

HWY_INLINE Wide spread(D d, const float* rows, std::size_t stride, std::size_t i) {
  Wide w;
  for (std::size_t k = 0; k < 3; ++k) {
    w.min[k] = hn::Set(d, rows[k * stride + i]);
    w.max[k] = hn::Set(d, rows[(k + 3) * stride + i]);
  }
  return w;
}

/// Bit l: the box overlaps box `at` + l of the rows, of which there are `count`.
HWY_INLINE std::uint32_t overlaps(D d, const Wide& box, const float* rows, std::size_t stride, std::size_t at,
                                  std::size_t count) {
  const auto x =
      hn::And(hn::Le(box.min[0], hn::LoadU(d, rows + 3 * stride + at)), hn::Le(hn::LoadU(d, rows + at), box.max[0]));
  const auto y = hn::And(hn::Le(box.min[1], hn::LoadU(d, rows + 4 * stride + at)),
                         hn::Le(hn::LoadU(d, rows + stride + at), box.max[1]));
  const auto z = hn::And(hn::Le(box.min[2], hn::LoadU(d, rows + 5 * stride + at)),
                         hn::Le(hn::LoadU(d, rows + 2 * stride + at), box.max[2]));
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, hn::And(hn::And(x, y), z), bits);
  const std::uint32_t all = static_cast<std::uint32_t>(bits[0]) | static_cast<std::uint32_t>(bits[1]) << 8U;
  const std::size_t left = count - at;
  return left < box_lanes ? all & ((1U << left) - 1U) : all;
}

/// Those of a list that overlap the hull of the other, packed: only these can be in a pair.
struct Packed {
  HWY_ALIGN float rows[6 * most_boxes + box_lanes];
  std::uint8_t place[most_boxes];
  std::size_t count = 0;
};
constexpr std::size_t packed_stride = most_boxes;

HWY_INLINE void pack(D d, const BoxRows& list, Hull hull, Packed& packed) {
  const Wide box = spread(d, hull.data(), 1, 0);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t n = 0;
  for (std::size_t at = 0; at < list.count; at += lanes) {
    std::uint32_t bits = overlaps(d, box, list.rows, list.stride, at, list.count);
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(bits));
      for (std::size_t k = 0; k < 6; ++k) packed.rows[k * packed_stride + n] = list.rows[k * list.stride + i];
      packed.place[n++] = static_cast<std::uint8_t>(i);
    }
  }
  packed.count = n;
}

std::size_t between(const BoxRows& a, Hull hull_a, const BoxRows& b, Hull hull_b, BoxPair* out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  Packed columns;
  pack(d, b, hull_a, columns);
  if (columns.count == 0) return 0;
  const Wide box_b = spread(d, hull_b.data(), 1, 0);
  std::size_t n = 0;
  for (std::size_t first = 0; first < a.count; first += lanes) {
    std::uint32_t rows = overlaps(d, box_b, a.rows, a.stride, first, a.count);
    for (; rows != 0; rows &= rows - 1) {
      const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(rows));
      const Wide box = spread(d, a.rows, a.stride, i);
      for (std::size_t at = 0; at < columns.count; at += lanes) {
        std::uint32_t bits = overlaps(d, box, columns.rows, packed_stride, at, columns.count);
        for (; bits != 0; bits &= bits - 1) {
          out[n++] = {static_cast<std::uint8_t>(i),
                      columns.place[at + static_cast<std::size_t>(std::countr_zero(bits))]};
        }
      }
    }
  }
  return n;
}

std::size_t within(const BoxRows& a, BoxPair* out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t n = 0;
  for (std::size_t i = 0; i + 1 < a.count; ++i) {
    const Wide box = spread(d, a.rows, a.stride, i);
    const std::size_t first = (i + 1) / lanes * lanes;
    for (std::size_t at = first; at < a.count; at += lanes) {
      std::uint32_t bits = overlaps(d, box, a.rows, a.stride, at, a.count);
      if (at == first) bits &= ~0U << ((i + 1) - first);
      for (; bits != 0; bits &= bits - 1) {
        out[n++] = {static_cast<std::uint8_t>(i),
                    static_cast<std::uint8_t>(at + static_cast<std::size_t>(std::countr_zero(bits)))};
      }
    }
  }
  return n;
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

namespace {

bool overlap(const BoxRows& a, std::size_t i, const BoxRows& b, std::size_t j) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(a.rows[k * a.stride + i] <= b.rows[(k + 3) * b.stride + j])) return false;
    if (!(b.rows[k * b.stride + j] <= a.rows[(k + 3) * a.stride + i])) return false;
  }
  return true;
}

}  // namespace

HWY_EXPORT(between);
HWY_EXPORT(within);

std::size_t overlapping(const BoxRows& a, Hull hull_a, const BoxRows& b, Hull hull_b, BoxPair* out) {
  return HWY_DYNAMIC_DISPATCH(between)(a, hull_a, b, hull_b, out);
}
std::size_t overlapping(const BoxRows& a, BoxPair* out) {
  return HWY_DYNAMIC_DISPATCH(within)(a, out);
}

std::size_t overlapping_reference(const BoxRows& a, const BoxRows& b, BoxPair* out) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.count; ++i)
    for (std::size_t j = 0; j < b.count; ++j)
      if (overlap(a, i, b, j)) out[n++] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)};
  return n;
}

std::size_t overlapping_reference(const BoxRows& a, BoxPair* out) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.count; ++i)
    for (std::size_t j = i + 1; j < a.count; ++j)
      if (overlap(a, i, a, j)) out[n++] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)};
  return n;
}

}  // namespace carom::kernels
#endif
