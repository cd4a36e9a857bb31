#include "kernels/soft_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/soft_solve.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/soft_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

/// Friction against the velocities as they are, no more than the normal impulses allow.
HWY_INLINE void solve_friction(SoftBatch& s, std::size_t at, V pressure, V pressed_lever, V over, Twist& va,
                               Twist& vb) {
  const Wide3 ca = load3(s.arm_a, at);
  const Wide3 cb = load3(s.arm_b, at);
  const Wide3 t1 = load3(s.first_tangent, at);
  const Wide3 t2 = load3(s.second_tangent, at);
  const Wide3 v = sub(add(vb.linear, cross(vb.angular, cb)), add(va.linear, cross(va.angular, ca)));
  const V v1 = dot(v, t1);
  const V v2 = dot(v, t2);
  const V m11 = load(s.friction_mass[0] + at);
  const V m12 = load(s.friction_mass[1] + at);
  const V m22 = load(s.friction_mass[2] + at);
  const V old1 = load(s.friction_impulse[0] + at);
  const V old2 = load(s.friction_impulse[1] + at);
  V x1 = hn::Sub(old1, hn::Mul(over, hn::Add(hn::Mul(m11, v1), hn::Mul(m12, v2))));
  V x2 = hn::Sub(old2, hn::Mul(over, hn::Add(hn::Mul(m12, v1), hn::Mul(m22, v2))));
  const V friction = load(s.friction + at);
  const V largest = hn::Mul(friction, pressure);
  const V squared = hn::Add(hn::Mul(x1, x1), hn::Mul(x2, x2));
  const auto slides = hn::Gt(squared, hn::Mul(largest, largest));
  const F f;
  const V shrink = hn::IfThenElse(slides, hn::Div(largest, hn::Sqrt(hn::IfThenElse(slides, squared, hn::Set(f, 1.0F)))),
                                  hn::Set(f, 1.0F));
  x1 = hn::Mul(x1, shrink);
  x2 = hn::Mul(x2, shrink);
  store(x1, s.friction_impulse[0] + at);
  store(x2, s.friction_impulse[1] + at);
  const Wide3 linear = add(scale(hn::Sub(x1, old1), t1), scale(hn::Sub(x2, old2), t2));

  const Wide3 n = load3(s.normal, at);
  const V spin = dot(n, sub(vb.angular, va.angular));
  const V old = load(s.torsion_impulse + at);
  const V max_twist = hn::Mul(friction, pressed_lever);
  V x = hn::Sub(old, hn::Mul(over, hn::Mul(load(s.torsion_mass + at), spin)));
  x = hn::Min(hn::Max(x, hn::Neg(max_twist)), max_twist);
  store(x, s.torsion_impulse + at);
  const Wide3 torsion = scale(hn::Sub(x, old), n);
  apply(s, at, {linear, add(cross(ca, linear), torsion), add(cross(cb, linear), torsion)}, va, vb);
}

