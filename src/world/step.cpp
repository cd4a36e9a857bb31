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
  rigid::World& rigid = s.rigid;
  const rigid::StepOptions options{.gravity = detail::to_vec3(s.options.gravity),
                                   .dt = s.options.dt,
                                   .solver = s.options.solver,
                                   .response = s.response};

  run_edits(s, stats[Stage::edits]);
  std::optional<Workers::Gathering> gathering;
  if (s.any_rigid) gathering.emplace(context.workers);
  rigid::predict(context, rigid, options, stats[Stage::predict]);
  run_predict(s, stats[Stage::predict]);
  rigid::bound(context, rigid, options, stats[Stage::bounds]);
  bound_surfaces(s, stats[Stage::bounds]);
  rigid::find_pairs(context, rigid, stats[Stage::broad]);
  rigid::look(context, rigid, options, stats[Stage::narrow]);
  rigid::look_at_meshes(context, rigid, options, stats[Stage::narrow]);
  find_surface_contacts(context, s, stats);
  rigid::identify(context, rigid, options.solver, stats[Stage::contacts]);
  match_surface_contacts(s, stats[Stage::contacts]);
  rigid::predict_woken(rigid, options);
  respond(context, s, stats);
  rigid::advance(context, rigid, options, stats[Stage::commit]);
  rigid::keep_momentum_and_energy(context, rigid, options, false, stats[Stage::commit]);
  limit_motion(context, s, options, stats[Stage::commit]);
  rigid::keep_momentum_and_energy(context, rigid, options, true, stats[Stage::commit]);
  keep_angular_momentum(s, stats[Stage::commit]);
  rigid::limit_spinning(rigid, options);
  // Throws if a number overflowed: until here nothing has changed that can be seen.
  check_ends(s);
  rigid::commit(context, rigid, stats[Stage::commit]);
  run_commit(s, stats[Stage::commit]);
  rigid::sleep(rigid, options.solver, options.dt, stats[Stage::commit]);

  std::swap(s.contacts, s.next_contacts);
  s.contact_list.forget();
  s.stats = stats;
}

}  // namespace carom
