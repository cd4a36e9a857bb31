// Offsets of cloth, as many as there are lanes, turned into coordinates by lane and back. Included once for each
// target, so there is no ordinary include guard.
#if defined(CAROM_KERNELS_CLOTH_OFFSETS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLOTH_OFFSETS_INL_HPP
#undef CAROM_KERNELS_CLOTH_OFFSETS_INL_HPP
#else
#define CAROM_KERNELS_CLOTH_OFFSETS_INL_HPP
#endif

#include "hwy/highway.h"
#include "kernels/cloth_constraints.hpp"
#include "kernels/wide_vec3-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using OffsetTag = hn::CappedTag<float, cloth_lanes>;
using OffsetLane = hn::Vec<OffsetTag>;
using OffsetWide = Wide3Of<OffsetTag>;

struct ClothOffsets {
  OffsetWide at;
  OffsetLane inverse_mass;
};

HWY_INLINE OffsetLane offset_set(float value) {
  return hn::Set(OffsetTag(), value);
}
HWY_INLINE OffsetLane offset_load(const float* from) {
  return hn::Load(OffsetTag(), from);
}
HWY_INLINE OffsetWide offset_load(const float (&from)[3][cloth_lanes], std::size_t at) {
  return {offset_load(from[0] + at), offset_load(from[1] + at), offset_load(from[2] + at)};
}

#if HWY_MAX_BYTES >= 64

/// Points of lanes k, k + 4, k + 8 and k + 12, one in each quarter.
HWY_INLINE OffsetLane load_points(const ClothOffset* points, const std::int32_t* index, std::size_t k) {
  const hn::Half<OffsetTag> half;
  const hn::Half<decltype(half)> quarter;
  return hn::Combine(
      OffsetTag(),
      hn::Combine(half, hn::Load(quarter, &points[index[k + 12]].x), hn::Load(quarter, &points[index[k + 8]].x)),
      hn::Combine(half, hn::Load(quarter, &points[index[k + 4]].x), hn::Load(quarter, &points[index[k]].x)));
}
HWY_INLINE void store_points(OffsetLane all, ClothOffset* points, const std::int32_t* index, std::size_t k) {
  const hn::Half<OffsetTag> half;
  const hn::Half<decltype(half)> quarter;
  const auto lower = hn::LowerHalf(half, all);
  const auto upper = hn::UpperHalf(half, all);
  hn::Store(hn::LowerHalf(quarter, lower), quarter, &points[index[k]].x);
  hn::Store(hn::UpperHalf(quarter, lower), quarter, &points[index[k + 4]].x);
  hn::Store(hn::LowerHalf(quarter, upper), quarter, &points[index[k + 8]].x);
  hn::Store(hn::UpperHalf(quarter, upper), quarter, &points[index[k + 12]].x);
}

#elif HWY_MAX_BYTES >= 32

/// Points of lanes k and k + 4, one in each half.
HWY_INLINE OffsetLane load_points(const ClothOffset* points, const std::int32_t* index, std::size_t k) {
  const hn::Half<OffsetTag> half;
  return hn::Combine(OffsetTag(), hn::Load(half, &points[index[k + 4]].x), hn::Load(half, &points[index[k]].x));
}
HWY_INLINE void store_points(OffsetLane all, ClothOffset* points, const std::int32_t* index, std::size_t k) {
  const hn::Half<OffsetTag> half;
  hn::Store(hn::LowerHalf(half, all), half, &points[index[k]].x);
  hn::Store(hn::UpperHalf(half, all), half, &points[index[k + 4]].x);
}

#endif

#if HWY_MAX_BYTES >= 32

// Interleaving of pairs of numbers, within halves or quarters.
HWY_INLINE OffsetLane lower_pairs(OffsetLane a, OffsetLane b) {
  const hn::Repartition<double, OffsetTag> pairs;
  return hn::BitCast(OffsetTag(), hn::InterleaveLower(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
}
HWY_INLINE OffsetLane upper_pairs(OffsetLane a, OffsetLane b) {
  const hn::Repartition<double, OffsetTag> pairs;
  return hn::BitCast(OffsetTag(), hn::InterleaveUpper(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
}

HWY_INLINE ClothOffsets offset_gather(const ClothOffset* points, const std::int32_t* index) {
  constexpr OffsetTag d;
  const OffsetLane r0 = load_points(points, index, 0);
  const OffsetLane r1 = load_points(points, index, 1);
  const OffsetLane r2 = load_points(points, index, 2);
  const OffsetLane r3 = load_points(points, index, 3);
  const OffsetLane xy01 = hn::InterleaveLower(d, r0, r1);
  const OffsetLane zw01 = hn::InterleaveUpper(d, r0, r1);
  const OffsetLane xy23 = hn::InterleaveLower(d, r2, r3);
  const OffsetLane zw23 = hn::InterleaveUpper(d, r2, r3);
  return {{lower_pairs(xy01, xy23), upper_pairs(xy01, xy23), lower_pairs(zw01, zw23)}, upper_pairs(zw01, zw23)};
}

HWY_INLINE void offset_scatter(const ClothOffsets& p, ClothOffset* points, const std::int32_t* index) {
  constexpr OffsetTag d;
  const OffsetLane xy01 = hn::InterleaveLower(d, p.at.x, p.at.y);
  const OffsetLane xy23 = hn::InterleaveUpper(d, p.at.x, p.at.y);
  const OffsetLane zw01 = hn::InterleaveLower(d, p.at.z, p.inverse_mass);
  const OffsetLane zw23 = hn::InterleaveUpper(d, p.at.z, p.inverse_mass);
  store_points(lower_pairs(xy01, zw01), points, index, 0);
  store_points(upper_pairs(xy01, zw01), points, index, 1);
  store_points(lower_pairs(xy23, zw23), points, index, 2);
  store_points(upper_pairs(xy23, zw23), points, index, 3);
}

#else

HWY_INLINE ClothOffsets offset_gather(const ClothOffset* points, const std::int32_t* index) {
  constexpr OffsetTag d;
  alignas(32) float rows[4][cloth_lanes];
  for (std::size_t lane = 0; lane < hn::MaxLanes(d); ++lane) {
    const ClothOffset& p = points[index[lane]];
    rows[0][lane] = p.x;
    rows[1][lane] = p.y;
    rows[2][lane] = p.z;
    rows[3][lane] = p.inverse_mass;
  }
  return {{offset_load(rows[0]), offset_load(rows[1]), offset_load(rows[2])}, offset_load(rows[3])};
}

HWY_INLINE void offset_scatter(const ClothOffsets& p, ClothOffset* points, const std::int32_t* index) {
  constexpr OffsetTag d;
  alignas(32) float rows[3][cloth_lanes];
  hn::Store(p.at.x, d, rows[0]);
  hn::Store(p.at.y, d, rows[1]);
  hn::Store(p.at.z, d, rows[2]);
  for (std::size_t lane = 0; lane < hn::MaxLanes(d); ++lane) {
    ClothOffset& to = points[index[lane]];
    to.x = rows[0][lane];
    to.y = rows[1][lane];
    to.z = rows[2][lane];
  }
}

#endif

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
