#include "kernels/cloth_constraints.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cloth_constraints.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "kernels/cloth_points-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// One over a length; zero where it has no direction.
HWY_INLINE ClothLane cloth_inverse(ClothLane length) {
  const auto some = hn::Gt(length, cloth_set(cloth_min_length));
  return hn::IfThenElseZero(some, hn::Div(cloth_set(1), length));
}

HWY_INLINE ClothLane cloth_length(const ClothWide& v) {
  return hn::Sqrt(dot(v, v));
}

template <bool damped, bool limited>
HWY_INLINE void cloth_triangles(const StretchBatch& batch, std::size_t at, const ClothStep& step, ClothLane per_h,
                                ClothLane per_h2) {
  const auto mul = [](ClothLane a, ClothLane b) HWY_ATTR { return hn::Mul(a, b); };
  const auto plus = [](ClothLane a, ClothLane b) HWY_ATTR { return hn::Add(a, b); };
  ClothPoints p[3];
  for (int k = 0; k < 3; ++k) p[k] = cloth_gather(step.points, batch.corners[k] + at);
  ClothLane g[2][3];
  for (int axis = 0; axis < 2; ++axis) {
    g[axis][1] = cloth_load(batch.gradient[axis][0] + at);
    g[axis][2] = cloth_load(batch.gradient[axis][1] + at);
    g[axis][0] = hn::Neg(hn::Add(g[axis][1], g[axis][2]));
  }
  const auto column = [&](int axis) HWY_ATTR {
    return add(scale(g[axis][1], sub(p[1].at, p[0].at)), scale(g[axis][2], sub(p[2].at, p[0].at)));
  };
  const auto sum = [&](int i, int j) HWY_ATTR {
    return plus(plus(mul(p[0].inverse_mass, mul(g[i][0], g[j][0])), mul(p[1].inverse_mass, mul(g[i][1], g[j][1]))),
                mul(p[2].inverse_mass, mul(g[i][2], g[j][2])));
  };
  const ClothLane s00 = sum(0, 0);
  const ClothLane s01 = sum(0, 1);
  const ClothLane s11 = sum(1, 1);
  const ClothWide u = column(0);
  const ClothWide v = column(1);
  const ClothLane uu = dot(u, u);
  const ClothLane vv = dot(v, v);
  const ClothLane uv = dot(u, v);
  const ClothLane length_u = hn::Sqrt(uu);
  const ClothLane length_v = hn::Sqrt(vv);
  const ClothLane inverse_u = cloth_inverse(length_u);
  const ClothLane inverse_v = cloth_inverse(length_v);

  const ClothLane one = cloth_set(1);
  ClothLane compliance[3];
  for (int k = 0; k < 3; ++k) compliance[k] = mul(cloth_load(batch.compliance[k] + at), per_h2);
  ClothLane residual[3] = {hn::Sub(length_u, one), hn::Sub(length_v, one), uv};
  if constexpr (damped) {
    const ClothWide b0 = cloth_gather(step.before, batch.corners[0] + at).at;
    const ClothWide b1 = sub(cloth_gather(step.before, batch.corners[1] + at).at, b0);
    const ClothWide b2 = sub(cloth_gather(step.before, batch.corners[2] + at).at, b0);
    const ClothWide old_u = add(scale(g[0][1], b1), scale(g[0][2], b2));
    const ClothWide old_v = add(scale(g[1][1], b1), scale(g[1][2], b2));
    const ClothLane rates[3] = {hn::Sub(length_u, cloth_length(old_u)), hn::Sub(length_v, cloth_length(old_v)),
                                hn::Sub(uv, dot(old_u, old_v))};
    for (int k = 0; k < 3; ++k) {
      const ClothLane gamma = mul(cloth_load(batch.damping[k] + at), per_h);
      const ClothLane firmer = hn::Div(one, plus(one, gamma));
      compliance[k] = mul(compliance[k], firmer);
      residual[k] = mul(plus(residual[k], mul(gamma, rates[k])), firmer);
    }
  }
  const ClothLane a00 = plus(s00, compliance[0]);
  const ClothLane a11 = plus(s11, compliance[1]);
  const ClothLane a22 = plus(plus(plus(mul(s00, vv), mul(s01, plus(uv, uv))), mul(s11, uu)), compliance[2]);
  const ClothLane a01 = mul(s01, mul(uv, mul(inverse_u, inverse_v)));
  const ClothLane a02 = plus(mul(s00, mul(uv, inverse_u)), mul(s01, length_u));
  const ClothLane a12 = plus(mul(s01, length_v), mul(s11, mul(uv, inverse_v)));
  const auto minor = [&](ClothLane a, ClothLane b, ClothLane c, ClothLane d)
                         HWY_ATTR { return hn::Sub(mul(a, b), mul(c, d)); };
  const ClothLane c00 = minor(a11, a22, a12, a12);
  const ClothLane c01 = minor(a02, a12, a01, a22);
  const ClothLane c02 = minor(a01, a12, a02, a11);
  const ClothLane c11 = minor(a00, a22, a02, a02);
  const ClothLane c12 = minor(a01, a02, a00, a12);
  const ClothLane c22 = minor(a00, a11, a01, a01);
  const auto row = [&](ClothLane a, ClothLane b, ClothLane c, const ClothLane* r)
                       HWY_ATTR { return plus(plus(mul(a, r[0]), mul(b, r[1])), mul(c, r[2])); };
  const ClothLane first[3] = {c00, c01, c02};
  const ClothLane scaled = hn::Div(cloth_set(-1), row(a00, a01, a02, first));
  const ClothLane x0 = mul(scaled, row(c00, c01, c02, residual));
  const ClothLane x1 = mul(scaled, row(c01, c11, c12, residual));
  const ClothLane x2 = mul(scaled, row(c02, c12, c22, residual));
  const ClothWide push_u = add(scale(mul(x0, inverse_u), u), scale(x2, v));
  const ClothWide push_v = add(scale(mul(x1, inverse_v), v), scale(x2, u));
  for (int k = 0; k < 3; ++k)
    p[k].at = add(p[k].at, scale(p[k].inverse_mass, add(scale(g[0][k], push_u), scale(g[1][k], push_v))));

  if constexpr (limited) {
    const ClothLane limit = cloth_load(batch.limit + at);
    const ClothLane zero = cloth_set(0);
    for (int axis = 0; axis < 2; ++axis) {
      const ClothWide f = column(axis);
      const ClothLane length = cloth_length(f);
      const ClothLane excess = hn::Sub(hn::Sub(length, one), limit);
      const ClothLane weight = axis == 0 ? s00 : s11;
      const auto over = hn::And(hn::Gt(excess, zero), hn::Gt(weight, zero));
      if (hn::AllFalse(ClothTag(), over)) continue;
      const ClothLane divisor = hn::IfThenElse(over, mul(weight, length), one);
      const ClothWide push = scale(hn::Div(hn::Neg(excess), divisor), f);
      for (int k = 0; k < 3; ++k) {
        const ClothWide moved = add(p[k].at, scale(mul(p[k].inverse_mass, g[axis][k]), push));
        p[k].at = if_then_else(over, moved, p[k].at);
      }
    }
  }
  for (int k = 0; k < 3; ++k) cloth_scatter(p[k], step.points, batch.corners[k] + at);
}

