#include "kernels/cloth_constraints.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cloth_constraints.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "kernels/cloth_offsets-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE OffsetLane offset_length(const OffsetWide& v) {
  return hn::Sqrt(dot(v, v));
}

/// A column of the deformation gradient, its length and strain.
struct ClothColumn {
  OffsetWide at;
  OffsetLane excess;  ///< square less 1
  OffsetLane square;
  OffsetLane length;
};

HWY_INLINE ClothColumn cloth_column(const StretchBase& base, std::size_t axis, std::size_t at,
                                    const OffsetWide& change) {
  const OffsetWide start = offset_load(base.column[axis], at);
  ClothColumn c;
  c.at = add(start, change);
  c.excess = hn::Add(offset_load(base.excess[axis] + at), dot(change, add(start, c.at)));
  c.square = hn::Max(hn::Add(offset_set(1), c.excess), offset_set(cloth_min_square));
  c.length = hn::Sqrt(c.square);
  return c;
}

template <bool damped, bool limited>
HWY_INLINE void cloth_triangles(const StretchBatch& batch, const StretchBase& base, std::size_t at,
                                const ClothStep& step, OffsetLane per_h, OffsetLane per_h2) {
  const auto mul = [](OffsetLane a, OffsetLane b) HWY_ATTR { return hn::Mul(a, b); };
  const auto plus = [](OffsetLane a, OffsetLane b) HWY_ATTR { return hn::Add(a, b); };
  const auto minus = [](OffsetLane a, OffsetLane b) HWY_ATTR { return hn::Sub(a, b); };
  const OffsetLane one = offset_set(1);
  // Corners one by one: loops over them go through memory.
  ClothOffsets p[3] = {offset_gather(step.points, batch.corners[0] + at),
                       offset_gather(step.points, batch.corners[1] + at),
                       offset_gather(step.points, batch.corners[2] + at)};
  OffsetLane g[2][3];
  for (int axis = 0; axis < 2; ++axis) {
    g[axis][1] = offset_load(batch.gradient[axis][0] + at);
    g[axis][2] = offset_load(batch.gradient[axis][1] + at);
    g[axis][0] = hn::Neg(hn::Add(g[axis][1], g[axis][2]));
  }
  const auto change = [&](int axis, const ClothOffsets* of) HWY_ATTR {
    return add(scale(g[axis][1], sub(of[1].at, of[0].at)), scale(g[axis][2], sub(of[2].at, of[0].at)));
  };
  const OffsetWide change_u = change(0, p);
  const OffsetWide change_v = change(1, p);
  const ClothColumn u = cloth_column(base, 0, at, change_u);
  const ClothColumn v = cloth_column(base, 1, at, change_v);
  const OffsetWide start_u = offset_load(base.column[0], at);
  const auto product = [&](const OffsetWide& by_u, const OffsetWide& by_v, const OffsetWide& end_v) HWY_ATTR {
    return plus(plus(offset_load(base.excess[2] + at), dot(start_u, by_v)), dot(by_u, end_v));
  };
  const OffsetLane uv = product(change_u, change_v, v.at);
  // One over length and length + 1.
  const OffsetLane next_u = plus(u.length, one);
  const OffsetLane next_v = plus(v.length, one);
  const OffsetLane both_u = hn::Div(one, mul(u.length, next_u));
  const OffsetLane both_v = hn::Div(one, mul(v.length, next_v));
  const OffsetLane inverse_u = mul(both_u, next_u);
  const OffsetLane inverse_v = mul(both_v, next_v);

  OffsetLane compliance[3];
  for (int k = 0; k < 3; ++k) compliance[k] = mul(offset_load(batch.compliance[k] + at), per_h2);
  OffsetLane residual[3] = {mul(u.excess, mul(both_u, u.length)), mul(v.excess, mul(both_v, v.length)), uv};
  if constexpr (damped) {
    ClothOffsets b[3];
    for (int k = 0; k < 3; ++k) b[k] = offset_gather(step.before, batch.corners[k] + at);
    const OffsetWide before_u = change(0, b);
    const OffsetWide before_v = change(1, b);
    const ClothColumn old_u = cloth_column(base, 0, at, before_u);
    const ClothColumn old_v = cloth_column(base, 1, at, before_v);
    const OffsetLane old_uv = product(before_u, before_v, old_v.at);
    const OffsetLane rates[3] = {hn::Div(minus(u.excess, old_u.excess), plus(u.length, old_u.length)),
                                 hn::Div(minus(v.excess, old_v.excess), plus(v.length, old_v.length)),
                                 minus(uv, old_uv)};
    for (int k = 0; k < 3; ++k) {
      const OffsetLane gamma = mul(offset_load(batch.damping[k] + at), per_h);
      const OffsetLane firmer = hn::Div(one, plus(one, gamma));
      compliance[k] = mul(compliance[k], firmer);
      residual[k] = mul(plus(residual[k], mul(gamma, rates[k])), firmer);
    }
  }
  const OffsetLane s00 = offset_load(base.weight[0] + at);
  const OffsetLane s01 = offset_load(base.weight[1] + at);
  const OffsetLane s11 = offset_load(base.weight[2] + at);
  const OffsetLane a00 = plus(s00, compliance[0]);
  const OffsetLane a11 = plus(s11, compliance[1]);
  const OffsetLane a22 =
      plus(plus(plus(mul(s00, v.square), mul(s01, plus(uv, uv))), mul(s11, u.square)), compliance[2]);
  const OffsetLane a01 = mul(s01, mul(uv, mul(inverse_u, inverse_v)));
  const OffsetLane a02 = plus(mul(s00, mul(uv, inverse_u)), mul(s01, u.length));
  const OffsetLane a12 = plus(mul(s01, v.length), mul(s11, mul(uv, inverse_v)));
  // Elimination without a change of order, as the matrix is positive definite.
  const OffsetLane least = offset_set(cloth_min_pivot);
  const OffsetLane i0 = hn::Div(one, a00);
  const OffsetLane l1 = mul(a01, i0);
  const OffsetLane l2 = mul(a02, i0);
  const OffsetLane i1 = hn::Div(one, hn::Max(minus(a11, mul(l1, a01)), mul(least, a11)));
  const OffsetLane below = minus(a12, mul(l1, a02));
  const OffsetLane m2 = mul(below, i1);
  const OffsetLane i2 = hn::Div(one, hn::Max(minus(minus(a22, mul(l2, a02)), mul(m2, below)), mul(least, a22)));
  const OffsetLane y1 = minus(mul(l1, residual[0]), residual[1]);
  const OffsetLane y2 = minus(minus(mul(l2, residual[0]), mul(m2, y1)), residual[2]);
  const OffsetLane x2 = mul(y2, i2);
  const OffsetLane x1 = minus(mul(y1, i1), mul(m2, x2));
  const OffsetLane x0 = hn::Neg(plus(mul(residual[0], i0), plus(mul(l1, x1), mul(l2, x2))));
  const OffsetWide push_u = add(scale(mul(x0, inverse_u), u.at), scale(x2, v.at));
  const OffsetWide push_v = add(scale(mul(x1, inverse_v), v.at), scale(x2, u.at));
  for (int k = 0; k < 3; ++k)
    p[k].at = add(p[k].at, scale(p[k].inverse_mass, add(scale(g[0][k], push_u), scale(g[1][k], push_v))));

  if constexpr (limited) {
    const OffsetLane limit = offset_load(batch.limit + at);
    const OffsetLane zero = offset_set(0);
    for (int axis = 0; axis < 2; ++axis) {
      const ClothColumn f = cloth_column(base, static_cast<std::size_t>(axis), at, change(axis, p));
      const OffsetLane excess = minus(hn::Div(f.excess, plus(f.length, one)), limit);
      const OffsetLane weight = axis == 0 ? s00 : s11;
      const auto over = hn::And(hn::Gt(excess, zero), hn::Gt(weight, zero));
      if (hn::AllFalse(OffsetTag(), over)) continue;
      const OffsetLane divisor = hn::IfThenElse(over, mul(weight, f.length), one);
      const OffsetWide push = scale(hn::Div(hn::Neg(excess), divisor), f.at);
      for (int k = 0; k < 3; ++k) {
        const OffsetWide moved = add(p[k].at, scale(mul(p[k].inverse_mass, g[axis][k]), push));
        p[k].at = if_then_else(over, moved, p[k].at);
      }
    }
  }
  offset_scatter(p[0], step.points, batch.corners[0] + at);
  offset_scatter(p[1], step.points, batch.corners[1] + at);
  offset_scatter(p[2], step.points, batch.corners[2] + at);
}

