#include "kernels/soft_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/soft_contact.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
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

/// The inverse of the symmetric matrix of the points, whose diagonal is made larger by this share: four points on two
/// bodies are one more than these can tell apart.
constexpr float stiffer = 1.01F;

template <int count>
HWY_INLINE void invert(SoftBatch& s, std::size_t at) {
  V lower[count][count];  // unit lower triangle of L D L^T, then its inverse
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) lower[i][j] = hn::Zero(F());  // else GCC fears for the other half
  }
  V inverse_d[count];
  V d[count];
  for (int j = 0; j < count; ++j) {
    V sum = hn::Mul(load(s.points[j].ease + at), hn::Set(F(), stiffer));
    for (int k = 0; k < j; ++k) sum = hn::Sub(sum, hn::Mul(hn::Mul(lower[j][k], lower[j][k]), d[k]));
    d[j] = sum;
    inverse_d[j] = inverse(sum);
    for (int i = j + 1; i < count; ++i) {
      V entry = load(s.coupling[pair_place(j, i)] + at);
      for (int k = 0; k < j; ++k) entry = hn::Sub(entry, hn::Mul(hn::Mul(lower[i][k], lower[j][k]), d[k]));
      lower[i][j] = hn::Mul(entry, inverse_d[j]);
    }
  }
  V m[count][count];
  for (int j = 0; j < count; ++j) {
    m[j][j] = hn::Set(F(), 1.0F);
    for (int i = j + 1; i < count; ++i) {
      V sum = hn::Neg(lower[i][j]);
      for (int k = j + 1; k < i; ++k) sum = hn::Sub(sum, hn::Mul(lower[i][k], m[k][j]));
      m[i][j] = sum;
    }
  }
  for (int i = 0; i < count; ++i) {
    for (int j = i; j < count; ++j) {
      V sum = hn::Zero(F());
      for (int k = j; k < count; ++k) sum = hn::Add(sum, hn::Mul(hn::Mul(m[k][i], m[k][j]), inverse_d[k]));
      store(sum, s.block[block_place(i, j)] + at);
    }
  }
}

