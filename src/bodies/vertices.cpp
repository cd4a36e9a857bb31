#include "bodies/vertices.hpp"

#include <algorithm>
#include <cmath>

#include "bodies/particles.hpp"
#include "bodies/scripted.hpp"
#include "bodies/soft_vertices.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "core/stage_timer.hpp"

namespace carom::bodies {
namespace {

using Eigen::Vector3d;

void check_in_range(const Body& body, std::size_t vertex, const Vector3d& value, double time) {
  require(is_finite(value), ErrorCode::unstable,
          "body '{}': vertex {} left the range of numbers at time {} s; lower dt, the stiffnesses or the forces",
          body.name, vertex, time);
}

/// m/s; what is faster is beyond what is found in a step.
constexpr double max_speed = 1e8;

void check_speed(const Body& body, std::size_t vertex, const Vector3d& velocity, double time) {
  if (velocity.squaredNorm() <= max_speed * max_speed) return;
  fail(ErrorCode::unstable,
       "body '{}': vertex {} moves at {:.3g} m/s at time {} s; expected at most {:.3g}; lower its velocity, dt, the "
       "stiffnesses or the forces",
       body.name, vertex, velocity.stableNorm(), time, max_speed);
}

/// A rigid mesh: where its body is, and where it goes if nothing touches it.
void predict_rigid_mesh(const VertexIn& in, const SurfacePart& part, Vertices& vertices) {
  const BodySlot slot = part.body;
  const rigid::Info& info = in.table.info[slot];
  const rigid::Motion& from = in.table.motion[slot];
  const rigid::Motion to = rigid::predicted(from, in.motion.free[slot], in.dt);
  const bool moves = info.motion != MotionModel::fixed;
  const Eigen::Isometry3d pose = rigid::shape_pose(from, info);
  const Eigen::Isometry3d end = moves ? rigid::shape_pose(to, info) : pose;
  const std::span<const Vector3d> local = info.shape.vertices();
  const std::span start = part.of(vertices.start);
  const std::span positions = part.of(vertices.positions);
  const std::span velocities = part.of(vertices.velocities);
  for (std::size_t v = 0; v < local.size(); ++v) {
    start[v] = pose * local[v];
    positions[v] = moves ? Vector3d(end * local[v]) : start[v];
    velocities[v] = (positions[v] - start[v]) / in.dt;
  }
}

/// Adds up the momentum that the damping of the air took in an interval (s). It divided each velocity by
/// 1 + interval * damping, and nothing since has changed their sums.
void note_air_damping(const Body& body, const SurfacePart& part, double interval, Vertices& vertices) {
  if (body.air_damping == 0) return;
  const double lost = interval * body.air_damping;
  AirDamping& damped = vertices.damped[part.body];
  for (std::size_t k = 0; k < body.positions.size(); ++k) {
    const std::size_t v = static_cast<std::size_t>(part.first_vertex) + k;
    if (vertices.inverse_mass[v] == 0) continue;
    const Vector3d momentum = (lost / vertices.inverse_mass[v]) * vertices.velocities[v];
    damped.momentum -= momentum;
    damped.angular -= (vertices.start[v] + vertices.displacements[v]).cross(momentum);
  }
}

void add_particle_forces(const Body& body, const SurfacePart& part, const Vector3d& gravity, double interval,
                         Vertices& vertices) {
  std::span<const std::uint8_t> touched;
  if (!vertices.touched.empty()) touched = part.of(vertices.touched);
  particles::add_forces(body, gravity, interval, part.of(vertices.start), part.of(vertices.displacements),
                        part.of(vertices.velocities), part.of(vertices.forces), touched);
  note_air_damping(body, part, interval, vertices);
}

void add_wind(const Body& body, const SurfacePart& part, double interval, Vertices& vertices) {
  if (!(body.wind.density > 0)) return;
  const cloth::Impulse impulse =
      cloth::add_wind(body.wind, vertices.time, body.triangles, interval, part.of(vertices.start),
                      part.of(vertices.displacements), body.inverse_mass, part.of(vertices.velocities));
  AirDamping& damped = vertices.damped[part.body];
  damped.momentum += impulse.linear;
  damped.angular += impulse.angular;
}

/// Pulls from outside, implicit in the end of an interval (s): the farther a spring would throw its vertex past the
/// target, the less it pulls.
void add_pulls(const Body& body, const SurfacePart& part, double interval, Vertices& vertices) {
  if (body.pulls.empty()) return;
  const std::span<const Vector3d> start = part.of(vertices.start);
  const std::span<const Vector3d> displacements = part.of(vertices.displacements);
  const std::span<Vector3d> velocities = part.of(vertices.velocities);
  AirDamping& outside = vertices.damped[part.body];
  for (const VertexPull& each : body.pulls) {
    const std::size_t v = at(each.vertex);
    const Pull& pull = each.pull;
    const double w = part.of(vertices.awake_inverse_mass)[v];
    const Vector3d position = start[v] + displacements[v];
    const Vector3d wanted = pull.stiffness * (pull.target - position - interval * velocities[v]) +
                            pull.damping * (pull.velocity - velocities[v]);
    Vector3d force = wanted / (1 + w * interval * (pull.damping + interval * pull.stiffness));
    const double size = force.norm();
    if (size > pull.max_force) force *= pull.max_force / size;
    velocities[v] += (interval * w) * force;
    outside.momentum += interval * force;
    outside.angular += position.cross(interval * force);
  }
}

/// Gravity, air, gas and wind, then the constraints of the cloth over an inner step.
void add_cloth_forces(Workers& workers, const Body& body, const SurfacePart& part, const Vector3d& gravity,
                      double interval, std::size_t number, Vertices& vertices) {
  const std::span<const Vector3d> start = part.of(vertices.start);
  const std::span<const Vector3d> displacements = part.of(vertices.displacements);
  const std::span<Vector3d> velocities = part.of(vertices.velocities);
  if (body.pressure > 0) {
    const std::span<Vector3d> forces = part.of(vertices.forces);
    std::fill(forces.begin(), forces.end(), Vector3d::Zero());
    particles::add_pressure(body, start, displacements, forces);
    for (std::size_t v = 0; v < velocities.size(); ++v) velocities[v] += (interval * body.inverse_mass[v]) * forces[v];
  }
  cloth::Projection& projection = vertices.projections[number];
  cloth::Loads loads{.gravity = gravity, .air_damping = body.air_damping, .noted = !body.pinned};
  if (body.wind.density > 0) {
    loads.wind = projection.wind().find(workers, body.wind, vertices.time, body.triangles, interval, start,
                                        displacements, body.inverse_mass, velocities);
  }
  const auto note = [&](const cloth::Impulse& air) {
    AirDamping& damped = vertices.damped[part.body];
    damped.momentum += air.linear;
    damped.angular += air.angular;
  };
  if (!body.levels.model) {
    note(projection.run(workers, *body.cloth, loads, interval, start, displacements, body.inverse_mass, velocities));
    return;
  }
  note(cloth::apply(workers, loads, interval, start, displacements, body.inverse_mass, velocities));
  cloth::LevelMotion& motion = vertices.level_motions[number];
  motion.collect(workers, body.levels, velocities);
  motion.project(workers, *body.levels.resolution, interval, start, displacements, velocities);
  motion.follow(workers, *body.levels.resolution, interval, start, part.of(vertices.displacements), velocities);
}

/// A Verlet step, in terms of velocities: those of the last inner step are the positions of two.
void add_verlet_forces(const Body& body, const SurfacePart& part, const Vector3d& gravity, double interval,
                       Vertices& vertices) {
  add_particle_forces(body, part, gravity, interval, vertices);
  add_wind(body, part, interval, vertices);
  particles::limit_lengths(body, body.cloth_rest->verlet_options, interval, part.of(vertices.start),
                           part.of(vertices.displacements), part.of(vertices.velocities));
}

void predict_particles(const VertexIn& in, const Body& body, const SurfacePart& part, Vertices& vertices) {
  // Springs that are stiffer than the step allows are left out of the prediction, which only says where to look.
  const bool stable = !body.cloth && !body.is_soft() && body.max_step >= in.dt;
  add_pulls(body, part, in.dt, vertices);
  if (stable) add_particle_forces(body, part, in.gravity, in.dt, vertices);
  const std::span positions = part.of(vertices.positions);
  const std::span velocities = part.of(vertices.velocities);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (!stable && body.inverse_mass[v] > 0) velocities[v] += in.dt * in.gravity;
    if (body.inverse_mass[v] == 0) velocities[v].setZero();
    positions[v] = part.of(vertices.start)[v] + in.dt * velocities[v];
    check_in_range(body, v, positions[v], in.time + in.dt);
    check_speed(body, v, velocities[v], in.time);
  }
}

void predict_part(const VertexIn& in, const SurfacePart& part, Vertices& vertices) {
  const Body& body = in.bodies[part.id];
  const bool asleep = in.table.asleep[part.body] != 0;
  const std::span positions = part.of(vertices.positions);
  const std::span velocities = part.of(vertices.velocities);
  if (!body.has_vertices()) {
    predict_rigid_mesh(in, part, vertices);
  } else {
    std::copy(body.positions.begin(), body.positions.end(), part.of(vertices.start).begin());
    std::copy(body.velocities.begin(), body.velocities.end(), velocities.begin());
    if (body.motion == MotionModel::fixed || asleep) {
      std::copy(body.positions.begin(), body.positions.end(), positions.begin());
      std::fill(velocities.begin(), velocities.end(), Vector3d::Zero());
      if (asleep) std::ranges::fill(part.of(vertices.awake_inverse_mass), 0.0);
    } else if (body.motion == MotionModel::scripted) {
      scripted::place(body, in.time + in.dt, positions);
      for (std::size_t v = 0; v < positions.size(); ++v) velocities[v] = (positions[v] - body.positions[v]) / in.dt;
    }
  }
  std::copy(velocities.begin(), velocities.end(), part.of(vertices.start_velocities).begin());
  if (body.motion == MotionModel::particles && !asleep) predict_particles(in, body, part, vertices);
}

/// Pins that are moved are at their places at the end of the step, and have the velocity of the way there.
void move_pin(const VertexIn& in, std::size_t v, const Vector3d& target, const Body& body, Vertices& vertices) {
  require(is_finite(target), ErrorCode::not_finite,
          "body '{}': a pin is moved to ({}, {}, {}) at time {} s; expected finite", body.name, target.x(), target.y(),
          target.z(), in.time + in.dt);
  vertices.moved_pins.resize(vertices.start.size(), 0);
  vertices.moved_pins[v] = target == vertices.start[v] ? 0 : 1;
  vertices.positions[v] = target;
  vertices.velocities[v] = vertices.start_velocities[v] = (target - vertices.start[v]) / in.dt;
}

/// m/s; speed at which a pin that was held back comes after its place, beyond the speed of the place.
constexpr double catch_up_speed = 2;

/// Where a pin goes that is told to be at `from` at the start of the step and at `to` at its end.
Vector3d target_of(const Vector3d& start, const Vector3d& from, const Vector3d& to, double dt) {
  const double behind = (from - start).norm();
  if (!(behind > catch_up_speed * dt)) return to;
  return start + (to - from) + (catch_up_speed * dt / behind) * (from - start);
}

/// Place of a vertex that another body holds, at the end of the step or at its start.
Vector3d held_place(const VertexIn& in, const HeldVertex& held, const Vertices& vertices, bool at_start) {
  const Body& to = in.bodies[held.to];
  if (held.triangle == none) {
    const BodySlot slot = to.slot;
    const rigid::Motion& from = in.table.motion[slot];
    const bool moves = to.motion != MotionModel::fixed && !at_start;
    return rigid::shape_pose(moves ? rigid::predicted(from, in.motion.free[slot], in.dt) : from, in.table.info[slot]) *
           held.local;
  }
  const auto part =
      std::find_if(vertices.parts.begin(), vertices.parts.end(), [&](const SurfacePart& p) { return p.id == held.to; });
  const Triangle& t = to.triangles[static_cast<std::size_t>(held.triangle)];
  const std::span positions = part->of(at_start ? vertices.start : vertices.positions);
  return triangle_frame(positions[at(t[0])], positions[at(t[1])], positions[at(t[2])]) * held.local;
}

void move_pins(const VertexIn& in, const SurfacePart& part, Vertices& vertices) {
  const Body& body = in.bodies[part.id];
  const auto first = static_cast<std::size_t>(part.first_vertex);
  if (body.cloth_rest) {
    std::vector<Vector3d> before;
    std::vector<Vector3d> places;
    for (const MovingPins& pins : body.cloth_rest->moving_pins) {
      places.clear();
      for (const Index v : pins.vertices) places.push_back(body.rest_positions[at(v)]);
      before = places;
      pins.motion(in.time, before);
      pins.motion(in.time + in.dt, places);
      for (std::size_t i = 0; i < places.size(); ++i) {
        const std::size_t v = first + at(body.leader.empty() ? pins.vertices[i] : body.leader[at(pins.vertices[i])]);
        move_pin(in, v, target_of(vertices.start[v], before[i], places[i], in.dt), body, vertices);
      }
    }
  }
  for (const HeldVertex& held : body.held) {
    const std::size_t v = first + at(held.vertex);
    const Vector3d from = held_place(in, held, vertices, true);
    move_pin(in, v, target_of(vertices.start[v], from, held_place(in, held, vertices, false), in.dt), body, vertices);
  }
}

/// Whether a thread for each soft body is done as soon as threads that share each of them, which wait for each other at
/// every color. Nothing but the time depends on it.
bool fit_side_by_side(const Workers& workers, const BodyMap& bodies, const rigid::Bodies& table,
                      const Vertices& vertices) {
  if (workers.threads() == 1) return false;
  double all = 0;
  double largest = 0;
  for (std::size_t i = 0; i < vertices.parts.size(); ++i) {
    const SurfacePart& part = vertices.parts[i];
    if (!bodies[part.id].is_soft() || table.asleep[part.body] != 0 || !vertices.is_chosen(i)) continue;
    const auto elements = static_cast<double>(bodies[part.id].soft.model->elements.element_count());
    all += elements;
    largest = std::max(largest, elements);
  }
  return largest * workers.threads() <= 1.25 * all;
}

}  // namespace

