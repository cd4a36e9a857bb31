#include <algorithm>
#include <cmath>

#include "bodies/particles.hpp"
#include "core/parallel.hpp"
#include "core/stage_timer.hpp"
#include "world/state.hpp"

// Stages of bodies with vertices, from contacts to the end of the step.
namespace carom {

namespace {

using contact::ShapeContacts;
using contact::SurfacePart;
using response::CoupledBody;

/// Gap, as a fraction of the contact distance, below which features come no closer: gaps must not shrink to rounding.
constexpr double gap_fraction = 1e-3;
/// Separation of features inside an edge or a triangle from those of its boundary, as a fraction of the contact
/// distance, below which they make no contact of their own.
constexpr double resolution_fraction = 0.05;
/// Distance of the detection beyond the thickness, as a fraction of it, where nothing moves fast.
constexpr double slow_margin = 0.25;
constexpr std::size_t shape_chunk = 2;

bool is_penalty(const World::State& s) {
  return s.response == response::Kind::penalty;
}

/// Speed of the fastest vertex of a part, m/s.
double fastest_vertex(const World::State& s, const SurfacePart& part) {
  double square = 0;
  const auto first = static_cast<std::size_t>(part.first_vertex);
  for (std::size_t v = first; v < first + static_cast<std::size_t>(part.vertex_count); ++v)
    square = std::max({square, s.start_velocities[v].squaredNorm(), s.velocities[v].squaredNorm()});
  return std::sqrt(square);
}

std::int32_t couple(World::State& s, std::int32_t body) {
  std::int32_t& number = s.coupled_of[static_cast<std::size_t>(body)];
  if (number < 0) {
    number = static_cast<std::int32_t>(s.coupled.size());
    CoupledBody& coupled = s.coupled.emplace_back();
    coupled.body = body;
    const rigid::Motion& m = s.rigid.state.bodies.motion[static_cast<std::size_t>(body)];
    coupled.v = m.v;
    coupled.w = m.w;
  }
  return number;
}

std::size_t part_of(const World::State& s, std::int32_t body) {
  for (std::size_t i = 0; i < s.ranges.size(); ++i) {
    if (s.ranges[i].number == body) return i;
  }
  return s.ranges.size();
}

void find_shape_contacts(Context& context, World::State& s, StageStats& stats) {
  const StageTimer timer(stats);
  const rigid::WorldState& r = s.rigid.state;
  s.coupled.clear();
  s.coupled_of.assign(r.bodies.size(), -1);
  s.shape_contacts.resize(r.surface_pairs.size());
  s.shape_parts.resize(r.surface_pairs.size());
  s.shape_within.resize(r.surface_pairs.size());
  if (r.surface_pairs.empty()) return;
  std::vector<double> fastest(s.ranges.size());
  for (std::size_t i = 0; i < s.ranges.size(); ++i) fastest[i] = fastest_vertex(s, s.ranges[i]);
  const double thickness = s.options.contact.distance;
  for (std::size_t i = 0; i < r.surface_pairs.size(); ++i) {
    const rigid::SurfacePair& pair = r.surface_pairs[i];
    const rigid::Collider& collider = r.bodies.colliders[static_cast<std::size_t>(pair.convex)];
    const auto body = static_cast<std::size_t>(collider.body);
    const std::size_t part = part_of(s, r.bodies.colliders[static_cast<std::size_t>(pair.surface)].body);
    s.shape_parts[i] = part;
    const double speed =
        rigid::fastest(r.bodies, body, collider.reach) + fastest[part] + s.options.dt * s.options.gravity.norm();
    const double limit = std::max(thickness, std::isfinite(collider.size) ? 0.5 * collider.size : thickness);
    s.shape_within[i] = thickness + std::min(s.options.dt * speed, limit);
    ShapeContacts& found = s.shape_contacts[i];
    found.collider = pair.convex;
    found.coupled = couple(s, collider.body);
    found.serial = s.bodies[r.bodies.info[body].id].serial;
  }
  s.surface_tree.update(context.workers, s.surface, s.start);
  const std::size_t chunks = chunk_count(r.surface_pairs.size(), shape_chunk);
  if (s.shape_scratch.size() < chunks) s.shape_scratch.resize(chunks);
  const std::span<const Triangle> triangles = s.surface.triangles();
  parallel_chunks(
      context.workers, r.surface_pairs.size(), shape_chunk, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
        World::State::ShapeScratch& scratch = s.shape_scratch[chunk];
        for (std::size_t i = begin; i < end; ++i) {
          ShapeContacts& found = s.shape_contacts[i];
          const SurfacePart& part = s.ranges[s.shape_parts[i]];
          const rigid::Collider& collider = r.bodies.colliders[static_cast<std::size_t>(found.collider)];
          const Eigen::Isometry3d pose = s.rigid.poses.shape(r.bodies, static_cast<std::size_t>(found.collider));
          const double within = s.shape_within[i];
          s.surface_tree.find(narrow::surface::shape_box(*collider.core, pose, within), scratch.tree,
                              scratch.candidates);
          const Index last = part.first_vertex + part.vertex_count;
          std::erase_if(scratch.candidates, [&](Index t) {
            const Index v = triangles[static_cast<std::size_t>(t)][0];
            return v < part.first_vertex || v >= last;
          });
          narrow::surface::find_shape_contacts(*collider.core, pose, s.surface, s.start, scratch.candidates,
                                               {.within = within, .resolution = resolution_fraction * thickness},
                                               scratch.contacts, found.contacts);
        }
      });
  for (const ShapeContacts& found : s.shape_contacts) stats.out += found.contacts.size();
}

}  // namespace