HWY_INLINE void prepare_lanes(SoftBatch& s, const SoftMass* masses, std::size_t at) {
  const F f;
  const std::int32_t* rows_a = s.a + at;
  const std::int32_t* rows_b = s.b + at;
  const float* first = masses->inverse_mass;
  V m[4];
  V i0[4];
  V i1[4];
  gather4(first, mass_stride, rows_a, m);
  gather4(first + 4, mass_stride, rows_a, i0);
  gather4(first + 8, mass_stride, rows_a, i1);
  const Wide3 ma{m[0], m[1], m[2]};
  const Symmetric ia{i0[0], i0[1], i0[2], i0[3], i1[0], i1[1]};
  gather4(first, mass_stride, rows_b, m);
  gather4(first + 4, mass_stride, rows_b, i0);
  gather4(first + 8, mass_stride, rows_b, i1);
  const Wide3 mb{m[0], m[1], m[2]};
  const Symmetric ib{i0[0], i0[1], i0[2], i0[3], i1[0], i1[1]};
  store3(ma, s.mass_a, at);
  store3(mb, s.mass_b, at);
  const V all_a[6] = {ia.xx, ia.xy, ia.xz, ia.yy, ia.yz, ia.zz};
  const V all_b[6] = {ib.xx, ib.xy, ib.xz, ib.yy, ib.yz, ib.zz};
  for (int k = 0; k < 6; ++k) {
    store(all_a[k], s.inertia_a[k] + at);
    store(all_b[k], s.inertia_b[k] + at);
  }
  const Wide3 msum = add(ma, mb);
  const Wide3 n = load3(s.normal, at);
  const V linear = dot(n, times(msum, n));
  Wide3 arm_a[soft_points];
  Wide3 arm_b[soft_points];
  Wide3 turned_a[soft_points];
  Wide3 turned_b[soft_points];
  for (int i = 0; i < s.point_count; ++i) {
    SoftPoint& p = s.points[i];
    arm_a[i] = cross(load3(p.arm_a, at), n);
    arm_b[i] = cross(load3(p.arm_b, at), n);
    turned_a[i] = times(ia, arm_a[i]);
    turned_b[i] = times(ib, arm_b[i]);
    store3(arm_a[i], p.arm_a, at);
    store3(arm_b[i], p.arm_b, at);
    // A lane without this point has nothing to do with the others.
    const auto there = hn::Lt(load(p.gap + at), hn::Set(f, 0.5F * soft_no_gap));
    const V k = hn::IfThenElse(there, hn::Add(hn::Add(linear, dot(arm_a[i], turned_a[i])), dot(arm_b[i], turned_b[i])),
                               hn::Set(f, 1.0F));
    store(inverse(k), p.mass + at);
    store(k, p.ease + at);
    store(hn::Zero(f), p.total + at);
    for (int j = 0; j < i; ++j) {
      const V c = hn::Add(hn::Add(linear, dot(arm_a[j], turned_a[i])), dot(arm_b[j], turned_b[i]));
      store(hn::IfThenElseZero(there, c), s.coupling[pair_place(j, i)] + at);
    }
  }
  switch (s.point_count) {
    case 1:
      invert<1>(s, at);
      break;
    case 2:
      invert<2>(s, at);
      break;
    case 3:
      invert<3>(s, at);
      break;
    default:
      invert<4>(s, at);
      break;
  }

  // Tangents: at right angles to the normal and to the axis that it is farthest from, or nearly.
  const V zero = hn::Zero(f);
  const auto steep = hn::Ge(hn::Abs(n.x), hn::Set(f, 0.57735F));
  const Wide3 along_t = if_then_else(steep, Wide3{n.y, hn::Neg(n.x), zero}, Wide3{zero, n.z, hn::Neg(n.y)});
  const V length = hn::Sqrt(dot(along_t, along_t));
  // The normal of an unused lane is zero.
  const Wide3 t1 = scale(inverse(length), along_t);
  const Wide3 t2 = cross(n, t1);
  const Wide3 ca = load3(s.arm_a, at);
  const Wide3 cb = load3(s.arm_b, at);
  const Wide3 a1 = cross(ca, t1);
  const Wide3 a2 = cross(ca, t2);
  const Wide3 b1 = cross(cb, t1);
  const Wide3 b2 = cross(cb, t2);
  const Wide3 ia2 = times(ia, a2);
  const Wide3 ib2 = times(ib, b2);
  const V k11 = hn::Add(hn::Add(dot(t1, times(msum, t1)), dot(a1, times(ia, a1))), dot(b1, times(ib, b1)));
  const V k12 = hn::Add(hn::Add(dot(t1, times(msum, t2)), dot(a1, ia2)), dot(b1, ib2));
  const V k22 = hn::Add(hn::Add(dot(t2, times(msum, t2)), dot(a2, ia2)), dot(b2, ib2));
  const V determinant = inverse(hn::Sub(hn::Mul(k11, k22), hn::Mul(k12, k12)));
  store(hn::Mul(k22, determinant), s.rub_mass[0] + at);
  store(hn::Neg(hn::Mul(k12, determinant)), s.rub_mass[1] + at);
  store(hn::Mul(k11, determinant), s.rub_mass[2] + at);
  store(inverse(hn::Add(dot(n, times(ia, n)), dot(n, times(ib, n)))), s.twist_mass + at);
  const Wide3 rub = load3(s.rub, at);
  store(dot(rub, t1), s.rub_impulse[0] + at);
  store(dot(rub, t2), s.rub_impulse[1] + at);
  store3(t1, s.rub, at);
  store3(t2, s.tangent, at);
  store(zero, s.rub_total[0] + at);
  store(zero, s.rub_total[1] + at);
  store(zero, s.twist_total + at);
}

/// Impulses on b, and the opposite ones on a, which the arms make into turns.
struct Push {
  Wide3 linear;
  Wide3 turn_a;
  Wide3 turn_b;
};

