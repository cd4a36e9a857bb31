#include "kernels/advance.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/advance.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/closest-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

HWY_INLINE Wide3 load_row(const double (*rows)[closest_batch], std::size_t at) {
  const D d;
  return {hn::LoadU(d, rows[0] + at), hn::LoadU(d, rows[1] + at), hn::LoadU(d, rows[2] + at)};
}

/// (1 - t) a + t b
HWY_INLINE Wide3 mix(Double t, const Wide3& a, const Wide3& b) {
  return add(scale(hn::Sub(hn::Set(D(), 1.0), t), a), scale(t, b));
}

/// Component of q across the side.
HWY_INLINE Wide3 component_across(const Wide3& q, const Wide3& side) {
  const Double squared = dot(side, side);
  return if_then_else(hn::Gt(squared, hn::Zero(D())), sub(q, scale(hn::Div(dot(q, side), squared), side)), q);
}

/// At a time: the nearest point of a polygon, and its sides.
struct AtTime {
  Double t;
  Wide3 point;
  Double distance;
  Wide3 f, g;
};

/// Makes a unit vector of n that points to the polygon; the direction to the nearest point where n is too short.
HWY_INLINE Wide3 unit_direction(const Wide3& n, const AtTime& at) {
  const D d;
  const Double one = hn::Set(d, 1.0);
  const Double length = hn::Sqrt(dot(n, n));
  const Double sign = hn::IfThenElse(hn::Lt(dot(n, at.point), hn::Zero(d)), hn::Set(d, -1.0), one);
  return if_then_else(hn::Gt(length, hn::Set(d, 1e-140)), scale(hn::Div(sign, length), n),
                      scale(hn::Div(one, at.distance), at.point));
}

/// Until when, from t on, all corners are beyond `reach` along n; t if they are not.
template <std::size_t corners>
HWY_INLINE Double free_along(const AdvanceBatch& batch, std::size_t i, const Wide3& n, Double reach, Double t) {
  const D d;
  const Double zero = hn::Zero(d);
  Double until = hn::Set(d, 1.0);
  Mask blocked = hn::Lt(zero, zero);
  for (std::size_t c = 0; c < corners; ++c) {
    const Double h0 = hn::Sub(dot(n, load_row(batch.start[c], i)), reach);
    const Double h1 = hn::Sub(dot(n, load_row(batch.end[c], i)), reach);
    const Double zero_at = hn::Div(h0, hn::Sub(h0, h1));
    const Mask before = hn::Gt(h0, zero);
    const Mask after = hn::Gt(h1, zero);
    // Beyond from some time on, or never.
    blocked = hn::Or(blocked, hn::AndNot(before, hn::Not(hn::And(after, hn::Lt(zero_at, t)))));
    const Mask ends = hn::And(hn::AndNot(after, before), hn::Lt(zero_at, until));
    until = hn::IfThenElse(ends, zero_at, until);
  }
  return hn::IfThenElse(hn::Or(blocked, hn::Lt(until, t)), t, until);
}

template <std::size_t corners>
HWY_INLINE void finish_advance(const AdvanceBatch& batch, std::size_t i, const AtTime& at, const Wide3& across,
                               Double size, AdvanceResults& results) {
  const D d;
  const Double reach = hn::LoadU(d, batch.reach + i);
  Wide3 n = unit_direction(across, at);
  Double until = free_along<corners>(batch, i, n, reach, at.t);
  const Mask stuck = hn::Le(until, at.t);
  if (!hn::AllFalse(d, stuck)) {
    const Wide3 straight = scale(hn::Div(hn::Set(d, 1.0), at.distance), at.point);
    n = if_then_else(stuck, straight, n);
    until = hn::IfThenElse(stuck, free_along<corners>(batch, i, straight, reach, at.t), until);
  }
  hn::StoreU(at.distance, d, results.distance + i);
  hn::StoreU(n.x, d, results.direction[0] + i);
  hn::StoreU(n.y, d, results.direction[1] + i);
  hn::StoreU(n.z, d, results.direction[2] + i);
  hn::StoreU(until, d, results.until + i);
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, in_safe_range(size), bits);
  for (std::size_t l = 0; l < hn::Lanes(d); ++l) results.valid[i + l] = bits[0] >> l & 1U;
}

