// Points of cloth, as many as there are lanes, turned into coordinates by lane and back. Included once for each target,
// so there is no ordinary include guard.
#if defined(CAROM_KERNELS_CLOTH_POINTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLOTH_POINTS_INL_HPP
#undef CAROM_KERNELS_CLOTH_POINTS_INL_HPP
#else
#define CAROM_KERNELS_CLOTH_POINTS_INL_HPP
#endif

#include "hwy/highway.h"
#include "kernels/cloth_constraints.hpp"
#include "kernels/wide_vec3-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Four points are a square that is turned in registers, which is faster than a gather; eight are two of them, side by
// side.
using ClothTag = hn::CappedTag<double, 8>;
using ClothLane = hn::Vec<ClothTag>;
using ClothWide = Wide3Of<ClothTag>;

struct ClothPoints {
  ClothWide at;
  ClothLane inverse_mass;
};

HWY_INLINE ClothLane cloth_set(double value) {
  return hn::Set(ClothTag(), value);
}
HWY_INLINE ClothLane cloth_load(const double* from) {
  return hn::Load(ClothTag(), from);
}

HWY_INLINE ClothPoints cloth_gather(const ClothPoint* points, const std::int32_t* index) {
  constexpr ClothTag d;
#if HWY_MAX_BYTES >= 64
  const hn::Half<ClothTag> half;
  const auto two = [&](std::size_t k) HWY_ATTR {
    return hn::Combine(d, hn::Load(half, &points[index[k + 4]].x), hn::Load(half, &points[index[k]].x));
  };
  const ClothLane r0 = two(0);
  const ClothLane r1 = two(1);
  const ClothLane r2 = two(2);
  const ClothLane r3 = two(3);
  const ClothLane xz01 = hn::InterleaveLower(d, r0, r1);
  const ClothLane yw01 = hn::InterleaveUpper(d, r0, r1);
  const ClothLane xz23 = hn::InterleaveLower(d, r2, r3);
  const ClothLane yw23 = hn::InterleaveUpper(d, r2, r3);
  return {{hn::OddEvenBlocks(hn::SwapAdjacentBlocks(xz23), xz01), hn::OddEvenBlocks(hn::SwapAdjacentBlocks(yw23), yw01),
           hn::OddEvenBlocks(xz23, hn::SwapAdjacentBlocks(xz01))},
          hn::OddEvenBlocks(yw23, hn::SwapAdjacentBlocks(yw01))};
#elif HWY_MAX_BYTES >= 32
  const ClothLane r0 = hn::Load(d, &points[index[0]].x);
  const ClothLane r1 = hn::Load(d, &points[index[1]].x);
  const ClothLane r2 = hn::Load(d, &points[index[2]].x);
  const ClothLane r3 = hn::Load(d, &points[index[3]].x);
  const ClothLane xz01 = hn::InterleaveLower(d, r0, r1);
  const ClothLane yw01 = hn::InterleaveUpper(d, r0, r1);
  const ClothLane xz23 = hn::InterleaveLower(d, r2, r3);
  const ClothLane yw23 = hn::InterleaveUpper(d, r2, r3);
  return {
      {hn::ConcatLowerLower(d, xz23, xz01), hn::ConcatLowerLower(d, yw23, yw01), hn::ConcatUpperUpper(d, xz23, xz01)},
      hn::ConcatUpperUpper(d, yw23, yw01)};
#else
  alignas(32) double rows[4][4];
  for (std::size_t lane = 0; lane < hn::MaxLanes(d); ++lane) {
    const ClothPoint& p = points[index[lane]];
    rows[0][lane] = p.x;
    rows[1][lane] = p.y;
    rows[2][lane] = p.z;
    rows[3][lane] = p.inverse_mass;
  }
  return {{cloth_load(rows[0]), cloth_load(rows[1]), cloth_load(rows[2])}, cloth_load(rows[3])};
#endif
}

HWY_INLINE void cloth_scatter(const ClothPoints& p, ClothPoint* points, const std::int32_t* index) {
  constexpr ClothTag d;
#if HWY_MAX_BYTES >= 64
  const hn::Half<ClothTag> half;
  const ClothLane xy02 = hn::InterleaveLower(d, p.at.x, p.at.y);
  const ClothLane xy13 = hn::InterleaveUpper(d, p.at.x, p.at.y);
  const ClothLane zw02 = hn::InterleaveLower(d, p.at.z, p.inverse_mass);
  const ClothLane zw13 = hn::InterleaveUpper(d, p.at.z, p.inverse_mass);
  const auto store = [&](ClothLane two, std::size_t k) HWY_ATTR {
    hn::Store(hn::LowerHalf(half, two), half, &points[index[k]].x);
    hn::Store(hn::UpperHalf(half, two), half, &points[index[k + 4]].x);
  };
  store(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(zw02), xy02), 0);
  store(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(zw13), xy13), 1);
  store(hn::OddEvenBlocks(zw02, hn::SwapAdjacentBlocks(xy02)), 2);
  store(hn::OddEvenBlocks(zw13, hn::SwapAdjacentBlocks(xy13)), 3);
#elif HWY_MAX_BYTES >= 32
  const ClothLane xy02 = hn::InterleaveLower(d, p.at.x, p.at.y);
  const ClothLane xy13 = hn::InterleaveUpper(d, p.at.x, p.at.y);
  const ClothLane zw02 = hn::InterleaveLower(d, p.at.z, p.inverse_mass);
  const ClothLane zw13 = hn::InterleaveUpper(d, p.at.z, p.inverse_mass);
  hn::Store(hn::ConcatLowerLower(d, zw02, xy02), d, &points[index[0]].x);
  hn::Store(hn::ConcatLowerLower(d, zw13, xy13), d, &points[index[1]].x);
  hn::Store(hn::ConcatUpperUpper(d, zw02, xy02), d, &points[index[2]].x);
  hn::Store(hn::ConcatUpperUpper(d, zw13, xy13), d, &points[index[3]].x);
#else
  alignas(32) double rows[3][4];
  hn::Store(p.at.x, d, rows[0]);
  hn::Store(p.at.y, d, rows[1]);
  hn::Store(p.at.z, d, rows[2]);
  for (std::size_t lane = 0; lane < hn::MaxLanes(d); ++lane) {
    ClothPoint& to = points[index[lane]];
    to.x = rows[0][lane];
    to.y = rows[1][lane];
    to.z = rows[2][lane];
  }
#endif
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
