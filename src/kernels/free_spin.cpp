#include "kernels/free_spin.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/free_spin.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "kernels/wide_vec3-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, spin_lanes>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
using W = Wide3Of<D>;

// Each operation as in math/rotation.hpp and bodies/free_motion.cpp, in the same order.
struct Turn {
  V w, x, y, z;
};
struct Frame {
  W x, y, z;  // columns
};

HWY_INLINE V set(double value) {
  return hn::Set(D(), value);
}
HWY_INLINE W load(const SpinLane* rows, std::size_t i) {
  return {hn::Load(D(), rows[0] + i), hn::Load(D(), rows[1] + i), hn::Load(D(), rows[2] + i)};
}
HWY_INLINE void store(const W& v, SpinLane* rows, std::size_t i) {
  hn::Store(v.x, D(), rows[0] + i);
  hn::Store(v.y, D(), rows[1] + i);
  hn::Store(v.z, D(), rows[2] + i);
}
HWY_INLINE W by_axis(const W& a, const W& b) {
  return {hn::Mul(a.x, b.x), hn::Mul(a.y, b.y), hn::Mul(a.z, b.z)};
}
HWY_INLINE W forth(const Frame& f, const W& v) {
  return add(add(scale(v.x, f.x), scale(v.y, f.y)), scale(v.z, f.z));
}
HWY_INLINE W back(const Frame& f, const W& v) {
  return {dot(f.x, v), dot(f.y, v), dot(f.z, v)};
}
HWY_INLINE W turned(const Frame& f, const W& diagonal, const W& v) {
  return forth(f, by_axis(diagonal, back(f, v)));
}

HWY_INLINE Turn times(const Turn& a, const Turn& b) {
  const auto sum = [](V p, V q, V r, V s) { return hn::Add(hn::Add(hn::Add(p, q), r), s); };
  const auto less = [](V a1, V b1) { return hn::Neg(hn::Mul(a1, b1)); };
  return {sum(hn::Mul(a.w, b.w), less(a.x, b.x), less(a.y, b.y), less(a.z, b.z)),
          sum(hn::Mul(a.w, b.x), hn::Mul(a.x, b.w), hn::Mul(a.y, b.z), less(a.z, b.y)),
          sum(hn::Mul(a.w, b.y), less(a.x, b.z), hn::Mul(a.y, b.w), hn::Mul(a.z, b.x)),
          sum(hn::Mul(a.w, b.z), hn::Mul(a.x, b.y), less(a.y, b.x), hn::Mul(a.z, b.w))};
}
HWY_INLINE Turn if_then_else(M mask, const Turn& a, const Turn& b) {
  return {hn::IfThenElse(mask, a.w, b.w), hn::IfThenElse(mask, a.x, b.x), hn::IfThenElse(mask, a.y, b.y),
          hn::IfThenElse(mask, a.z, b.z)};
}
HWY_INLINE Frame matrix(const Turn& q) {
  const V one = set(1);
  const V two = set(2);
  const V xx = hn::Mul(q.x, q.x);
  const V yy = hn::Mul(q.y, q.y);
  const V zz = hn::Mul(q.z, q.z);
  const V xy = hn::Mul(q.x, q.y);
  const V xz = hn::Mul(q.x, q.z);
  const V yz = hn::Mul(q.y, q.z);
  const V wx = hn::Mul(q.w, q.x);
  const V wy = hn::Mul(q.w, q.y);
  const V wz = hn::Mul(q.w, q.z);
  const auto diagonal = [&](V a, V b) { return hn::Sub(one, hn::Mul(two, hn::Add(a, b))); };
  const auto plus = [&](V a, V b) { return hn::Mul(two, hn::Add(a, b)); };
  const auto minus = [&](V a, V b) { return hn::Mul(two, hn::Sub(a, b)); };
  return {{diagonal(yy, zz), plus(xy, wz), minus(xz, wy)},
          {minus(xy, wz), diagonal(xx, zz), plus(yz, wx)},
          {plus(xz, wy), minus(yz, wx), diagonal(xx, yy)}};
}
/// For less than half a radian.
HWY_INLINE Turn rotation_by(const W& v) {
  const V one = set(1);
  const V u = hn::Mul(set(0.25), dot(v, v));
  const auto next = [&](double k, V rest) { return hn::Sub(one, hn::Mul(hn::Mul(u, set(k)), rest)); };
  const V c = next(1. / 2, next(1. / 12, next(1. / 30, next(1. / 56, next(1. / 90, one)))));
  const V s = hn::Mul(set(0.5), next(1. / 6, next(1. / 20, next(1. / 42, next(1. / 72, next(1. / 110, one))))));
  return {c, hn::Mul(s, v.x), hn::Mul(s, v.y), hn::Mul(s, v.z)};
}
HWY_INLINE Turn normalized(const Turn& q) {
  const V squared =
      hn::Add(hn::Add(hn::Add(hn::Mul(q.w, q.w), hn::Mul(q.x, q.x)), hn::Mul(q.y, q.y)), hn::Mul(q.z, q.z));
  const V k = hn::Div(set(1), hn::Sqrt(squared));
  return {hn::Mul(k, q.w), hn::Mul(k, q.x), hn::Mul(k, q.y), hn::Mul(k, q.z)};
}

