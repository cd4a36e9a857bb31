#include "world/step.hpp"

#include <algorithm>
#include <cmath>

namespace carom {

double near_motion(const World::State& s, double dt) {
  return s.any_cloth && s.near_speed >= 0 ? dt * (s.near_speed + dt * s.options.gravity.norm()) : -1;
}

namespace {

/// Rounds of a step at most.
constexpr int max_rounds = 8;
/// Motion in a round, as a fraction of the contact distance: of two sides of a contact along each other, and of
/// clusters of surfaces that are near each other, which is far more than features of them come together.
constexpr double slide_in_round = 2;
constexpr double near_in_round = 6;

/// How often contacts of cloth have to be found in a step: those of its start push to the side once surfaces have slid
/// on (adr/0014). A power of two, so that it seldom changes.
int count_rounds(const World::State& s) {
  const double motion =
      std::max(s.options.dt * s.slide_speed / slide_in_round, near_motion(s, s.options.dt) / near_in_round);
  int rounds = 1;
  while (rounds < max_rounds && motion > rounds * s.options.contact.distance) rounds *= 2;
  return rounds;
}

/// One walk down the pipeline, the same for all bodies (docs/architecture.md).
void run_stages(World::State& s) {
  s.arena.reset();
  s.query_tree.forget();
  s.contact_list.forget();
  StageStats edits;
  run_edits(s, edits);

  Step step(s);
  step.predict();
  step.update_bounds();
  step.find_pairs();
  step.find_tangles();
  step.find_contacts();
  step.match_contacts();
  step.build_islands();
  step.respond();
  step.limit_motion();
  step.check();  // throws if a number overflowed: until here nothing has changed that can be seen
  step.commit();
  step.sleep();
  // Here, so that what is committed is a surface.
  s.edited |= cut_cloth(s, s.options.dt);
  s.edited |= edit_cloth(s);
  s.stats = step.stats();
  s.stats[Stage::edits] = edits;
}

/// Pulls act over one step.
void end_pulls(World::State& s) {
  for (const BodyId id : s.order) s.bodies[id].pulls.clear();
}

}  // namespace

void World::step() {
  State& s = *state_;
  s.rounds = count_rounds(s);
  s.round = 0;
  s.cuts.clear();
  if (s.rounds == 1) {
    run_stages(s);
    end_pulls(s);
    return;
  }

  const Snapshot before = snapshot();
  const bool pushed = s.table.pushed;
  const BySlot<math::Vec3> force = pushed ? s.table.force : BySlot<math::Vec3>();
  const BySlot<math::Vec3> torque = pushed ? s.table.torque : BySlot<math::Vec3>();
  const double dt = s.options.dt;
  const double start = s.time;
  const std::uint64_t steps = s.steps;
  PipelineStats stats;
  try {
    s.options.dt = dt / s.rounds;
    for (int round = 0; round < s.rounds; ++round) {
      s.round = round;
      // Forces act over the whole step.
      if (pushed && round > 0) {
        s.table.force = force;
        s.table.torque = torque;
        s.table.pushed = true;
      }
      run_stages(s);
      stats.add(s.stats);
      s.steps = steps;
      s.time = start + (round + 1) * s.options.dt;
    }
  } catch (...) {
    s.options.dt = dt;
    restore(before);
    throw;
  }
  s.options.dt = dt;
  s.steps = steps + 1;
  s.time = static_cast<double>(s.steps) * dt;
  stats[Stage::respond].add_counted("rounds", static_cast<std::uint64_t>(s.rounds));
  s.stats = stats;
  end_pulls(s);
}

}  // namespace carom
