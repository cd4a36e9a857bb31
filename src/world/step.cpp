#include <algorithm>
#include <cmath>

#include "bodies/sleeping.hpp"
#include "ccd/stop_at_impacts.hpp"
#include "conservation/island_invariants.hpp"
#include "conservation/mixed_invariants.hpp"
#include "contact/resting_contacts.hpp"
#include "core/at.hpp"
#include "core/stage_timer.hpp"
#include "world/state.hpp"

namespace carom {
namespace {

/// One step of a world. Each function is a stage, the same for all bodies.
class Step {
 public:
  explicit Step(World::State& state)
      : s_(state), context_{s_.workers, s_.arena}, gravity_(math::to_vec3(s_.options.gravity)), dt_(s_.options.dt) {
    if (s_.any_rigid) session_.emplace(s_.workers);
  }

  void predict();
  void update_bounds();
  void find_pairs();
  void find_contacts();
  void match_contacts();
  void build_islands();
  void respond();
  void limit_motion();
  void check() const { bodies::check_range(s_.bodies, s_.vertices, s_.time + dt_); }
  void commit();
  void sleep();

  PipelineStats stats;

 private:
  /// Statistics of shapes. Bodies without a shape are counted by the stages of surfaces.
  StageStats& shapes(Stage stage) { return s_.any_rigid ? stats[stage] : uncounted_[stage]; }
  conservation::IslandIn island_in() const;
  contact::AnchorIn anchor_in() const;
  void mark_still();
  void match_surface_contacts();
  void join_stopped(bool surfaces);

  World::State& s_;
  Context context_;
  math::Vec3 gravity_;
  double dt_;
  std::optional<Workers::Session> session_;
  PipelineStats uncounted_;
};

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
    if (!body.cloth || s.table.asleep[id.index] != 0) continue;
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
  s.arena.reset();
  s.query_tree.forget();
  s.contact_list.forget();
  StageStats edits;
  run_edits(s, edits);

  Step step(s);
  step.stats[Stage::edits] = edits;
  step.predict();
  step.update_bounds();
  step.find_pairs();
  step.find_contacts();
  step.match_contacts();
  step.build_islands();
  step.respond();
  step.limit_motion();
  step.check();  // throws if a number overflowed: until here nothing has changed that can be seen
  step.commit();
  step.sleep();
  s.stats = step.stats;
}

}  // namespace

