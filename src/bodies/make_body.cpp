#include "bodies/make_body.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <numeric>

#include "bodies/particles.hpp"
#include "bodies/sheet_cut.hpp"
#include "core/check.hpp"
#include "core/writable.hpp"

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

/// A field is that of the surface as it was given, and cuts change it.
template <class Description>
void check_cuttable(const Description& d) {
  require(!d.cuttable || !d.field, ErrorCode::unsupported, "body '{}': a field does not go with cuttable; leave it out",
          d.name);
}

}  // namespace

Body make_body(FixedBody description) {
  check_cuttable(description);
  Body body = common(description, MotionModel::fixed);
  body.cuttable = description.cuttable;
  return body;
}

Body make_body(ScriptedBody description) {
  require(static_cast<bool>(description.motion), ErrorCode::invalid_argument, "body '{}' is scripted but has no motion",
          description.name);
  check_cuttable(description);
  Body body = common(description, MotionModel::scripted);
  body.script = std::move(description.motion);
  body.cuttable = description.cuttable;
  return body;
}

namespace {

Index leader_of(const Body& body, Index vertex) {
  return body.leader.empty() ? vertex : body.leader[static_cast<std::size_t>(vertex)];
}

void pin(Body& body, std::span<const Index> pinned) {
  for (const Index vertex : pinned) {
    require(vertex >= 0 && static_cast<std::size_t>(vertex) < body.positions.size(), ErrorCode::bad_index,
            "body '{}': pinned names vertex {}, but there are {} vertices", body.name, vertex, body.positions.size());
    body.inverse_mass[static_cast<std::size_t>(leader_of(body, vertex))] = 0;
    body.pinned = true;
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
  check_not_negative(name, "importance", description.importance);
  const Eigen::Vector3d velocity = description.velocity;
  check_velocity(name, velocity);

  Body body = common(description, MotionModel::particles);
  body.spring_damping = description.spring_damping;
  body.air_damping = description.air_damping;
  body.importance = description.importance;
  particles::share_mass(description.mass, body);
  particles::make_springs(description.stretch_stiffness, description.bend_stiffness, body);
  if (description.pressure != 0) set_pressure(body, description.pressure);
  body.sleeping_allowed = description.sleeping_allowed;
  pin(body, description.pinned);
  for (std::size_t v = 0; v < body.velocities.size(); ++v) {
    if (body.inverse_mass[v] > 0) body.velocities[v] = velocity;
  }
  body.max_step = particles::max_step(body);
  return body;
}

namespace {

void add_levels(const ClothBody& description, const std::vector<double>& masses, Body& body) {
  require(!body.cloth_rest->tears && !body.cloth_rest->verlet, ErrorCode::unsupported,
          "body '{}': levels is {}, which neither tear_strain nor the integrator verlet goes with; expected 1",
          body.name, description.levels);
  cloth::LevelModel model{.rest_positions = body.positions,
                          .triangles = body.triangles,
                          .warp = body.cloth_rest->warp,
                          .fabrics = body.cloth_rest->fabrics,
                          .fabric_of_triangle = body.cloth_rest->fabric_of_triangle,
                          .mass = masses,
                          .hold = description.level_hold};
  for (std::size_t v = 0; v < masses.size(); ++v) model.pinned.push_back(body.inverse_mass[v] > 0 ? 0 : 1);
  model.hierarchy = cloth::Hierarchy(rest_shape(body), model.pinned, description.levels);
  body.levels = cloth::start_levels(std::move(model));
  body.max_step = body.levels.resolution->inner_step();
}

void check_region(const std::string& body, const FabricRegion& region, std::size_t number, std::size_t triangles) {
  cloth::check(body, region.fabric, fmt::format("regions[{}].", number));
  for (std::size_t i = 0; i < region.triangles.size(); ++i) {
    require(region.triangles[i] >= 0 && static_cast<std::size_t>(region.triangles[i]) < triangles, ErrorCode::bad_index,
            "body '{}': regions[{}].triangles[{}] is {}, but there are {} triangles", body, number, i,
            region.triangles[i], triangles);
  }
}

/// Vertices at one position become one; the others follow it.
void join_vertices(Body& body) {
  std::vector<Index> leader = cloth::leaders(body.positions);
  bool any = false;
  for (std::size_t v = 0; v < leader.size(); ++v) any |= leader[v] != static_cast<Index>(v);
  if (!any) return;
  for (Triangle& t : body.triangles) {
    for (Index& v : t) v = leader[static_cast<std::size_t>(v)];
  }
  body.leader = std::move(leader);
}

void check_moving_pins(const Body& body, const std::vector<MovingPins>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    require(static_cast<bool>(groups[i].motion), ErrorCode::invalid_argument,
            "body '{}': moving_pins[{}] has no motion", body.name, i);
    for (const Index vertex : groups[i].vertices) {
      require(vertex >= 0 && static_cast<std::size_t>(vertex) < body.positions.size(), ErrorCode::bad_index,
              "body '{}': moving_pins[{}] names vertex {}, but there are {} vertices", body.name, i, vertex,
              body.positions.size());
      require(body.inverse_mass[static_cast<std::size_t>(leader_of(body, vertex))] > 0, ErrorCode::invalid_argument,
              "body '{}': moving_pins[{}] names vertex {}, which is pinned already, or in no triangle", body.name, i,
              vertex);
    }
  }
}

void check_cloth(const ClothBody& description) {
  const std::string& name = description.name;
  cloth::check(name, description.fabric);
  for (std::size_t i = 0; i < description.regions.size(); ++i)
    check_region(name, description.regions[i], i, description.mesh.triangles.size());
  cloth::check(name, description.wind);
  check_not_negative(name, "air_damping", description.air_damping);
  check_not_negative(name, "thickness", description.thickness);
  check_not_negative(name, "pressure", description.pressure);
  check_not_negative(name, "verlet.max_strain", description.verlet.max_strain);
  require(description.verlet.iterations >= 0, ErrorCode::invalid_argument,
          "body '{}': verlet.iterations is {}; expected a number that is not negative", name,
          description.verlet.iterations);
  check_velocity(name, description.velocity);
  const Eigen::Vector3d& warp = description.warp;
  require(is_finite(warp) && warp.norm() > 0, ErrorCode::invalid_argument,
          "body '{}': warp is ({}, {}, {}); expected a direction", name, warp.x(), warp.y(), warp.z());
  require(description.inner_steps >= 0, ErrorCode::invalid_argument,
          "body '{}': inner_steps is {}; expected a number that is not negative", name, description.inner_steps);
  require(description.levels >= 1 && description.levels <= cloth::max_levels, ErrorCode::invalid_argument,
          "body '{}': levels is {}; expected 1 to {}", name, description.levels, cloth::max_levels);
  check_not_negative(name, "level_hold", description.level_hold);
  check_not_negative(name, "importance", description.importance);
}

std::shared_ptr<const ClothRest> make_rest(ClothBody& description, const Body& body) {
  auto rest = std::make_shared<ClothRest>();
  rest->triangles = body.triangles;
  rest->warp = description.warp;
  rest->fabrics.push_back(description.fabric);
  if (!description.regions.empty()) rest->fabric_of_triangle.assign(body.triangles.size(), 0);
  for (const FabricRegion& region : description.regions) {
    for (const Index t : region.triangles)
      rest->fabric_of_triangle[static_cast<std::size_t>(t)] = static_cast<Index>(rest->fabrics.size());
    rest->fabrics.push_back(region.fabric);
  }
  for (const Fabric& fabric : rest->fabrics) rest->tears |= fabric.tear_strain > 0;
  rest->moving_pins = std::move(description.moving_pins);
  rest->verlet = description.integrator == ClothIntegrator::verlet;
  rest->verlet_options = description.verlet;
  return rest;
}

}  // namespace

void make_model(Body& body) {
  if (body.is_spring_net()) body.max_step = particles::max_step(body);
  if (!body.cloth_rest) return;
  if (body.cloth_rest->verlet) body.springs = particles::make_fabric_springs(body);
  body.cloth = std::make_shared<cloth::Model>(rest_shape(body), body.cloth_rest->fabrics);
  body.max_step = body.cloth_rest->verlet ? particles::max_step(body) : body.cloth->inner_step(body.inverse_mass);
  body.bend_step = body.cloth->bend_step(body.inverse_mass);
}

void change_model(const sheet::CutOutcome& cut, Body& body) {
  if (!body.cloth_rest || body.cloth_rest->verlet) return make_model(body);
  const std::shared_ptr<cloth::Model> model = writable(body.cloth);
  if (!model->change(rest_shape(body), body.cloth_rest->fabrics, cut.triangles, cut.around)) return make_model(body);
  body.cloth = model;
  const cloth::Model::Steps steps = model->update_steps(body.inverse_mass, cut.vertices, cut.at_vertices);
  body.max_step = steps.inner;
  body.bend_step = steps.bend;
}

Body make_body(ClothBody description) {
  check_cloth(description);
  Body body = common(description, MotionModel::particles);
  if (!body.detection) body.detection = Detection::continuous;
  join_vertices(body);
  body.cloth_rest = make_rest(description, body);
  const std::vector<double> masses = cloth::masses(body.name, rest_shape(body), body.cloth_rest->fabrics);
  for (std::size_t v = 0; v < masses.size(); ++v) body.inverse_mass[v] = masses[v] > 0 ? 1 / masses[v] : 0;
  if (description.pressure > 0) set_pressure(body, description.pressure);
  make_model(body);
  body.inner_steps = description.inner_steps;
  body.importance = description.importance;
  body.thickness = description.thickness;
  body.wind = description.wind;
  body.air_damping = description.air_damping;
  body.sleeping_allowed = description.sleeping_allowed && body.cloth_rest->moving_pins.empty();
  pin(body, description.pinned);
  check_moving_pins(body, body.cloth_rest->moving_pins);
  for (const MovingPins& pins : body.cloth_rest->moving_pins) pin(body, pins.vertices);
  for (std::size_t v = 0; v < body.velocities.size(); ++v) {
    if (body.inverse_mass[static_cast<std::size_t>(leader_of(body, static_cast<Index>(v)))] > 0)
      body.velocities[v] = description.velocity;
  }
  if (description.levels > 1) add_levels(description, masses, body);
  return body;
}

Body make_body(SoftBody description) {
  if (description.tetrahedra.tetrahedra.empty()) check_mesh(description.name, description.mesh);
  solid::BodyState state = solid::make_state(description);
  Body body = common(description, MotionModel::particles);
  if (!body.detection) body.detection = Detection::continuous;
  std::vector<std::uint32_t> all(body.positions.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<double> work;
  solid::contact_masses(*state.model, all, work, body.inverse_mass);
  if (description.pressure > 0) set_pressure(body, description.pressure);
  for (std::size_t v = 0; v < body.velocities.size(); ++v)
    body.velocities[v] = state.model->surface.mean(v, state.velocities);
  body.max_step = state.model->elements.inner_step();
  body.inner_steps = description.inner_steps;
  body.importance = description.importance;
  body.thickness = description.thickness;
  body.air_damping = description.air_damping;
  body.pinned = !description.fixed.empty();
  body.sleeping_allowed = description.sleeping_allowed && description.actuators.empty();
  body.soft = std::move(state);
  return body;
}

}  // namespace carom
