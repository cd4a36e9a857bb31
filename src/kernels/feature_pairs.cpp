#include "kernels/feature_pairs.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/feature_pairs.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, feature_lanes>;
using I = hn::RebindToSigned<D>;

template <class Tag, class Mask>
HWY_INLINE std::uint32_t bits_of(Tag d, Mask mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8U;
}

/// One box in all lanes.
struct Wide {
  hn::Vec<D> min[3];
  hn::Vec<D> max[3];
};

HWY_INLINE Wide spread(const float* rows, std::size_t stride, std::size_t i) {
  const D d;
  Wide w;
  for (std::size_t k = 0; k < 3; ++k) {
    w.min[k] = hn::Set(d, rows[k * stride + i]);
    w.max[k] = hn::Set(d, rows[(k + 3) * stride + i]);
  }
  return w;
}

/// Lane l: the box overlaps box `at` + l of the rows.
HWY_INLINE hn::Mask<D> overlaps(const Wide& box, const float* rows, std::size_t stride, std::size_t at) {
  const D d;
  const auto x =
      hn::And(hn::Le(box.min[0], hn::LoadU(d, rows + 3 * stride + at)), hn::Le(hn::LoadU(d, rows + at), box.max[0]));
  const auto y = hn::And(hn::Le(box.min[1], hn::LoadU(d, rows + 4 * stride + at)),
                         hn::Le(hn::LoadU(d, rows + stride + at), box.max[1]));
  const auto z = hn::And(hn::Le(box.min[2], hn::LoadU(d, rows + 5 * stride + at)),
                         hn::Le(hn::LoadU(d, rows + 2 * stride + at), box.max[2]));
  return hn::And(hn::And(x, y), z);
}

/// Bit l: feature i of a shares a vertex with feature `at` + l of b.
template <int vertices_a, int vertices_b>
HWY_INLINE std::uint32_t adjacent(const FeatureRows& a, std::size_t i, const std::int32_t* b, std::size_t stride,
                                  std::size_t at) {
  const I d;
  auto mask = hn::Ne(hn::Zero(d), hn::Zero(d));
  for (std::size_t k = 0; k < vertices_a; ++k) {
    const auto vertex = hn::Set(d, a.vertices[k * a.stride + i]);
    for (std::size_t l = 0; l < vertices_b; ++l) mask = hn::Or(mask, hn::Eq(vertex, hn::LoadU(d, b + l * stride + at)));
  }
  return bits_of(d, mask);
}

/// Rows of the table of all pairs that have a pair in them: bit j of `bits` is feature j of b. Found first and read out
/// later, without a branch on any single comparison: barely one of those could be predicted.
struct Found {
  std::uint64_t bits[max_features + 1];
  std::uint8_t row[max_features + 1];
  std::size_t rows = 0;
  std::uint32_t adjacent = 0;

  HWY_INLINE void add(std::size_t i, std::uint64_t overlapping, std::uint64_t near) {
    bits[rows] = overlapping & ~near;
    row[rows] = static_cast<std::uint8_t>(i);
    adjacent += static_cast<std::uint32_t>(std::popcount(overlapping & near));
    rows += (overlapping & ~near) != 0 ? 1 : 0;
  }
  HWY_INLINE FeatureCount read_out(FeaturePair* out) const {
    std::uint32_t n = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      std::uint64_t left = bits[r];
      do {
        out[n++] = {row[r], static_cast<std::uint8_t>(std::countr_zero(left))};
        left &= left - 1;
      } while (left != 0);
    }
    return {n, adjacent};
  }
};

/// Bit j: feature j of the list overlaps the box.
HWY_INLINE std::uint64_t overlapping_places(const Wide& box, const FeatureRows& list) {
  const D d;
  std::uint64_t bits = 0;
  for (std::size_t at = 0; at < list.count; at += hn::Lanes(d))
    bits |= std::uint64_t{bits_of(d, overlaps(box, list.boxes, list.stride, at))} << at;
  return bits & ((std::uint64_t{1} << list.count) - 1);
}

template <int vertices_a, int vertices_b>
HWY_INLINE FeatureCount between(const FeatureRows& a, Hull hull_a, const FeatureRows& b, Hull hull_b,
                                FeaturePair* out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint64_t columns = overlapping_places(spread(hull_a.data(), 1, 0), b);
  std::uint64_t rows = overlapping_places(spread(hull_b.data(), 1, 0), a);
  if (columns == 0 || rows == 0) return {};
  // Only the vectors between the first and the last that can matter.
  const std::size_t begin = static_cast<std::size_t>(std::countr_zero(columns)) / lanes * lanes;
  const std::size_t end = static_cast<std::size_t>(std::bit_width(columns));
  Found found;
  for (; rows != 0; rows &= rows - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rows));
    const Wide box = spread(a.boxes, a.stride, i);
    std::uint64_t bits = 0;
    std::uint64_t near = 0;
    for (std::size_t at = begin; at < end; at += lanes) {
      bits |= std::uint64_t{bits_of(d, overlaps(box, b.boxes, b.stride, at))} << at;
      if (vertices_a > 0) near |= std::uint64_t{adjacent<vertices_a, vertices_b>(a, i, b.vertices, b.stride, at)} << at;
    }
    found.add(i, bits & columns, near);
  }
  return found.read_out(out);
}

