// Three coordinates of as many points as there are lanes. Included once for each target, so there is no
// ordinary include guard.
#if defined(CAROM_KERNELS_WIDE_VEC3_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_WIDE_VEC3_INL_HPP
#undef CAROM_KERNELS_WIDE_VEC3_INL_HPP
#else
#define CAROM_KERNELS_WIDE_VEC3_INL_HPP
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

template <class Tag>
struct Wide3Of {
  using V = hwy::HWY_NAMESPACE::Vec<Tag>;
  V x, y, z;
};

// No fused multiply-add: targets without it would round differently.
template <class W>
HWY_INLINE W add(const W& a, const W& b) {
  namespace hn = hwy::HWY_NAMESPACE;
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
template <class W>
HWY_INLINE W sub(const W& a, const W& b) {
  namespace hn = hwy::HWY_NAMESPACE;
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
template <class W, class V>
HWY_INLINE W scale(V s, const W& a) {
  namespace hn = hwy::HWY_NAMESPACE;
  return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)};
}
template <class W>
HWY_INLINE auto dot(const W& a, const W& b) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
template <class W>
HWY_INLINE W cross(const W& a, const W& b) {
  namespace hn = hwy::HWY_NAMESPACE;
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
template <class M, class W>
HWY_INLINE W if_then_else(M mask, const W& a, const W& b) {
  namespace hn = hwy::HWY_NAMESPACE;
  return {hn::IfThenElse(mask, a.x, b.x), hn::IfThenElse(mask, a.y, b.y), hn::IfThenElse(mask, a.z, b.z)};
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