Eigen::Isometry3d triangle_frame(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const Vector3d x = (b - a).normalized();
  const Vector3d z = (b - a).cross(c - a).normalized();
  Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();
  frame.linear().col(0) = x;
  frame.linear().col(1) = z.cross(x);
  frame.linear().col(2) = z;
  frame.translation() = a;
  return frame;
}

void predict(const VertexIn& in, Vertices& vertices, StageStats& stats) {
  if (vertices.parts.empty()) return;
  const StageTimer timer(stats);
  const std::size_t count = vertices.surface().vertex_count();
  vertices.start.resize(count);
  vertices.start_velocities.resize(count);
  vertices.displacements.assign(count, Vector3d::Zero());
  vertices.forces.resize(count);
  vertices.touched.clear();
  vertices.fine.clear();
  vertices.moved_pins.clear();
  vertices.awake_inverse_mass = vertices.inverse_mass;
  vertices.damped.assign(in.table.size(), {});
  vertices.stop_energy.assign(in.table.size(), 0);
  vertices.time = in.time + 0.5 * in.dt;
  for (const SurfacePart& part : vertices.parts) predict_part(in, part, vertices);
  vertices.projections.resize(vertices.parts.size());
  for (std::size_t i = 0; i < vertices.parts.size(); ++i)
    vertices.projections[i].begin(in.bodies[vertices.parts[i].id].bend_step);
  for (const SurfacePart& part : vertices.parts) {
    if (in.bodies[part.id].motion == MotionModel::particles) move_pins(in, part, vertices);
  }
  vertices.level_motions.resize(vertices.parts.size());
  for (std::size_t i = 0; i < vertices.parts.size(); ++i) {
    const SurfacePart& part = vertices.parts[i];
    const cloth::LevelState& levels = in.bodies[part.id].levels;
    if (levels.model) vertices.level_motions[i].begin(*levels.resolution, part.of(vertices.start_velocities));
  }
  vertices.soft_motions.resize(vertices.parts.size());
  for (std::size_t i = 0; i < vertices.parts.size(); ++i) {
    const Body& body = in.bodies[vertices.parts[i].id];
    if (body.is_soft()) vertices.soft_motions[i].begin(body.soft);
  }
  stats.in += count;
  stats.out += count;
  stats.set_unit("vertices");
}

