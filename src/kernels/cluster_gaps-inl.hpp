// Gaps between features in single precision, which say what is surely within reach and what surely beyond it. Included
// once for each target, so there is no ordinary include guard.
#if defined(CAROM_KERNELS_CLUSTER_GAPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLUSTER_GAPS_INL_HPP
#undef CAROM_KERNELS_CLUSTER_GAPS_INL_HPP
#else
#define CAROM_KERNELS_CLUSTER_GAPS_INL_HPP
#endif

#include "kernels/cluster_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// What is surely within reach and what surely beyond it, squared.
struct Limits {
  float within;
  float beyond;
  float far;  ///< beyond a farther reach; 0: of no interest
};

/// Lanes, one bit each.
struct Verdicts {
  std::uint32_t within;
  std::uint32_t unsure;
  std::uint32_t far;        ///< surely beyond a farther reach
  std::uint32_t later = 0;  ///< over a step: surely beyond reach at its start
};

/// u goes from a point of the one feature to a point of the other, so it is no shorter than their distance; along u, as
/// along any direction, the gap between the features is no longer than that.
HWY_INLINE Verdicts judge(Float gap, const Wide& u, const Limits& limits) {
  const F f;
  const Float squared = inner(u, u);
  const Float tiny = hn::Set(f, 1e-35F);
  const Float gap_squared = hn::Mul(gap, gap);
  const auto apart = hn::Gt(gap, hn::Zero(f));
  const std::uint32_t within = mask_bits(f, hn::Lt(squared, hn::Set(f, limits.within)));
  const auto beyond_of = [&](float limit) {
    return mask_bits(f, hn::And(apart, hn::Gt(gap_squared, hn::MulAdd(hn::Set(f, limit), squared, tiny))));
  };
  const std::uint32_t beyond = beyond_of(limits.beyond);
  return {within, ~(within | beyond), limits.far > 0 ? beyond_of(limits.far) : 0};
}

/// To about 24 bits.
HWY_INLINE Float reciprocal(Float v) {
  const F f;
  const Float r = hn::ApproximateReciprocal(v);
  return hn::Mul(r, hn::NegMulAdd(v, r, hn::Set(f, 2.0F)));
}

/// Pairs that may come within reach along a step, by what is sure of its start, and those that stay beyond a farther
/// reach: the gap along u changes no faster than linearly, as each vertex goes straight, so it is never less than the
/// smaller of those at its start and its end. u goes from the one feature to the other at the start.
HWY_INLINE Verdicts judge_step(Float start, Float end, const Wide& u, const Limits& limits) {
  const F f;
  const Float gap = hn::Min(start, end);
  const Float squared = inner(u, u);
  const auto beyond_of = [&](Float g, float limit) {
    const Float least = hn::MulAdd(hn::Set(f, limit), squared, hn::Set(f, 1e-35F));
    return mask_bits(f, hn::And(hn::Gt(g, hn::Zero(f)), hn::Gt(hn::Mul(g, g), least)));
  };
  const std::uint32_t within = mask_bits(f, hn::Lt(squared, hn::Set(f, limits.within)));
  const std::uint32_t beyond = beyond_of(gap, limits.beyond);
  const std::uint32_t later = beyond_of(start, limits.beyond) & ~beyond;
  return {within & ~(beyond | later), ~(within | beyond | later), limits.far > 0 ? beyond_of(gap, limits.far) : 0,
          later};
}

