#include "response/coupling.hpp"

#include <algorithm>

namespace carom::response {
namespace {

constexpr int separate_sweeps = 4;
/// Vertices that a thread takes at a time.
constexpr std::size_t moved_grain = 8192;

}  // namespace

void move(Workers& workers, const AnchorState& s, double interval, std::span<const VertexRange> vertices) {
  const double* const velocity = s.velocities.data()->data();
  double* const displacement = s.displacements.data()->data();
  const VertexRange all{0, s.velocities.size()};
  for (const VertexRange& range : vertices.empty() ? std::span(&all, 1) : vertices) {
    const std::size_t first = 3 * range.first;
    parallel_chunks(workers, 3 * range.second - first, moved_grain,
                    [&](std::size_t begin, std::size_t end, std::size_t) {
                      for (std::size_t i = first + begin; i < first + end; ++i)
                        displacement[i] += interval * velocity[i];
                    });
  }
  for (CoupledBody& body : s.bodies) {
    body.displacement = body.displacement + interval * body.v;
    body.turn = body.turn + interval * body.w;
  }
}

void begin(Coupling& c, int substeps) {
  for (Coupling& group : c.groups) begin(group, substeps);
  if (!c.groups.empty()) return;
  c.count = (c.inner_steps + substeps - 1) / substeps;
  while ((c.count * substeps) % c.multiple != 0) ++c.count;
  prepare(c.contacts, c.state);
  c.batches->build(c.contacts, c.state);
  c.elapsed = 0;
}

namespace {

/// Inner steps of one group, or of all islands.
void make_inner_steps(Coupling& c, double interval) {
  const double h = interval / c.count;
  const int sweeps = std::max(1, c.push_sweeps / c.count);
  const std::span<AnchorContact> left = c.batches->left();
  for (int i = 0; i < c.count; ++i) {
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
    move(*c.workers, c.state, h, c.moved);
    if (c.move_nodes) c.move_nodes(h);
    c.elapsed += h;
    if (i + 1 < c.count) {
      sweep(left, c.state, c.options, h, false);
      add_to_totals(left);
      c.batches->relax(*c.workers, c.state, c.options, h, c.elapsed, 1);
    }
  }
}

/// Displacements of vertices that all groups move along.
std::vector<Eigen::Vector3d> shared_displacements(const Coupling& c) {
  std::vector<Eigen::Vector3d> list;
  for (const auto& [first, last] : c.shared) {
    const auto part = c.state.displacements.subspan(first, last - first);
    list.insert(list.end(), part.begin(), part.end());
  }
  return list;
}

void restore_shared(const Coupling& c, std::span<const Eigen::Vector3d> displacements) {
  for (const auto& [first, last] : c.shared) {
    std::ranges::copy(displacements.first(last - first),
                      c.state.displacements.begin() + static_cast<std::ptrdiff_t>(first));
    displacements = displacements.subspan(last - first);
  }
}

/// Groups one after the other, each from the start of the interval. No contact acts on two of them, so that a body that
/// contacts move is as its own group leaves it; what moves by itself is at the end of the interval after each.
void make_group_steps(Coupling& c, double interval) {
  const std::vector<CoupledBody> start(c.state.bodies.begin(), c.state.bodies.end());
  const std::vector<Eigen::Vector3d> shared = shared_displacements(c);
  std::vector<CoupledBody> end = start;
  for (std::size_t g = 0; g < c.groups.size(); ++g) {
    std::ranges::copy(start, c.state.bodies.begin());
    restore_shared(c, shared);
    make_inner_steps(c.groups[g], interval);
    for (std::size_t k = 0; k < end.size(); ++k) {
      const CoupledBody& now = c.state.bodies[k];
      if (c.owner[k] == static_cast<std::int32_t>(g)) {
        end[k] = now;
      } else if (c.owner[k] < 0) {
        end[k].displacement = now.displacement;
        end[k].turn = now.turn;
        end[k].impulse = end[k].impulse + now.impulse - start[k].impulse;
        end[k].moment = end[k].moment + now.moment - start[k].moment;
      }
    }
  }
  std::ranges::copy(end, c.state.bodies.begin());
}

}  // namespace

void inner_steps(Coupling& c, double interval) {
  if (c.groups.empty()) return make_inner_steps(c, interval);
  make_group_steps(c, interval);
}

void relax(Coupling& c, double interval) {
  for (Coupling& group : c.groups) relax(group, interval);
  if (!c.groups.empty()) return;
  const double h = interval / c.count;
  const std::span<AnchorContact> left = c.batches->left();
  for (int k = 0; k < c.relax_sweeps; ++k) sweep(left, c.state, c.options, h, false);
  add_to_totals(left);
  c.batches->relax(*c.workers, c.state, c.options, h, c.elapsed, c.relax_sweeps);
}

void finish(Coupling& c) {
  for (Coupling& group : c.groups) finish(group);
  if (!c.groups.empty()) return;
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