void place_dynamic_meshes(const rigid::Bodies& table, const BySlot<rigid::Motion>& next, Vertices& vertices) {
  for (const SurfacePart& part : vertices.parts) {
    const BodySlot slot = part.body;
    const rigid::Info& info = table.info[slot];
    if (info.motion != MotionModel::rigid || !info.field) continue;
    const Eigen::Isometry3d pose = rigid::shape_pose(table.asleep[slot] != 0 ? table.motion[slot] : next[slot], info);
    const std::span<const Vector3d> local = info.shape.vertices();
    const std::span positions = part.of(vertices.positions);
    for (std::size_t v = 0; v < local.size(); ++v) positions[v] = pose * local[v];
  }
}

void add_forces(Workers& workers, const BodyMap& bodies, const rigid::Bodies& table, const Vector3d& gravity,
                double interval, Vertices& vertices) {
  vertices.projections.resize(vertices.parts.size());
  for (std::size_t i = 0; i < vertices.parts.size(); ++i) {
    const SurfacePart& part = vertices.parts[i];
    const Body& body = bodies[part.id];
    if (body.motion != MotionModel::particles || table.asleep[part.body] != 0 || !vertices.is_chosen(i)) continue;
    add_pulls(body, part, interval, vertices);
    if (body.is_soft()) continue;
    if (body.cloth_rest && body.cloth_rest->verlet) {
      add_verlet_forces(body, part, gravity, interval, vertices);
    } else if (body.cloth) {
      add_cloth_forces(workers, body, part, gravity, interval, i, vertices);
    } else {
      add_particle_forces(body, part, gravity, interval, vertices);
    }
  }
  const auto add_soft = [&](Workers& own, std::size_t i) {
    const SurfacePart& part = vertices.parts[i];
    if (bodies[part.id].is_soft() && table.asleep[part.body] == 0 && vertices.is_chosen(i))
      add_soft_forces(own, bodies[part.id], part, gravity, interval, i, vertices);
  };
  if (fit_side_by_side(workers, bodies, table, vertices)) {
    static Workers one(1);
    parallel_for(workers, vertices.parts.size(), 1, [&](std::size_t i) { add_soft(one, i); });
  } else {
    for (std::size_t i = 0; i < vertices.parts.size(); ++i) add_soft(workers, i);
  }
}

