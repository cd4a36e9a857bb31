// What the kernels of soft contacts share: lanes of single precision, rows of bodies as columns, small algebra.
// Included once for each target, so there is no ordinary include guard.
#if defined(CAROM_KERNELS_SOFT_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_SOFT_LANES_INL_HPP
#undef CAROM_KERNELS_SOFT_LANES_INL_HPP
#else
#define CAROM_KERNELS_SOFT_LANES_INL_HPP
#endif

#include "hwy/highway.h"
#include "kernels/soft_contact.hpp"
#include "kernels/wide_vec3-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, soft_lanes>;
using V = hn::Vec<F>;
using Wide3 = Wide3Of<F>;

HWY_INLINE V load(const float* p) {
  return hn::LoadU(F(), p);
}
HWY_INLINE void store(V v, float* p) {
  hn::StoreU(v, F(), p);
}
HWY_INLINE Wide3 load3(const SoftLane* p, std::size_t at) {
  return {load(p[0] + at), load(p[1] + at), load(p[2] + at)};
}
HWY_INLINE void store3(const Wide3& v, SoftLane* p, std::size_t at) {
  store(v.x, p[0] + at);
  store(v.y, p[1] + at);
  store(v.z, p[2] + at);
}

#if HWY_TARGET == HWY_SCALAR
/// Four numbers of the row that the lane names. `stride` is the length of a row.
HWY_INLINE void gather4(const float* base, std::size_t stride, const std::int32_t* rows, V (&x)[4]) {
  const float* row = base + static_cast<std::size_t>(rows[0]) * stride;
  for (int i = 0; i < 4; ++i) x[i] = load(row + i);
}
HWY_INLINE void scatter4(V (&x)[4], float* base, std::size_t stride, const std::int32_t* rows) {
  if (rows[0] < 0) return;
  float* row = base + static_cast<std::size_t>(rows[0]) * stride;
  for (int i = 0; i < 4; ++i) store(x[i], row + i);
}
#else
/// Turns four rows of four numbers, in each block of four lanes, into columns; twice is nothing.
HWY_INLINE void turn(V (&x)[4]) {
  const F f;
  const hn::Repartition<std::uint64_t, F> wide;
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(f, x[0], x[1]));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(f, x[0], x[1]));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(f, x[2], x[3]));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(f, x[2], x[3]));
  x[0] = hn::BitCast(f, hn::InterleaveLower(wide, low01, low23));
  x[1] = hn::BitCast(f, hn::InterleaveUpper(wide, low01, low23));
  x[2] = hn::BitCast(f, hn::InterleaveLower(wide, high01, high23));
  x[3] = hn::BitCast(f, hn::InterleaveUpper(wide, high01, high23));
}

/// Four numbers of each of the rows that the lanes name, as columns. `stride` is the length of a row.
HWY_INLINE void gather4(const float* base, std::size_t stride, const std::int32_t* rows, V (&x)[4]) {
  const auto row = [&](int i) { return base + static_cast<std::size_t>(rows[i]) * stride; };
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_EMU128
  for (int i = 0; i < 4; ++i) x[i] = hn::Load(F(), row(i));
#else
  const F f;
  const hn::Half<F> half;
  for (int i = 0; i < 4; ++i) x[i] = hn::Combine(f, hn::Load(half, row(i + 4)), hn::Load(half, row(i)));
#endif
  turn(x);
}

HWY_INLINE void scatter4(V (&x)[4], float* base, std::size_t stride, const std::int32_t* rows) {
  turn(x);
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_EMU128
  for (int i = 0; i < 4; ++i) {
    if (rows[i] >= 0) hn::Store(x[i], F(), base + static_cast<std::size_t>(rows[i]) * stride);
  }
#else
  const hn::Half<F> half;
  for (int i = 0; i < 4; ++i) {
    if (rows[i] >= 0) hn::Store(hn::LowerHalf(half, x[i]), half, base + static_cast<std::size_t>(rows[i]) * stride);
    if (rows[i + 4] >= 0)
      hn::Store(hn::UpperHalf(half, x[i]), half, base + static_cast<std::size_t>(rows[i + 4]) * stride);
  }
#endif
}
#endif

constexpr std::size_t body_stride = sizeof(SoftBody) / sizeof(float);
constexpr std::size_t mass_stride = sizeof(SoftMass) / sizeof(float);

struct Twist {
  Wide3 linear;
  Wide3 angular;
};

HWY_INLINE Twist gather(const float* first, const std::int32_t* rows) {
  V low[4];
  V high[4];
  gather4(first, body_stride, rows, low);
  gather4(first + 4, body_stride, rows, high);
  return {{low[0], low[1], low[2]}, {low[3], high[0], high[1]}};
}

HWY_INLINE void scatter(const Twist& t, float* first, const std::int32_t* rows) {
  V low[4] = {t.linear.x, t.linear.y, t.linear.z, t.angular.x};
  const V zero = hn::Zero(F());
  V high[4] = {t.angular.y, t.angular.z, zero, zero};
  scatter4(low, first, body_stride, rows);
  scatter4(high, first + 4, body_stride, rows);
}

HWY_INLINE Wide3 times(const Wide3& a, const Wide3& b) {
  return {hn::Mul(a.x, b.x), hn::Mul(a.y, b.y), hn::Mul(a.z, b.z)};
}

struct Symmetric {
  V xx, xy, xz, yy, yz, zz;
};

HWY_INLINE Symmetric load_symmetric(const SoftLane* p, std::size_t at) {
  return {load(p[0] + at), load(p[1] + at), load(p[2] + at), load(p[3] + at), load(p[4] + at), load(p[5] + at)};
}

HWY_INLINE Wide3 times(const Symmetric& m, const Wide3& v) {
  return {hn::Add(hn::Add(hn::Mul(m.xx, v.x), hn::Mul(m.xy, v.y)), hn::Mul(m.xz, v.z)),
          hn::Add(hn::Add(hn::Mul(m.xy, v.x), hn::Mul(m.yy, v.y)), hn::Mul(m.yz, v.z)),
          hn::Add(hn::Add(hn::Mul(m.xz, v.x), hn::Mul(m.yz, v.y)), hn::Mul(m.zz, v.z))};
}

/// 1/x, or 0 where x is not positive: what nothing moves takes no impulse.
HWY_INLINE V inverse(V x) {
  const F f;
  const auto positive = hn::Gt(x, hn::Zero(f));
  return hn::IfThenElseZero(positive, hn::Div(hn::Set(f, 1.0F), hn::IfThenElse(positive, x, hn::Set(f, 1.0F))));
}

/// Place of the coupling of points i < j in SoftBatch::coupling.
constexpr int pair_place(int i, int j) {
  return i == 0 ? j - 1 : i + j;
}

/// Place of entry i, j in SoftBatch::block.
constexpr int block_place(int i, int j) {
  return i <= j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j;
}

/// Impulses on b, and the opposite ones on a, which the arms make into turns.
struct SpatialImpulse {
  Wide3 linear;
  Wide3 turn_a;
  Wide3 turn_b;
};

HWY_INLINE void apply(const SoftBatch& s, std::size_t at, const SpatialImpulse& impulse, Twist& va, Twist& vb) {
  va.linear = sub(va.linear, times(load3(s.mass_a, at), impulse.linear));
  vb.linear = add(vb.linear, times(load3(s.mass_b, at), impulse.linear));
  va.angular = sub(va.angular, times(load_symmetric(s.inertia_a, at), impulse.turn_a));
  vb.angular = add(vb.angular, times(load_symmetric(s.inertia_b, at), impulse.turn_b));
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