/// Two sweeps over the points, none of which may pull; a single point needs one.
template <bool use_bias, int count, bool from_last>
HWY_INLINE void one_by_one(const SoftBatch& s, std::size_t at, const V (&mass)[count], const V (&residual)[count],
                           const V (&forget)[count], const V (&learned_load)[count], const V (&start)[count],
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
      if constexpr (use_bias) next = hn::Sub(next, hn::Mul(forget[i], hn::Sub(x[i], learned_load[i])));
      next = hn::Max(next, hn::Zero(F()));
      const V change = hn::Sub(next, x[i]);
      x[i] = next;
      for (int j = 0; j < count; ++j) {
        const float* entry = j == i  ? s.points[i].inverse_effective_mass
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
template <bool use_bias, int count>
HWY_INLINE void settle_points(const SoftBatch& s, std::size_t at, const V (&mass)[count], const V (&residual)[count],
                              const V (&forget)[count], const V (&learned_load)[count], V (&x)[count]) {
  const F f;
  const V zero = hn::Zero(f);
  V together[count];
  auto good = hn::Eq(zero, zero);
  for (int i = 0; i < count; ++i) {
    V sum = hn::Mul(load(s.block[block_place(i, 0)] + at), residual[0]);
    for (int j = 1; j < count; ++j) sum = hn::Add(sum, hn::Mul(load(s.block[block_place(i, j)] + at), residual[j]));
    // mass holds the scale of the spring, too.
    if constexpr (use_bias) sum = hn::Mul(sum, hn::Mul(mass[i], load(s.points[i].inverse_effective_mass + at)));
    together[i] = hn::Sub(x[i], sum);
    if constexpr (use_bias) together[i] = hn::Sub(together[i], hn::Mul(forget[i], hn::Sub(x[i], learned_load[i])));
    good = hn::And(good, hn::Ge(together[i], zero));
  }
  if (!hn::AllTrue(f, good)) {
    V forward[count];
    V backward[count];
    one_by_one<use_bias, count, false>(s, at, mass, residual, forget, learned_load, x, forward);
    one_by_one<use_bias, count, true>(s, at, mass, residual, forget, learned_load, x, backward);
    const V half = hn::Set(f, 0.5F);
    for (int i = 0; i < count; ++i)
      together[i] = hn::IfThenElse(good, together[i], hn::Mul(half, hn::Add(forward[i], backward[i])));
  }
  for (int i = 0; i < count; ++i) x[i] = together[i];
}

/// The number of points is known when this is compiled, so that all of them stay in registers.
template <bool use_bias, int count>
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
  if constexpr (use_bias) {
    const V more = hn::Set(f, step.add);
    const auto add_to = [&](float* total, V impulse) { store(hn::Add(load(total), hn::Mul(more, impulse)), total); };
    for (int i = 0; i < count; ++i) add_to(s.points[i].total + at, x[i]);
    for (int k = 0; k < 2; ++k) add_to(s.friction_total[k] + at, load(s.friction_impulse[k] + at));
    add_to(s.torsion_total + at, load(s.torsion_impulse + at));
  }
  // Friction before the points: that nothing overlaps matters more than that nothing slides. None while pushing out:
  // the velocity that pushing gives is no slip, and friction against it shears a stack that is pushed upright.
  const V over = hn::Set(f, use_bias ? 1.0F : step.over);
  if constexpr (!use_bias) solve_friction(s, at, pressure, pressed_lever, over, va, vb);

  const Twist da = gather(bodies->displacement, s.a + at);
  const Twist db = gather(bodies->displacement, s.b + at);
  const Wide3 n = load3(s.normal, at);
  const V moved = dot(n, sub(db.linear, da.linear));
  const V along = dot(n, sub(vb.linear, va.linear));
  const V per_second = hn::Set(f, 1.0F / step.h);
  const V zone = hn::Set(f, step.zone);
  Wide3 arm_a[count];
  Wide3 arm_b[count];
  V gap[count];
  for (int i = 0; i < count; ++i) {
    const SoftPoint& p = s.points[i];
    arm_a[i] = load3(p.arm_a, at);
    arm_b[i] = load3(p.arm_b, at);
    gap[i] = hn::Add(load(p.gap + at), hn::Sub(hn::Add(moved, dot(arm_b[i], db.angular)), dot(arm_a[i], da.angular)));
  }
  // One softness for all points of a pair: of a face that lands flat, some points are in the zone a hair sooner than
  // the others, and with impulses that differ for that it would tip.
  V softness = one;
  if constexpr (use_bias) {
    V nearest = gap[0];
    for (int i = 1; i < count; ++i) nearest = hn::Min(nearest, gap[i]);
    softness = hn::IfThenElse(hn::Gt(nearest, zone), one, load(s.mass_scale + at));
  }
  V residual[count];
  V mass[count];
  V forget[count];
  V learned_load[count];
  V old[count];
  for (int i = 0; i < count; ++i) {
    const SoftPoint& p = s.points[i];
    const V speed = hn::Sub(hn::Add(along, dot(arm_b[i], vb.angular)), dot(arm_a[i], va.angular));
    const auto apart = hn::Gt(gap[i], zone);
    const V closing = hn::Mul(hn::Sub(gap[i], zone), per_second);
    mass[i] = load(p.mass + at);
    old[i] = x[i];
    if constexpr (use_bias) {
      const V rate = load(s.bias_rate + at);
      const V pushed = hn::Max(hn::Mul(rate, gap[i]), hn::Set(f, -step.max_push_speed));
      residual[i] = hn::Add(speed, hn::IfThenElse(apart, hn::Add(closing, hn::Mul(rate, zone)), pushed));
      mass[i] = hn::Mul(mass[i], softness);
      forget[i] = hn::IfThenZeroElse(apart, load(s.impulse_scale + at));
      learned_load[i] = load(p.learned_load + at);
    } else {
      residual[i] = hn::Add(speed, hn::IfThenElseZero(apart, closing));
      forget[i] = zero;
      learned_load[i] = zero;
    }
    residual[i] = hn::IfThenElseZero(hn::Lt(load(p.gap + at), hn::Set(f, 0.5F * soft_no_gap)), residual[i]);
  }
  settle_points<use_bias, count>(s, at, mass, residual, forget, learned_load, x);
  SpatialImpulse total{{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}};
  V sum = zero;
  for (int i = 0; i < count; ++i) {
    SoftPoint& p = s.points[i];
    if constexpr (!use_bias) x[i] = hn::Max(hn::Add(old[i], hn::Mul(over, hn::Sub(x[i], old[i]))), zero);
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

/// Of the points of a pair; there and back.
constexpr int bounce_rounds = 16;

HWY_INLINE void bounce_lanes(SoftBatch& s, SoftBody* bodies, const SoftStep& step, std::size_t at) {
  const F f;
  const V zero = hn::Zero(f);
  Twist va = gather(bodies->velocity, s.a + at);
  Twist vb = gather(bodies->velocity, s.b + at);
  const Wide3 n = load3(s.normal, at);
  const Twist da = gather(bodies->displacement, s.a + at);
  const Twist db = gather(bodies->displacement, s.b + at);
  const V moved = dot(n, sub(db.linear, da.linear));
  const V restitution = load(s.restitution + at);
  V hits[soft_points];  // 1 where the point hit, 0 elsewhere
  // Opening speed after the bounce. A point that is stopped ahead of the touch has not fallen all the way, and must
  // not rise higher for that.
  V leaving[soft_points];
  for (int i = 0; i < s.point_count; ++i) {
    SoftPoint& p = s.points[i];
    const V x = load(p.impulse + at);
    const V total = hn::Add(load(p.total + at), x);
    const auto hit = hn::And(hn::Lt(load(p.approach + at), hn::Set(f, -step.bounce_speed)), hn::Gt(total, zero));
    hits[i] = hn::IfThenElseZero(hit, hn::Set(f, 1.0F));
    const V turned = hn::Sub(dot(load3(p.arm_b, at), db.angular), dot(load3(p.arm_a, at), da.angular));
    const V gap = hn::Max(hn::Add(load(p.gap + at), hn::Add(moved, turned)), zero);
    const V full = hn::Mul(restitution, load(p.approach + at));
    const V fall = hn::Mul(hn::Set(f, 2.0F), hn::Mul(load(s.pull + at), gap));
    leaving[i] = hn::Sqrt(hn::Max(hn::Sub(hn::Mul(full, full), fall), zero));
    store(hn::IfThenZeroElse(hit, x), p.impulse + at);
    store(hn::IfThenElse(hit, total, load(p.total + at)), p.total + at);
  }
  // The points of a face that hits flat must share the bounce: one pass gives it to the first, and a spin to the body.
  for (int round = 0; round < (s.point_count == 1 ? 1 : bounce_rounds); ++round) {
    for (int k = 0; k < s.point_count; ++k) {
      const int i = round % 2 == 0 ? k : s.point_count - 1 - k;
      SoftPoint& p = s.points[i];
      const Wide3 arm_a = load3(p.arm_a, at);
      const Wide3 arm_b = load3(p.arm_b, at);
      const V speed =
          hn::Sub(hn::Add(dot(n, sub(vb.linear, va.linear)), dot(arm_b, vb.angular)), dot(arm_a, va.angular));
      const V total = load(p.total + at);
      V change = hn::Mul(load(p.mass + at), hn::Sub(leaving[i], speed));
      // Never pulls below what was given.
      change = hn::Mul(hits[i], hn::Max(change, hn::Neg(total)));
      store(hn::Add(total, change), p.total + at);
      apply(s, at, {scale(change, n), scale(change, arm_a), scale(change, arm_b)}, va, vb);
    }
  }
  scatter(va, bodies->velocity, s.write_a + at);
  scatter(vb, bodies->velocity, s.write_b + at);
}

template <bool use_bias>
void solve_all(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = 0; at < soft_lanes; at += hn::Lanes(F())) {
      switch (batches[i].point_count) {
        case 1:
          solve_lanes<use_bias, 1>(batches[i], bodies, step, at);
          break;
        case 2:
          solve_lanes<use_bias, 2>(batches[i], bodies, step, at);
          break;
        case 3:
          solve_lanes<use_bias, 3>(batches[i], bodies, step, at);
          break;
        default:
          solve_lanes<use_bias, 4>(batches[i], bodies, step, at);
          break;
      }
    }
  }
}
void solve(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step, bool use_bias) {
  if (use_bias) {
    solve_all<true>(batches, count, bodies, step);
  } else {
    solve_all<false>(batches, count, bodies, step);
  }
}
void bounce(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = 0; at < soft_lanes; at += hn::Lanes(F())) bounce_lanes(batches[i], bodies, step, at);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(solve);
HWY_EXPORT(bounce);

void soft_solve(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step, bool use_bias) {
  HWY_DYNAMIC_DISPATCH(solve)(batches, count, bodies, step, use_bias);
}
void soft_bounce(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step) {
  HWY_DYNAMIC_DISPATCH(bounce)(batches, count, bodies, step);
}

}  // namespace carom::kernels
#endif
