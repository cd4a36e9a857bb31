#include "ccd/limit_bodies.hpp"

#include "bodies/sleeping.hpp"
#include "core/stage_timer.hpp"

namespace carom::ccd {
namespace {

/// Gap, as a fraction of the thickness, below which features come no closer: gaps must not shrink to rounding.
constexpr double gap_fraction = 1e-3;
/// The same, below which parts of one sheet that was cut have no side of each other.
constexpr double flush_fraction = 0.05;
/// Rounds in which sweeps end before the impacts that were found, before whole sweeps are taken back.
constexpr int impact_rounds = 6;
constexpr int whole_rounds = 4;
/// Distance of clusters, as a fraction of the thickness, within which their motion may matter in the next step.
constexpr double near_fraction = 4;
/// Motion, as a fraction of the thickness, that is as good as none for the next step.
constexpr double slow_fraction = 0.01;

void limit_rigid(Context& context, const BodiesIn& in, BodiesScratch& scratch, rigid::Bodies& table,
                 rigid::StepMotion& motion, StageStats& stats) {
  scratch.woken.clear();
  limit_motion(context, in.rigid, scratch.rigid, {motion.next, scratch.woken}, stats);
  for (const BodySlot body : scratch.woken) rigid::wake(table, body);
  for (const Scratch::Stop& stop : scratch.rigid.stops) {
    motion.solved[stop.a] = 1;
    motion.solved[stop.b] = 1;
  }
}

void limit_features(Context& context, const BodiesIn& in, BodiesScratch& scratch, bodies::Vertices& vertices,
                    StageStats& stats) {
  if (in.near_distance > 0) {
    const StageTimer timer(stats);
    const CertificateIn certificate{.surface = vertices.surface(),
                                    .start = vertices.start,
                                    .end = vertices.positions,
                                    .pairs = in.near_pairs,
                                    .distance = in.near_distance,
                                    .self_distance = in.near_self_distance,
                                    .near = near_fraction * in.thickness,
                                    .motion_of_interest = slow_fraction * in.thickness,
                                    .flat = in.flat};
    if (certify_motion(context, certificate, scratch.certificate)) {
      stats.add_counted("certified", 1);
      return;
    }
  }
  limit::run(context,
             {.surface = vertices.surface(),
              .start = vertices.start,
              .inverse_mass = vertices.awake_inverse_mass,
              .parts = in.parts,
              .choice = in.choice,
              .pins = vertices.moved_pins},
             {.pairs = in.scope,
              .method = mid::takes_steps(in.method) ? in.method : mid::Method::clusters,
              .filters = in.filters,
              .gap = gap_fraction * in.thickness,
              .dt = in.rigid.dt,
              .flush = flush_fraction * in.thickness},
             scratch.features, vertices.positions, stats);
}

Shortening shortening_of(int round) {
  if (round < impact_rounds) return Shortening::before_impact;
  return round < impact_rounds + whole_rounds ? Shortening::whole_step : Shortening::whole_parts;
}

/// Rounds over shapes and surfaces, until no sweep of one meets one of the other.
void limit_surfaces(Context& context, const BodiesIn& in, BodiesScratch& scratch, rigid::Bodies& table,
                    rigid::StepMotion& motion, bodies::Vertices& vertices, StageStats& stats) {
  scratch.pairs.clear();
  for (std::size_t i = 0; i < in.shapes.convex_count; ++i) {
    scratch.pairs.push_back({.collider = in.shapes.contacts[i].collider,
                             .part = in.shapes.parts[i],
                             .within = in.shapes.within[i],
                             .contacts = in.shapes.contacts[i].contacts});
  }
  const SurfaceLimitIn surfaces{.surface = vertices.surface(),
                                .parts = vertices.parts,
                                .pairs = scratch.pairs,
                                .bodies = in.rigid.bodies,
                                .start = vertices.start,
                                .inverse_mass = vertices.awake_inverse_mass,
                                .separation = gap_fraction * in.thickness,
                                .resolution = contact::resolution_fraction * in.thickness,
                                .pins = vertices.moved_pins,
                                .vertices = vertices.attached.empty() ? nullptr : &vertices};
  scratch.surfaces.limited.assign(vertices.start.size(), 0);
  scratch.surfaces.stops.clear();
  scratch.features.stops.clear();
  bodies::place_dynamic_meshes(table, motion.next, vertices);
  if (in.features) limit_features(context, in, scratch, vertices, stats);
  std::uint64_t impacts = 0;
  const int last = impact_rounds + whole_rounds + static_cast<int>(vertices.parts.size() + in.rigid.bodies.size());
  for (int round = 0;; ++round) {
    bool bodies_changed = false;
    std::size_t hits = 0;
    {
      const StageTimer timer(stats);
      hits = limit_round(context, surfaces, shortening_of(round), scratch.surfaces, motion.next, vertices.positions,
                         bodies_changed);
    }
    if (round == 0) impacts = hits;
    if (hits == 0) break;
    if (round == last) {
      stats.add_counted("unresolved", hits);
      break;
    }
    if (bodies_changed) {
      limit_rigid(context, in, scratch, table, motion, stats);
      bodies::place_dynamic_meshes(table, motion.next, vertices);
    }
    if (in.features) limit_features(context, in, scratch, vertices, stats);
  }
  stats.add_counted("shape impacts", impacts);
  for (std::size_t v = 0; v < vertices.start.size(); ++v) {
    if (scratch.surfaces.limited[v] != 0) ++stats.limited;
  }
}

}  // namespace

void limit_bodies(Context& context, const BodiesIn& in, BodiesScratch& scratch, rigid::Bodies& table,
                  rigid::StepMotion& motion, bodies::Vertices& vertices, StageStats& stats) {
  limit_rigid(context, in, scratch, table, motion, stats);
  if (in.deforming) limit_surfaces(context, in, scratch, table, motion, vertices, stats);
}

}  // namespace carom::ccd
