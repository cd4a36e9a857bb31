#include "response/respond.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bodies/soft_vertices.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "response/heavy_loads.hpp"
#include "response/inner_groups.hpp"
#include "response/soft_anchors.hpp"

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

/// Number of which the inner steps of a step are a multiple.
int inner_multiple(const RespondIn& in, const bodies::Vertices& vertices) {
  const auto acts_rarely = [&](const bodies::SurfacePart& part) {
    const Body& body = in.bodies[part.id];
    return (body.cloth || body.is_soft()) && in.table.asleep[part.body] == 0;
  };
  return std::ranges::any_of(vertices.parts, acts_rarely) ? rare_interval : 1;
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

/// Marks the vertices that joints move.
void mark_joined(std::span<const AnchorJoint> joints, bodies::Vertices& vertices) {
  if (joints.empty()) return;
  vertices.touched.resize(vertices.start.size(), 0);
  for (const AnchorJoint& joint : joints) {
    for (const Anchor* side : {&joint.a, &joint.b}) {
      for (std::size_t k = 0; k < side->count; ++k) vertices.touched[at(side->vertices[k])] = 1;
    }
  }
}

bool any_soft(const RespondIn& in, const bodies::Vertices& vertices) {
  return std::any_of(vertices.parts.begin(), vertices.parts.end(), [&](const bodies::SurfacePart& part) {
    return in.bodies[part.id].is_soft() && in.table.asleep[part.body] == 0;
  });
}

/// Vertices that continuous detection has stopped are off their places in the lattice, which went on: the gap is that
/// of the lattice, so that contacts push it back, both sides alike.
void see_lattices(std::span<const Eigen::Vector3d> offsets, std::span<AnchorContact> anchors) {
  const auto offset_at = [&](const Anchor& anchor) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < anchor.count; ++k) sum += anchor.weights[k] * offsets[at(anchor.vertices[k])];
    return math::to_vec3(sum);
  };
  for (AnchorContact& c : anchors) {
    const double closer = dot(c.normal, offset_at(c.b) - offset_at(c.a));
    if (closer > 0) c.gap -= closer;
  }
}

/// Contacts without some, `left_out` in ascending order, which get no impulse.
std::vector<AnchorContact> without(std::span<const std::size_t> left_out, std::span<AnchorContact> anchors) {
  std::vector<AnchorContact> list;
  list.reserve(anchors.size() - left_out.size());
  for (std::size_t i = 0, k = 0; i < anchors.size(); ++i) {
    if (k == left_out.size() || left_out[k] != i) {
      list.push_back(anchors[i]);
      continue;
    }
    ++k;
    anchors[i].normal_impulse = anchors[i].total = 0;
    anchors[i].friction_impulse = {};
  }
  return list;
}

/// Contacts with what the response has found, back into the list that they were taken from.
void put_back(std::span<const AnchorContact> list, std::span<const std::size_t> left_out,
              std::span<AnchorContact> anchors) {
  for (std::size_t i = 0, k = 0; i < anchors.size(); ++i) {
    if (k < left_out.size() && left_out[k] == i) {
      ++k;
    } else {
      anchors[i] = list[i - k];
    }
  }
}

/// `cost`: s, of a unit of work.
PlanIn plan_in(const RespondIn& in, const bodies::Vertices& vertices, std::span<const double> factors, double cost) {
  return {.options = in.options,
          .bodies = in.bodies,
          .table = in.table,
          .vertices = vertices,
          .islands = in.islands,
          .factors = factors,
          .urgency = in.urgency,
          .rounds = in.rounds,
          .time_left = in.time_left,
          .cost = in.options.inner_step_cost > 0 ? in.options.inner_step_cost : cost,
          .by_island = in.kind == Kind::soft};
}

/// Tells what a plan leaves out.
void tell_left_out(const InnerPlan& plan, const bodies::Vertices& vertices, std::vector<LimitedBody>& limited,
                   StageStats& stats) {
  limited.clear();
  std::uint64_t all = 0;
  for (const LeftOut& part : plan.left_out) {
    limited.push_back({.body = vertices.parts[part.part].id, .inner_steps = part.made, .left_out = part.left_out});
    all += static_cast<std::uint64_t>(part.left_out);
  }
  if (all == 0) return;
  stats.limited += all;
  stats.add_counted("inner steps left out", all);
}

