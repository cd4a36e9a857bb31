#include "bodies/vertices.hpp"

#include <algorithm>
#include <cmath>

#include "bodies/particles.hpp"
#include "bodies/scripted.hpp"
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

/// A rigid mesh: where its body is, and where it goes if nothing touches it.
void predict_rigid_mesh(const VertexIn& in, const SurfacePart& part, Vertices& vertices) {
  const auto slot = static_cast<std::size_t>(part.body);
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
  AirDamping& damped = vertices.damped[static_cast<std::size_t>(part.body)];
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

/// Gravity, air and wind, then the constraints of the cloth over an inner step.
void add_cloth_forces(Workers& workers, const Body& body, const SurfacePart& part, const Vector3d& gravity,
                      double interval, cloth::Projection& projection, Vertices& vertices) {
  const std::span<const Vector3d> start = part.of(vertices.start);
  const std::span<const Vector3d> displacements = part.of(vertices.displacements);
  const std::span<Vector3d> velocities = part.of(vertices.velocities);
  for (std::size_t v = 0; v < velocities.size(); ++v) {
    if (body.inverse_mass[v] == 0) continue;
    velocities[v] += interval * gravity;
    velocities[v] /= 1 + interval * body.air_damping;
  }
  note_air_damping(body, part, interval, vertices);
  if (body.wind.density > 0) {
    const cloth::Impulse impulse =
        cloth::add_wind(body.wind, body.triangles, interval, start, displacements, body.inverse_mass, velocities);
    AirDamping& damped = vertices.damped[static_cast<std::size_t>(part.body)];
    damped.momentum += impulse.linear;
    damped.angular += impulse.angular;
  }
  projection.run(workers, *body.cloth, interval, start, displacements, body.inverse_mass, velocities);
}

void predict_particles(const VertexIn& in, const Body& body, const SurfacePart& part, Vertices& vertices) {
  // Springs that are stiffer than the step allows are left out of the prediction, which only says where to look.
  const bool stable = !body.cloth && body.max_step >= in.dt;
  if (stable) add_particle_forces(body, part, in.gravity, in.dt, vertices);
  const std::span positions = part.of(vertices.positions);
  const std::span velocities = part.of(vertices.velocities);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (!stable && body.inverse_mass[v] > 0) velocities[v] += in.dt * in.gravity;
    if (body.inverse_mass[v] == 0) velocities[v].setZero();
    positions[v] = part.of(vertices.start)[v] + in.dt * velocities[v];
    check_in_range(body, v, positions[v], in.time + in.dt);
  }
}

void predict_part(const VertexIn& in, const SurfacePart& part, Vertices& vertices) {
  const Body& body = in.bodies[part.id];
  const bool asleep = in.table.asleep[static_cast<std::size_t>(part.body)] != 0;
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

}  // namespace

void predict(const VertexIn& in, Vertices& vertices, StageStats& stats) {
  if (vertices.parts.empty()) return;
  const StageTimer timer(stats);
  const std::size_t count = vertices.surface.vertex_count();
  vertices.start.resize(count);
  vertices.start_velocities.resize(count);
  vertices.displacements.assign(count, Vector3d::Zero());
  vertices.forces.resize(count);
  vertices.touched.clear();
  vertices.awake_inverse_mass = vertices.inverse_mass;
  vertices.damped.assign(in.table.size(), {});
  for (const SurfacePart& part : vertices.parts) predict_part(in, part, vertices);
  stats.in += count;
  stats.out += count;
  stats.set_unit("vertices");
}

void add_forces(Workers& workers, const BodyMap& bodies, const rigid::Bodies& table, const Vector3d& gravity,
                double interval, Vertices& vertices) {
  vertices.projections.resize(vertices.parts.size());
  for (std::size_t i = 0; i < vertices.parts.size(); ++i) {
    const SurfacePart& part = vertices.parts[i];
    const Body& body = bodies[part.id];
    if (body.motion != MotionModel::particles || table.asleep[static_cast<std::size_t>(part.body)] != 0) continue;
    if (body.cloth) {
      add_cloth_forces(workers, body, part, gravity, interval, vertices.projections[i], vertices);
    } else {
      add_particle_forces(body, part, gravity, interval, vertices);
    }
  }
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

void commit(const Vertices& vertices, BodyMap& bodies, StageStats& stats) {
  const StageTimer timer(stats);
  for (const SurfacePart& part : vertices.parts) {
    Body& body = bodies[part.id];
    if (!body.has_vertices()) continue;
    std::ranges::copy(part.of(vertices.positions), body.positions.begin());
    std::ranges::copy(part.of(vertices.velocities), body.velocities.begin());
    stats.in += body.positions.size();
    stats.out += body.positions.size();
  }
  stats.set_unit("vertices");
}

}  // namespace carom::bodies