void find_surface_contacts(Context& context, World::State& s, PipelineStats& stats) {
  s.found.clear();
  if (!s.deforming) {
    s.shape_contacts.clear();
    s.coupled.clear();
    return;
  }
  const double thickness = s.options.contact.distance;
  double margin = 0;
  // Where contacts move nothing they are those of the end of the step.
  const bool at_end = is_penalty(s) || !s.any_particles;
  if (!at_end) {
    double fastest = 0;
    for (const SurfacePart& part : s.ranges) fastest = std::max(fastest, fastest_vertex(s, part));
    margin = (2 * s.options.dt * fastest > slow_margin * thickness ? 1 : slow_margin) * thickness;
  }
  detection::run(context, {.surface = s.surface, .positions = at_end ? s.positions : s.start},
                 {.distance = thickness + margin,
                  .pairs = s.options.contact.pairs,
                  .method = s.method,
                  .filters = filters_of(s),
                  .choice = {.marks = s.contact_marks}},
                 s.detection, s.found, stats);
  find_shape_contacts(context, s, stats[Stage::narrow]);
}

void match_surface_contacts(World::State& s, StageStats& stats) {
  const StageTimer timer(stats);
  contact::run({.features = s.found,
                .shapes = s.shape_contacts,
                .parts = s.ranges,
                .bodies = s.rigid.state.bodies,
                .start = s.start,
                .start_velocities = s.start_velocities,
                .coupled = s.coupled,
                .thickness = s.options.contact.distance},
               s.contacts, s.next_contacts, s.rigid.state.next_contact);
  if (!s.next_contacts.contacts.empty()) stats.set_unit("contacts");
  stats.in += s.next_contacts.contacts.size();
  stats.out += s.next_contacts.contacts.size();

  // Bodies that sleep are woken by a new contact, or by one that moves.
  const double speed = s.options.solver.sleep.speed;
  for (std::size_t i = 0; i < s.next_contacts.contacts.size(); ++i) {
    const response::AnchorContact& c = s.next_contacts.contacts[i];
    const contact::AnchorIdentity& identity = s.next_contacts.identities[i];
    if (!(c.gap < 0) || !(identity.age == 0 || std::abs(c.normal_speed) > speed)) continue;
    for (const BodyId id : {identity.body_a, identity.body_b}) {
      Body& body = s.bodies[id];
      if (body.asleep) {
        body.asleep = false;
        body.time_at_rest = 0;
      }
      if (body.motion == MotionModel::rigid && s.rigid.state.bodies.asleep[static_cast<std::size_t>(body.number)] != 0)
        rigid::wake(s.rigid.state, body.number);
    }
  }
}

