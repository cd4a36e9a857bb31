#include "world/step.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "contact/soft_approach.hpp"

namespace carom {

namespace {

/// Whether some body is cloth or soft. Before `edits` have run the state does not say so: bodies may have been added,
/// or come from a snapshot.
bool has_cloth(const World::State& s) {
  if (!s.edited) return s.any_cloth;
  return std::ranges::any_of(
      s.order, [&](BodyId id) { return sheet::collides_as_cloth(s.bodies[id]) || s.bodies[id].is_soft(); });
}

/// Largest thickness of all bodies, likewise.
double largest_thickness(const World::State& s) {
  if (!s.edited) return s.thickness;
  double largest = s.options.contact.distance;
  for (const BodyId id : s.order) {
    if (s.bodies[id].motion == MotionModel::particles) largest = std::max(largest, s.bodies[id].thickness);
  }
  return largest;
}

}  // namespace

double near_motion(const World::State& s, double dt) {
  return s.near_speed >= 0 && has_cloth(s) ? dt * (s.near_speed + dt * s.options.gravity.norm()) : -1;
}

double self_motion(const World::State& s, double dt) {
  // Cloth folds: what is near along it comes together as fast as anything.
  const bool folds = std::ranges::any_of(s.order, [&](BodyId id) { return sheet::collides_as_cloth(s.bodies[id]); });
  return s.self_speed >= 0 && has_cloth(s) && !folds ? dt * (s.self_speed + dt * s.options.gravity.norm()) : -1;
}

double soft_approach(const World::State& s, double dt) {
  if (!has_cloth(s)) return 0;
  return contact::soft_approach({.bodies = s.bodies,
                                 .order = s.order,
                                 .table = s.table,
                                 .contacts = s.contacts,
                                 .thickness = largest_thickness(s),
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
/// Vertices that continuous detection stops in a step, as a fraction of all, above which the step is done again in more
/// rounds: twice as many, or where far more are stopped (`stopped_far`) four times as many, up to `max_repeat_rounds`.
constexpr double stopped_fraction = 0.03;
constexpr double stopped_far = 0.05;
constexpr int max_repeat_rounds = 32;
/// Energy that stops gave to cloth in a step and that could not be taken from it (conservation/stop_energy.hpp), as a
/// fraction of all energy of that cloth, above which the step is done again likewise.
constexpr double stop_energy_fraction = 0.02;

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

/// Bodies whose triangles change in a walk: cut by blades, torn, sewn together. After all that is committed, so that
/// what is committed is a surface. `dt`: of the walk, s.
void edit_bodies(World::State& s, double dt) {
  note_not_cut(s);
  s.edited |= cut_bodies(s, dt);
  s.edited |= edit_cloth(s);
}

/// One walk down the pipeline, the same for all bodies (docs/architecture.md). The last one of a step leaves
/// edit_bodies() until it is known that the step is not done again.
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
  if (s.round + 1 < s.rounds) edit_bodies(s, s.options.dt);
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

/// Rounds that fit into the time budget, as what the last walk took says. Where the cost of inner steps is given, no
/// clock is read, and no round is left out.
int affordable_rounds(const World::State& s, int wanted) {
  int rounds = wanted;
  if (!(s.options.time_budget > 0) || s.options.inner_step_cost > 0) return rounds;
  while (rounds > 1 && rounds * s.walk_cost > s.options.time_budget) rounds /= 2;
  return rounds;
}

}  // namespace

namespace {

/// Whether some body that is awake is cloth.
bool moves_cloth(const World::State& s) {
  return std::ranges::any_of(
      s.order, [&](BodyId id) { return s.bodies[id].cloth != nullptr && s.table.asleep[s.bodies[id].slot] == 0; });
}

/// Whether edit_bodies() may refuse what it finds: cloth that tears or is sewn is weighed again, and a vertex without a
/// mass is an error.
bool may_refuse_edits(const World::State& s) {
  return !s.joints.empty() || std::ranges::any_of(s.order, [&](BodyId id) {
    return s.bodies[id].cloth_rest != nullptr && s.bodies[id].cloth_rest->tears;
  });
}

/// Vertices that continuous detection stopped, as a fraction of all.
double stopped(const World::State& s, const PipelineStats& stats) {
  return static_cast<double>(stats[Stage::commit].limited) /
         static_cast<double>(std::max<std::size_t>(s.vertices.start.size(), 1));
}

/// What continuous detection may do in a step before the step is done again.
struct Allowed {
  double stopped = INFINITY;      ///< vertices, as a fraction of all
  double stop_energy = INFINITY;  ///< as a fraction of all energy of the cloth that was stopped
  bool holds(const World::State& s, const PipelineStats& stats) const {
    if (carom::stopped(s, stats) > stopped) return false;
    return !(s.stop_energy.left > 0 && s.stop_energy.left > stop_energy * s.stop_energy.all);
  }
};
constexpr Allowed allowed_before_repeat{.stopped = stopped_fraction, .stop_energy = stop_energy_fraction};

/// Walks of one step. Ends early, and returns false, where continuous detection did more than is `allowed`. Where a
/// walk throws, the state is in between.
bool walk(World::State& s, int rounds, const Allowed& allowed) {
  s.rounds = rounds;
  s.round = 0;
  s.cuts = s.cuts_between;
  s.not_cut.clear();
  s.limited_bodies.clear();
  if (rounds == 1) {
    run_stages(s);
    return allowed.holds(s, s.stats);
  }

  const bool pushed = s.table.pushed;
  const BySlot<math::Vec3> force = pushed ? s.table.force : BySlot<math::Vec3>();
  const BySlot<math::Vec3> torque = pushed ? s.table.torque : BySlot<math::Vec3>();
  const double dt = s.options.dt;
  const double start = s.time;
  const std::uint64_t steps = s.steps;
  PipelineStats stats;
  bool done = true;
  try {
    s.options.dt = dt / rounds;
    for (int round = 0; round < rounds && done; ++round) {
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
      done = allowed.holds(s, stats);
    }
  } catch (...) {
    s.options.dt = dt;
    throw;
  }
  s.options.dt = dt;
  s.steps = steps + 1;
  s.time = static_cast<double>(s.steps) * dt;
  s.stats = stats;
  return done;
}

}  // namespace

void World::step() {
  State& s = *state_;
  // A step that throws has changed nothing.
  std::vector<WorldCut> between = s.cuts_between;
  std::vector<WorldCut> cuts = s.cuts;
  std::vector<BodyId> not_cut = s.not_cut;
  std::vector<LimitedBody> limited_bodies = s.limited_bodies;
  const bodies::CarriedMotions carried = bodies::carried_motions(s.bodies, s.table);
  try {
    advance();
  } catch (...) {
    bodies::set_motions(carried, s.table);
    s.cuts = std::move(cuts);
    s.cuts_between = std::move(between);
    s.not_cut = std::move(not_cut);
    s.limited_bodies = std::move(limited_bodies);
    throw;
  }
  s.cuts_between.clear();
}

void World::advance() {
  State& s = *state_;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<WorldCut> between = s.cuts_between;
  const bool may_repeat = !(s.options.time_budget > 0) && moves_cloth(s);
  const int wanted = std::max(count_rounds(s), may_repeat ? s.kept_rounds : 1);
  int rounds = affordable_rounds(s, wanted);
  s.deadline = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(s.options.time_budget));
  // A surface that a snapshot has is copied when it changes.
  StageStats edits;
  join_bodies(s, edits);
  // Bodies that collide suddenly were not near in the last step: contacts are found too seldom, and vertices stopped by
  // continuous detection strain those that go on, far beyond what the fabric bears.
  std::optional<Snapshot> before =
      rounds > 1 || may_repeat || may_refuse_edits(s) ? std::optional(snapshot()) : std::nullopt;
  std::uint64_t repeated = 0;
  try {
    while (!walk(s, rounds, may_repeat && rounds < max_repeat_rounds ? allowed_before_repeat : Allowed{})) {
      rounds = std::min(max_repeat_rounds, (stopped(s, s.stats) > stopped_far ? 4 : 2) * rounds);
      ++repeated;
      restore(*before);
      s.cuts_between = between;
    }
    // What a snapshot has is copied before it changes, so there is none while bodies are cut.
    if (!may_refuse_edits(s)) before.reset();
    edit_bodies(s, s.options.dt / s.rounds);
    if (!s.not_cut.empty()) s.stats[Stage::edits].add_counted("not cuttable", s.not_cut.size());
  } catch (...) {
    if (before) restore(*before);
    throw;
  }
  // An impact takes some steps to end, and what was stopped has to find its place.
  s.kept_rounds =
      may_repeat && (repeated > 0 || !allowed_before_repeat.holds(s, s.stats)) ? s.rounds : s.kept_rounds / 2;
  s.walk_cost = seconds_since(begin) / s.rounds;
  s.stats[Stage::edits].add(edits);
  StageStats& stage = s.stats[Stage::respond];
  if (has_cloth(s)) stage.add_counted("rounds", static_cast<std::uint64_t>(s.rounds));
  if (repeated > 0) stage.add_counted("repeated", repeated);
  if (s.rounds < wanted) {
    stage.limited += static_cast<std::uint64_t>(wanted - s.rounds);
    stage.add_counted("rounds left out", static_cast<std::uint64_t>(wanted - s.rounds));
  }
  end_pulls(s);
}

}  // namespace carom
