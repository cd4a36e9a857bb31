// Points with four numbers each, x, y, z and the inverse mass: loaded for as many lanes as there are, at most eight,
// and stored again. Included once for each target, so there is no ordinary include guard.
#if defined(CAROM_KERNELS_FOUR_POINTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_FOUR_POINTS_INL_HPP
#undef CAROM_KERNELS_FOUR_POINTS_INL_HPP
#else
#define CAROM_KERNELS_FOUR_POINTS_INL_HPP
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/wide_vec3-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

// Four points are a square that is turned in registers, which is faster than gathers; eight are two squares that are
// turned side by side, each in a half of the registers.
#if HWY_TARGET <= HWY_AVX3
using PointTag = hwy::HWY_NAMESPACE::CappedTag<double, 8>;
#else
using PointTag = hwy::HWY_NAMESPACE::CappedTag<double, 4>;
#endif
using PointLane = hwy::HWY_NAMESPACE::Vec<PointTag>;
using PointWide = Wide3Of<PointTag>;

struct PointLanes {
  PointWide at;
  PointLane inverse_mass;
};

template <class Point>
HWY_INLINE PointLanes gather_points(const Point* points, const std::int32_t* index) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr PointTag d;
#if HWY_TARGET <= HWY_AVX3
  const auto both = [&](std::size_t lane) HWY_ATTR {
    constexpr hn::Half<PointTag> half;
    return hn::Combine(d, hn::Load(half, &points[index[lane + 4]].x), hn::Load(half, &points[index[lane]].x));
  };
  const PointLane r0 = both(0);
  const PointLane r1 = both(1);
  const PointLane r2 = both(2);
  const PointLane r3 = both(3);
  const PointLane xz01 = hn::InterleaveLower(d, r0, r1);
  const PointLane yw01 = hn::InterleaveUpper(d, r0, r1);
  const PointLane xz23 = hn::InterleaveLower(d, r2, r3);
  const PointLane yw23 = hn::InterleaveUpper(d, r2, r3);
  const auto low = [](PointLane of01, PointLane of23)
                       HWY_ATTR { return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(of23), of01); };
  const auto high = [](PointLane of01, PointLane of23)
                        HWY_ATTR { return hn::OddEvenBlocks(of23, hn::SwapAdjacentBlocks(of01)); };
  return {{low(xz01, xz23), low(yw01, yw23), high(xz01, xz23)}, high(yw01, yw23)};
#elif HWY_MAX_BYTES >= 32
  const PointLane r0 = hn::Load(d, &points[index[0]].x);
  const PointLane r1 = hn::Load(d, &points[index[1]].x);
  const PointLane r2 = hn::Load(d, &points[index[2]].x);
  const PointLane r3 = hn::Load(d, &points[index[3]].x);
  const PointLane xz01 = hn::InterleaveLower(d, r0, r1);
  const PointLane yw01 = hn::InterleaveUpper(d, r0, r1);
  const PointLane xz23 = hn::InterleaveLower(d, r2, r3);
  const PointLane yw23 = hn::InterleaveUpper(d, r2, r3);
  return {
      {hn::ConcatLowerLower(d, xz23, xz01), hn::ConcatLowerLower(d, yw23, yw01), hn::ConcatUpperUpper(d, xz23, xz01)},
      hn::ConcatUpperUpper(d, yw23, yw01)};
#else
  alignas(32) double rows[4][4];
  for (std::size_t lane = 0; lane < hn::MaxLanes(d); ++lane) {
    const Point& p = points[index[lane]];
    rows[0][lane] = p.x;
    rows[1][lane] = p.y;
    rows[2][lane] = p.z;
    rows[3][lane] = p.inverse_mass;
  }
  return {{hn::Load(d, rows[0]), hn::Load(d, rows[1]), hn::Load(d, rows[2])}, hn::Load(d, rows[3])};
#endif
}

template <class Point>
HWY_INLINE void scatter_points(const PointLanes& p, Point* points, const std::int32_t* index) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr PointTag d;
#if HWY_TARGET <= HWY_AVX3
  const auto store = [&](std::size_t lane, PointLane both) HWY_ATTR {
    constexpr hn::Half<PointTag> half;
    hn::Store(hn::LowerHalf(half, both), half, &points[index[lane]].x);
    hn::Store(hn::UpperHalf(half, both), half, &points[index[lane + 4]].x);
  };
  const PointLane xy02 = hn::InterleaveLower(d, p.at.x, p.at.y);
  const PointLane xy13 = hn::InterleaveUpper(d, p.at.x, p.at.y);
  const PointLane zw02 = hn::InterleaveLower(d, p.at.z, p.inverse_mass);
  const PointLane zw13 = hn::InterleaveUpper(d, p.at.z, p.inverse_mass);
  store(0, hn::OddEvenBlocks(hn::SwapAdjacentBlocks(zw02), xy02));
  store(1, hn::OddEvenBlocks(hn::SwapAdjacentBlocks(zw13), xy13));
  store(2, hn::OddEvenBlocks(zw02, hn::SwapAdjacentBlocks(xy02)));
  store(3, hn::OddEvenBlocks(zw13, hn::SwapAdjacentBlocks(xy13)));
#elif HWY_MAX_BYTES >= 32
  const PointLane xy02 = hn::InterleaveLower(d, p.at.x, p.at.y);
  const PointLane xy13 = hn::InterleaveUpper(d, p.at.x, p.at.y);
  const PointLane zw02 = hn::InterleaveLower(d, p.at.z, p.inverse_mass);
  const PointLane zw13 = hn::InterleaveUpper(d, p.at.z, p.inverse_mass);
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
    Point& to = points[index[lane]];
    to.x = rows[0][lane];
    to.y = rows[1][lane];
    to.z = rows[2][lane];
  }
#endif
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