namespace {

void set_masses(World::State& s, bool free) {
  const rigid::Bodies& bodies = s.rigid.state.bodies;
  for (CoupledBody& coupled : s.coupled) {
    const auto i = static_cast<std::size_t>(coupled.body);
    coupled.impulse = coupled.moment = coupled.displacement = coupled.turn = {};
    const rigid::Mass& mass = bodies.mass[i];
    if (mass.inverse == 0 || bodies.asleep[i] != 0) continue;
    const rigid::Info& info = bodies.info[i];
    coupled.inverse_mass = rigid::unlocked({mass.inverse, mass.inverse, mass.inverse}, info.locked_translation);
    coupled.inverse_inertia = rigid::inverse_inertia(s.rigid.poses.rotation[i], mass, info);
    if (free) {
      coupled.v = s.rigid.free[i].v;
      coupled.w = coupled.inverse_inertia * s.rigid.free[i].momentum;
    }
  }
}

/// Penalty forces on rigid bodies act like any other force over the step.
void add_to_free_motion(World::State& s) {
  const rigid::Bodies& bodies = s.rigid.state.bodies;
  const math::Vec3 gravity = math::to_vec3(s.options.gravity);
  const double per_step = 1 / s.options.dt;
  for (const CoupledBody& coupled : s.coupled) {
    const auto i = static_cast<std::size_t>(coupled.body);
    if (bodies.mass[i].inverse == 0 || bodies.asleep[i] != 0) continue;
    const math::Vec3 none;
    s.rigid.free[i] =
        rigid::free_motion(bodies.motion[i], s.rigid.poses.rotation[i], bodies.mass[i], bodies.info[i], gravity,
                           (bodies.pushed ? bodies.force[i] : none) + per_step * coupled.impulse,
                           (bodies.pushed ? bodies.torque[i] : none) + per_step * coupled.moment, s.options.dt);
  }
}

void add_cloth_forces(Context& context, World::State& s, const SurfacePart& part, double interval,
                      cloth::Projection& projection) {
  const Body& body = s.bodies[part.id];
  const auto first = static_cast<std::size_t>(part.first_vertex);
  const auto count = static_cast<std::size_t>(part.vertex_count);
  const std::span<const Eigen::Vector3d> start = std::span(s.start).subspan(first, count);
  const std::span<const Eigen::Vector3d> displacements = std::span(s.displacements).subspan(first, count);
  const std::span<Eigen::Vector3d> velocities = std::span(s.velocities).subspan(first, count);
  for (std::size_t v = 0; v < count; ++v) {
    if (body.inverse_mass[v] == 0) continue;
    velocities[v] += interval * s.options.gravity;
    velocities[v] /= 1 + interval * body.air_damping;
  }
  note_air_damping(s, part, interval, s.displacements);
  if (body.wind.density > 0) {
    const cloth::Impulse impulse =
        cloth::add_wind(body.wind, body.triangles, interval, start, displacements, body.inverse_mass, velocities);
    World::State::Damped& damped = s.damped[static_cast<std::size_t>(part.number)];
    damped.momentum += impulse.linear;
    damped.angular += impulse.angular;
  }
  projection.run(context.workers, *body.cloth, interval, start, displacements, body.inverse_mass, velocities);
}

}  // namespace

void respond(Context& context, World::State& s, PipelineStats& stats) {
  rigid::RigidPipeline& world = s.rigid;
  const double dt = s.options.dt;
  StageStats& stage = stats[Stage::respond];
  world.next.resize(world.state.bodies.size());
  world.solved.assign(world.state.bodies.size(), 0);
  response::In in{.bodies = world.state.bodies,
                  .rotation = world.poses.rotation,
                  .free = world.free,
                  .active_indices = world.state.active_indices,
                  .active_pairs = world.active_pairs,
                  .points = world.points,
                  .fresh_points = world.fresh_points,
                  .dt = dt};
  const response::AnchorState state{.bodies = s.coupled,
                                    .velocities = s.velocities,
                                    .displacements = s.displacements,
                                    .inverse_mass = s.awake_inverse_mass};
  response::Coupling coupling{
      .contacts = s.next_contacts.contacts,
      .state = state,
      .options = {.max_push_speed = s.options.solver.max_push_speed, .bounce_speed = s.options.solver.bounce_speed},
      .inner_steps = 1,
      .add_forces = {}};
  if (s.deforming && is_penalty(s)) {
    const StageTimer timer(stage);
    set_masses(s, true);
    anchor_penalty::run({.state = state, .dt = dt}, s.options.contact, s.next_contacts.contacts, s.penalty, stage);
    add_to_free_motion(s);
  } else if (s.deforming) {
    set_masses(s, false);
    s.damped.assign(world.state.bodies.size(), {});
    std::copy(s.start_velocities.begin(), s.start_velocities.end(), s.velocities.begin());
    for (const SurfacePart& part : s.ranges) {
      const Body& body = s.bodies[part.id];
      if (body.motion != MotionModel::particles || body.asleep) continue;
      const int wanted = body.inner_steps > 0 ? (body.inner_steps + s.rounds - 1) / s.rounds
                         : body.max_step < dt ? static_cast<int>(std::ceil(dt / body.max_step))
                                              : 1;
      coupling.inner_steps = std::max(coupling.inner_steps, wanted);
    }
    // Rounds make the inner steps of a step many.
    coupling.push_sweeps = std::max(1, coupling.push_sweeps / s.rounds);
    coupling.relax_sweeps = std::max(1, coupling.relax_sweeps / s.rounds);
    s.projections.resize(s.ranges.size());
    coupling.add_forces = [&s, &context](double interval) {
      for (std::size_t i = 0; i < s.ranges.size(); ++i) {
        const SurfacePart& part = s.ranges[i];
        const Body& body = s.bodies[part.id];
        if (body.motion != MotionModel::particles || body.asleep) continue;
        if (body.cloth) {
          add_cloth_forces(context, s, part, interval, s.projections[i]);
          continue;
        }
        const auto first = static_cast<std::size_t>(part.first_vertex);
        const auto count = static_cast<std::size_t>(part.vertex_count);
        particles::add_forces(body, s.options.gravity, interval, std::span(s.start).subspan(first, count),
                              std::span(s.displacements).subspan(first, count),
                              std::span(s.velocities).subspan(first, count), std::span(s.forces).subspan(first, count));
        note_air_damping(s, part, interval, s.displacements);
      }
    };
    in.coupling = &coupling;
    if (!s.next_contacts.contacts.empty()) stage.set_unit("contacts");
    stage.in += s.next_contacts.contacts.size();
    stage.out += s.next_contacts.contacts.size();
  }
  rigid::note_stored_energy(world, s.response);
  response::run(s.response, context, in, s.options.solver, world.state.pairs, world.response,
                {world.next, world.solved}, stage);
  world.coupled.clear();
  if (!s.deforming) return;
  world.coupled.assign(world.state.bodies.size(), 0);
  for (const CoupledBody& coupled : s.coupled) world.coupled[static_cast<std::size_t>(coupled.body)] = 1;
  for (std::size_t v = 0; v < s.start.size(); ++v) {
    if (!(s.awake_inverse_mass[v] > 0)) continue;
    s.positions[v] = s.start[v] + (is_penalty(s) ? Eigen::Vector3d(dt * s.velocities[v]) : s.displacements[v]);
  }
}

