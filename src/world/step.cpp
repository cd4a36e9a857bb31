#include "world/state.hpp"

namespace carom {

/// One walk down the pipeline, the same for all bodies (docs/architecture.md).
void World::step() {
  State& s = *state_;
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

}  // namespace carom