HWY_INLINE void apply(const SoftBatch& s, std::size_t at, const Push& push, Twist& va, Twist& vb) {
  va.linear = sub(va.linear, times(load3(s.mass_a, at), push.linear));
  vb.linear = add(vb.linear, times(load3(s.mass_b, at), push.linear));
  va.angular = sub(va.angular, times(load_symmetric(s.inertia_a, at), push.turn_a));
  vb.angular = add(vb.angular, times(load_symmetric(s.inertia_b, at), push.turn_b));
}

HWY_INLINE void warm_start_lanes(const SoftBatch& s, SoftBody* bodies, std::size_t at) {
  Twist va = gather(bodies->velocity, s.a + at);
  Twist vb = gather(bodies->velocity, s.b + at);
  const Wide3 n = load3(s.normal, at);
  const Wide3 rub = add(scale(load(s.rub_impulse[0] + at), load3(s.rub, at)),
                        scale(load(s.rub_impulse[1] + at), load3(s.tangent, at)));
  const Wide3 twist = scale(load(s.twist_impulse + at), n);
  Push push{rub, add(cross(load3(s.arm_a, at), rub), twist), add(cross(load3(s.arm_b, at), rub), twist)};
  V sum = hn::Zero(F());
  for (int i = 0; i < s.point_count; ++i) {
    const SoftPoint& p = s.points[i];
    const V x = load(p.impulse + at);
    sum = hn::Add(sum, x);
    push.turn_a = add(push.turn_a, scale(x, load3(p.arm_a, at)));
    push.turn_b = add(push.turn_b, scale(x, load3(p.arm_b, at)));
  }
  push.linear = add(push.linear, scale(sum, n));
  apply(s, at, push, va, vb);
  scatter(va, bodies->velocity, s.write_a + at);
  scatter(vb, bodies->velocity, s.write_b + at);
}

/// Friction against the velocities as they are, no more than the normal impulses allow.
HWY_INLINE void rub(SoftBatch& s, std::size_t at, V pressure, V pressed_lever, V over, Twist& va, Twist& vb) {
  const Wide3 ca = load3(s.arm_a, at);
  const Wide3 cb = load3(s.arm_b, at);
  const Wide3 t1 = load3(s.rub, at);
  const Wide3 t2 = load3(s.tangent, at);
  const Wide3 v = sub(add(vb.linear, cross(vb.angular, cb)), add(va.linear, cross(va.angular, ca)));
  const V v1 = dot(v, t1);
  const V v2 = dot(v, t2);
  const V m11 = load(s.rub_mass[0] + at);
  const V m12 = load(s.rub_mass[1] + at);
  const V m22 = load(s.rub_mass[2] + at);
  const V old1 = load(s.rub_impulse[0] + at);
  const V old2 = load(s.rub_impulse[1] + at);
  V x1 = hn::Sub(old1, hn::Mul(over, hn::Add(hn::Mul(m11, v1), hn::Mul(m12, v2))));
  V x2 = hn::Sub(old2, hn::Mul(over, hn::Add(hn::Mul(m12, v1), hn::Mul(m22, v2))));
  const V friction = load(s.friction + at);
  const V most = hn::Mul(friction, pressure);
  const V squared = hn::Add(hn::Mul(x1, x1), hn::Mul(x2, x2));
  const auto slides = hn::Gt(squared, hn::Mul(most, most));
  const F f;
  const V shrink = hn::IfThenElse(slides, hn::Div(most, hn::Sqrt(hn::IfThenElse(slides, squared, hn::Set(f, 1.0F)))),
                                  hn::Set(f, 1.0F));
  x1 = hn::Mul(x1, shrink);
  x2 = hn::Mul(x2, shrink);
  store(x1, s.rub_impulse[0] + at);
  store(x2, s.rub_impulse[1] + at);
  const Wide3 linear = add(scale(hn::Sub(x1, old1), t1), scale(hn::Sub(x2, old2), t2));

  const Wide3 n = load3(s.normal, at);
  const V spin = dot(n, sub(vb.angular, va.angular));
  const V old = load(s.twist_impulse + at);
  const V most_twist = hn::Mul(friction, pressed_lever);
  V x = hn::Sub(old, hn::Mul(over, hn::Mul(load(s.twist_mass + at), spin)));
  x = hn::Min(hn::Max(x, hn::Neg(most_twist)), most_twist);
  store(x, s.twist_impulse + at);
  const Wide3 twist = scale(hn::Sub(x, old), n);
  apply(s, at, {linear, add(cross(ca, linear), twist), add(cross(cb, linear), twist)}, va, vb);
}

