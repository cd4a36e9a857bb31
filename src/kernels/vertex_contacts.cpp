#include "kernels/vertex_contacts.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vertex_contacts.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "kernels/cloth_points-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

template <int slots>
HWY_INLINE ClothWide contact_sum(const ClothPoints (&p)[slots], const ClothLane (&weight)[slots]) {
  ClothWide sum = scale(weight[0], p[0].at);
  for (int k = 1; k < slots; ++k) sum = add(sum, scale(weight[k], p[k].at));
  return sum;
}

HWY_INLINE ClothWide contact_load3(const double (&from)[3][contact_lanes], std::size_t at) {
  return {cloth_load(from[0] + at), cloth_load(from[1] + at), cloth_load(from[2] + at)};
}

HWY_INLINE void contact_store(ClothLane value, double* to) {
  hn::Store(value, ClothTag(), to);
}

/// Contacts of a batch, as many as there are lanes.
template <int slots, bool push>
HWY_INLINE void contact_solve(VertexContactBatch& c, std::size_t at, const VertexContactStep& step, ClothLane per_h) {
  constexpr ClothTag d;
  const ClothLane zero = hn::Zero(d);
  const ClothWide n = contact_load3(c.normal, at);
  const ClothWide base = contact_load3(c.base, at);
  ClothLane weight[slots];
  ClothPoints p[slots];
  for (int k = 0; k < slots; ++k) weight[k] = cloth_load(c.weight[k] + at);
  ClothLane gap;
  if constexpr (push) {
    gap = cloth_load(c.now + at);
  } else {
    for (int k = 0; k < slots; ++k) p[k] = cloth_gather(step.displacements, c.vertices[k] + at);
    const ClothWide moved = add(contact_sum<slots>(p, weight), scale(cloth_set(step.elapsed), base));
    gap = hn::Add(cloth_load(c.gap + at), dot(n, moved));
    contact_store(gap, c.now + at);
  }
  for (int k = 0; k < slots; ++k) p[k] = cloth_gather(step.velocities, c.vertices[k] + at);
  const ClothWide v = add(contact_sum<slots>(p, weight), base);
  const ClothLane speed = dot(n, v);
  const ClothLane closing = hn::Mul(hn::Neg(gap), per_h);
  ClothLane opening = zero;
  if constexpr (push) opening = hn::Min(cloth_set(step.max_push_speed), hn::Mul(cloth_set(-step.push_rate), gap));
  const ClothLane wanted = hn::IfThenElse(hn::Lt(gap, zero), opening, closing);
  const ClothLane mass = cloth_load(c.mass + at);
  const ClothLane before = cloth_load(c.normal_impulse + at);
  const ClothLane sum = hn::Add(before, hn::Mul(hn::Sub(wanted, speed), mass));
  const ClothLane next = hn::IfThenElse(hn::Gt(sum, zero), sum, zero);
  const auto acts = hn::Or(hn::Gt(next, zero), hn::Gt(before, zero));
  if (hn::AllFalse(d, acts)) return;
  const ClothLane change = hn::Sub(next, before);
  contact_store(next, c.normal_impulse + at);
  const ClothWide slip = add(v, scale(hn::Neg(speed), n));
  const ClothWide old = contact_load3(c.friction_impulse, at);
  const ClothWide free = add(old, scale(hn::Neg(mass), slip));
  const ClothLane size = hn::Sqrt(dot(free, free));
  const ClothLane limit = hn::Mul(cloth_load(c.friction + at), next);
  const auto slides = hn::Gt(size, limit);
  const ClothLane shorter = hn::Div(limit, hn::IfThenElse(slides, size, cloth_set(1)));
  const ClothWide held = if_then_else(slides, scale(shorter, free), free);
  const ClothWide f = if_then_else(acts, held, old);
  contact_store(f.x, c.friction_impulse[0] + at);
  contact_store(f.y, c.friction_impulse[1] + at);
  contact_store(f.z, c.friction_impulse[2] + at);
  const ClothWide impulse = add(scale(change, n), add(f, scale(cloth_set(-1), old)));
  for (int k = 0; k < slots; ++k) {
    const ClothWide pushed = add(p[k].at, scale(hn::Mul(weight[k], p[k].inverse_mass), impulse));
    p[k].at = if_then_else(acts, pushed, p[k].at);
    cloth_scatter(p[k], step.velocities, c.vertices[k] + at);
  }
}

template <int slots, bool push>
HWY_INLINE void contact_batches(std::span<VertexContactBatch> batches, const VertexContactStep& step, bool last) {
  const ClothLane per_h = cloth_set(1 / step.h);
  for (VertexContactBatch& batch : batches) {
    for (std::size_t at = 0; at < contact_lanes; at += hn::Lanes(ClothTag())) {
      contact_solve<slots, push>(batch, at, step, per_h);
      if (last) {
        contact_store(hn::Add(cloth_load(batch.total + at), cloth_load(batch.normal_impulse + at)), batch.total + at);
      }
    }
  }
}

void push_lanes(std::span<VertexContactBatch> batches, const VertexContactStep& step) {
  step.slots == 1 ? contact_batches<1, true>(batches, step, false) : contact_batches<4, true>(batches, step, false);
}

void relax_lanes(std::span<VertexContactBatch> batches, const VertexContactStep& step, bool last) {
  step.slots == 1 ? contact_batches<1, false>(batches, step, last) : contact_batches<4, false>(batches, step, last);
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(push_lanes);
HWY_EXPORT(relax_lanes);

void push_vertex_contacts(std::span<VertexContactBatch> batches, const VertexContactStep& step) {
  HWY_DYNAMIC_DISPATCH(push_lanes)(batches, step);
}
void relax_vertex_contacts(std::span<VertexContactBatch> batches, const VertexContactStep& step, bool last) {
  HWY_DYNAMIC_DISPATCH(relax_lanes)(batches, step, last);
}

}  // namespace carom::kernels
#endif
