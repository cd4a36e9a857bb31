#include <algorithm>
#include <cmath>

#include "world/rigid_pipeline.hpp"

// Contacts are straight, with arms that stand still over a step. Of a body that turns by radians in it they know next
// to nothing: an impulse that is right at the beginning, with the inertia of then, may give it many times the energy
// that it had, and again in the next step.
namespace carom::rigid {
namespace {

/// rad in a step; slower ones are none of this.
constexpr double fast_turn = 1;

double energy(const Bodies& bodies, std::size_t i, const Quat& q, const Vec3& v, const Vec3& w) {
  const Vec3 momentum = turned(math::matrix(q), bodies.mass[i].inertia, w);
  return 0.5 * (bodies.info[i].mass * dot(v, v) + dot(w, momentum));
}

bool moves_freely(const Bodies& bodies, std::size_t i) {
  return bodies.mass[i].inverse > 0 && bodies.asleep[i] == 0;
}

/// Islands of bodies that touch each other or were stopped by each other, not over what does not move.
void join_islands(RigidPipeline& world) {
  const Bodies& bodies = world.state.bodies;
  world.parent.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) world.parent[i] = static_cast<std::int32_t>(i);
  const auto join = [&](std::int32_t a, std::int32_t b) {
    if (!moves_freely(bodies, static_cast<std::size_t>(a)) || !moves_freely(bodies, static_cast<std::size_t>(b)))
      return;
    a = root(world.parent, a);
    b = root(world.parent, b);
    world.parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  };
  for (const response::ActivePair& touch : world.active_pairs) join(touch.body_a, touch.body_b);
  for (const ccd::Scratch::Stop& stop : world.ccd.stops) join(stop.a, stop.b);
}

}  // namespace

void note_stored_energy(RigidPipeline& world, response::Kind response) {
  world.stored.assign(world.active_pairs.size(), 0);
  if (!response::stores_energy(response)) return;
  for (std::size_t k = 0; k < world.active_pairs.size(); ++k)
    world.stored[k] =
        static_cast<double>(world.state.pairs[static_cast<std::size_t>(world.active_pairs[k].pair)].stored);
}

void clamp_spin_energy(RigidPipeline& world, const StepOptions& options) {
  const Bodies& bodies = world.state.bodies;
  const auto free_energy = [&](std::size_t i) {
    return bodies.asleep[i] != 0 ? 0 : energy(bodies, i, world.free[i].q, world.free[i].v, world.free[i].w);
  };
  const auto next_energy = [&](std::size_t i) {
    return energy(bodies, i, world.next[i].q, world.next[i].v, world.next[i].w);
  };
  world.spinning.clear();
  for (const std::int32_t body : world.ccd.fast) {
    const auto i = static_cast<std::size_t>(body);
    if (bodies.mass[i].inverse == 0 || bodies.asleep[i] != 0 || world.solved[i] == 0) continue;
    if (!(options.dt * length(world.next[i].w) > fast_turn)) continue;
    const RigidPipeline::Spinning s{.body = body, .free = free_energy(i), .next = next_energy(i)};
    if (s.next > s.free) world.spinning.push_back(s);
  }
  if (world.spinning.empty()) return;
  join_islands(world);

  // Bodies that spin give back the energy that their island gained as a whole. A scripted body can supply any energy.
  const auto root_of = [&](std::int32_t body) { return static_cast<std::size_t>(root(world.parent, body)); };
  world.island_gain.assign(bodies.size(), 0);
  world.spinning_gain.assign(bodies.size(), 0);
  for (const RigidPipeline::Spinning& s : world.spinning) world.spinning_gain[root_of(s.body)] += s.next - s.free;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::size_t r = root_of(static_cast<std::int32_t>(i));
    if (world.solved[i] != 0 && moves_freely(bodies, i) && world.spinning_gain[r] > 0)
      world.island_gain[r] += next_energy(i) - free_energy(i);
  }
  const auto add_kinematic = [&](std::int32_t body, std::int32_t by) {
    if (bodies.info[static_cast<std::size_t>(by)].motion == MotionModel::scripted)
      world.island_gain[root_of(body)] = -INFINITY;
  };
  for (std::size_t k = 0; k < world.active_pairs.size(); ++k) {
    const response::ActivePair& touch = world.active_pairs[k];
    add_kinematic(touch.body_a, touch.body_b);
    add_kinematic(touch.body_b, touch.body_a);
    // Springs may give back what they took.
    const bool a_moves = moves_freely(bodies, static_cast<std::size_t>(touch.body_a));
    world.island_gain[root_of(a_moves ? touch.body_a : touch.body_b)] -= world.stored[k];
  }
  for (const ccd::Scratch::Stop& stop : world.ccd.stops) {
    add_kinematic(stop.a, stop.b);
    add_kinematic(stop.b, stop.a);
  }
  // So may deforming bodies.
  for (std::size_t i = 0; i < world.coupled.size(); ++i) {
    if (world.coupled[i] != 0) world.island_gain[root_of(static_cast<std::int32_t>(i))] = -INFINITY;
  }
  for (const RigidPipeline::Spinning& s : world.spinning) {
    const std::size_t r = root_of(s.body);
    if (!(world.island_gain[r] > 0)) continue;
    const double kept = std::max(0.0, 1 - world.island_gain[r] / world.spinning_gain[r]);
    const double fraction = std::sqrt((s.free + kept * (s.next - s.free)) / s.next);
    Motion& next = world.next[static_cast<std::size_t>(s.body)];
    next.v = fraction * next.v;
    next.w = fraction * next.w;
  }
}

}  // namespace carom::rigid