/// Two sweeps over the points, none of which may pull; a single point needs one.
template <bool push, int count, bool from_last>
HWY_INLINE void one_by_one(const SoftBatch& s, std::size_t at, const V (&mass)[count], const V (&residual)[count],
                           const V (&forget)[count], const V (&reference)[count], const V (&start)[count],
                           V (&x)[count]) {
  V left[count];
  for (int i = 0; i < count; ++i) {
    left[i] = residual[i];
    x[i] = start[i];
  }
  constexpr int sweeps = count > 1 ? 2 : 1;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int k = 0; k < count; ++k) {
      const int i = from_last ? count - 1 - k : k;
      V next = hn::Sub(x[i], hn::Mul(mass[i], left[i]));
      if constexpr (push) next = hn::Sub(next, hn::Mul(forget[i], hn::Sub(x[i], reference[i])));
      next = hn::Max(next, hn::Zero(F()));
      const V change = hn::Sub(next, x[i]);
      x[i] = next;
      for (int j = 0; j < count; ++j) {
        const float* entry = j == i  ? s.points[i].ease
                             : j < i ? s.coupling[pair_place(j, i)]
                                     : s.coupling[pair_place(i, j)];
        left[j] = hn::Add(left[j], hn::Mul(load(entry + at), change));
      }
    }
  }
}

/// Impulses that take the residuals of a pair's points away: all at once by the inverse of their matrix, if none of
/// them comes out negative, else one by one, in either order and halved. Loads stay as even as the bodies are: what
/// favoured one side of a wall would make it sway.
template <bool push, int count>
HWY_INLINE void settle_points(const SoftBatch& s, std::size_t at, const V (&mass)[count], const V (&residual)[count],
                              const V (&forget)[count], const V (&reference)[count], V (&x)[count]) {
  const F f;
  const V zero = hn::Zero(f);
  V together[count];
  auto good = hn::Eq(zero, zero);
  for (int i = 0; i < count; ++i) {
    V sum = hn::Mul(load(s.block[block_place(i, 0)] + at), residual[0]);
    for (int j = 1; j < count; ++j) sum = hn::Add(sum, hn::Mul(load(s.block[block_place(i, j)] + at), residual[j]));
    // mass holds the scale of the spring, too.
    if constexpr (push) sum = hn::Mul(sum, hn::Mul(mass[i], load(s.points[i].ease + at)));
    together[i] = hn::Sub(x[i], sum);
    if constexpr (push) together[i] = hn::Sub(together[i], hn::Mul(forget[i], hn::Sub(x[i], reference[i])));
    good = hn::And(good, hn::Ge(together[i], zero));
  }
  if (!hn::AllTrue(f, good)) {
    V forward[count];
    V backward[count];
    one_by_one<push, count, false>(s, at, mass, residual, forget, reference, x, forward);
    one_by_one<push, count, true>(s, at, mass, residual, forget, reference, x, backward);
    const V half = hn::Set(f, 0.5F);
    for (int i = 0; i < count; ++i)
      together[i] = hn::IfThenElse(good, together[i], hn::Mul(half, hn::Add(forward[i], backward[i])));
  }
  for (int i = 0; i < count; ++i) x[i] = together[i];
}