void World::step() {
  State& s = *state_;
  s.rounds = count_rounds(s);
  if (s.rounds == 1) return run_stages(s);

  const Snapshot before = snapshot();
  const bool pushed = s.table.pushed;
  const std::vector<math::Vec3> force = pushed ? s.table.force : std::vector<math::Vec3>();
  const std::vector<math::Vec3> torque = pushed ? s.table.torque : std::vector<math::Vec3>();
  const double dt = s.options.dt;
  const double start = s.time;
  const std::uint64_t steps = s.steps;
  PipelineStats stats;
  try {
    s.options.dt = dt / s.rounds;
    for (int round = 0; round < s.rounds; ++round) {
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
}

namespace {

void Step::predict() {
  rigid::predict(context_, s_.table, gravity_, dt_, s_.motion, s_.travel, shapes(Stage::predict));
  bodies::predict({.bodies = s_.bodies,
                   .table = s_.table,
                   .motion = s_.motion,
                   .gravity = s_.options.gravity,
                   .time = s_.time,
                   .dt = dt_},
                  s_.vertices, stats[Stage::predict]);
  contact::place(s_.table, s_.motion, dt_, s_.rigid_meshes);
}

void Step::update_bounds() {
  bounds::update(context_,
                 {.bodies = s_.table,
                  .motion = s_.motion,
                  .speculative_distance = s_.options.solver.speculative_distance,
                  .dt = dt_,
                  .pair_count = s_.pairs.entries.size()},
                 s_.bounds, shapes(Stage::bounds));
  bounds::update_surfaces(s_.table, s_.vertices, 2 * s_.options.contact.distance, s_.bounds, stats[Stage::bounds]);
}

void Step::find_pairs() {
  contact::find_pairs(context_, s_.table, s_.bounds.boxes, s_.bounds.changed, s_.pairs, s_.pair_scratch,
                      shapes(Stage::broad));
}

/// Bodies of which nothing moves in this step, and which surfaces make contacts with each other: a contact needs a body
/// that it can move, or one that sleeps and that a scripted body may wake.
void Step::mark_still() {
  const rigid::Bodies& table = s_.table;
  s_.still.resize(table.size());
  s_.scripted.assign(table.size(), 0);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const rigid::Info& info = table.info[i];
    const rigid::Motion& m = table.motion[i];
    const bool moves = info.motion != MotionModel::fixed && dot(m.v, m.v) + dot(m.w, m.w) > 0;
    if (info.motion == MotionModel::scripted && moves) s_.scripted[i] = 1;
    const bool awake = table.asleep[i] == 0 && (table.mass[i].inverse > 0 || info.deforms);
    s_.still[i] = awake || s_.scripted[i] != 0 ? 0 : 1;
  }
  s_.contact_marks.clear();
  for (const bodies::SurfacePart& part : s_.vertices.parts) {
    const std::size_t i = at(part.body);
    if (s_.bodies[part.id].motion == MotionModel::scripted && bodies::fastest_vertex(s_.vertices, part) > 0) {
      s_.scripted[i] = 1;
      s_.still[i] = 0;
    }
    if (s_.options.contact.immovable) continue;
    const bool deforms = table.info[i].deforms;
    s_.contact_marks.push_back(static_cast<std::uint8_t>(deforms && table.asleep[i] == 0
                                                             ? broad::ObjectChoice::every_mark
                                                         : deforms             ? 1
                                                         : s_.scripted[i] != 0 ? 2
                                                                               : 0));
  }
}

void Step::find_contacts() {
  const contact::NarrowIn in{.bodies = s_.table,
                             .poses = s_.motion.poses,
                             .travel = s_.travel.colliders,
                             .speculative_distance = s_.options.solver.speculative_distance,
                             .dt = dt_};
  contact::update_manifolds(context_, in, s_.pair_scratch.order.places(), s_.pairs, s_.narrow_scratch,
                            shapes(Stage::narrow));
  contact::update_mesh_manifolds(context_, in, s_.pairs, s_.narrow_scratch, shapes(Stage::narrow));
  if (!s_.deforming) {
    s_.features.clear();
    s_.shapes.contacts.clear();
    s_.coupled.clear(s_.table.size());
    return;
  }
  mark_still();
  if (!s_.options.contact.immovable) contact::sort_resting(s_.table, s_.still, s_.contacts, s_.resting);
  contact::find_surface_contacts(context_,
                                 {.bodies = s_.bodies,
                                  .table = s_.table,
                                  .poses = s_.motion.poses,
                                  .vertices = s_.vertices,
                                  .pairs = s_.pairs.surface_pairs,
                                  .still = s_.still,
                                  .thickness = s_.options.contact.distance,
                                  .gravity = s_.options.gravity,
                                  .dt = dt_,
                                  // Where contacts move nothing they are those of the end of the step.
                                  .at_end = s_.response == response::Kind::penalty || !s_.any_particles,
                                  .scope = s_.options.contact.pairs,
                                  .method = s_.method,
                                  .filters = filters_of(s_),
                                  .marks = s_.contact_marks,
                                  .continuous = s_.any_continuous},
                                 s_.surface_scratch, s_.rigid_meshes, s_.features, s_.shapes, s_.coupled, stats);
}

contact::AnchorIn Step::anchor_in() const {
  return {.features = s_.features,
          .shapes = s_.shapes.contacts,
          .parts = s_.vertices.parts,
          .bodies = s_.table,
          .start = s_.vertices.start,
          .start_velocities = s_.vertices.start_velocities,
          .coupled = s_.coupled.list,
          .thickness = s_.options.contact.distance,
          .scripted = s_.scripted};
}

void Step::match_surface_contacts() {
  StageStats& stage = stats[Stage::contacts];
  const StageTimer timer(stage);
  contact::run(anchor_in(), s_.contacts, s_.next_contacts, s_.pairs.next_contact);
  if (contact::wake_touched(anchor_in(), s_.options.solver.sleep.speed, dt_, s_.next_contacts, s_.table)) {
    contact::take_up_woken(s_.table, s_.coupled, s_.resting, s_.next_contacts);
    for (const bodies::SurfacePart& part : s_.vertices.parts) {
      if (s_.table.asleep[at(part.body)] == 0)
        std::ranges::copy(part.of(s_.vertices.inverse_mass), part.of(s_.vertices.awake_inverse_mass).begin());
    }
  }
  const std::size_t count = s_.next_contacts.contacts.size();
  if (count > 0) stage.set_unit("contacts");
  stage.in += count + s_.resting.contacts.size();
  stage.out += count;
  if (!s_.resting.contacts.empty()) stage.add_culled("asleep", s_.resting.contacts.size());
}

void Step::match_contacts() {
  contact::match_contacts(context_, s_.table, s_.travel.colliders, s_.options.solver.sleep.speed, s_.pairs, s_.active,
                          shapes(Stage::contacts));
  match_surface_contacts();
  rigid::predict_woken(s_.table, gravity_, dt_, s_.motion);
}

void Step::build_islands() {
  s_.touches.clear();
  for (const contact::AnchorIdentity& identity : s_.next_contacts.identities) {
    s_.touches.push_back(
        {static_cast<std::int32_t>(identity.body_a.index), static_cast<std::int32_t>(identity.body_b.index)});
  }
  // Bodies near a surface are moved by the response as if they touched it.
  for (const contact::CoupledBody& coupled : s_.coupled.list) s_.touches.push_back({coupled.body, coupled.body});
  s_.islands.build(s_.table, s_.active.pairs, s_.touches);
}

void Step::respond() {
  s_.stored.clear();
  if (response::stores_energy(s_.response))
    conservation::store_spring_energy(s_.active.pairs, s_.pairs.manifolds, s_.stored);
  response::respond(context_,
                    {.kind = s_.response,
                     .options = s_.options,
                     .bodies = s_.bodies,
                     .table = s_.table,
                     .active_indices = s_.pairs.active_indices,
                     .active = s_.active,
                     .islands = s_.islands,
                     .deforming = s_.deforming,
                     .rounds = s_.rounds},
                    s_.pairs.manifolds, s_.next_contacts.contacts, s_.coupled, s_.vertices, s_.motion,
                    s_.respond_scratch, stats[Stage::respond]);
  rigid::advance(context_, s_.table, dt_, s_.motion, shapes(Stage::commit));
  conservation::restore_island_invariants(context_, island_in(), false, s_.island_gain, s_.motion.next,
                                          shapes(Stage::commit));
}

conservation::IslandIn Step::island_in() const {
  return {.bodies = s_.table,
          .free = s_.motion.free,
          .solved = s_.motion.solved,
          .islands = s_.islands,
          .active = s_.active.pairs,
          .manifolds = s_.pairs.manifolds,
          .stored = s_.stored,
          .ccd = s_.ccd_scratch.rigid,
          .gravity = gravity_,
          .dt = dt_};
}

void Step::limit_motion() {
  const bool penalty = s_.response == response::Kind::penalty;
  StageStats& stage = stats[Stage::commit];
  ContactFilters filters = filters_of(s_);
  filters.vertex_enabled = s_.rigid_meshes.limited;
  const ccd::BodiesIn in{.rigid = {.bodies = s_.table,
                                   .free = s_.motion.free,
                                   .odometers = s_.travel.bodies,
                                   .fat_bounds = s_.bounds.fat,
                                   .pairs = s_.pairs,
                                   .broad = s_.pair_scratch.broad,
                                   .some_deep = s_.narrow_scratch.some_deep,
                                   .dt = dt_,
                                   .springs = response::stores_energy(s_.response)},
                         .deforming = s_.deforming,
                         .features = s_.any_continuous,
                         .parts = s_.parts,
                         .choice = {s_.marks, s_.chosen_pairs},
                         .scope = s_.options.contact.pairs,
                         .method = s_.method,
                         .filters = filters,
                         .thickness = s_.options.contact.distance,
                         .shapes = s_.shapes};
  ccd::limit_bodies(context_, in, s_.ccd_scratch, s_.table, s_.motion, s_.vertices, stage);
  if (s_.deforming && penalty) ccd::stop_at_impacts(in, s_.ccd_scratch, s_.coupled, s_.vertices, s_.motion.next);
  join_stopped(penalty);
  conservation::restore_island_invariants(context_, island_in(), true, s_.island_gain, s_.motion.next,
                                          shapes(Stage::commit));
  if (s_.deforming) {
    conservation::keep_angular_momentum({.bodies = s_.bodies,
                                         .table = s_.table,
                                         .free = s_.motion.free,
                                         .islands = s_.islands,
                                         .penalty_forces = penalty ? &s_.coupled : nullptr,
                                         .gravity = s_.options.gravity,
                                         .dt = dt_},
                                        s_.vertices, s_.motion.next, stage);
  }
  conservation::clamp_spin_energy(island_in(), s_.spin_scratch, s_.motion.next);
}

/// Islands of bodies that stopped each other become one. Impacts of surfaces act on both sides with `penalty` only.
void Step::join_stopped(bool surfaces) {
  s_.stops.clear();
  for (const ccd::Scratch::Stop& stop : s_.ccd_scratch.rigid.stops) s_.stops.push_back({stop.a, stop.b});
  if (s_.deforming && surfaces) {
    for (const ccd::SurfaceLimitScratch::Hit& stop : s_.ccd_scratch.surfaces.stops) {
      const rigid::Collider& collider = s_.table.colliders[at(s_.shapes.contacts[stop.pair].collider)];
      s_.stops.push_back({collider.body, s_.vertices.parts[s_.shapes.parts[stop.pair]].body});
    }
    for (const MovingContact& stop : s_.ccd_scratch.features.stops) {
      const std::span<const bodies::SurfacePart> parts = s_.vertices.parts;
      s_.stops.push_back({contact::part_of_vertex(parts, stop.vertices[0]).body,
                          contact::part_of_vertex(parts, stop.vertices[3]).body});
    }
  }
  s_.islands.join(s_.table, s_.stops);
}

void Step::commit() {
  rigid::commit(context_, s_.table, s_.motion, shapes(Stage::commit));
  bodies::commit(s_.vertices, s_.bodies, stats[Stage::commit]);
  ++s_.steps;
  s_.time = static_cast<double>(s_.steps) * dt_;
  std::swap(s_.contacts, s_.next_contacts);
  s_.contact_list.forget();
}

void Step::sleep() {
  // Mean speeds over the step: vertices that are squeezed keep a velocity that contacts take away in every step.
  s_.vertex_speeds.assign(s_.table.size(), 0);
  for (const bodies::SurfacePart& part : s_.vertices.parts) {
    const std::span start = part.of(s_.vertices.start);
    const std::span end = part.of(s_.vertices.positions);
    double square = 0;
    for (std::size_t v = 0; v < start.size(); ++v) square = std::max(square, (end[v] - start[v]).squaredNorm());
    s_.vertex_speeds[at(part.body)] = std::sqrt(square) / dt_;
  }
  island::update_sleep({.islands = s_.islands,
                        .pairs = s_.pairs,
                        .anchors = s_.contacts,
                        .anchor_touches = std::span(s_.touches).first(s_.contacts.contacts.size()),
                        .before = s_.motion.next,
                        .vertex_speeds = s_.vertex_speeds,
                        .options = s_.options.solver.sleep,
                        .dt = dt_},
                       s_.table, s_.sleep_scratch, s_.fallen, shapes(Stage::commit));
  for (const std::int32_t slot : s_.fallen) {
    if (!s_.table.info[at(slot)].deforms) continue;
    std::ranges::fill(s_.bodies[s_.table.info[at(slot)].id].velocities, Eigen::Vector3d::Zero());
  }
}

}  // namespace
}  // namespace carom
