#include "world/state.hpp"

namespace carom {

/// One walk down the pipeline (docs/architecture.md).
void World::step() {
  State& s = *state_;
  PipelineStats stats;
  s.arena.reset();
  Context context{s.workers, s.arena};

  if (s.rigid.state.bodies.size() > 0) {
    s.query_tree.forget();
    s.contact_list.forget();
    rigid::step(context, s.rigid,
                {.gravity = detail::to_vec3(s.options.gravity),
                 .dt = s.options.dt,
                 .rigid = s.options.rigid,
                 .response = s.response},
                stats);
    ++s.steps;
    s.time = static_cast<double>(s.steps) * s.options.dt;
    s.stats = stats;
    return;
  }

  run_edits(s, stats[Stage::edits]);
  run_predict(s, stats[Stage::predict]);

  // bounds, broad, mid, narrow
  detection::run(context, {.surface = s.surface, .positions = s.positions},
                 {.distance = s.options.contact.distance,
                  .pairs = s.options.contact.pairs,
                  .method = s.method,
                  .filters = filters_of(s),
                  .choice = {.marks = s.contact_marks}},
                 s.detection, s.found, stats);

  contact::run({.contacts = s.found, .bodies = s.ranges, .previous = s.contacts}, s.next_contacts,
               stats[Stage::contacts]);

  penalty::run({.contacts = s.found, .inverse_mass = s.inverse_mass, .dt = s.options.dt}, s.options.contact, s.penalty,
               s.velocities, stats[Stage::respond]);

  note_response(s);
  run_advance(context, s, stats[Stage::commit]);
  run_commit(s, stats[Stage::commit]);

  // Only now: a step that threw above has changed nothing that can be seen.
  std::swap(s.contacts, s.next_contacts);
  s.contact_list.forget();
  s.stats = stats;
}

}  // namespace carom
