#include "response/coupling.hpp"

#include <algorithm>

namespace carom::response {
namespace {

constexpr int separate_sweeps = 4;
/// Vertices that a thread takes at a time.
constexpr std::size_t moved_grain = 8192;

}  // namespace

void move(Workers& workers, const AnchorState& s, double interval) {
  const double* const velocity = s.velocities.data()->data();
  double* const displacement = s.displacements.data()->data();
  parallel_chunks(workers, 3 * s.velocities.size(), moved_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i) displacement[i] += interval * velocity[i];
  });
  for (CoupledBody& body : s.bodies) {
    body.displacement = body.displacement + interval * body.v;
    body.turn = body.turn + interval * body.w;
  }
}

void begin(Coupling& c) {
  prepare(c.contacts, c.state);
  c.batches->build(c.contacts, c.state);
  c.elapsed = 0;
}

void inner_steps(Coupling& c, double interval, int count) {
  const double h = interval / count;
  const int sweeps = std::max(1, c.push_sweeps / count);
  const std::span<AnchorContact> left = c.batches->left();
  for (int i = 0; i < count; ++i) {
    c.add_forces(h);
    // Contacts with what nothing moves come last: what comes last holds best.
    warm_start(left, c.state);
    if (c.spread) {
      c.batches->continue_impulses(c.state);
      c.spread();
    }
    for (int k = 0; k < sweeps; ++k) {
      const int rest = c.spread ? 1 : sweeps - k;
      for (int i_sweep = 0; i_sweep < rest; ++i_sweep) sweep(left, c.state, c.options, h, true);
      c.batches->push(*c.workers, c.state, c.options, h, rest);
      if (!c.spread) break;
      c.spread();
    }
    move(*c.workers, c.state, h);
    if (c.move_nodes) c.move_nodes(h);
    c.elapsed += h;
    if (i + 1 < count) {
      sweep(left, c.state, c.options, h, false);
      add_to_totals(left);
      c.batches->relax(*c.workers, c.state, c.options, h, c.elapsed, 1);
    }
  }
}

void relax(Coupling& c, double interval) {
  const std::span<AnchorContact> left = c.batches->left();
  for (int k = 0; k < c.relax_sweeps; ++k) sweep(left, c.state, c.options, interval, false);
  add_to_totals(left);
  c.batches->relax(*c.workers, c.state, c.options, interval, c.elapsed, c.relax_sweeps);
}

void finish(Coupling& c) {
  c.batches->finish(c.contacts);
  bounce(c.contacts, c.state, c.options);
}

void separate_vertices(Coupling& c, double dt) {
  const AnchorState& s = c.state;
  for (int k = 0; k < separate_sweeps; ++k) {
    for (const AnchorContact& contact : c.contacts) {
      if (!(contact.gap < 0)) continue;
      const double opened = dot(contact.normal, displacement_at(contact.b, s) - displacement_at(contact.a, s));
      const double wanted =
          std::min(c.options.max_push_speed * dt, -std::min(1.0, c.options.push_rate * dt) * contact.gap);
      double inverse_mass = 0;
      for (const Anchor* side : {&contact.a, &contact.b}) {
        if (side->rigid < 0) inverse_mass += inverse_effective_mass(*side, contact.normal, s);
      }
      if (!(wanted > opened) || !(inverse_mass > 0)) continue;
      const double amount = (wanted - opened) / inverse_mass;
      for (const Anchor* side : {&contact.a, &contact.b}) {
        if (side->rigid >= 0) continue;
        const double sign = side == &contact.a ? -1 : 1;
        for (std::size_t i = 0; i < side->count; ++i) {
          const auto v = static_cast<std::size_t>(side->vertices[i]);
          s.displacements[v] += math::to_eigen((sign * amount * side->weights[i] * s.inverse_mass[v]) * contact.normal);
        }
      }
    }
  }
}

}  // namespace carom::response
