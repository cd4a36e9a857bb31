#include <map>

#include "core/check.hpp"
#include "world/option_difference.hpp"
#include "world/state.hpp"

// Methods of World for rigid bodies.
namespace carom {

namespace {

using math::to_eigen;
using math::to_vec3;
using rigid::Vec3;

std::size_t number(const World::State& state, BodyId id) {
  require(state.bodies.contains(id), ErrorCode::bad_index,
          "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
  const Body& body = state.bodies[id];
  require(!body.has_vertices(), ErrorCode::invalid_argument,
          "body '{}' is {} with a mesh of its own; expected a body with a shape", body.name, to_string(body.motion));
  return static_cast<std::size_t>(body.number);
}

void check_finite(const rigid::Info& info, const char* what, const Eigen::Vector3d& v) {
  require(is_finite(v), ErrorCode::not_finite, "body '{}': {} is ({}, {}, {}); expected finite", info.name, what, v.x(),
          v.y(), v.z());
}

/// Whatever pushes the others changes nothing of how they move.
void check_dynamic(const rigid::Info& info, const char* what) {
  require(info.motion == MotionModel::rigid, ErrorCode::invalid_argument, "body '{}' is {}; {} moves rigid bodies only",
          info.name, to_string(info.motion), what);
}

void wake_body(rigid::WorldState& s, std::size_t i) {
  rigid::wake(s, static_cast<std::int32_t>(i));
}

}  // namespace

BodyId World::add(RigidBody description) {
  State& s = *state_;
  // Checked whole before anything is changed.
  rigid::Bodies one;
  rigid::add(one, description, {});
  response::check(s.response, description);
  Body body;
  body.name = description.name;
  body.motion = description.motion;
  body.number = static_cast<std::int32_t>(s.rigid.state.bodies.size());
  body.serial = s.next_serial++;
  const BodyId id = s.bodies.insert(std::move(body));
  s.order.push_back(id);
  s.edited = true;
  s.query_tree.forget();
  rigid::add(s.rigid.state.bodies, std::move(description), id);
  s.rigid.state.fat_bounds.emplace_back();
  s.rigid.state.odometers.emplace_back();
  s.rigid.state.boxes.resize(s.rigid.state.bodies.colliders.size());
  return id;
}

Eigen::Isometry3d World::pose(BodyId body) const {
  const std::size_t i = number(*state_, body);
  const rigid::Bodies& bodies = state_->rigid.state.bodies;
  return rigid::shape_pose(bodies.motion[i], bodies.info[i]);
}

const Shape& World::shape(BodyId body) const {
  return state_->rigid.state.bodies.info[number(*state_, body)].shape;
}

const Shape& World::collision_shape(BodyId body) const {
  return rigid::collision_shape(state_->rigid.state.bodies.info[number(*state_, body)]);
}

double World::collider_error(BodyId body) const {
  return state_->rigid.state.bodies.info[number(*state_, body)].collider_error;
}

double World::mass(BodyId body) const {
  return state_->rigid.state.bodies.info[number(*state_, body)].mass;
}

Eigen::Vector3d World::center_of_mass(BodyId body) const {
  return to_eigen(state_->rigid.state.bodies.motion[number(*state_, body)].x);
}

Eigen::Matrix3d World::inertia(BodyId body) const {
  const std::size_t i = number(*state_, body);
  const rigid::Bodies& bodies = state_->rigid.state.bodies;
  const rigid::Mat3 r = math::matrix(bodies.motion[i].q);
  Eigen::Matrix3d result;
  for (Eigen::Index k = 0; k < 3; ++k)
    result.col(k) = to_eigen(rigid::turned(r, bodies.mass[i].inertia, to_vec3(Eigen::Vector3d::Unit(k))));
  return result;
}

Eigen::Vector3d World::velocity(BodyId body) const {
  return to_eigen(state_->rigid.state.bodies.motion[number(*state_, body)].v);
}

Eigen::Vector3d World::angular_velocity(BodyId body) const {
  return to_eigen(state_->rigid.state.bodies.motion[number(*state_, body)].w);
}

bool World::asleep(BodyId body) const {
  return state_->rigid.state.bodies.asleep[number(*state_, body)] != 0;
}

void World::teleport(BodyId body, const Eigen::Isometry3d& pose) {
  const std::size_t i = number(*state_, body);
  rigid::WorldState& s = state_->rigid.state;
  rigid::Motion next = s.bodies.motion[i];
  rigid::place(pose, s.bodies.info[i], next);
  // Bodies in contact with it must wake up.
  rigid::wake_neighbours(s, static_cast<std::int32_t>(i));
  s.bodies.motion[i] = next;
  state_->query_tree.forget();
  s.fat_bounds[i].margin = -1;
}

void World::set_velocity(BodyId body, const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity) {
  const std::size_t i = number(*state_, body);
  rigid::WorldState& s = state_->rigid.state;
  const rigid::Info& info = s.bodies.info[i];
  check_finite(info, "velocity", velocity);
  check_finite(info, "angular velocity", angular_velocity);
  require(info.motion != MotionModel::fixed, ErrorCode::invalid_argument, "body '{}' is fixed; it has no velocity",
          info.name);
  s.bodies.motion[i].v = rigid::unlocked(to_vec3(velocity), info.locked_translation);
  s.bodies.motion[i].w = rigid::unlocked(to_vec3(angular_velocity), info.locked_rotation);
  wake_body(s, i);
}

void World::apply_force(BodyId body, const Eigen::Vector3d& force) {
  apply_force(body, force, center_of_mass(body));
}

void World::apply_force(BodyId body, const Eigen::Vector3d& force, const Eigen::Vector3d& point) {
  const std::size_t i = number(*state_, body);
  rigid::WorldState& s = state_->rigid.state;
  check_dynamic(s.bodies.info[i], "a force");
  check_finite(s.bodies.info[i], "force", force);
  check_finite(s.bodies.info[i], "point of a force", point);
  s.bodies.force[i] = s.bodies.force[i] + to_vec3(force);
  s.bodies.pushed = true;
  s.bodies.torque[i] = s.bodies.torque[i] + cross(to_vec3(point) - s.bodies.motion[i].x, to_vec3(force));
  wake_body(s, i);
}

void World::apply_torque(BodyId body, const Eigen::Vector3d& torque) {
  const std::size_t i = number(*state_, body);
  rigid::WorldState& s = state_->rigid.state;
  check_dynamic(s.bodies.info[i], "a torque");
  check_finite(s.bodies.info[i], "torque", torque);
  s.bodies.pushed = true;
  s.bodies.torque[i] = s.bodies.torque[i] + to_vec3(torque);
  wake_body(s, i);
}

void World::apply_impulse(BodyId body, const Eigen::Vector3d& impulse, const Eigen::Vector3d& point) {
  const std::size_t i = number(*state_, body);
  rigid::WorldState& s = state_->rigid.state;
  const rigid::Info& info = s.bodies.info[i];
  check_dynamic(info, "an impulse");
  check_finite(info, "impulse", impulse);
  check_finite(info, "point of an impulse", point);
  rigid::Motion& m = s.bodies.motion[i];
  const rigid::Mass& mass = s.bodies.mass[i];
  const Vec3 moment = cross(to_vec3(point) - m.x, to_vec3(impulse));
  m.v = rigid::unlocked(m.v + mass.inverse * to_vec3(impulse), info.locked_translation);
  m.w = m.w + rigid::spin_of(math::matrix(m.q), moment, mass, info);
  wake_body(s, i);
}

void World::wake(BodyId body) {
  wake_body(state_->rigid.state, number(*state_, body));
}

std::optional<double> World::response_residual() const {
  return response::residual(state_->response, state_->rigid.response);
}

/// Working memory and what is made again by `edits` are left out.
struct World::Snapshot::Data {
  WorldOptions options;  ///< of the world it was taken of
  double time = 0;
  std::uint64_t steps = 0;
  SlotMap<Body, BodyTag> bodies;
  std::vector<BodyId> order;
  std::uint32_t next_serial = 0;
  std::vector<std::array<BodyId, 2>> excluded_bodies;
  std::vector<State::VertexExclusion> excluded_vertices;
  std::map<std::array<BodyId, 2>, Detection> pair_detection;
  contact::AnchorList contacts;
  rigid::WorldState rigid;
};

World::Snapshot World::snapshot() const {
  const State& s = *state_;
  return Snapshot(std::make_shared<const Snapshot::Data>(
      Snapshot::Data{s.options, s.time, s.steps, s.bodies, s.order, s.next_serial, s.excluded_bodies,
                     s.excluded_vertices, s.pair_detection, s.contacts, s.rigid.state}));
}

void World::restore(const Snapshot& snapshot) {
  State& s = *state_;
  const Snapshot::Data& d = snapshot.data();
  if (const auto differing = differences(d.options, s.options); !differing.empty())
    fail(ErrorCode::invalid_argument, "restore: option {} differs: snapshot {}, world {}", differing[0].name,
         differing[0].a, differing[0].b);
  s.time = d.time;
  s.steps = d.steps;
  s.bodies = d.bodies;
  s.order = d.order;
  s.next_serial = d.next_serial;
  s.excluded_bodies = d.excluded_bodies;
  s.excluded_vertices = d.excluded_vertices;
  s.pair_detection = d.pair_detection;
  s.contacts = d.contacts;
  s.rigid.state = d.rigid;
  rigid::forget(s.rigid);
  s.contact_list.forget();
  s.query_tree.forget();
  s.edited = true;
  s.filters_edited = true;
}

}  // namespace carom
