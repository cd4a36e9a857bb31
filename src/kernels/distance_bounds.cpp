#include "kernels/distance_bounds.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/distance_bounds.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/wide_vec3-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, 16>;
using Float = hn::Vec<F>;
using Wide3 = Wide3Of<F>;

// Points and shadows are wrong by less than 16 roundings of the largest coordinate; four times that.
constexpr float allowance = 4e-6F;
// For the roundings of the last comparison itself.
constexpr float more = 1.00001F;
constexpr float less = 0.99999F;

HWY_INLINE Float clamp01(F f, Float t) {
  return hn::Min(hn::Max(t, hn::Zero(f)), hn::Set(f, 1.0F));
}

HWY_INLINE Float largest(const Wide3& a) {
  return hn::Max(hn::Max(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z));
}

/// `shadow_gap` is the gap along u, not divided by the length of u; u joins two points of the features.
HWY_INLINE void judge(F f, const Wide3& u, Float shadow_gap, Float size, DistanceBound* out) {
  const Float one = hn::Set(f, 1.0F);
  const Float error = hn::Mul(hn::Set(f, allowance), size);
  const Float squared = dot(u, u);
  const Float above = hn::Add(one, error);
  const Float below = hn::Sub(one, error);
  const auto beyond = hn::And(
      hn::Gt(shadow_gap, hn::Zero(f)),
      hn::Gt(hn::Mul(shadow_gap, shadow_gap), hn::Mul(hn::Mul(hn::Mul(above, above), hn::Set(f, more)), squared)));
  const auto within =
      hn::And(hn::Gt(below, hn::Zero(f)), hn::Lt(squared, hn::Mul(hn::Mul(below, below), hn::Set(f, less))));
  // Numbers beyond this would lose their meaning when squared twice; NaN fails the test as well.
  const auto sane = hn::Lt(size, hn::Set(f, 1e8F));
  const hn::RebindToSigned<F> i;
  const auto verdict = hn::IfThenElse(
      hn::RebindMask(i, hn::And(sane, beyond)), hn::Set(i, static_cast<int>(DistanceBound::beyond)),
      hn::IfThenElse(hn::RebindMask(i, hn::And(sane, within)), hn::Set(i, static_cast<int>(DistanceBound::within)),
                     hn::Set(i, static_cast<int>(DistanceBound::unsure))));
  const hn::Rebind<std::uint8_t, decltype(i)> u8;
  hn::StoreU(hn::DemoteTo(u8, verdict), u8, reinterpret_cast<std::uint8_t*>(out));
}

HWY_INLINE Wide3 load(F f, const DistanceBoundBatch& batch, std::size_t point, std::size_t at) {
  return {hn::LoadU(f, batch.x[point] + at), hn::LoadU(f, batch.y[point] + at), hn::LoadU(f, batch.z[point] + at)};
}

void edge_edge(const DistanceBoundBatch& batch, std::size_t count, DistanceBound* out) {
  const F f;
  const Float tiny = hn::Set(f, 1e-30F);
  for (std::size_t at = 0; at < count; at += hn::Lanes(f)) {
    const Wide3 da = load(f, batch, 0, at);
    const Wide3 b0 = load(f, batch, 1, at);
    const Wide3 b1 = load(f, batch, 2, at);
    const Wide3 db = sub(b1, b0);
    const Float aa = hn::Max(dot(da, da), tiny);
    const Float bb = hn::Max(dot(db, db), tiny);
    const Float ab = dot(da, db);
    const Float a_to_b = dot(da, b0);
    const Float b_to_a = hn::Neg(dot(db, b0));
    // The interior pair, then each clamped against the other; parallel edges start anywhere.
    const Float determinant = hn::Max(hn::Sub(hn::Mul(aa, bb), hn::Mul(ab, ab)), tiny);
    const Float s0 = clamp01(f, hn::Div(hn::Add(hn::Mul(ab, b_to_a), hn::Mul(a_to_b, bb)), determinant));
    const Float t = clamp01(f, hn::Div(hn::Add(hn::Mul(ab, s0), b_to_a), bb));
    const Float s = clamp01(f, hn::Div(hn::Add(hn::Mul(ab, t), a_to_b), aa));
    const Wide3 u = sub(add(b0, scale(t, db)), scale(s, da));
    const Float shadow_a = hn::Max(hn::Zero(f), dot(da, u));
    const Float shadow_b = hn::Min(dot(b0, u), dot(b1, u));
    judge(f, u, hn::Sub(shadow_b, shadow_a), hn::Max(hn::Max(largest(da), largest(b0)), largest(b1)), out + at);
  }
}

/// The point of the edge from u to v nearest to the origin, if it is nearer than the best so far.
HWY_INLINE void try_edge(F f, const Wide3& u, const Wide3& v, Wide3& best, Float& best_squared) {
  const Wide3 along = sub(v, u);
  const Float t = clamp01(f, hn::Div(hn::Neg(dot(u, along)), hn::Max(dot(along, along), hn::Set(f, 1e-30F))));
  const Wide3 point = add(u, scale(t, along));
  const Float squared = dot(point, point);
  const auto nearer = hn::Lt(squared, best_squared);
  best = if_then_else(nearer, point, best);
  best_squared = hn::IfThenElse(nearer, squared, best_squared);
}

void vertex_triangle(const DistanceBoundBatch& batch, std::size_t count, DistanceBound* out) {
  const F f;
  for (std::size_t at = 0; at < count; at += hn::Lanes(f)) {
    const Wide3 a = load(f, batch, 0, at);
    const Wide3 b = load(f, batch, 1, at);
    const Wide3 c = load(f, batch, 2, at);
    Wide3 best = a;
    Float best_squared = dot(a, a);
    try_edge(f, a, b, best, best_squared);
    try_edge(f, b, c, best, best_squared);
    try_edge(f, c, a, best, best_squared);
    // The foot of the perpendicular, as a combination of the corners: a point of the triangle even
    // where a sliver's normal is poor.
    const Wide3 ab = sub(b, a);
    const Wide3 ac = sub(c, a);
    const Wide3 n = cross(ab, ac);
    const Float n2 = hn::Max(dot(n, n), hn::Set(f, 1e-30F));
    const Float v = hn::Div(dot(n, cross(ac, a)), n2);
    const Float w = hn::Div(dot(n, cross(a, ab)), n2);
    const auto inside =
        hn::And(hn::And(hn::Ge(v, hn::Zero(f)), hn::Ge(w, hn::Zero(f))), hn::Le(hn::Add(v, w), hn::Set(f, 1.0F)));
    const Wide3 u = if_then_else(inside, add(a, add(scale(v, ab), scale(w, ac))), best);
    const Float gap = hn::Min(hn::Min(dot(a, u), dot(b, u)), dot(c, u));
    judge(f, u, gap, hn::Max(hn::Max(largest(a), largest(b)), largest(c)), out + at);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(edge_edge);
HWY_EXPORT(vertex_triangle);

void distance_bound_edge_edge(const DistanceBoundBatch& batch, std::size_t count, DistanceBound* out) {
  HWY_DYNAMIC_DISPATCH(edge_edge)(batch, count, out);
}
void distance_bound_vertex_triangle(const DistanceBoundBatch& batch, std::size_t count, DistanceBound* out) {
  HWY_DYNAMIC_DISPATCH(vertex_triangle)(batch, count, out);
}

}  // namespace carom::kernels
#endif
