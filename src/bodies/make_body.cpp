#include "bodies/make_body.hpp"

#include <Eigen/Geometry>

#include "bodies/particles.hpp"
#include "core/check.hpp"

namespace carom {

namespace {

void check_mesh(const std::string& name, const TriangleMesh& mesh) {
  require(!mesh.triangles.empty(), ErrorCode::bad_mesh, "body '{}' has no triangles", name);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Eigen::Vector3d& p = mesh.positions[i];
    require(is_finite(p), ErrorCode::not_finite, "body '{}': position of vertex {} is ({}, {}, {}); expected finite",
            name, i, p.x(), p.y(), p.z());
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const Index corner : mesh.triangles[i]) {
      require(corner >= 0 && static_cast<std::size_t>(corner) < mesh.positions.size(), ErrorCode::bad_index,
              "body '{}': triangle {} uses vertex {}, but there are {} vertices", name, i, corner,
              mesh.positions.size());
    }
  }
}

void check_not_negative(const std::string& body, const char* field, double value) {
  require(std::isfinite(value) && value >= 0, ErrorCode::invalid_argument,
          "body '{}': {} is {}; expected a number that is not negative", body, field, value);
}

/// Throws Error that names the body if its mesh has no inside.
void set_pressure(Body& body, double pressure) {
  require(std::isfinite(pressure) && pressure > 0, ErrorCode::invalid_argument,
          "body '{}': pressure is {}; expected a number that is not negative", body.name, pressure);
  const Topology topology = build_topology(body.positions.size(), body.triangles);
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    require(topology.edge_triangles[e].size() == 2, ErrorCode::bad_mesh,
            "body '{}': pressure needs a closed mesh, but the edge of vertices {} and {} has {} triangles; expected 2",
            body.name, topology.edges[e][0], topology.edges[e][1], topology.edge_triangles[e].size());
  }
  const std::vector<Eigen::Vector3d> none(body.positions.size(), Eigen::Vector3d::Zero());
  body.pressure = pressure;
  body.rest_volume = particles::volume(body, body.positions, none);
  require(body.rest_volume > 0, ErrorCode::bad_mesh,
          "body '{}': pressure needs a mesh whose triangles face outward, but its volume is {} m^3", body.name,
          body.rest_volume);
}

/// `description` is one of the three; its name and mesh are taken.
template <class Description>
Body common(Description& description, MotionModel kind) {
  check_mesh(description.name, description.mesh);
  Body body;
  body.name = std::move(description.name);
  body.motion = kind;
  body.filter = description.filter;
  body.detection = description.detection;
  check_not_negative(body.name, "friction", description.material.friction);
  require(description.material.restitution >= 0 && description.material.restitution <= 1, ErrorCode::invalid_argument,
          "body '{}': restitution is {}; expected 0 to 1", body.name, description.material.restitution);
  body.friction = description.material.friction;
  body.restitution = description.material.restitution;
  body.triangles = std::move(description.mesh.triangles);
  body.positions = std::move(description.mesh.positions);
  body.rest_positions = body.positions;
  body.velocities.assign(body.positions.size(), Eigen::Vector3d::Zero());
  body.inverse_mass.assign(body.positions.size(), 0.0);
  return body;
}

}  // namespace

Body make_body(FixedBody description) {
  return common(description, MotionModel::fixed);
}

Body make_body(ScriptedBody description) {
  require(static_cast<bool>(description.motion), ErrorCode::invalid_argument, "body '{}' is scripted but has no motion",
          description.name);
  Body body = common(description, MotionModel::scripted);
  body.script = std::move(description.motion);
  return body;
}

namespace {

void pin(Body& body, std::span<const Index> pinned) {
  for (const Index vertex : pinned) {
    require(vertex >= 0 && static_cast<std::size_t>(vertex) < body.positions.size(), ErrorCode::bad_index,
            "body '{}': pinned names vertex {}, but there are {} vertices", body.name, vertex, body.positions.size());
    body.inverse_mass[static_cast<std::size_t>(vertex)] = 0;
  }
}

void check_velocity(const std::string& name, const Eigen::Vector3d& velocity) {
  require(is_finite(velocity), ErrorCode::not_finite, "body '{}': velocity is ({}, {}, {}); expected finite", name,
          velocity.x(), velocity.y(), velocity.z());
}

}  // namespace

Body make_body(ParticleBody description) {
  const std::string& name = description.name;
  require(std::isfinite(description.mass) && description.mass > 0, ErrorCode::invalid_argument,
          "body '{}': mass is {}; expected a positive number of kilograms", name, description.mass);
  check_not_negative(name, "stretch_stiffness", description.stretch_stiffness);
  check_not_negative(name, "bend_stiffness", description.bend_stiffness);
  check_not_negative(name, "spring_damping", description.spring_damping);
  check_not_negative(name, "air_damping", description.air_damping);
  const Eigen::Vector3d velocity = description.velocity;
  check_velocity(name, velocity);

  Body body = common(description, MotionModel::particles);
  body.spring_damping = description.spring_damping;
  body.air_damping = description.air_damping;
  particles::share_mass(description.mass, body);
  body.springs = particles::make_springs(body, description.stretch_stiffness, description.bend_stiffness);
  if (description.pressure != 0) set_pressure(body, description.pressure);
  body.sleeping_allowed = description.sleeping_allowed;
  pin(body, description.pinned);
  for (std::size_t v = 0; v < body.velocities.size(); ++v) {
    if (body.inverse_mass[v] > 0) body.velocities[v] = velocity;
  }
  body.max_step = particles::max_step(body);
  return body;
}

Body make_body(ClothBody description) {
  const std::string& name = description.name;
  cloth::check(name, description.fabric);
  cloth::check(name, description.wind);
  check_not_negative(name, "air_damping", description.air_damping);
  const Eigen::Vector3d velocity = description.velocity;
  check_velocity(name, velocity);
  const Eigen::Vector3d warp = description.warp;
  require(is_finite(warp) && warp.norm() > 0, ErrorCode::invalid_argument,
          "body '{}': warp is ({}, {}, {}); expected a direction", name, warp.x(), warp.y(), warp.z());
  require(description.inner_steps >= 0, ErrorCode::invalid_argument,
          "body '{}': inner_steps is {}; expected a number that is not negative", name, description.inner_steps);

  Body body = common(description, MotionModel::particles);
  if (!body.detection) body.detection = Detection::continuous;
  const cloth::RestShape rest{body.positions, body.triangles, warp};
  const std::vector<double> masses = cloth::masses(body.name, rest, description.fabric.density);
  for (std::size_t v = 0; v < masses.size(); ++v) body.inverse_mass[v] = 1 / masses[v];
  body.cloth = std::make_shared<const cloth::Model>(rest, description.fabric);
  body.max_step = body.cloth->inner_step(body.inverse_mass);
  body.inner_steps = description.inner_steps;
  body.wind = description.wind;
  body.air_damping = description.air_damping;
  body.sleeping_allowed = description.sleeping_allowed;
  pin(body, description.pinned);
  for (std::size_t v = 0; v < body.velocities.size(); ++v) {
    if (body.inverse_mass[v] > 0) body.velocities[v] = velocity;
  }
  return body;
}

}  // namespace carom