HWY_INLINE W little_turn(double h, const W& inverse, const W& m, const W& w, const W& m1) {
  const V two = set(2);
  const W w1 = by_axis(inverse, m1);
  const W m2 = add(cross(m1, w), cross(m, w1));
  const W w2 = by_axis(inverse, m2);
  const W m3 = add(add(cross(m2, w), scale(two, cross(m1, w1))), cross(m, w2));
  const W third = add(scale(two, w2), cross(w, w1));
  const W fourth = add(by_axis(inverse, m3), cross(w, w2));
  return scale(set(h), add(w, scale(set(h / 2), add(w1, scale(set(h / 6), add(third, scale(set(h / 2), fourth)))))));
}

/// The least turn that gives the energy back, to first order, twice.
HWY_INLINE Turn give_back(Turn q, W m, const W& inverse, V energy) {
  M open = hn::FirstN(D(), spin_lanes);
  for (int i = 0; i < 2; ++i) {
    const W w = by_axis(inverse, m);
    const W lever = cross(m, w);
    const V square = dot(lever, lever);
    open = hn::And(open, hn::Gt(square, hn::Mul(hn::Mul(set(1e-12), dot(m, m)), dot(w, w))));
    const W by = scale(hn::Div(hn::Sub(hn::Mul(set(0.5), dot(m, w)), energy), square), lever);
    const V angle = dot(by, by);
    open = hn::And(open, hn::Lt(angle, set(0.01)));
    const M small = hn::And(open, hn::Lt(angle, set(1e-16)));
    const V half = set(0.5);
    q = if_then_else(small, times(q, {set(1), hn::Mul(half, by.x), hn::Mul(half, by.y), hn::Mul(half, by.z)}), q);
    open = hn::AndNot(small, open);
    if (hn::AllFalse(D(), open)) break;
    const Turn turn = rotation_by(by);
    q = if_then_else(open, times(q, turn), q);
    m = if_then_else(open, back(matrix(turn), m), m);
  }
  return q;
}

void free_spin(SpinRows& rows, double dt) {
  constexpr double largest = largest_turn * largest_turn;
  const V step = set(dt);
  for (std::size_t i = 0; i < spin_lanes; i += hn::Lanes(D())) {
    const Turn q{hn::Load(D(), rows.q[0] + i), hn::Load(D(), rows.q[1] + i), hn::Load(D(), rows.q[2] + i),
                 hn::Load(D(), rows.q[3] + i)};
    const Frame r = matrix(q);
    const W inverse = load(rows.inverse, i);
    const W momentum = scale(hn::Load(D(), rows.calmer + i),
                             add(turned(r, load(rows.inertia, i), load(rows.w, i)), load(rows.push, i)));
    const W m = back(r, momentum);
    const W spin = by_axis(inverse, m);
    const W w = forth(r, spin);
    const V turn = hn::Mul(hn::Sqrt(dot(w, w)), step);
    const V energy = hn::Mul(set(0.5), dot(m, spin));
    const W change = cross(m, spin);
    const W faster = by_axis(inverse, change);
    const V changes = hn::Mul(hn::Mul(hn::Mul(hn::Mul(dot(faster, faster), step), step), step), step);
    const W by = little_turn(dt, inverse, m, spin, change);
    M done = hn::And(hn::Ge(turn, set(min_turn)), hn::Le(turn, set(largest_turn)));
    done = hn::And(done, hn::And(hn::Le(changes, set(largest * largest)), hn::Lt(dot(by, by), set(0.25))));
    const Turn first = rotation_by(by);
    const Turn end = normalized(give_back(times(q, first), back(matrix(first), m), inverse, energy));
    hn::Store(end.w, D(), rows.q[0] + i);
    hn::Store(end.x, D(), rows.q[1] + i);
    hn::Store(end.y, D(), rows.q[2] + i);
    hn::Store(end.z, D(), rows.q[3] + i);
    const W end_w = turned(matrix(end), inverse, momentum);
    const V gained = hn::Abs(hn::Sub(hn::Mul(set(0.5), dot(end_w, momentum)), energy));
    done = hn::And(done, hn::Le(gained, hn::Mul(set(energy_error), energy)));
    store(end_w, rows.w, i);
    store(momentum, rows.momentum, i);
    hn::Store(hn::IfThenElseZero(done, set(1)), D(), rows.done + i);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(free_spin);

void free_spin(SpinRows& rows, double dt) {
  HWY_DYNAMIC_DISPATCH(free_spin)(rows, dt);
}

}  // namespace carom::kernels
#endif
