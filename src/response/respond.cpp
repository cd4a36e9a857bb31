#include "response/respond.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/stage_timer.hpp"

namespace carom::response {
namespace {

/// Masses of the bodies that surfaces touch. With `free` their velocities are those of the end of the step without
/// contacts.
void set_masses(const rigid::Bodies& table, const rigid::StepMotion& motion, bool free,
                std::span<CoupledBody> coupled) {
  for (CoupledBody& body : coupled) {
    const BodySlot i = body.body;
    body.impulse = body.moment = body.displacement = body.turn = {};
    const rigid::Mass& mass = table.mass[i];
    if (mass.inverse == 0 || table.asleep[i] != 0) continue;
    const rigid::Info& info = table.info[i];
    body.inverse_mass = rigid::unlocked({mass.inverse, mass.inverse, mass.inverse}, info.locked_translation);
    body.inverse_inertia = rigid::inverse_inertia(motion.poses.rotation[i], mass, info);
    if (!free) continue;
    body.v = motion.free[i].v;
    body.w = body.inverse_inertia * motion.free[i].momentum;
  }
}

/// Penalty forces on rigid bodies act like any other force over the step.
void add_to_free_motion(const rigid::Bodies& table, const WorldOptions& options, std::span<const CoupledBody> coupled,
                        rigid::StepMotion& motion) {
  const double per_step = 1 / options.dt;
  for (const CoupledBody& body : coupled) {
    const BodySlot i = body.body;
    if (table.mass[i].inverse == 0 || table.asleep[i] != 0) continue;
    const math::Vec3 none;
    motion.free[i] = rigid::free_motion(table.motion[i], motion.poses.rotation[i], table.mass[i], table.info[i],
                                        math::to_vec3(options.gravity),
                                        (table.pushed ? table.force[i] : none) + per_step * body.impulse,
                                        (table.pushed ? table.torque[i] : none) + per_step * body.moment, options.dt);
  }
}

/// Inner steps in a whole one at which springs of particles are stable, and which cloth asks for.
int wanted_inner_steps(const RespondIn& in, const bodies::Vertices& vertices) {
  int count = 1;
  for (const bodies::SurfacePart& part : vertices.parts) {
    const Body& body = in.bodies[part.id];
    if (body.motion != MotionModel::particles || in.table.asleep[part.body] != 0) continue;
    const int wanted = body.inner_steps > 0            ? (body.inner_steps + in.rounds - 1) / in.rounds
                       : body.max_step < in.options.dt ? static_cast<int>(std::ceil(in.options.dt / body.max_step))
                                                       : 1;
    count = std::max(count, wanted);
  }
  return count;
}

/// Marks the vertices that contacts may move.
void mark_touched(std::span<const AnchorContact> anchors, bodies::Vertices& vertices) {
  vertices.touched.assign(anchors.empty() ? 0 : vertices.start.size(), 0);
  for (const AnchorContact& c : anchors) {
    for (const Anchor* side : {&c.a, &c.b}) {
      for (std::size_t k = 0; k < side->count; ++k) vertices.touched[at(side->vertices[k])] = 1;
    }
  }
}

}  // namespace

void respond(Context& context, const RespondIn& given, ManifoldSpan<contact::CachedManifold> manifolds,
             std::span<AnchorContact> anchors, contact::CoupledBodies& coupled, bodies::Vertices& vertices,
             rigid::StepMotion& motion, RespondScratch& scratch, StageStats& stats) {
  const WorldOptions& options = given.options;
  motion.next.resize(given.table.size());
  motion.solved.assign(given.table.size(), 0);
  In in{.bodies = given.table,
        .rotation = motion.poses.rotation,
        .free = motion.free,
        .active_indices = given.active_indices,
        .active_pairs = given.active.pairs,
        .points = given.active.points,
        .fresh_points = given.active.fresh_points,
        .islands = given.islands,
        .dt = options.dt};
  const AnchorState state{.bodies = coupled.list,
                          .velocities = vertices.velocities,
                          .displacements = vertices.displacements,
                          .inverse_mass = vertices.awake_inverse_mass};
  Coupling coupling{
      .contacts = anchors,
      .state = state,
      .options = {.max_push_speed = options.solver.max_push_speed, .bounce_speed = options.solver.bounce_speed},
      .inner_steps = 1,
      .add_forces = {}};
  const bool penalty = given.kind == Kind::penalty;
  if (given.deforming && penalty) {
    const StageTimer timer(stats);
    set_masses(given.table, motion, true, coupled.list);
    anchor_penalty::run({.state = state, .dt = options.dt}, options.contact, anchors, scratch.anchors, stats);
    add_to_free_motion(given.table, options, coupled.list, motion);
  } else if (given.deforming) {
    set_masses(given.table, motion, false, coupled.list);
    vertices.damped.assign(given.table.size(), {});
    std::copy(vertices.start_velocities.begin(), vertices.start_velocities.end(), vertices.velocities.begin());
    coupling.inner_steps = wanted_inner_steps(given, vertices);
    // Rounds make the inner steps of a step many.
    coupling.push_sweeps = std::max(1, coupling.push_sweeps / given.rounds);
    coupling.relax_sweeps = std::max(1, coupling.relax_sweeps / given.rounds);
    mark_touched(anchors, vertices);
    coupling.add_forces = [&, elapsed = 0.0](double interval) mutable {
      bodies::add_forces(context.workers, given.bodies, given.table, options.gravity, interval, vertices);
      elapsed += interval;
      hold(given.joints, state, {.max_speed = options.solver.max_push_speed}, interval,
           std::min(1.0, elapsed / options.dt));
    };
    coupling.workers = &context.workers;
    coupling.batches = &scratch.vertex_contacts;
    in.coupling = &coupling;
    if (!anchors.empty()) stats.set_unit("contacts");
    stats.in += anchors.size();
    stats.out += anchors.size();
  }
  run(given.kind, context, in, options.solver, manifolds, scratch.rigid, {motion.next, motion.solved}, stats);
  if (!given.deforming) return;
  for (std::size_t v = 0; v < vertices.start.size(); ++v) {
    if (!(vertices.awake_inverse_mass[v] > 0)) continue;
    vertices.positions[v] = vertices.start[v] + (penalty ? Eigen::Vector3d(options.dt * vertices.velocities[v])
                                                         : vertices.displacements[v]);
  }
}

}  // namespace carom::response