void note_pins_behind(double dt, Vertices& vertices, StageStats& stats) {
  std::uint64_t behind = 0;
  for (std::size_t v = 0; v < vertices.moved_pins.size(); ++v) {
    if (vertices.moved_pins[v] == 0) continue;
    const Vector3d velocity = (vertices.positions[v] - vertices.start[v]) / dt;
    if (velocity == vertices.velocities[v]) continue;
    vertices.velocities[v] = velocity;
    ++behind;
  }
  if (behind > 0) stats.add_counted("pins behind", behind);
}

double fastest_vertex(const Vertices& vertices, const SurfacePart& part) {
  double square = 0;
  for (const Vector3d& v : part.of(vertices.start_velocities)) square = std::max(square, v.squaredNorm());
  for (const Vector3d& v : part.of(vertices.velocities)) square = std::max(square, v.squaredNorm());
  return std::sqrt(square);
}

void check_range(const BodyMap& bodies, const Vertices& vertices, double time) {
  for (const SurfacePart& part : vertices.parts) {
    const std::span positions = part.of(vertices.positions);
    const std::span velocities = part.of(vertices.velocities);
    for (std::size_t v = 0; v < positions.size(); ++v) {
      check_in_range(bodies[part.id], v, positions[v], time);
      check_in_range(bodies[part.id], v, velocities[v], time);
    }
  }
}