HWY_INLINE AtTime at_time(const AdvanceBatch& batch, std::size_t i, Double t, const Wide3& point) {
  return {t, point, hn::Sqrt(dot(point, point)), mix(t, load_row(batch.f_start, i), load_row(batch.f_end, i)),
          mix(t, load_row(batch.g_start, i), load_row(batch.g_end, i))};
}

void vertex_triangles(const AdvanceBatch& batch, std::size_t count, AdvanceResults& results) {
  const D d;
  const Double zero = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Double t = hn::LoadU(d, batch.time + i);
    Wide3 corner[3];
    for (std::size_t c = 0; c < 3; ++c) corner[c] = mix(t, load_row(batch.start[c], i), load_row(batch.end[c], i));
    const TrianglePoint found = closest_in_triangle({zero, zero, zero}, corner);
    const AtTime at = at_time(
        batch, i, t, add(add(scale(found.w0, corner[0]), scale(found.w1, corner[1])), scale(found.w2, corner[2])));
    const Mask no0 = hn::Eq(found.w0, zero);
    const Mask no1 = hn::Eq(found.w1, zero);
    const Mask no2 = hn::Eq(found.w2, zero);
    const Mask any = hn::Or(hn::Or(no0, no1), no2);
    const Mask two = hn::Or(hn::Or(hn::And(no0, no1), hn::And(no0, no2)), hn::And(no1, no2));
    const Wide3 side = if_then_else(no2, at.f, if_then_else(no0, at.g, add(at.f, at.g)));
    Wide3 n = if_then_else(any, component_across(at.point, side), cross(at.f, at.g));
    n = if_then_else(two, at.point, n);
    hn::StoreU(hn::Set(d, 1.0), d, results.weights[0] + i);
    hn::StoreU(found.w0, d, results.weights[1] + i);
    hn::StoreU(found.w1, d, results.weights[2] + i);
    hn::StoreU(found.w2, d, results.weights[3] + i);
    finish_advance<3>(batch, i, at, n, found.size, results);
  }
}

void edge_pairs_of(const AdvanceBatch& batch, std::size_t count, AdvanceResults& results) {
  const D d;
  const Double zero = hn::Zero(d);
  const Double one = hn::Set(d, 1.0);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Double t = hn::LoadU(d, batch.time + i);
    const Wide3 a0 = mix(t, load_row(batch.start[0], i), load_row(batch.end[0], i));
    const Wide3 a1 = mix(t, load_row(batch.start[3], i), load_row(batch.end[3], i));
    const Wide3 f = mix(t, load_row(batch.f_start, i), load_row(batch.f_end, i));
    const Wide3 b1 = {hn::Neg(f.x), hn::Neg(f.y), hn::Neg(f.z)};
    const EdgePair best = closest_of_edges(a0, a1, {zero, zero, zero}, b1);
    const Double w0 = hn::Sub(one, best.a1);
    const Double w2 = hn::Sub(one, best.b1);
    const AtTime at = at_time(batch, i, t, sub(add(scale(w0, a0), scale(best.a1, a1)), scale(best.b1, b1)));
    const Mask outside_a = hn::Or(hn::Eq(w0, zero), hn::Eq(best.a1, zero));
    const Mask outside_b = hn::Or(hn::Eq(w2, zero), hn::Eq(best.b1, zero));
    const Wide3 across = component_across(at.point, if_then_else(outside_b, at.g, at.f));
    Wide3 n = if_then_else(hn::Or(outside_a, outside_b), across, cross(at.f, at.g));
    n = if_then_else(hn::And(outside_a, outside_b), at.point, n);
    hn::StoreU(w0, d, results.weights[0] + i);
    hn::StoreU(best.a1, d, results.weights[1] + i);
    hn::StoreU(w2, d, results.weights[2] + i);
    hn::StoreU(best.b1, d, results.weights[3] + i);
    finish_advance<4>(batch, i, at, n, best.size, results);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(vertex_triangles);
HWY_EXPORT(edge_pairs_of);

void advance_vertex_triangle(const AdvanceBatch& batch, std::size_t count, AdvanceResults& results) {
  HWY_DYNAMIC_DISPATCH(vertex_triangles)(batch, count, results);
}
void advance_edge_edge(const AdvanceBatch& batch, std::size_t count, AdvanceResults& results) {
  HWY_DYNAMIC_DISPATCH(edge_pairs_of)(batch, count, results);
}

}  // namespace carom::kernels
#endif