/// The number of points is known when this is compiled, so that all of them stay in registers.
template <bool push, int count>
HWY_INLINE void solve_lanes(SoftBatch& s, SoftBody* bodies, const SoftStep& step, std::size_t at) {
  const F f;
  const V zero = hn::Zero(f);
  const V one = hn::Set(f, 1.0F);
  Twist va = gather(bodies->velocity, s.a + at);
  Twist vb = gather(bodies->velocity, s.b + at);
  V x[count];
  V pressure = zero;
  V pressed_lever = zero;
  for (int i = 0; i < count; ++i) {
    x[i] = load(s.points[i].impulse + at);
    pressure = hn::Add(pressure, x[i]);
    pressed_lever = hn::Add(pressed_lever, hn::Mul(x[i], load(s.points[i].lever + at)));
  }
  if constexpr (push) {
    const V more = hn::Set(f, step.add);
    const auto add_to = [&](float* total, V impulse) { store(hn::Add(load(total), hn::Mul(more, impulse)), total); };
    for (int i = 0; i < count; ++i) add_to(s.points[i].total + at, x[i]);
    for (int k = 0; k < 2; ++k) add_to(s.rub_total[k] + at, load(s.rub_impulse[k] + at));
    add_to(s.twist_total + at, load(s.twist_impulse + at));
  }
  // The points last: that nothing overlaps matters more than that nothing slides.
  const V over = hn::Set(f, push ? 1.0F : step.over);
  rub(s, at, pressure, pressed_lever, over, va, vb);

  const Twist da = gather(bodies->displacement, s.a + at);
  const Twist db = gather(bodies->displacement, s.b + at);
  const Wide3 n = load3(s.normal, at);
  const V moved = dot(n, sub(db.linear, da.linear));
  const V along = dot(n, sub(vb.linear, va.linear));
  const V per_second = hn::Set(f, 1.0F / step.h);
  const V zone = hn::Set(f, step.zone);
  Wide3 arm_a[count];
  Wide3 arm_b[count];
  V residual[count];
  V mass[count];
  V forget[count];
  V reference[count];
  V old[count];
  for (int i = 0; i < count; ++i) {
    const SoftPoint& p = s.points[i];
    arm_a[i] = load3(p.arm_a, at);
    arm_b[i] = load3(p.arm_b, at);
    const V first_gap = load(p.gap + at);
    const V gap = hn::Add(first_gap, hn::Sub(hn::Add(moved, dot(arm_b[i], db.angular)), dot(arm_a[i], da.angular)));
    const V speed = hn::Sub(hn::Add(along, dot(arm_b[i], vb.angular)), dot(arm_a[i], va.angular));
    const auto apart = hn::Gt(gap, zone);
    const V closing = hn::Mul(hn::Sub(gap, zone), per_second);
    mass[i] = load(p.mass + at);
    old[i] = x[i];
    if constexpr (push) {
      const V rate = load(s.bias_rate + at);
      const V pushed = hn::Max(hn::Mul(rate, gap), hn::Set(f, -step.push_speed));
      residual[i] = hn::Add(speed, hn::IfThenElse(apart, hn::Add(closing, hn::Mul(rate, zone)), pushed));
      mass[i] = hn::Mul(mass[i], hn::IfThenElse(apart, one, load(s.mass_scale + at)));
      forget[i] = hn::IfThenZeroElse(apart, load(s.impulse_scale + at));
      reference[i] = load(p.reference + at);
    } else {
      residual[i] = hn::Add(speed, hn::IfThenElseZero(apart, closing));
      forget[i] = zero;
      reference[i] = zero;
    }
    residual[i] = hn::IfThenElseZero(hn::Lt(first_gap, hn::Set(f, 0.5F * soft_no_gap)), residual[i]);
  }
  settle_points<push, count>(s, at, mass, residual, forget, reference, x);
  Push total{{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}};
  V sum = zero;
  for (int i = 0; i < count; ++i) {
    SoftPoint& p = s.points[i];
    if constexpr (!push) x[i] = hn::Max(hn::Add(old[i], hn::Mul(over, hn::Sub(x[i], old[i]))), zero);
    const V change = hn::Sub(x[i], old[i]);
    sum = hn::Add(sum, change);
    total.turn_a = add(total.turn_a, scale(change, arm_a[i]));
    total.turn_b = add(total.turn_b, scale(change, arm_b[i]));
    store(x[i], p.impulse + at);
  }
  total.linear = scale(sum, n);
  apply(s, at, total, va, vb);
  scatter(va, bodies->velocity, s.write_a + at);
  scatter(vb, bodies->velocity, s.write_b + at);
}