void update_levels(std::span<const BodyId> order, const rigid::Bodies& table, BodyMap& bodies, StageStats& stats) {
  std::uint64_t activated = 0;
  std::uint64_t taken_back = 0;
  bool any = false;
  for (const BodyId id : order) {
    Body& body = bodies[id];
    if (!body.levels.model || table.asleep[body.slot] != 0) continue;
    any = true;
    const cloth::LevelState& levels = body.levels;
    activated -= levels.activations;
    taken_back -= levels.deactivations;
    if (cloth::change_levels(body.positions, body.levels, body.velocities))
      body.max_step = levels.resolution->inner_step();
    activated += levels.activations;
    taken_back += levels.deactivations;
  }
  if (!any) return;
  stats.add_counted("activated", activated);
  stats.add_counted("taken back", taken_back);
}

void settle_levels(Workers& workers, const BodyMap& bodies, const rigid::Bodies& table, Vertices& vertices) {
  for (std::size_t i = 0; i < vertices.parts.size(); ++i) {
    const SurfacePart& part = vertices.parts[i];
    const Body& body = bodies[part.id];
    if (!body.levels.model || table.asleep[part.body] != 0) continue;
    const std::span velocities = part.of(vertices.velocities);
    vertices.level_motions[i].collect(workers, body.levels, velocities);
    vertices.level_motions[i].follow(workers, *body.levels.resolution, 0, part.of(vertices.start),
                                     part.of(vertices.displacements), velocities);
  }
}

void commit(const Vertices& vertices, double dt, BodyMap& bodies, StageStats& stats) {
  const StageTimer timer(stats);
  for (std::size_t i = 0; i < vertices.parts.size(); ++i) {
    const SurfacePart& part = vertices.parts[i];
    Body& body = bodies[part.id];
    if (!body.has_vertices()) continue;
    std::ranges::copy(part.of(vertices.positions), body.positions.begin());
    std::ranges::copy(part.of(vertices.velocities), body.velocities.begin());
    body.stop_energy = vertices.stop_energy[part.body];
    if (body.is_soft()) commit_soft(vertices.soft_motions[i], body);
    for (std::size_t v = 0; v < body.leader.size(); ++v) {
      body.positions[v] = body.positions[at(body.leader[v])];
      body.velocities[v] = body.velocities[at(body.leader[v])];
    }
    if (body.levels.model) {
      std::span<const std::uint8_t> fine;
      if (!vertices.fine.empty()) fine = part.of(vertices.fine);
      cloth::note_contacts(dt, fine, body.levels);
    }
    stats.in += body.positions.size();
    stats.out += body.positions.size();
  }
  stats.set_unit("vertices");
}

}  // namespace carom::bodies
