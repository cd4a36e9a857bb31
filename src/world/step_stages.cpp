#include <algorithm>
#include <cmath>

#include "ccd/stop_at_impacts.hpp"
#include "conservation/island_invariants.hpp"
#include "conservation/mixed_invariants.hpp"
#include "conservation/stop_energy.hpp"
#include "contact/level_contacts.hpp"
#include "contact/nearest_contacts.hpp"
#include "contact/resting_contacts.hpp"
#include "contact/urgency.hpp"
#include "core/stage_timer.hpp"
#include "response/untangle.hpp"
#include "world/step.hpp"

// What each stage of a step reads and writes.
namespace carom {

Step::Step(World::State& state)
    : s_(state), context_{s_.workers, s_.arena}, gravity_(math::to_vec3(s_.options.gravity)), dt_(s_.options.dt) {
  if (s_.any_rigid) session_.emplace(s_.workers);
}

void Step::predict() {
  rigid::predict(context_, s_.table, gravity_, dt_, s_.motion, s_.travel, shapes_[Stage::predict]);
  const bodies::VertexIn in{.bodies = s_.bodies,
                            .table = s_.table,
                            .motion = s_.motion,
                            .gravity = s_.options.gravity,
                            .time = s_.time,
                            .dt = dt_};
  bodies::predict(in, s_.vertices, surfaces_[Stage::predict]);
  bodies::find_carried(in, s_.vertices, s_.carried);
  bodies::set_motions(s_.carried, s_.table);
  contact::place(s_.table, s_.motion, dt_, s_.rigid_meshes);
}

void Step::update_bounds() {
  bounds::update(context_,
                 {.bodies = s_.table,
                  .motion = s_.motion,
                  .speculative_distance = s_.options.solver.speculative_distance,
                  .dt = dt_,
                  .pair_count = s_.pairs.entries.size()},
                 s_.bounds, shapes_[Stage::bounds]);
  bounds::update_surfaces(s_.table, s_.vertices, 2 * s_.thickness, s_.bounds, surfaces_[Stage::bounds]);
}

void Step::find_pairs() {
  contact::find_pairs(context_, s_.table, s_.bounds.boxes, s_.bounds.changed, s_.pairs, s_.pair_scratch,
                      shapes_[Stage::broad]);
}

/// Surfaces that intersect at the start of the step. From a start without intersections there are none, so they are
/// looked for only where bodies came, or where there were some before.
void Step::find_tangles() {
  if (s_.check_tangles && s_.any_particles && s_.any_continuous && s_.response != response::Kind::penalty) {
    const StageTimer timer(surfaces_[Stage::respond]);
    s_.tangle_filter.set(filters_of(s_), s_.vertices.surface(), {s_.marks, s_.chosen_pairs});
    contact::find_tangles(context_,
                          {.surface = s_.vertices.surface(),
                           .positions = s_.vertices.start,
                           .inverse_mass = s_.vertices.inverse_mass,
                           .filter = s_.tangle_filter,
                           .twins = s_.filters.twins,
                           .scope = s_.options.contact.pairs,
                           .method = mid::takes_steps(s_.method) ? s_.method : mid::Method::clusters},
                          s_.tangle_scratch, s_.tangles, s_.tangled);
  } else {
    s_.tangles.clear();
    s_.tangled.clear();
  }
  find_deep();
  let_blades_through(s_, dt_);
  if (s_.round > 0) return;
  s_.tangles_at_start = s_.tangles;
  std::uint64_t pairs = 0;
  for (const contact::Tangle& tangle : s_.tangles) pairs += tangle.pairs;
  if (pairs > 0) surfaces_[Stage::respond].add_counted("tangled", pairs);
}

/// Vertices inside of soft bodies with fields. What is between two such bodies comes apart by its contacts, and not as
/// a tangle.
void Step::find_deep() {
  contact::DeepContacts& deep = s_.surface_scratch.deep;
  if (!s_.any_cloth || s_.response == response::Kind::penalty) return;
  const StageTimer timer(surfaces_[Stage::narrow]);
  deep.find(context_,
            {.bodies = s_.bodies,
             .table = s_.table,
             .vertices = s_.vertices,
             .filters = filters_of(s_),
             .scope = s_.options.contact.pairs},
            s_.tangled);
  if (deep.size() > 0) surfaces_[Stage::narrow].add_counted("deep", deep.size());
}

/// Cloth that is in convex shapes, where bodies came, or where some was before.
void Step::find_in_shapes() {
  if (s_.round > 0) return;
  s_.in_shapes.clear();
  if (!s_.check_tangles || !s_.any_cloth) return;
  contact::list_in_shapes(std::span(s_.shapes.contacts).first(s_.shapes.convex_count), s_.shapes.parts,
                          s_.vertices.parts, s_.vertices.surface(),
                          contact::resolution_fraction * s_.options.contact.distance, s_.in_shapes);
}

void Step::find_contacts() {
  const contact::NarrowIn in{.bodies = s_.table,
                             .poses = s_.motion.poses,
                             .travel = s_.travel.colliders,
                             .speculative_distance = s_.options.solver.speculative_distance,
                             .dt = dt_};
  contact::update_manifolds(context_, in, s_.pair_scratch.order.places(), s_.pairs, s_.narrow_scratch,
                            shapes_[Stage::narrow]);
  contact::update_mesh_manifolds(context_, in, s_.pairs, s_.narrow_scratch, shapes_[Stage::narrow]);
  if (!s_.deforming) {
    s_.in_shapes.clear();
    s_.features.clear();
    s_.shapes.contacts.clear();
    s_.coupled.clear(s_.table.size());
    return;
  }
  contact::mark_still(s_.table, s_.bodies, s_.vertices, s_.options.contact.immovable, s_.still_bodies);
  ContactFilters filters = filters_of(s_);
  filters.excluded_objects = s_.filters.contact_objects;
  if (!s_.options.contact.immovable) contact::sort_resting(s_.table, s_.still_bodies.still, s_.contacts, s_.resting);
  contact::find_surface_contacts(context_,
                                 {.bodies = s_.bodies,
                                  .table = s_.table,
                                  .poses = s_.motion.poses,
                                  .vertices = s_.vertices,
                                  .pairs = s_.pairs.surface_pairs,
                                  .field_pairs = s_.field_pairs,
                                  .still = s_.still_bodies.still,
                                  .thickness = s_.thickness,
                                  .gravity = s_.options.gravity,
                                  .dt = dt_,
                                  // Where contacts move nothing they are those of the end of the step.
                                  .at_end = s_.response == response::Kind::penalty || !s_.any_particles,
                                  .scope = s_.options.contact.pairs,
                                  .method = s_.method,
                                  .sphere_depth = s_.options.sphere_depth,
                                  .filters = filters,
                                  .sewn = s_.filters.sewn,
                                  .marks = s_.still_bodies.marks,
                                  .tangled = &s_.tangled,
                                  .continuous = s_.any_continuous,
                                  .thin = s_.any_cloth,
                                  .near_motion = near_motion(s_, dt_),
                                  .self_motion = self_motion(s_, dt_),
                                  .soft_approach = soft_approach(s_, dt_)},
                                 s_.surface_scratch, s_.rigid_meshes, s_.features, s_.shapes, s_.coupled, surfaces_);
  find_in_shapes();
  if (s_.any_cloth) {
    const std::size_t left_out = s_.surface_scratch.left_out;
    surfaces_[Stage::contacts].in += left_out;
    surfaces_[Stage::contacts].add_culled("carried by others", left_out);
  }
  if (s_.surface_scratch.sewn > 0) {
    surfaces_[Stage::contacts].in += s_.surface_scratch.sewn;
    surfaces_[Stage::contacts].add_culled("sewn", s_.surface_scratch.sewn);
  }
  if (s_.surface_scratch.deep.size() > 0) {
    const std::size_t deep = s_.surface_scratch.deep.size();
    s_.surface_scratch.deep.append(s_.vertices, s_.features);
    surfaces_[Stage::narrow].in += deep;
    // Deep contacts are not from the stage before.
    surfaces_[Stage::narrow].remembered += deep;
    surfaces_[Stage::narrow].out += deep;
  }
  if (!chooses_contacts()) return place_joints(s_, dt_);
  const StageTimer timer(surfaces_[Stage::contacts]);
  if (!s_.options.contact.edges) {
    const std::size_t edges =
        std::erase_if(s_.features, [](const Contact& c) { return c.kind == ContactKind::edge_edge; });
    surfaces_[Stage::contacts].in += edges;
    surfaces_[Stage::contacts].add_culled("edges", edges);
  }
  if (s_.options.contact.nearest_only) {
    const std::size_t farther = contact::keep_nearest(s_.vertices.parts, s_.features);
    surfaces_[Stage::contacts].in += farther;
    surfaces_[Stage::contacts].add_culled("farther of one feature", farther);
  }
  place_joints(s_, dt_);
}

contact::AnchorIn Step::anchor_in() const {
  return {.features = s_.features,
          .shapes = s_.shapes.contacts,
          .parts = s_.vertices.parts,
          .triangle_names = s_.vertices.triangle_names,
          .bodies = s_.table,
          .start = s_.vertices.start,
          .start_velocities = s_.vertices.start_velocities,
          .coupled = s_.coupled.list,
          .thickness = s_.options.contact.distance,
          .scripted = s_.still_bodies.scripted};
}

void Step::match_surface_contacts() {
  StageStats& stage = surfaces_[Stage::contacts];
  const StageTimer timer(stage);
  contact::run(anchor_in(), s_.contacts, s_.next_contacts, s_.pairs.next_contact);
  const std::size_t found = s_.next_contacts.contacts.size();
  if (contact::wake_touched(anchor_in(), s_.options.solver.sleep.speed, dt_, s_.next_contacts, s_.table)) {
    contact::take_up_woken(s_.table, s_.coupled, s_.resting, s_.next_contacts);
    for (const bodies::SurfacePart& part : s_.vertices.parts) {
      if (s_.table.asleep[part.body] == 0)
        std::ranges::copy(part.of(s_.vertices.inverse_mass), part.of(s_.vertices.awake_inverse_mass).begin());
    }
  }
  const std::size_t count = s_.next_contacts.contacts.size();
  if (count > 0) stage.set_unit("contacts");
  stage.in += count;
  stage.out += count;
  stage.remembered += count - found;
  if (!s_.resting.contacts.empty()) stage.add_counted("asleep", s_.resting.contacts.size());
}

void Step::match_contacts() {
  contact::match_contacts(context_, s_.table, s_.travel.colliders, s_.options.solver.sleep.speed, s_.pairs, s_.active,
                          shapes_[Stage::contacts]);
  match_surface_contacts();
  rigid::predict_woken(s_.table, gravity_, dt_, s_.motion);
}

void Step::build_islands() {
  s_.touches.clear();
  for (const contact::AnchorIdentity& identity : s_.next_contacts.identities) {
    s_.touches.push_back({slot_of(identity.body_a), slot_of(identity.body_b)});
  }
  // Bodies near a surface are moved by the response as if they touched it.
  for (const contact::CoupledBody& coupled : s_.coupled.list) s_.touches.push_back({coupled.body, coupled.body});
  for (const Joint& joint : s_.joints) s_.touches.push_back({slot_of(joint.a.body), slot_of(joint.b.body)});
  s_.islands.build(s_.table, s_.active.pairs, s_.touches);
}

/// s until the time budget of the step is used up, a share of it for continuous detection kept back; negative if
/// there is none.
double Step::time_left() const {
  if (!(s_.options.time_budget > 0)) return -1;
  constexpr double kept_back = 0.25;
  if (s_.options.inner_step_cost > 0) return (1 - kept_back) * s_.options.time_budget / s_.rounds;
  const std::chrono::duration<double> left = s_.deadline - std::chrono::steady_clock::now();
  const double of_rounds = left.count() / (s_.rounds - s_.round);
  return std::max(0.0, of_rounds - kept_back * s_.options.time_budget / s_.rounds);
}

/// Which bodies need their inner steps first.
void Step::find_urgency() {
  std::vector<BodySlot> blades;
  for (const BodyBlade& blade : s_.blades) blades.push_back(slot_of(blade.body));
  std::vector<std::pair<BodySlot, BodySlot>> attached;
  for (const Attachment& a : s_.attachments) attached.emplace_back(slot_of(a.body), slot_of(a.to));
  contact::find_urgency({.contacts = s_.next_contacts,
                         .bodies = s_.bodies,
                         .table = s_.table,
                         .vertices = s_.vertices,
                         .blades = blades,
                         .attached = attached,
                         .slow = s_.options.solver.sleep.speed,
                         .dt = dt_},
                        s_.urgency);
}

/// Adds what this round leaves out to what those before it did.
void Step::note_limited() {
  for (const LimitedBody& now : s_.respond_scratch.limited) {
    const auto known = std::ranges::lower_bound(s_.limited_bodies, now.body, {}, &LimitedBody::body);
    if (known == s_.limited_bodies.end() || known->body != now.body) {
      s_.limited_bodies.insert(known, now);
      continue;
    }
    known->inner_steps += now.inner_steps;
    known->left_out += now.left_out;
  }
}

void Step::respond() {
  if (s_.options.time_budget > 0) find_urgency();
  std::vector<contact::Tangle> apart = s_.tangles;
  std::erase_if(apart, [&](const contact::Tangle& tangle) {
    return s_.surface_scratch.deep.between(tangle.object_a, tangle.object_b);
  });
  response::untangle(apart, s_.vertices);
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
                     .rounds = s_.rounds,
                     .joints = s_.anchor_joints,
                     .time_left = time_left(),
                     .urgency = s_.urgency},
                    s_.pairs.manifolds, s_.next_contacts.contacts, s_.coupled, s_.vertices, s_.motion,
                    s_.respond_scratch, surfaces_[Stage::respond]);
  note_limited();
  rigid::advance(context_, s_.table, dt_, s_.motion, shapes_[Stage::commit]);
  conservation::restore_island_invariants(context_, island_in(), false, s_.island_gain, s_.motion.next,
                                          shapes_[Stage::commit]);
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
  StageStats& stage = surfaces_[Stage::commit];
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
                         .choice = {s_.marks, s_.chosen_pairs, &s_.tangled},
                         .scope = s_.options.contact.pairs,
                         .method = s_.method,
                         .filters = filters,
                         .thickness = s_.min_thickness,
                         .shapes = s_.shapes,
                         .near_pairs = s_.surface_scratch.near,
                         .near_distance = s_.surface_scratch.complete_within,
                         .near_self_distance = s_.surface_scratch.self_complete_within,
                         .flat = &s_.surface_scratch.flat};
  const std::uint64_t limited = stage.limited;
  ccd::limit_bodies(context_, in, s_.ccd_scratch, s_.table, s_.motion, s_.vertices, stage);
  const bool stopped = stage.limited > limited;
  if (stopped) bodies::note_pins_behind(dt_, s_.vertices, stage);
  const bool answered = penalty || (s_.any_cloth && stopped);
  if (s_.deforming && answered)
    ccd::stop_at_impacts(in, s_.ccd_scratch, penalty ? nullptr : &s_.bodies, s_.coupled, s_.vertices, s_.motion.next);
  s_.stop_energy = {};
  if (s_.any_cloth && !penalty) {
    s_.stop_energy = conservation::take_stop_energy(s_.bodies, s_.table, s_.options.gravity, stopped, s_.vertices);
  }
  join_stopped(answered);
  conservation::restore_island_invariants(context_, island_in(), true, s_.island_gain, s_.motion.next,
                                          shapes_[Stage::commit]);
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

