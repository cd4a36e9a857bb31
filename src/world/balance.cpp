#include "bodies/particles.hpp"
#include "world/state.hpp"

namespace carom {

namespace {

void add_soft(const Body& body, const Eigen::Vector3d& gravity, WorldBalance& balance) {
  const solid::BodyState& soft = body.soft;
  for (std::size_t n = 0; n < soft.nodes.size(); ++n) {
    if (!(soft.model->elements.inverse_mass()[n] > 0)) continue;
    const double mass = soft.model->mass[n];
    balance.mass += mass;
    balance.kinetic_energy += 0.5 * mass * soft.velocities[n].squaredNorm();
    balance.potential_energy -= mass * gravity.dot(soft.nodes[n]);
    balance.momentum += mass * soft.velocities[n];
  }
  balance.elastic_energy += soft.model->elements.energy(soft.nodes, soft.rest);
  if (body.pressure > 0) balance.elastic_energy += particles::gas_energy(body);
}

void add_particles(const Body& body, const Eigen::Vector3d& gravity, WorldBalance& balance) {
  for (std::size_t v = 0; v < body.positions.size(); ++v) {
    if (!(body.inverse_mass[v] > 0)) continue;
    const double mass = 1 / body.inverse_mass[v];
    balance.mass += mass;
    balance.kinetic_energy += 0.5 * mass * body.velocities[v].squaredNorm();
    balance.potential_energy -= mass * gravity.dot(body.positions[v]);
    balance.momentum += mass * body.velocities[v];
  }
  const bool springs = body.cloth_rest && body.cloth_rest->verlet;
  if (body.cloth && !springs) balance.elastic_energy += body.cloth->energy(body.positions);
  if (body.pressure > 0) balance.elastic_energy += particles::gas_energy(body);
  for (const Spring& spring : body.springs) {
    const Eigen::Vector3d along =
        body.positions[static_cast<std::size_t>(spring.b)] - body.positions[static_cast<std::size_t>(spring.a)];
    const double stretch = along.norm() - spring.rest_length;
    balance.elastic_energy += 0.5 * spring.stiffness * stretch * stretch;
  }
}

}  // namespace

WorldBalance World::balance() const {
  WorldBalance balance;
  for (const BodyId id : state_->order) {
    const Body& body = state_->bodies[id];
    if (body.is_soft())
      add_soft(body, state_->options.gravity, balance);
    else if (body.motion == MotionModel::particles)
      add_particles(body, state_->options.gravity, balance);
    if (body.motion != MotionModel::rigid) continue;
    const Eigen::Vector3d v = velocity(id);
    const Eigen::Vector3d w = angular_velocity(id);
    balance.mass += mass(id);
    balance.kinetic_energy += 0.5 * mass(id) * v.squaredNorm() + 0.5 * w.dot(inertia(id) * w);
    balance.potential_energy -= mass(id) * state_->options.gravity.dot(center_of_mass(id));
    balance.momentum += mass(id) * v;
  }
  return balance;
}

}  // namespace carom
