#include "world/state.hpp"

namespace carom {

/// One walk down the pipeline (docs/architecture.md).
void World::step() {
  State& s = *state_;
  s.stats = {};
  s.arena.reset();
  Context context{s.workers, s.arena};

  run_edits(s, s.stats[Stage::edits]);
  run_predict(s, s.stats[Stage::predict]);

  // bounds, broad, mid, narrow
  detection::run(context, {.surface = s.surface, .positions = s.positions},
                 {.distance = s.options.contact.distance, .pairs = s.options.contact.pairs, .method = s.method},
                 s.detection, s.found, s.stats);

  contact::run({.contacts = s.found, .bodies = s.ranges}, s.contacts, s.stats[Stage::contacts]);

  penalty::run({.contacts = s.found, .inverse_mass = s.inverse_mass, .dt = s.options.dt}, s.options.contact, s.penalty,
               s.velocities, s.stats[Stage::respond]);

  run_commit(s, s.stats[Stage::commit]);
}

}  // namespace carom