template <int vertices>
HWY_INLINE FeatureCount within(const FeatureRows& a, FeaturePair* out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint64_t all = (std::uint64_t{1} << a.count) - 1;
  Found found;
  for (std::size_t i = 0; i + 1 < a.count; ++i) {
    const Wide box = spread(a.boxes, a.stride, i);
    std::uint64_t bits = 0;
    std::uint64_t near = 0;
    for (std::size_t at = (i + 1) / lanes * lanes; at < a.count; at += lanes) {
      bits |= std::uint64_t{bits_of(d, overlaps(box, a.boxes, a.stride, at))} << at;
      if (vertices > 0) near |= std::uint64_t{adjacent<vertices, vertices>(a, i, a.vertices, a.stride, at)} << at;
    }
    found.add(i, bits & all & ~std::uint64_t{0} << (i + 1), near);
  }
  return found.read_out(out);
}

bool common(const std::int32_t* a, std::size_t count_a, const std::int32_t* b, std::size_t count_b) {
  const I d;
  const std::size_t lanes = hn::Lanes(d);
  std::uint32_t bits = 0;
  for (std::size_t at = 0; at < count_b; at += lanes) {
    auto mask = hn::Ne(hn::Zero(d), hn::Zero(d));
    const auto row = hn::LoadU(d, b + at);
    for (std::size_t i = 0; i < count_a; ++i) mask = hn::Or(mask, hn::Eq(hn::Set(d, a[i]), row));
    const std::size_t left = count_b - at;
    bits |= bits_of(d, mask) & (left < 16 ? (1U << left) - 1U : 0xffffU);
  }
  return bits != 0;
}

FeatureCount edges_between(const FeatureRows& a, Hull hull_a, const FeatureRows& b, Hull hull_b, FeaturePair* out) {
  return between<2, 2>(a, hull_a, b, hull_b, out);
}
FeatureCount edges_within(const FeatureRows& a, FeaturePair* out) {
  return within<2>(a, out);
}
FeatureCount vertices_triangles(const FeatureRows& a, Hull hull_a, const FeatureRows& b, Hull hull_b,
                                FeaturePair* out) {
  return between<1, 3>(a, hull_a, b, hull_b, out);
}
FeatureCount boxes_between(const FeatureRows& a, Hull hull_a, const FeatureRows& b, Hull hull_b, FeaturePair* out) {
  return between<0, 0>(a, hull_a, b, hull_b, out);
}
FeatureCount boxes_within(const FeatureRows& a, FeaturePair* out) {
  return within<0>(a, out);
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

namespace {

bool overlap(const FeatureRows& a, std::size_t i, const FeatureRows& b, std::size_t j) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(a.boxes[k * a.stride + i] <= b.boxes[(k + 3) * b.stride + j])) return false;
    if (!(b.boxes[k * b.stride + j] <= a.boxes[(k + 3) * a.stride + i])) return false;
  }
  return true;
}

}  // namespace

HWY_EXPORT(common);
HWY_EXPORT(edges_between);
HWY_EXPORT(edges_within);
HWY_EXPORT(vertices_triangles);
HWY_EXPORT(boxes_between);
HWY_EXPORT(boxes_within);

FeatureCount edge_pairs(const FeatureRows& a, Hull hull_a, const FeatureRows& b, Hull hull_b, FeaturePair* out) {
  return HWY_DYNAMIC_DISPATCH(edges_between)(a, hull_a, b, hull_b, out);
}
FeatureCount edge_pairs(const FeatureRows& a, FeaturePair* out) {
  return HWY_DYNAMIC_DISPATCH(edges_within)(a, out);
}
FeatureCount vertex_triangle_pairs(const FeatureRows& vertices, Hull hull_a, const FeatureRows& triangles, Hull hull_b,
                                   FeaturePair* out) {
  return HWY_DYNAMIC_DISPATCH(vertices_triangles)(vertices, hull_a, triangles, hull_b, out);
}
FeatureCount box_pairs(const FeatureRows& a, Hull hull_a, const FeatureRows& b, Hull hull_b, FeaturePair* out) {
  return HWY_DYNAMIC_DISPATCH(boxes_between)(a, hull_a, b, hull_b, out);
}
FeatureCount box_pairs(const FeatureRows& a, FeaturePair* out) {
  return HWY_DYNAMIC_DISPATCH(boxes_within)(a, out);
}

bool have_common(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  return HWY_DYNAMIC_DISPATCH(common)(a.data(), a.size(), b.data(), b.size());
}

FeatureCount feature_pairs_reference(const FeatureRows& a, int vertices_a, const FeatureRows& b, int vertices_b,
                                     bool within, FeaturePair* out) {
  FeatureCount count;
  for (std::size_t i = 0; i < a.count; ++i) {
    for (std::size_t j = within ? i + 1 : 0; j < b.count; ++j) {
      if (!overlap(a, i, b, j)) continue;
      bool shared = false;
      for (std::size_t k = 0; k < static_cast<std::size_t>(vertices_a); ++k)
        for (std::size_t l = 0; l < static_cast<std::size_t>(vertices_b); ++l)
          shared = shared || a.vertices[k * a.stride + i] == b.vertices[l * b.stride + j];
      if (shared) {
        ++count.adjacent;
      } else {
        out[count.pairs++] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)};
      }
    }
  }
  return count;
}

}  // namespace carom::kernels
#endif