/// Soft bodies in a step whose contacts act as forces over all of it.
void step_soft(Context& context, const RespondIn& in, bodies::Vertices& vertices) {
  const int wanted = plan_inner_steps(plan_in(in, vertices, {}, 0)).wanted;
  const int count = (wanted + rare_interval - 1) / rare_interval * rare_interval;
  const double h = in.options.dt / count;
  bodies::collect_soft(in.bodies, in.table, vertices);
  for (int i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < vertices.parts.size(); ++k) {
      const bodies::SurfacePart& part = vertices.parts[k];
      const Body& body = in.bodies[part.id];
      if (body.is_soft() && in.table.asleep[part.body] == 0)
        bodies::add_soft_forces(context.workers, body, part, in.options.gravity, h, k, vertices);
    }
    bodies::move_soft(in.bodies, in.table, h, vertices);
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
  const bool soft = given.deforming && any_soft(given, vertices);
  std::vector<std::size_t> held;
  std::unique_ptr<InnerGroups> groups;
  std::vector<AnchorContact> carrying;  // those that are not held; empty if none is
  InnerPlan plan;
  scratch.limited.clear();
  if (given.deforming && penalty) {
    const StageTimer timer(stats);
    set_masses(given.table, motion, true, coupled.list);
    if (soft) {
      mark_touched(anchors, vertices);
      for (const bodies::SurfacePart& part : vertices.parts) {
        if (given.bodies[part.id].is_soft())
          std::ranges::copy(part.of(vertices.start_velocities), part.of(vertices.velocities).begin());
      }
      bodies::touch_soft(given.bodies, given.table, vertices);
    }
    if (soft) keep_rest_distances(given.bodies, vertices, anchors);
    anchor_penalty::run({.state = state, .dt = options.dt}, options.contact, anchors, scratch.anchors, stats);
    add_to_free_motion(given.table, options, coupled.list, motion);
    if (soft) step_soft(context, given, vertices);
  } else if (given.deforming) {
    set_masses(given.table, motion, false, coupled.list);
    vertices.damped.assign(given.table.size(), {});
    std::copy(vertices.start_velocities.begin(), vertices.start_velocities.end(), vertices.velocities.begin());
    const std::vector<double> factors = load_factors({.table = given.table,
                                                      .vertices = vertices,
                                                      .coupled = coupled.list,
                                                      .contacts = anchors,
                                                      .joints = given.joints});
    plan = plan_inner_steps(plan_in(given, vertices, factors, scratch.work_cost));
    tell_left_out(plan, vertices, scratch.limited, stats);
    coupling.inner_steps = plan.count;
    coupling.multiple = inner_multiple(given, vertices);
    // Rounds make the inner steps of a step many.
    coupling.push_sweeps = std::max(1, coupling.push_sweeps / given.rounds);
    coupling.relax_sweeps = std::max(1, coupling.relax_sweeps / given.rounds);
    mark_touched(anchors, vertices);
    keep_rest_distances(given.bodies, vertices, anchors);
    keep_cut_overlaps(vertices, coupled.list, anchors);
    if (soft) {
      held = held_contacts(given.bodies, vertices, coupled.list, anchors);
      if (!held.empty()) {
        carrying = without(held, anchors);
        coupling.contacts = carrying;
      }
      mark_joined(given.joints, vertices);
      bodies::touch_soft(given.bodies, given.table, vertices);
      if (bodies::find_offsets(given.bodies, given.table, vertices)) see_lattices(vertices.forces, anchors);
      coupling.spread = [&] { bodies::collect_soft(given.bodies, given.table, vertices); };
      coupling.move_nodes = [&](double interval) { bodies::move_soft(given.bodies, given.table, interval, vertices); };
    }
    coupling.add_forces = [&, elapsed = 0.0](double interval) mutable {
      bodies::add_forces(context.workers, given.bodies, given.table, options.gravity, interval, vertices);
      elapsed += interval;
      hold(given.joints, state, {.max_speed = options.solver.max_push_speed}, interval,
           std::min(1.0, elapsed / options.dt));
    };
    coupling.workers = &context.workers;
    coupling.batches = &scratch.vertex_contacts;
    if (!plan.groups.empty()) {
      groups = std::make_unique<InnerGroups>(plan, given.joints, vertices, given.islands, scratch.group_contacts);
      const auto forces = [&](std::span<AnchorJoint> joints, double interval, double fraction) {
        bodies::add_forces(context.workers, given.bodies, given.table, options.gravity, interval, vertices);
        hold(joints, state, {.max_speed = options.solver.max_push_speed}, interval, fraction);
      };
      groups->couple(coupling, options.dt, forces);
    }
    in.coupling = &coupling;
    if (!anchors.empty()) stats.set_unit("contacts");
    stats.in += anchors.size();
    stats.out += anchors.size();
  }
  const bool measured = given.time_left >= 0 && !(options.inner_step_cost > 0) && plan.work > 0;
  const auto begin = std::chrono::steady_clock::now();
  run(given.kind, context, in, options.solver, manifolds, scratch.rigid, {motion.next, motion.solved}, stats);
  if (measured) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    scratch.work_cost = taken.count() / plan.work;
  }
  if (groups) groups->put_back(coupling.contacts, given.joints, vertices);
  if (!given.deforming) return;
  if (!held.empty()) put_back(carrying, held, anchors);
  for (std::size_t v = 0; v < vertices.start.size(); ++v) {
    if (!(vertices.awake_inverse_mass[v] > 0)) continue;
    vertices.positions[v] = vertices.start[v] + (penalty ? Eigen::Vector3d(options.dt * vertices.velocities[v])
                                                         : vertices.displacements[v]);
  }
  if (soft) bodies::finish_soft(context.workers, given.bodies, given.table, options.dt, vertices);
}

}  // namespace carom::response