template <bool damped, bool flat>
HWY_INLINE void cloth_edges(const BendBatch& batch, std::size_t at, const ClothStep& step, ClothLane per_h,
                            ClothLane per_h2) {
  ClothPoints p[4];
  ClothLane k[4];
  for (int i = 0; i < 4; ++i) {
    p[i] = cloth_gather(step.points, batch.vertices[i] + at);
    if (i > 0) k[i] = cloth_load(batch.weight[i - 1] + at);
  }
  k[0] = hn::Neg(hn::Add(hn::Add(k[1], k[2]), k[3]));
  const ClothWide e1 = sub(p[1].at, p[0].at);
  const ClothWide e2 = sub(p[2].at, p[0].at);
  const ClothWide e3 = sub(p[3].at, p[0].at);
  const ClothWide c = add(add(scale(k[1], e1), scale(k[2], e2)), scale(k[3], e3));
  const ClothLane weight = hn::Add(
      hn::Add(hn::Add(hn::Mul(p[0].inverse_mass, hn::Mul(k[0], k[0])), hn::Mul(p[1].inverse_mass, hn::Mul(k[1], k[1]))),
              hn::Mul(p[2].inverse_mass, hn::Mul(k[2], k[2]))),
      hn::Mul(p[3].inverse_mass, hn::Mul(k[3], k[3])));
  const ClothLane compliance = hn::Mul(cloth_load(batch.compliance + at), per_h2);
  const ClothLane one = cloth_set(1);
  ClothLane factor;
  if constexpr (flat && !damped) {
    factor = hn::Div(cloth_set(-1), hn::Add(weight, compliance));
  } else {
    const ClothLane zero = cloth_set(0);
    const ClothLane length = cloth_length(c);
    const ClothLane inverse = cloth_inverse(length);
    ClothLane value = length;
    if constexpr (!flat) {
      const ClothWide normals = add(cross(e1, e2), cross(e3, e1));
      const ClothLane rest = cloth_load(batch.rest + at);
      value = hn::IfThenElse(hn::Lt(dot(c, normals), zero), hn::Add(length, rest), hn::Sub(length, rest));
    }
    ClothLane gamma = zero;
    if constexpr (damped) {
      gamma = hn::Mul(cloth_load(batch.damping + at), per_h);
      const ClothWide b0 = cloth_gather(step.before, batch.vertices[0] + at).at;
      const ClothWide b = add(add(scale(k[1], sub(cloth_gather(step.before, batch.vertices[1] + at).at, b0)),
                                  scale(k[2], sub(cloth_gather(step.before, batch.vertices[2] + at).at, b0))),
                              scale(k[3], sub(cloth_gather(step.before, batch.vertices[3] + at).at, b0)));
      const ClothLane before = cloth_length(b);
      const ClothLane rate = hn::IfThenElse(hn::Lt(dot(c, b), zero), hn::Add(length, before), hn::Sub(length, before));
      value = hn::Add(value, hn::Mul(gamma, rate));
    }
    factor = hn::Mul(hn::Div(hn::Neg(value), hn::Add(hn::Mul(hn::Add(one, gamma), weight), compliance)), inverse);
  }
  const ClothWide push = scale(factor, c);
  for (int i = 0; i < 4; ++i) {
    p[i].at = add(p[i].at, scale(hn::Mul(p[i].inverse_mass, k[i]), push));
    cloth_scatter(p[i], step.points, batch.vertices[i] + at);
  }
}

