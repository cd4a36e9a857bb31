#include "conservation/spin_energy.hpp"

#include <algorithm>
#include <cmath>

// Contacts are straight, with arms that stand still over a step. Of a body that turns by radians in it they know next
// to nothing: an impulse that is right at the beginning, with the inertia of then, may give it many times the energy
// that it had, and again in the next step.
namespace carom::conservation {
namespace {

using rigid::Bodies;
using rigid::Motion;

/// rad in a step; slower ones are none of this.
constexpr double fast_turn = 1;

double energy(const Bodies& bodies, BodySlot i, const math::Quat& q, const math::Vec3& v, const math::Vec3& w) {
  const math::Vec3 momentum = rigid::turned(math::matrix(q), bodies.mass[i].inertia, w);
  return 0.5 * (bodies.info[i].mass * dot(v, v) + dot(w, momentum));
}

bool can_spin(const Bodies& bodies, BodySlot i) {
  return bodies.mass[i].inverse > 0 && bodies.asleep[i] == 0;
}

}  // namespace

void clamp_spin_energy(const IslandIn& in, SpinScratch& scratch, SlotSpan<Motion> next) {
  const Bodies& bodies = in.bodies;
  const auto free_energy = [&](BodySlot i) {
    return bodies.asleep[i] != 0 ? 0 : energy(bodies, i, in.free[i].q, in.free[i].v, in.free[i].w);
  };
  const auto next_energy = [&](BodySlot i) { return energy(bodies, i, next[i].q, next[i].v, next[i].w); };
  scratch.spinning.clear();
  for (const BodySlot body : in.ccd.fast) {
    const BodySlot i = body;
    if (bodies.mass[i].inverse == 0 || bodies.asleep[i] != 0 || in.solved[i] == 0) continue;
    if (!(in.dt * length(next[i].w) > fast_turn)) continue;
    const SpinScratch::Spinning s{.body = body, .free = free_energy(i), .next = next_energy(i)};
    if (s.next > s.free) scratch.spinning.push_back(s);
  }
  if (scratch.spinning.empty()) return;

  // Bodies that spin give back the energy that their island gained as a whole. A scripted body can supply any energy.
  const auto root_of = [&](BodySlot body) { return in.islands.root(body); };
  scratch.island_gain.assign(bodies.size(), 0);
  scratch.spinning_gain.assign(bodies.size(), 0);
  for (const SpinScratch::Spinning& s : scratch.spinning) scratch.spinning_gain[root_of(s.body)] += s.next - s.free;
  for (const BodySlot i : bodies.slots()) {
    const BodySlot r = root_of(i);
    if (in.solved[i] != 0 && can_spin(bodies, i) && scratch.spinning_gain[r] > 0)
      scratch.island_gain[r] += next_energy(i) - free_energy(i);
  }
  const auto add_kinematic = [&](BodySlot body, BodySlot by) {
    if (bodies.info[by].motion == MotionModel::scripted) scratch.island_gain[root_of(body)] = -INFINITY;
  };
  for (std::size_t k = 0; k < in.active.size(); ++k) {
    const contact::ActivePair& touch = in.active[k];
    add_kinematic(touch.body_a, touch.body_b);
    add_kinematic(touch.body_b, touch.body_a);
    if (in.stored.empty()) continue;
    // Springs may give back what they took.
    const bool a_moves = can_spin(bodies, touch.body_a);
    scratch.island_gain[root_of(a_moves ? touch.body_a : touch.body_b)] -= in.stored[k];
  }
  for (const ccd::Scratch::Stop& stop : in.ccd.stops) {
    add_kinematic(stop.a, stop.b);
    add_kinematic(stop.b, stop.a);
  }
  // So may deforming bodies.
  for (const island::Island& island : in.islands.islands()) {
    if (island.deforms) scratch.island_gain[root_of(in.islands.members(island)[0])] = -INFINITY;
  }
  for (const SpinScratch::Spinning& s : scratch.spinning) {
    const BodySlot r = root_of(s.body);
    if (!(scratch.island_gain[r] > 0)) continue;
    const double kept = std::max(0.0, 1 - scratch.island_gain[r] / scratch.spinning_gain[r]);
    const double fraction = std::sqrt((s.free + kept * (s.next - s.free)) / s.next);
    Motion& motion = next[s.body];
    motion.v = fraction * motion.v;
    motion.w = fraction * motion.w;
  }
}

}  // namespace carom::conservation