template <bool damped, bool flat>
HWY_INLINE void cloth_edges(const BendBatch& batch, const BendBase& base, const BendEdges* edges, std::size_t at,
                            const ClothStep& step, OffsetLane per_h, OffsetLane per_h2) {
  ClothOffsets p[4] = {
      offset_gather(step.points, batch.vertices[0] + at), offset_gather(step.points, batch.vertices[1] + at),
      offset_gather(step.points, batch.vertices[2] + at), offset_gather(step.points, batch.vertices[3] + at)};
  OffsetLane k[4];
  for (int i = 1; i < 4; ++i) k[i] = offset_load(batch.weight[i - 1] + at);
  k[0] = hn::Neg(hn::Add(hn::Add(k[1], k[2]), k[3]));
  const OffsetWide e1 = sub(p[1].at, p[0].at);
  const OffsetWide e2 = sub(p[2].at, p[0].at);
  const OffsetWide e3 = sub(p[3].at, p[0].at);
  const OffsetWide start = offset_load(base.bend, at);
  const OffsetWide c = add(start, add(add(scale(k[1], e1), scale(k[2], e2)), scale(k[3], e3)));
  const OffsetLane weight = hn::Add(
      hn::Add(hn::Add(hn::Mul(p[0].inverse_mass, hn::Mul(k[0], k[0])), hn::Mul(p[1].inverse_mass, hn::Mul(k[1], k[1]))),
              hn::Mul(p[2].inverse_mass, hn::Mul(k[2], k[2]))),
      hn::Mul(p[3].inverse_mass, hn::Mul(k[3], k[3])));
  const OffsetLane compliance = hn::Mul(offset_load(batch.compliance + at), per_h2);
  const OffsetLane one = offset_set(1);
  OffsetLane factor;
  if constexpr (flat && !damped) {
    factor = hn::Div(offset_set(-1), hn::Add(weight, compliance));
  } else {
    const OffsetLane zero = offset_set(0);
    const OffsetLane length = offset_length(c);
    const auto some = hn::Gt(length, offset_set(cloth_min_length));
    const OffsetLane inverse = hn::IfThenElseZero(some, hn::Div(one, length));
    OffsetLane value = length;
    if constexpr (!flat) {
      const OffsetWide w1 = add(offset_load(edges->edge[0], at), e1);
      const OffsetWide w2 = add(offset_load(edges->edge[1], at), e2);
      const OffsetWide w3 = add(offset_load(edges->edge[2], at), e3);
      const OffsetWide normals = add(cross(w1, w2), cross(w3, w1));
      const OffsetLane rest = offset_load(batch.rest + at);
      value = hn::IfThenElse(hn::Lt(dot(c, normals), zero), hn::Add(length, rest), hn::Sub(length, rest));
    }
    OffsetLane gamma = zero;
    if constexpr (damped) {
      gamma = hn::Mul(offset_load(batch.damping + at), per_h);
      const OffsetWide b0 = offset_gather(step.before, batch.vertices[0] + at).at;
      const OffsetWide b =
          add(start, add(add(scale(k[1], sub(offset_gather(step.before, batch.vertices[1] + at).at, b0)),
                             scale(k[2], sub(offset_gather(step.before, batch.vertices[2] + at).at, b0))),
                         scale(k[3], sub(offset_gather(step.before, batch.vertices[3] + at).at, b0))));
      const OffsetLane before = offset_length(b);
      const OffsetLane rate = hn::IfThenElse(hn::Lt(dot(c, b), zero), hn::Add(length, before), hn::Sub(length, before));
      value = hn::Add(value, hn::Mul(gamma, rate));
    }
    factor = hn::Mul(hn::Div(hn::Neg(value), hn::Add(hn::Mul(hn::Add(one, gamma), weight), compliance)), inverse);
  }
  const OffsetWide push = scale(factor, c);
  for (int i = 0; i < 4; ++i) p[i].at = add(p[i].at, scale(hn::Mul(p[i].inverse_mass, k[i]), push));
  offset_scatter(p[0], step.points, batch.vertices[0] + at);
  offset_scatter(p[1], step.points, batch.vertices[1] + at);
  offset_scatter(p[2], step.points, batch.vertices[2] + at);
  offset_scatter(p[3], step.points, batch.vertices[3] + at);
}