namespace {

/// Rounds in which sweeps end before the impacts that were found, before whole sweeps are taken back.
constexpr int impact_rounds = 6;
constexpr int whole_rounds = 4;

void limit_features(Context& context, World::State& s, StageStats& stats) {
  ccd::limit::run(context,
                  {.surface = s.surface,
                   .start = s.start,
                   .inverse_mass = s.awake_inverse_mass,
                   .parts = s.parts,
                   .choice = {s.marks, s.chosen_pairs},
                   .dt = s.options.dt},
                  {.pairs = s.options.contact.pairs,
                   .method = mid::is_tree(s.method) ? s.method : mid::Method::bvh,
                   .filters = filters_of(s),
                   .gap = gap_fraction * s.options.contact.distance,
                   .keep_velocities = !is_penalty(s)},
                  s.limit, s.positions, s.velocities, stats);
}

}  // namespace

void limit_motion(Context& context, World::State& s, const rigid::StepOptions& options, StageStats& stats) {
  rigid::limit_motion(context, s.rigid, options, stats);
  if (!s.deforming) return;
  s.collider_surfaces.clear();
  for (std::size_t i = 0; i < s.shape_contacts.size(); ++i) {
    s.collider_surfaces.push_back({.collider = s.shape_contacts[i].collider,
                                   .part = s.shape_parts[i],
                                   .within = s.shape_within[i],
                                   .contacts = s.shape_contacts[i].contacts});
  }
  const ccd::SurfaceLimitIn in{.surface = s.surface,
                               .parts = s.ranges,
                               .pairs = s.collider_surfaces,
                               .bodies = s.rigid.state.bodies,
                               .start = s.start,
                               .inverse_mass = s.awake_inverse_mass,
                               .separation = gap_fraction * s.options.contact.distance,
                               .resolution = resolution_fraction * s.options.contact.distance};
  s.surface_limit.limited.assign(s.start.size(), 0);
  if (s.any_continuous) limit_features(context, s, stats);
  std::uint64_t impacts = 0;
  const int last = impact_rounds + whole_rounds + static_cast<int>(s.ranges.size() + s.rigid.state.bodies.size());
  for (int round = 0;; ++round) {
    const auto shortening = round < impact_rounds                  ? ccd::Shortening::before_impact
                            : round < impact_rounds + whole_rounds ? ccd::Shortening::whole_step
                                                                   : ccd::Shortening::whole_parts;
    bool bodies_changed = false;
    std::size_t hits = 0;
    {
      const StageTimer timer(stats);
      hits = ccd::limit_round(context, in, shortening, s.surface_limit, s.rigid.next, s.positions, bodies_changed);
    }
    if (round == 0) impacts = hits;
    if (hits == 0) break;
    if (round == last) {
      stats.add_counted("unresolved", hits);
      break;
    }
    if (bodies_changed) rigid::limit_motion(context, s.rigid, options, stats);
    if (s.any_continuous) limit_features(context, s, stats);
  }
  stats.add_counted("shape impacts", impacts);
  for (std::size_t v = 0; v < s.start.size(); ++v) {
    if (s.surface_limit.limited[v] == 0) continue;
    ++stats.limited;
    if (is_penalty(s)) s.velocities[v] = (s.positions[v] - s.start[v]) / s.options.dt;
  }
}

}  // namespace carom