/// Islands of bodies that stopped each other become one. `surfaces`: impacts of surfaces act on both sides.
void Step::join_stopped(bool surfaces) {
  s_.stops.clear();
  for (const ccd::Scratch::Stop& stop : s_.ccd_scratch.rigid.stops) s_.stops.push_back({stop.a, stop.b});
  if (s_.deforming && surfaces) {
    for (const ccd::SurfaceLimitScratch::Hit& stop : s_.ccd_scratch.surfaces.stops) {
      const rigid::Collider& collider = s_.table.colliders[s_.shapes.contacts[stop.pair].collider];
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
  rigid::commit(context_, s_.table, s_.motion, shapes_[Stage::commit]);
  contact::mark_fine(s_.next_contacts.contacts, s_.bodies, s_.vertices);
  bodies::settle_levels(s_.workers, s_.bodies, s_.table, s_.vertices);
  bodies::commit(s_.vertices, dt_, s_.bodies, surfaces_[Stage::commit]);
  ++s_.steps;
  // A round is a part of a step: what closes by time in `edit_cloth` must not see it early or late.
  s_.time = s_.rounds == 1 ? static_cast<double>(s_.steps) * dt_ : s_.time + dt_;
  std::swap(s_.contacts, s_.next_contacts);
  s_.check_tangles = !s_.tangles.empty() || !s_.in_shapes.empty();
  for (const Counted& entry : surfaces_[Stage::commit].counted()) {
    if (entry.name == "unresolved" && entry.count > 0) s_.check_tangles = true;
  }
  note_joint_forces(s_, dt_);
  s_.contact_list.forget();
  const bool known = s_.deforming && s_.any_continuous && s_.surface_scratch.complete_within > 0;
  s_.near_speed = known ? s_.ccd_scratch.certificate.near_motion / dt_ : -1;
  s_.self_speed = known ? s_.ccd_scratch.certificate.self_motion / dt_ : -1;
  s_.slide_speed = s_.any_cloth ? contact::slide_speed(s_.contacts.contacts,
                                                       {.bodies = s_.coupled.list,
                                                        .velocities = s_.vertices.velocities,
                                                        .displacements = s_.vertices.displacements,
                                                        .inverse_mass = s_.vertices.awake_inverse_mass},
                                                       dt_)
                                : 0;
}

void Step::sleep() {
  // Mean speeds over the step: vertices that are squeezed keep a velocity that contacts take away in every step.
  s_.vertex_speeds.assign(s_.table.size(), 0);
  for (const bodies::SurfacePart& part : s_.vertices.parts) {
    const std::span start = part.of(s_.vertices.start);
    const std::span end = part.of(s_.vertices.positions);
    double square = 0;
    for (std::size_t v = 0; v < start.size(); ++v) square = std::max(square, (end[v] - start[v]).squaredNorm());
    s_.vertex_speeds[part.body] = std::sqrt(square) / dt_;
  }
  island::update_sleep({.islands = s_.islands,
                        .pairs = s_.pairs,
                        .anchors = s_.contacts,
                        .anchor_touches = std::span(s_.touches).first(s_.contacts.contacts.size()),
                        .before = s_.motion.next,
                        .vertex_speeds = s_.vertex_speeds,
                        .options = s_.options.solver.sleep,
                        .dt = dt_},
                       s_.table, s_.sleep_scratch, s_.fallen, shapes_[Stage::commit]);
  for (const BodySlot slot : s_.fallen) {
    if (!s_.table.info[slot].deforms) continue;
    Body& body = s_.bodies[s_.table.info[slot].id];
    std::ranges::fill(body.velocities, Eigen::Vector3d::Zero());
    std::ranges::fill(body.soft.velocities, Eigen::Vector3d::Zero());
  }
}

}  // namespace carom
