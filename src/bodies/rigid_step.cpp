#include "bodies/rigid_step.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/stage_timer.hpp"

namespace carom::rigid {
namespace {

constexpr std::size_t step_grain = 256;

FreeMotions::Body body_of(const Bodies& bodies, const StepMotion& step, BodySlot i) {
  const Vec3 none;
  return {.number = i,
          .motion = &bodies.motion[i],
          .r = &step.poses.rotation[i],
          .mass = &bodies.mass[i],
          .info = &bodies.info[i],
          .force = bodies.pushed ? bodies.force[i] : none,
          .torque = bodies.pushed ? bodies.torque[i] : none};
}

}  // namespace

void predict_woken(const Bodies& bodies, const Vec3& gravity, double dt, StepMotion& step) {
  FreeMotions motions(gravity, dt);
  const auto note = [&](BodySlot i, const Free& free) { step.free[i] = free; };
  for (const BodySlot i : step.predicted.indices()) {
    if (step.predicted[i] == 0 && bodies.asleep[i] == 0) motions.add(body_of(bodies, step, i), note);
  }
  motions.finish(note);
}

void predict(Context& context, const Bodies& bodies, const Vec3& gravity, double dt, StepMotion& step, Travel& travel,
             StageStats& stats) {
  const StageTimer timer(stats);
  step.free.resize(bodies.size());
  step.predicted.resize(bodies.size());
  step.poses.rotation.resize(bodies.size());
  travel.colliders.resize(bodies.colliders.size());
  // All that is to be known of a body at the beginning, while its data is at hand.
  parallel_chunks(context.workers, bodies.size(), step_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    FreeMotions motions(gravity, dt);
    const auto note = [&](BodySlot i, const Free& free) { step.free[i] = free; };
    for (const BodySlot i : IndexRange<BodySlot>(begin, end)) {
      step.poses.rotation[i] = math::matrix(bodies.motion[i].q);
      step.predicted[i] = bodies.asleep[i] == 0 ? 1 : 0;
      if (step.predicted[i] != 0) motions.add(body_of(bodies, step, i), note);
      update_travel(bodies, i, dt, travel);
    }
    motions.finish(note);
  });
  stats.set_unit("bodies");
  stats.in += bodies.count;
  stats.out += bodies.count;
}

namespace {

/// Where a body goes that no contact holds back; the others have their `next` from the response.
void advance_body(const Bodies& bodies, double dt, BodySlot i, StepMotion& step) {
  const Motion& m = bodies.motion[i];
  if (bodies.info[i].motion == MotionModel::fixed || bodies.asleep[i] != 0) {
    step.next[i] = m;
  } else if (bodies.info[i].motion == MotionModel::scripted || step.solved[i] == 0) {
    step.next[i] = rigid::predicted(m, step.free[i], dt);
  }
}

bool in_range(const Motion& m, double dt) {
  const auto size = [](const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); };
  return (size(m.x) + size(m.v) + size(m.w) + std::abs(m.q.w)) * (1 + dt) < 1e30;
}

}  // namespace

void advance(Context& context, const Bodies& bodies, double dt, StepMotion& step, StageStats& stats) {
  const StageTimer timer(stats);
  const std::size_t count = step.next.size();
  const BodySlot none_bad(count);
  const auto first_bad = [&](std::size_t begin, std::size_t end) {
    BodySlot bad = none_bad;
    for (const BodySlot i : IndexRange<BodySlot>(begin, end)) {
      advance_body(bodies, dt, i, step);
      if (bodies.info[i].motion == MotionModel::fixed) continue;
      if (!in_range(step.next[i], dt)) bad = std::min(bad, i);
    }
    return bad;
  };
  const auto first = [](BodySlot a, BodySlot b) { return std::min(a, b); };
  const BodySlot bad =
      parallel_reduce(context.workers, count, step_grain, none_bad, first_bad, first, step.out_of_range);
  require(bad == none_bad, ErrorCode::unstable,
          "body '{}' left the range of numbers; lower dt, the forces or the speeds",
          bad < none_bad ? bodies.info[bad].name : "");
}

void commit(Context& context, Bodies& bodies, StepMotion& step, StageStats& stats) {
  const StageTimer timer(stats);
  std::swap(bodies.motion, step.next);
  if (bodies.pushed) {
    parallel_for(context.workers, bodies.size(), step_grain, [&](std::size_t k) {
      const BodySlot i(k);
      bodies.force[i] = {};
      bodies.torque[i] = {};
    });
    bodies.pushed = false;
  }
  stats.set_unit("bodies");
  stats.in += bodies.count;
  stats.out += bodies.count;
}

}  // namespace carom::rigid
