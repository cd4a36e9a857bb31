#include <algorithm>
#include <cmath>

#include "world/state.hpp"

namespace carom {

namespace {

/// Rounds of a step at most.
constexpr int max_rounds = 8;
/// Motion in a round, as a fraction of the contact distance: two surfaces then come together by less than the margin
/// with which contacts are searched for.
constexpr double round_motion = 1;

/// How often contacts of cloth have to be found in a step: those of its start push to the side once surfaces have moved
/// on, and what was far may be through (adr/0014). A power of two, so that it seldom changes.
int count_rounds(const World::State& s) {
  double fastest = -1;
  for (const BodyId id : s.order) {
    const Body& body = s.bodies[id];
    if (!body.cloth || body.asleep) continue;
    double square = 0;
    for (const Eigen::Vector3d& v : body.velocities) square = std::max(square, v.squaredNorm());
    fastest = std::max(fastest, std::sqrt(square));
  }
  if (fastest < 0) return 1;
  const double dt = s.options.dt;
  const double motion = dt * (fastest + dt * s.options.gravity.norm());
  int rounds = 1;
  while (rounds < max_rounds && motion > rounds * round_motion * s.options.contact.distance) rounds *= 2;
  return rounds;
}

/// One walk down the pipeline, the same for all bodies (docs/architecture.md).
void run_stages(World::State& s) {
  PipelineStats stats;
  s.arena.reset();
  s.query_tree.forget();
  s.contact_list.forget();
  Context context{s.workers, s.arena};
  rigid::RigidPipeline& rigid = s.rigid;
  const rigid::StepOptions options{.gravity = math::to_vec3(s.options.gravity),
                                   .dt = s.options.dt,
                                   .solver = s.options.solver,
                                   .response = s.response};

  run_edits(s, stats[Stage::edits]);
  std::optional<Workers::Session> session;
  if (s.any_rigid) session.emplace(context.workers);
  // Bodies without a shape are counted by the stages of surfaces.
  PipelineStats uncounted;
  PipelineStats& shapes = s.any_rigid ? stats : uncounted;
  rigid::predict(context, rigid, options, shapes[Stage::predict]);
  run_predict(s, stats[Stage::predict]);
  rigid::update_bounds(context, rigid, options, shapes[Stage::bounds]);
  bound_surfaces(s, stats[Stage::bounds]);
  rigid::find_pairs(context, rigid, shapes[Stage::broad]);
  rigid::update_manifolds(context, rigid, options, shapes[Stage::narrow]);
  rigid::update_mesh_manifolds(context, rigid, options, shapes[Stage::narrow]);
  find_surface_contacts(context, s, stats);
  rigid::match_contacts(context, rigid, options.solver, shapes[Stage::contacts]);
  match_surface_contacts(s, stats[Stage::contacts]);
  rigid::predict_woken(rigid, options);
  respond(context, s, stats);
  rigid::advance(context, rigid, options, shapes[Stage::commit]);
  rigid::restore_island_invariants(context, rigid, options, false, shapes[Stage::commit]);
  limit_motion(context, s, options, stats[Stage::commit]);
  rigid::restore_island_invariants(context, rigid, options, true, shapes[Stage::commit]);
  keep_angular_momentum(s, stats[Stage::commit]);
  rigid::clamp_spin_energy(rigid, options);
  // Throws if a number overflowed: until here nothing has changed that can be seen.
  check_ends(s);
  rigid::commit(context, rigid, shapes[Stage::commit]);
  run_commit(s, stats[Stage::commit]);
  rigid::sleep(rigid, options.solver, options.dt, shapes[Stage::commit]);

  std::swap(s.contacts, s.next_contacts);
  s.contact_list.forget();
  s.stats = stats;
}

}  // namespace

void World::step() {
  State& s = *state_;
  s.rounds = count_rounds(s);
  if (s.rounds == 1) return run_stages(s);

  const Snapshot before = snapshot();
  rigid::Bodies& bodies = s.rigid.state.bodies;
  const bool pushed = bodies.pushed;
  const std::vector<math::Vec3> force = pushed ? bodies.force : std::vector<math::Vec3>();
  const std::vector<math::Vec3> torque = pushed ? bodies.torque : std::vector<math::Vec3>();
  const double dt = s.options.dt;
  const double start = s.time;
  const std::uint64_t steps = s.steps;
  PipelineStats stats;
  try {
    s.options.dt = dt / s.rounds;
    for (int round = 0; round < s.rounds; ++round) {
      // Forces act over the whole step.
      if (pushed && round > 0) {
        bodies.force = force;
        bodies.torque = torque;
        bodies.pushed = true;
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
}

}  // namespace carom
