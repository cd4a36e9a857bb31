#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "world/rigid_pipeline.hpp"

namespace carom::rigid {
namespace {

constexpr std::size_t step_grain = 256;

FreeMotions::Body body_of(const RigidPipeline& world, std::size_t i) {
  const Bodies& bodies = world.state.bodies;
  const Vec3 none;
  return {.number = i,
          .motion = &bodies.motion[i],
          .r = &world.poses.rotation[i],
          .mass = &bodies.mass[i],
          .info = &bodies.info[i],
          .force = bodies.pushed ? bodies.force[i] : none,
          .torque = bodies.pushed ? bodies.torque[i] : none};
}

}  // namespace

void predict_woken(RigidPipeline& world, const StepOptions& options) {
  FreeMotions motions(options.gravity, options.dt);
  const auto note = [&](std::size_t i, const Free& free) { world.free[i] = free; };
  for (std::size_t i = 0; i < world.predicted.size(); ++i) {
    if (world.predicted[i] == 0 && world.state.bodies.asleep[i] == 0) motions.add(body_of(world, i), note);
  }
  motions.finish(note);
}

void predict(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  const Bodies& bodies = world.state.bodies;
  world.free.resize(bodies.size());
  world.predicted.resize(bodies.size());
  world.poses.rotation.resize(bodies.size());
  world.collider_travel.resize(bodies.colliders.size());
  // All that is to be known of a body at the beginning, while its data is at hand.
  parallel_chunks(context.workers, bodies.size(), step_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    FreeMotions motions(options.gravity, options.dt);
    const auto note = [&](std::size_t i, const Free& free) { world.free[i] = free; };
    for (std::size_t i = begin; i < end; ++i) {
      world.poses.rotation[i] = math::matrix(bodies.motion[i].q);
      world.predicted[i] = bodies.asleep[i] == 0 ? 1 : 0;
      if (world.predicted[i] != 0) motions.add(body_of(world, i), note);
      update_travel(world, i, options.dt);
    }
    motions.finish(note);
  });
  stats.set_unit("bodies");
  stats.in += bodies.size();
  stats.out += bodies.size();
}

namespace {

/// Where a body goes that no contact holds back; the others have their `next` from the response.
void advance(RigidPipeline& world, double dt, std::size_t i) {
  const Bodies& bodies = world.state.bodies;
  const Motion& m = bodies.motion[i];
  if (bodies.info[i].motion == MotionModel::fixed || bodies.asleep[i] != 0) {
    world.next[i] = m;
  } else if (bodies.info[i].motion == MotionModel::scripted || world.solved[i] == 0) {
    const Free& free = world.free[i];
    // Exact where the force is constant.
    world.next[i] = {m.x + 0.5 * dt * (m.v + free.v), free.q, free.v, free.w};
  }
}

bool in_range(const Motion& m, double dt) {
  const auto size = [](const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); };
  return (size(m.x) + size(m.v) + size(m.w) + std::abs(m.q.w)) * (1 + dt) < 1e30;
}

}  // namespace

/// Throws before anything is changed.
void advance(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  const std::size_t count = world.next.size();
  const auto first_bad = [&](std::size_t begin, std::size_t end) {
    std::size_t bad = count;
    for (std::size_t i = begin; i < end; ++i) {
      advance(world, options.dt, i);
      if (world.state.bodies.info[i].motion == MotionModel::fixed) continue;
      if (!in_range(world.next[i], options.dt)) bad = std::min(bad, i);
    }
    return bad;
  };
  const auto first = [](std::size_t a, std::size_t b) { return std::min(a, b); };
  const std::size_t bad =
      parallel_reduce(context.workers, count, step_grain, count, first_bad, first, world.out_of_range);
  require(bad == count, ErrorCode::unstable, "body '{}' left the range of numbers; lower dt, the forces or the speeds",
          bad < count ? world.state.bodies.info[bad].name : "");
}

void limit_motion(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats) {
  world.carried_asleep.clear();
  const ccd::In in{.state = world.state,
                   .free = world.free,
                   .broad = world.broad,
                   .some_deep = world.some_deep,
                   .dt = options.dt,
                   .springs = response::stores_energy(options.response)};
  ccd::limit_motion(context, in, world.ccd, {world.next, world.carried_asleep}, stats);
  for (const std::int32_t body : world.carried_asleep) wake(world.state, body);
  for (const ccd::Scratch::Stop& stop : world.ccd.stops) {
    world.solved[static_cast<std::size_t>(stop.a)] = 1;
    world.solved[static_cast<std::size_t>(stop.b)] = 1;
  }
}

void commit(Context& context, RigidPipeline& world, StageStats& stats) {
  const StageTimer timer(stats);
  Bodies& bodies = world.state.bodies;
  std::swap(bodies.motion, world.next);
  if (bodies.pushed) {
    parallel_for(context.workers, bodies.size(), step_grain, [&](std::size_t i) {
      bodies.force[i] = {};
      bodies.torque[i] = {};
    });
    bodies.pushed = false;
  }
  stats.set_unit("bodies");
  stats.in += bodies.size();
  stats.out += bodies.size();
}

}  // namespace carom::rigid
