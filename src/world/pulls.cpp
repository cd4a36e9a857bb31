#include <Eigen/Dense>
#include <cmath>

#include "bodies/make_body.hpp"
#include "bodies/particles.hpp"
#include "bodies/sleeping.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "world/state.hpp"

// Methods of World for what changes it from outside while it runs: hands, tools, gravity, stiffness.
namespace carom {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

const Body& known_body(const World::State& s, BodyId id) {
  require(s.bodies.contains(id), ErrorCode::bad_index,
          "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
  return s.bodies[id];
}

const Body& body_with_particles(const World::State& s, BodyId id) {
  const Body& body = known_body(s, id);
  require(body.motion == MotionModel::particles, ErrorCode::invalid_argument,
          "body '{}' is {}; expected particles or cloth", body.name, to_string(body.motion));
  return body;
}

std::size_t vertex_of(const Body& body, Index vertex) {
  require(vertex >= 0 && at(vertex) < body.positions.size(), ErrorCode::bad_index,
          "body '{}': there is no vertex {}, only {} vertices", body.name, vertex, body.positions.size());
  return at(body.leader.empty() ? vertex : body.leader[at(vertex)]);
}

void check_pull(const std::string& body, const Pull& pull) {
  for (const auto& [name, v] : {std::pair("target", pull.target), std::pair("velocity", pull.velocity)}) {
    require(is_finite(v), ErrorCode::not_finite, "body '{}': {} of a pull is ({}, {}, {}); expected finite", body, name,
            v.x(), v.y(), v.z());
  }
  for (const auto& [name, value] : {std::pair("stiffness", pull.stiffness), std::pair("damping", pull.damping)}) {
    require(std::isfinite(value) && value >= 0, ErrorCode::invalid_argument,
            "body '{}': {} of a pull is {}; expected a number that is not negative", body, name, value);
  }
  require(pull.max_force >= 0, ErrorCode::invalid_argument,
          "body '{}': max_force of a pull is {}; expected a number that is not negative", body, pull.max_force);
}

/// 1/kg: velocity of a point of a rigid body for an impulse at it; zero along locked axes.
Matrix3d inverse_mass_at(const rigid::Bodies& table, BodySlot slot, const Vector3d& lever) {
  const rigid::Info& info = table.info[slot];
  const rigid::Mass& mass = table.mass[slot];
  const math::Vec3 linear = rigid::unlocked({mass.inverse, mass.inverse, mass.inverse}, info.locked_translation);
  const math::Mat3 turning = rigid::inverse_inertia(math::matrix(table.motion[slot].q), mass, info);
  Matrix3d inverse = math::to_eigen(linear).asDiagonal();
  for (int k = 0; k < 3; ++k) {
    const Vector3d spin = math::to_eigen(turning * math::to_vec3(lever.cross(Vector3d::Unit(k))));
    inverse.col(k) += spin.cross(lever);
  }
  return inverse;
}

}  // namespace

void World::set_gravity(const Vector3d& gravity) {
  require(is_finite(gravity), ErrorCode::not_finite, "gravity is ({}, {}, {}); expected finite", gravity.x(),
          gravity.y(), gravity.z());
  state_->options.gravity = gravity;
  for (const BodyId id : state_->order) rigid::wake(state_->table, slot_of(id));
}

void World::set_stiffness(BodyId id, double factor) {
  body_with_particles(*state_, id);
  Body& body = state_->bodies[id];
  require(std::isfinite(factor) && factor > 0, ErrorCode::invalid_argument,
          "body '{}': the factor on its stiffness is {}; expected a positive number", body.name, factor);
  require(!body.levels.model, ErrorCode::unsupported,
          "body '{}': the stiffness of cloth with several levels cannot be changed; expected levels 1", body.name);
  require(!body.is_soft(), ErrorCode::unsupported,
          "body '{}': the stiffness of a soft body cannot be changed; expected cloth or particles", body.name);
  const double ratio = factor / body.stiffness;
  Body changed = body;
  changed.stiffness = factor;
  if (body.cloth_rest) {
    auto rest = std::make_shared<ClothRest>(*body.cloth_rest);
    for (Fabric& fabric : rest->fabrics) {
      for (double* k :
           {&fabric.warp_stiffness, &fabric.weft_stiffness, &fabric.shear_stiffness, &fabric.bend_stiffness})
        *k *= ratio;
    }
    changed.cloth_rest = rest;
    make_model(changed);
    check_verlet(changed, state_->options);
  } else {
    for (Spring& spring : changed.springs) spring.stiffness *= ratio;
    changed.net.stretch_stiffness *= ratio;
    changed.net.bend_stiffness *= ratio;
    changed.max_step = particles::max_step(changed);
    if (state_->response != response::Kind::soft) particles::check_step(changed, state_->options.dt);
  }
  body = std::move(changed);
  rigid::wake(state_->table, slot_of(id));
}

void World::set_offset(BodyId id, const Eigen::Isometry3d& offset) {
  const Body& body = known_body(*state_, id);
  require(body.motion == MotionModel::scripted && body.has_vertices(), ErrorCode::invalid_argument,
          "body '{}' is no scripted mesh, so it has no offset", body.name);
  check_pose(offset, [&] { return fmt::format("body '{}': its offset", body.name); });
  state_->bodies[id].offset = offset;
}

void World::pull(BodyId id, Index vertex, const Pull& pull) {
  const Body& body = body_with_particles(*state_, id);
  const std::size_t v = vertex_of(body, vertex);
  check_pull(body.name, pull);
  require(body.inverse_mass[v] > 0, ErrorCode::invalid_argument,
          "body '{}': vertex {} is held, and no force moves it; expected a vertex that is not pinned", body.name,
          vertex);
  state_->bodies[id].pulls.push_back({static_cast<Index>(v), pull});
  rigid::wake(state_->table, slot_of(id));
}

Vector3d World::pull(BodyId id, const Vector3d& point, const Pull& pull) {
  const Body& body = known_body(*state_, id);
  require(!body.has_vertices() && body.motion == MotionModel::rigid, ErrorCode::invalid_argument,
          "body '{}' is {}; expected a rigid body", body.name, to_string(body.motion));
  check_pull(body.name, pull);
  require(is_finite(point), ErrorCode::not_finite, "body '{}': the point of a pull is ({}, {}, {}); expected finite",
          body.name, point.x(), point.y(), point.z());
  const double dt = state_->options.dt;
  const Vector3d position = pose(id) * point;
  const Vector3d lever = position - center_of_mass(id);
  const Vector3d speed = velocity(id) + angular_velocity(id).cross(lever);
  const Vector3d wanted =
      pull.stiffness * (pull.target - position - dt * speed) + pull.damping * (pull.velocity - speed);
  const Matrix3d system = Matrix3d::Identity() + dt * (pull.damping + dt * pull.stiffness) *
                                                     inverse_mass_at(state_->table, slot_of(id), lever);
  Vector3d force = system.partialPivLu().solve(wanted);
  const double size = force.norm();
  if (size > pull.max_force) force *= pull.max_force / size;
  apply_force(id, force, position);
  return force;
}

double World::thickness(BodyId a, BodyId b) const {
  double sum = 0;
  int given = 0;
  bool any = false;
  for (const BodyId id : {a, b}) {
    const Body& body = known_body(*state_, id);
    any |= body.has_vertices();
    if (!(body.thickness > 0)) continue;
    sum += body.thickness;
    ++given;
  }
  if (!any) return 0;
  return given == 0 ? state_->options.contact.distance : sum / given;
}

double World::inverse_mass(BodyId id, Index vertex) const {
  const Body& body = body_with_particles(*state_, id);
  return body.inverse_mass[vertex_of(body, vertex)];
}

}  // namespace carom