template <bool damped, bool limited>
HWY_INLINE void stretch_batches(std::span<const StretchBatch> batches, const StretchBase* bases,
                                const ClothStep& step) {
  const OffsetLane per_h = offset_set(static_cast<float>(1 / step.h));
  const OffsetLane per_h2 = hn::Mul(per_h, per_h);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t at = 0; at < cloth_lanes; at += hn::Lanes(OffsetTag()))
      cloth_triangles<damped, limited>(batches[i], bases[i], at, step, per_h, per_h2);
  }
}

void stretch_lanes(std::span<const StretchBatch> batches, const StretchBase* bases, const ClothStep& step) {
  if (step.damped)
    step.limited ? stretch_batches<true, true>(batches, bases, step)
                 : stretch_batches<true, false>(batches, bases, step);
  else
    step.limited ? stretch_batches<false, true>(batches, bases, step)
                 : stretch_batches<false, false>(batches, bases, step);
}

template <bool damped, bool flat>
HWY_INLINE void bend_batches(std::span<const BendBatch> batches, const BendBase* bases, const BendEdges* edges,
                             const ClothStep& step) {
  const OffsetLane per_h = offset_set(static_cast<float>(1 / step.h));
  const OffsetLane per_h2 = offset_set(static_cast<float>(1 / (step.h * step.bend_interval)));
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t at = 0; at < cloth_lanes; at += hn::Lanes(OffsetTag()))
      cloth_edges<damped, flat>(batches[i], bases[i], flat ? nullptr : edges + i, at, step, per_h, per_h2);
  }
}

void bend_lanes(std::span<const BendBatch> batches, const BendBase* bases, const BendEdges* edges,
                const ClothStep& step) {
  const bool flat = edges == nullptr;
  if (step.damped)
    flat ? bend_batches<true, true>(batches, bases, edges, step)
         : bend_batches<true, false>(batches, bases, edges, step);
  else
    flat ? bend_batches<false, true>(batches, bases, edges, step)
         : bend_batches<false, false>(batches, bases, edges, step);
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(stretch_lanes);
HWY_EXPORT(bend_lanes);

void project_stretch(std::span<const StretchBatch> batches, const StretchBase* bases, const ClothStep& step) {
  HWY_DYNAMIC_DISPATCH(stretch_lanes)(batches, bases, step);
}
void project_bending(std::span<const BendBatch> batches, const BendBase* bases, const BendEdges* edges,
                     const ClothStep& step) {
  HWY_DYNAMIC_DISPATCH(bend_lanes)(batches, bases, edges, step);
}

}  // namespace carom::kernels
#endif
