#include "bodies/soft_vertices.hpp"

#include <Eigen/Geometry>
#include <utility>

#include "bodies/particles.hpp"
#include "bodies/soft_blocks.hpp"

namespace carom::bodies {

using Eigen::Vector3d;

namespace {

/// visit(body, part, motion) for each soft body that is awake and chosen.
template <class Visit>
void each_soft(const BodyMap& bodies, const rigid::Bodies& table, Vertices& vertices, const Visit& visit) {
  for (std::size_t i = 0; i < vertices.parts.size(); ++i) {
    const SurfacePart& part = vertices.parts[i];
    const Body& body = bodies[part.id];
    if (body.is_soft() && table.asleep[part.body] == 0 && vertices.is_chosen(i))
      visit(body, part, vertices.soft_motions[i]);
  }
}

}  // namespace

void add_soft_forces(Workers& workers, const Body& body, const SurfacePart& part, const Vector3d& gravity,
                     double interval, std::size_t number, Vertices& vertices) {
  const solid::BodyModel& model = *body.soft.model;
  solid::Motion& motion = vertices.soft_motions[number];
  motion.transfer(model, part.of(vertices.velocities));
  const std::span<const double> inverse_mass = model.elements.inverse_mass();
  motion.damp(workers, body.soft, interval);
  if (body.air_damping > 0) {
    AirDamping& damped = vertices.damped[part.body];
    for (std::size_t n = 0; n < motion.velocities.size(); ++n) {
      if (inverse_mass[n] == 0) continue;
      motion.velocities[n] /= 1 + interval * body.air_damping;
      const Vector3d momentum = (interval * body.air_damping * model.mass[n]) * motion.velocities[n];
      damped.momentum -= momentum;
      damped.angular -= (motion.start[n] + motion.displacements[n]).cross(momentum);
    }
  }
  // Elements before loads: they see nodes where their velocities take them in an inner step, which at rest, without
  // loads, is where they are. With loads they would be short of where they belong by what those do in it.
  motion.project(workers, body.soft, interval);
  if (body.pressure > 0) {
    const std::span<Vector3d> forces = part.of(vertices.forces);
    std::fill(forces.begin(), forces.end(), Vector3d::Zero());
    motion.place(model, part.of(vertices.displacements));
    particles::add_pressure(body, part.of(vertices.start), part.of(vertices.displacements), forces);
    motion.push(model, interval, forces);
  }
  for (std::size_t n = 0; n < motion.velocities.size(); ++n) {
    if (inverse_mass[n] != 0) motion.velocities[n] += interval * gravity;
  }
  motion.collect(model, part.of(vertices.velocities));
}

void commit_soft(const solid::Motion& motion, Body& body) {
  for (std::size_t n = 0; n < motion.start.size(); ++n) body.soft.nodes[n] = motion.start[n] + motion.displacements[n];
  body.soft.velocities = motion.velocities;
  if (body.soft.lattice) solid::place_boxes(motion.start, body.soft);
  for (std::size_t v = 0; v < body.velocities.size(); ++v)
    body.velocities[v] = body.soft.model->surface.mean(v, motion.velocities);
}

void touch_soft(const BodyMap& bodies, const rigid::Bodies& table, Vertices& vertices) {
  each_soft(bodies, table, vertices, [&](const Body& body, const SurfacePart& part, solid::Motion&) {
    if (body.pulls.empty()) return;
    vertices.touched.resize(vertices.start.size(), 0);
    for (const VertexPull& pull : body.pulls) part.of(vertices.touched)[static_cast<std::size_t>(pull.vertex)] = 1;
  });
  each_soft(bodies, table, vertices, [&](const Body& body, const SurfacePart& part, solid::Motion& motion) {
    std::span<const std::uint8_t> touched;
    if (!vertices.touched.empty()) touched = part.of(std::as_const(vertices.touched));
    motion.touch(body.soft, touched, body.velocities, part.of(std::as_const(vertices.start_velocities)),
                 part.of(vertices.awake_inverse_mass));
  });
}

bool find_offsets(const BodyMap& bodies, const rigid::Bodies& table, Vertices& vertices) {
  if (vertices.touched.empty()) return false;
  std::ranges::fill(vertices.forces, Vector3d::Zero());
  bool any = false;
  each_soft(bodies, table, vertices, [&](const Body& body, const SurfacePart& part, const solid::Motion& motion) {
    const std::span<Vector3d> offsets = part.of(vertices.forces);
    const std::span<const std::uint8_t> touched = part.of(std::as_const(vertices.touched));
    const std::span<const Vector3d> start = part.of(std::as_const(vertices.start));
    for (std::size_t v = 0; v < touched.size(); ++v) {
      if (touched[v] == 0) continue;
      offsets[v] = start[v] - body.soft.model->surface.mean(v, motion.start);
      any |= !offsets[v].isZero(0);
    }
  });
  return any;
}

void collect_soft(const BodyMap& bodies, const rigid::Bodies& table, Vertices& vertices) {
  each_soft(bodies, table, vertices, [&](const Body& body, const SurfacePart& part, solid::Motion& motion) {
    if (motion.touches()) motion.collect(*body.soft.model, part.of(vertices.velocities));
  });
}

void move_soft(const BodyMap& bodies, const rigid::Bodies& table, double interval, Vertices& vertices) {
  each_soft(bodies, table, vertices,
            [&](const Body&, const SurfacePart&, solid::Motion& motion) { motion.move(interval); });
}

void finish_soft(Workers& workers, const BodyMap& bodies, const rigid::Bodies& table, double dt, Vertices& vertices) {
  each_soft(bodies, table, vertices, [&](const Body& body, const SurfacePart& part, solid::Motion& motion) {
    motion.collect(*body.soft.model, part.of(vertices.velocities));
    motion.finish(workers, *body.soft.model, dt, part.of(std::as_const(vertices.start)),
                  part.of(vertices.displacements), part.of(vertices.velocities));
    const auto first = static_cast<std::size_t>(part.first_vertex);
    for (std::size_t v = first; v < first + static_cast<std::size_t>(part.vertex_count); ++v)
      if (vertices.awake_inverse_mass[v] > 0) vertices.positions[v] = vertices.start[v] + vertices.displacements[v];
  });
}

void update_soft(Workers& workers, std::span<const BodyId> order, const rigid::Bodies& table, double time, double dt,
                 BodyMap& bodies) {
  for (const BodyId id : order) {
    Body& body = bodies[id];
    if (body.is_soft() && table.asleep[body.slot] == 0) solid::update_rest(workers, time, dt, body.soft);
  }
}

}  // namespace carom::bodies