HWY_INLINE void bounce_lanes(SoftBatch& s, SoftBody* bodies, const SoftStep& step, std::size_t at) {
  const F f;
  const V zero = hn::Zero(f);
  Twist va = gather(bodies->velocity, s.a + at);
  Twist vb = gather(bodies->velocity, s.b + at);
  const Wide3 n = load3(s.normal, at);
  for (int i = 0; i < s.point_count; ++i) {
    SoftPoint& p = s.points[i];
    const Wide3 arm_a = load3(p.arm_a, at);
    const Wide3 arm_b = load3(p.arm_b, at);
    const V approach = load(p.approach + at);
    const V speed = hn::Sub(hn::Add(dot(n, sub(vb.linear, va.linear)), dot(arm_b, vb.angular)), dot(arm_a, va.angular));
    const V wanted = hn::Mul(load(s.restitution + at), approach);
    const V x = load(p.impulse + at);
    const V total = hn::Add(load(p.total + at), x);
    const auto hit = hn::And(hn::Lt(approach, hn::Set(f, -step.bounce_speed)), hn::Gt(total, zero));
    V change = hn::Neg(hn::Mul(load(p.mass + at), hn::Add(speed, wanted)));
    // Never pulls below what was given.
    change = hn::IfThenElseZero(hit, hn::Max(change, hn::Neg(total)));
    store(hn::IfThenZeroElse(hit, x), p.impulse + at);
    store(hn::IfThenElse(hit, hn::Add(total, change), load(p.total + at)), p.total + at);
    apply(s, at, {scale(change, n), scale(change, arm_a), scale(change, arm_b)}, va, vb);
  }
  scatter(va, bodies->velocity, s.write_a + at);
  scatter(vb, bodies->velocity, s.write_b + at);
}

void prepare(SoftBatch* batches, std::size_t count, const SoftMass* masses) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = 0; at < soft_lanes; at += hn::Lanes(F())) prepare_lanes(batches[i], masses, at);
  }
}
void warm_start(const SoftBatch* batches, std::size_t count, SoftBody* bodies) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = 0; at < soft_lanes; at += hn::Lanes(F())) warm_start_lanes(batches[i], bodies, at);
  }
}
template <bool push>
void solve_all(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = 0; at < soft_lanes; at += hn::Lanes(F())) {
      switch (batches[i].point_count) {
        case 1:
          solve_lanes<push, 1>(batches[i], bodies, step, at);
          break;
        case 2:
          solve_lanes<push, 2>(batches[i], bodies, step, at);
          break;
        case 3:
          solve_lanes<push, 3>(batches[i], bodies, step, at);
          break;
        default:
          solve_lanes<push, 4>(batches[i], bodies, step, at);
          break;
      }
    }
  }
}
void solve(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step, bool push) {
  if (push) {
    solve_all<true>(batches, count, bodies, step);
  } else {
    solve_all<false>(batches, count, bodies, step);
  }
}
void bounce(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step) {
  for (std::size_t i = 0; i < count; ++i) {
    if (batches[i].bounces == 0) continue;
    for (std::size_t at = 0; at < soft_lanes; at += hn::Lanes(F())) bounce_lanes(batches[i], bodies, step, at);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(prepare);
HWY_EXPORT(warm_start);
HWY_EXPORT(solve);
HWY_EXPORT(bounce);

void soft_prepare(SoftBatch* batches, std::size_t count, const SoftMass* masses) {
  HWY_DYNAMIC_DISPATCH(prepare)(batches, count, masses);
}
void soft_warm_start(const SoftBatch* batches, std::size_t count, SoftBody* bodies) {
  HWY_DYNAMIC_DISPATCH(warm_start)(batches, count, bodies);
}
void soft_solve(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step, bool push) {
  HWY_DYNAMIC_DISPATCH(solve)(batches, count, bodies, step, push);
}
void soft_bounce(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step) {
  HWY_DYNAMIC_DISPATCH(bounce)(batches, count, bodies, step);
}

}  // namespace carom::kernels
#endif