template <bool damped, bool limited>
HWY_INLINE void stretch_batches(std::span<const StretchBatch> batches, const ClothStep& step) {
  const ClothLane per_h = cloth_set(1 / step.h);
  const ClothLane per_h2 = hn::Mul(per_h, per_h);
  for (const StretchBatch& batch : batches) {
    for (std::size_t at = 0; at < cloth_lanes; at += hn::Lanes(ClothTag()))
      cloth_triangles<damped, limited>(batch, at, step, per_h, per_h2);
  }
}

void stretch_lanes(std::span<const StretchBatch> batches, const ClothStep& step) {
  if (step.damped)
    step.limited ? stretch_batches<true, true>(batches, step) : stretch_batches<true, false>(batches, step);
  else
    step.limited ? stretch_batches<false, true>(batches, step) : stretch_batches<false, false>(batches, step);
}

template <bool damped, bool flat>
HWY_INLINE void bend_batches(std::span<const BendBatch> batches, const ClothStep& step) {
  const ClothLane per_h = cloth_set(1 / step.h);
  const ClothLane per_h2 = cloth_set(1 / (step.h * step.bend_interval));
  for (const BendBatch& batch : batches) {
    for (std::size_t at = 0; at < cloth_lanes; at += hn::Lanes(ClothTag()))
      cloth_edges<damped, flat>(batch, at, step, per_h, per_h2);
  }
}

void bend_lanes(std::span<const BendBatch> batches, const ClothStep& step, bool flat) {
  if (step.damped)
    flat ? bend_batches<true, true>(batches, step) : bend_batches<true, false>(batches, step);
  else
    flat ? bend_batches<false, true>(batches, step) : bend_batches<false, false>(batches, step);
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(stretch_lanes);
HWY_EXPORT(bend_lanes);

void project_stretch(std::span<const StretchBatch> batches, const ClothStep& step) {
  HWY_DYNAMIC_DISPATCH(stretch_lanes)(batches, step);
}
void project_bending(std::span<const BendBatch> batches, const ClothStep& step, bool flat) {
  HWY_DYNAMIC_DISPATCH(bend_lanes)(batches, step, flat);
}

}  // namespace carom::kernels
#endif
