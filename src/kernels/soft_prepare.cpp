#include "kernels/soft_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/soft_prepare.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/soft_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

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
    V sum = hn::Mul(load(s.points[j].inverse_effective_mass + at), hn::Set(F(), stiffer));
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
    store(k, p.inverse_effective_mass + at);
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
  store(hn::Mul(k22, determinant), s.friction_mass[0] + at);
  store(hn::Neg(hn::Mul(k12, determinant)), s.friction_mass[1] + at);
  store(hn::Mul(k11, determinant), s.friction_mass[2] + at);
  store(inverse(hn::Add(dot(n, times(ia, n)), dot(n, times(ib, n)))), s.torsion_mass + at);
  const Wide3 friction = load3(s.first_tangent, at);
  store(dot(friction, t1), s.friction_impulse[0] + at);
  store(dot(friction, t2), s.friction_impulse[1] + at);
  store3(t1, s.first_tangent, at);
  store3(t2, s.second_tangent, at);
  store(zero, s.friction_total[0] + at);
  store(zero, s.friction_total[1] + at);
  store(zero, s.torsion_total + at);
}

HWY_INLINE void warm_start_lanes(const SoftBatch& s, SoftBody* bodies, std::size_t at) {
  Twist va = gather(bodies->velocity, s.a + at);
  Twist vb = gather(bodies->velocity, s.b + at);
  const Wide3 n = load3(s.normal, at);
  const Wide3 friction = add(scale(load(s.friction_impulse[0] + at), load3(s.first_tangent, at)),
                             scale(load(s.friction_impulse[1] + at), load3(s.second_tangent, at)));
  const Wide3 torsion = scale(load(s.torsion_impulse + at), n);
  SpatialImpulse impulse{friction, add(cross(load3(s.arm_a, at), friction), torsion),
                         add(cross(load3(s.arm_b, at), friction), torsion)};
  V sum = hn::Zero(F());
  for (int i = 0; i < s.point_count; ++i) {
    const SoftPoint& p = s.points[i];
    const V x = load(p.impulse + at);
    sum = hn::Add(sum, x);
    impulse.turn_a = add(impulse.turn_a, scale(x, load3(p.arm_a, at)));
    impulse.turn_b = add(impulse.turn_b, scale(x, load3(p.arm_b, at)));
  }
  impulse.linear = add(impulse.linear, scale(sum, n));
  apply(s, at, impulse, va, vb);
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

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(prepare);
HWY_EXPORT(warm_start);

void soft_prepare(SoftBatch* batches, std::size_t count, const SoftMass* masses) {
  HWY_DYNAMIC_DISPATCH(prepare)(batches, count, masses);
}
void soft_warm_start(const SoftBatch* batches, std::size_t count, SoftBody* bodies) {
  HWY_DYNAMIC_DISPATCH(warm_start)(batches, count, bodies);
}

}  // namespace carom::kernels
#endif
