#include <algorithm>
#include <cmath>

#include "world/rigid_world.hpp"

// Contacts are straight, with arms that stand still over a step. Of a body that turns by radians in it they know next
// to nothing: an impulse that is right at the beginning, with the inertia of then, may give it many times the energy
// that it had, and again in the next step.
namespace carom::rigid {
namespace {

/// rad in a step; slower ones are none of this.
constexpr double fast_turn = 1;

double energy(const Bodies& bodies, std::size_t i, const Quat& q, const Vec3& v, const Vec3& w) {
  const Vec3 momentum = turned(detail::matrix(q), bodies.mass[i].inertia, w);
  return 0.5 * (bodies.info[i].mass * dot(v, v) + dot(w, momentum));
}

}  // namespace

void limit_spinning(World& world, const StepOptions& options) {
  // Springs may give back what they took.
  if (response::stores_energy(options.response)) return;
  const Bodies& bodies = world.state.bodies;
  const auto free_energy = [&](std::size_t i) {
    return bodies.asleep[i] != 0 ? 0 : energy(bodies, i, world.free[i].q, world.free[i].v, world.free[i].w);
  };
  world.spinning.clear();
  for (const LimitScratch::Fast& f : world.limit.fast) {
    const auto i = static_cast<std::size_t>(f.body);
    if (bodies.mass[i].inverse == 0 || bodies.asleep[i] != 0 || world.answered[i] == 0) continue;
    const Motion& next = world.next[i];
    if (!(options.dt * length(next.w) > fast_turn)) continue;
    const double most = free_energy(i);
    if (energy(bodies, i, next.q, next.v, next.w) > most) world.spinning.push_back({.body = f.body, .most = most});
  }
  if (world.spinning.empty()) return;
  std::sort(world.spinning.begin(), world.spinning.end(),
            [](const World::Spinning& a, const World::Spinning& b) { return a.body < b.body; });
  // It may have all that those have that it touches; what is kinematic has no end of it. Where nothing is held,
  // keep_momentum_and_energy() has seen to it.
  const auto add = [&](std::int32_t body, std::int32_t other) {
    const auto at = std::lower_bound(world.spinning.begin(), world.spinning.end(), body,
                                     [](const World::Spinning& s, std::int32_t b) { return s.body < b; });
    if (at == world.spinning.end() || at->body != body) return;
    const auto i = static_cast<std::size_t>(other);
    if (bodies.info[i].kind == RigidKind::static_body) at->held = true;
    if (bodies.info[i].kind == RigidKind::kinematic) at->most = INFINITY;
    if (bodies.info[i].kind == RigidKind::dynamic) at->most += free_energy(i);
  };
  for (const response::Touch& touch : world.touches) {
    add(touch.body_a, touch.body_b);
    add(touch.body_b, touch.body_a);
  }
  for (const World::Spinning& s : world.spinning) {
    const auto i = static_cast<std::size_t>(s.body);
    Motion& next = world.next[i];
    const double now = energy(bodies, i, next.q, next.v, next.w);
    if (!s.held || !(now > s.most)) continue;
    const double share = std::sqrt(s.most / now);
    next.v = share * next.v;
    next.w = share * next.w;
  }
}

}  // namespace carom::rigid
