// Vectors of up to sixteen floats, a lane a vertex or a pair of features. Included once for each target, so there is no
// ordinary include guard.
#if defined(CAROM_KERNELS_CLUSTER_VECTORS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLUSTER_VECTORS_INL_HPP
#undef CAROM_KERNELS_CLUSTER_VECTORS_INL_HPP
#else
#define CAROM_KERNELS_CLUSTER_VECTORS_INL_HPP
#endif

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

#if HWY_TARGET != HWY_SCALAR

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

#endif  // HWY_SCALAR

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