/// From the nearest point of the edge from the origin to da to that of the edge from b0 to b1.
HWY_INLINE Wide between_edges(const Wide& da, const Wide& b0, const Wide& b1) {
  const F f;
  const Float tiny = hn::Set(f, 1e-35F);
  const Wide db = minus(b1, b0);
  const Float aa = hn::Max(inner(da, da), tiny);
  const Float bb = hn::Max(inner(db, db), tiny);
  const Float ab = inner(da, db);
  const Float ca = inner(da, b0);
  const Float cb = inner(db, b0);
  // The interior pair, then each clamped against the other; parallel edges start anywhere.
  const Float determinant = hn::Max(hn::MulSub(aa, bb, hn::Mul(ab, ab)), tiny);
  const Float s0 = unit_interval(hn::Mul(hn::MulSub(ca, bb, hn::Mul(ab, cb)), hn::ApproximateReciprocal(determinant)));
  const Float t = unit_interval(hn::Mul(hn::MulSub(ab, s0, cb), hn::ApproximateReciprocal(bb)));
  const Float s = unit_interval(hn::Mul(hn::MulAdd(ab, t, ca), hn::ApproximateReciprocal(aa)));
  const Wide on_b = along(t, db, b0);
  return {hn::NegMulAdd(s, da.x, on_b.x), hn::NegMulAdd(s, da.y, on_b.y), hn::NegMulAdd(s, da.z, on_b.z)};
}
HWY_INLINE Float gap_of_edges(const Wide& da, const Wide& b0, const Wide& b1, const Wide& u) {
  return hn::Sub(hn::Min(inner(b0, u), inner(b1, u)), hn::Max(hn::Zero(F()), inner(da, u)));
}

/// Two edges: from the origin to da, and from b0 to b1.
HWY_INLINE Verdicts judge_edges(const Wide& da, const Wide& b0, const Wide& b1, const Limits& limits) {
  const Wide u = between_edges(da, b0, b1);
  return judge(gap_of_edges(da, b0, b1, u), u, limits);
}

/// From the origin to the nearest point of a triangle.
HWY_INLINE Wide to_triangle(const Wide& a, const Wide& b, const Wide& c) {
  const F f;
  const Float zero = hn::Zero(f);
  const Float tiny = hn::Set(f, 1e-35F);
  const Wide ab = minus(b, a);
  const Wide bc = minus(c, b);
  const Wide ca = minus(a, c);
  const auto share = [&](const Wide& from, const Wide& side) {
    return unit_interval(
        hn::Mul(hn::Neg(inner(from, side)), hn::ApproximateReciprocal(hn::Max(inner(side, side), tiny))));
  };
  const Wide on_ab = along(share(a, ab), ab, a);
  const Wide on_bc = along(share(b, bc), bc, b);
  const Wide on_ca = along(share(c, ca), ca, c);
  const Float q_ab = inner(on_ab, on_ab);
  const Float q_bc = inner(on_bc, on_bc);
  const Float q_ca = inner(on_ca, on_ca);
  Wide u = choose(hn::Gt(q_ab, q_bc), on_bc, on_ab);
  u = choose(hn::Gt(hn::Min(q_ab, q_bc), q_ca), on_ca, u);
  const Wide n = outer(ab, ca);
  // The foot of the perpendicular, as a combination of the corners: a point of the triangle even where a sliver's
  // normal is poor.
  const Float at_c = inner(n, outer(ab, a));
  const Float at_a = inner(n, outer(bc, b));
  const Float at_b = inner(n, outer(ca, c));
  const Float sum = hn::Add(hn::Add(at_a, at_b), at_c);
  // Shares of a sum that nearly vanishes are noise, and do not add up to one.
  const FloatMask inside = hn::And(hn::And(hn::Gt(at_c, zero), hn::Gt(at_a, zero)),
                                   hn::And(hn::Gt(at_b, zero), hn::Gt(sum, hn::Set(f, 1e-30F))));
  const Float per_sum = reciprocal(hn::Max(sum, tiny));
  const auto combine = [&](Float p, Float q, Float r) {
    return hn::Mul(hn::MulAdd(at_a, p, hn::MulAdd(at_b, q, hn::Mul(at_c, r))), per_sum);
  };
  return choose(inside, {combine(a.x, b.x, c.x), combine(a.y, b.y, c.y), combine(a.z, b.z, c.z)}, u);
}
HWY_INLINE Float gap_to_triangle(const Wide& a, const Wide& b, const Wide& c, const Wide& u) {
  return hn::Min(hn::Min(inner(a, u), inner(b, u)), inner(c, u));
}

/// The origin and a triangle.
HWY_INLINE Verdicts judge_triangle(const Wide& a, const Wide& b, const Wide& c, const Limits& limits) {
  const Wide u = to_triangle(a, b, c);
  return judge(gap_to_triangle(a, b, c, u), u, limits);
}

#endif  // HWY_SCALAR

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
