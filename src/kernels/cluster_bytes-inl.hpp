// Bounds of the features of a cluster along four directions, in bytes. Included once for each target, so there is no
// ordinary include guard.
#if defined(CAROM_KERNELS_CLUSTER_BYTES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLUSTER_BYTES_INL_HPP
#undef CAROM_KERNELS_CLUSTER_BYTES_INL_HPP
#else
#define CAROM_KERNELS_CLUSTER_BYTES_INL_HPP
#endif

#include <cstring>

#include "kernels/cluster_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

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

#endif  // HWY_SCALAR

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
