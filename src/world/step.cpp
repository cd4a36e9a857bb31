#include "world/step.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "contact/soft_approach.hpp"

namespace carom {

double near_motion(const World::State& s, double dt) {
  return s.any_cloth && s.near_speed >= 0 ? dt * (s.near_speed + dt * s.options.gravity.norm()) : -1;
}

double soft_approach(const World::State& s, double dt) {
  // Not known before `edits` have run whether some body is soft.
  if (!s.any_cloth && !s.edited) return 0;
  return contact::soft_approach({.bodies = s.bodies,
                                 .order = s.order,
                                 .table = s.table,
                                 .contacts = s.contacts,
                                 .thickness = s.thickness,
                                 .gravity = s.options.gravity.norm(),
                                 .dt = dt});
}

namespace {

/// Rounds of a step at most.
constexpr int max_rounds = 8;
/// Motion in a round, as a fraction of the contact distance: of two sides of a contact along each other, and of
/// clusters of surfaces that are near each other, which is far more than features of them come together.
constexpr double slide_in_round = 2;
constexpr double near_in_round = 6;
/// Likewise, of soft bodies that come to other surfaces: contacts have to be found before the impact, as a vertex that
/// continuous detection stops strains the lattice that goes on (adr/0016).
constexpr double approach_in_round = contact::approach_margin;

/// How often contacts of cloth have to be found in a step: those of its start push to the side once surfaces have slid
/// on (adr/0014). A power of two, so that it seldom changes.
int count_rounds(const World::State& s) {
  const double motion =
      std::max({s.options.dt * s.slide_speed / slide_in_round, near_motion(s, s.options.dt) / near_in_round,
                soft_approach(s, s.options.dt) / approach_in_round});
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
  s.edited |= cut_bodies(s, s.options.dt);
  s.edited |= edit_cloth(s);
  s.stats = step.stats();
  s.stats[Stage::edits] = edits;
}

/// Pulls act over one step.
void end_pulls(World::State& s) {
  for (const BodyId id : s.order) s.bodies[id].pulls.clear();
}

}  // namespace

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Rounds that fit into the time budget, as what the last walk took says.
int affordable_rounds(const World::State& s, int wanted) {
  int rounds = wanted;
  if (!(s.options.time_budget > 0)) return rounds;
  while (rounds > 1 && rounds * s.walk_cost > s.options.time_budget) rounds /= 2;
  return rounds;
}

}  // namespace

void World::step() {
  State& s = *state_;
  const auto begin = std::chrono::steady_clock::now();
  const int wanted = count_rounds(s);
  s.rounds = affordable_rounds(s, wanted);
  s.round = 0;
  s.deadline = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(s.options.time_budget));
  const auto note_left_out = [&] {
    s.walk_cost = seconds_since(begin) / s.rounds;
    if (s.rounds == wanted) return;
    StageStats& stage = s.stats[Stage::respond];
    stage.limited += static_cast<std::uint64_t>(wanted - s.rounds);
    stage.add_counted("rounds left out", static_cast<std::uint64_t>(wanted - s.rounds));
  };
  s.cuts.clear();
  if (s.rounds == 1) {
    run_stages(s);
    end_pulls(s);
    return note_left_out();
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
  note_left_out();
  end_pulls(s);
}

}  // namespace carom
