#include "bodies/sleeping.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "world/state.hpp"

// Methods of World for single bodies.
namespace carom {

namespace {

using math::to_eigen;
using math::to_vec3;
using rigid::Vec3;

BodySlot checked_slot(const World::State& state, BodyId id) {
  require(state.bodies.contains(id), ErrorCode::bad_index,
          "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
  return slot_of(id);
}

/// Slot of a body that has a shape.
BodySlot shape_slot(const World::State& state, BodyId id) {
  checked_slot(state, id);
  const Body& body = state.bodies[id];
  require(!body.has_vertices(), ErrorCode::invalid_argument,
          "body '{}' is {} with a mesh of its own; expected a body with a shape", body.name, to_string(body.motion));
  return slot_of(id);
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

}  // namespace

Eigen::Isometry3d World::pose(BodyId body) const {
  const BodySlot i = shape_slot(*state_, body);
  const rigid::Bodies& bodies = state_->table;
  return rigid::shape_pose(bodies.motion[i], bodies.info[i]);
}

const Shape& World::shape(BodyId body) const {
  return state_->table.info[shape_slot(*state_, body)].shape;
}

const Shape& World::collision_shape(BodyId body) const {
  return rigid::collision_shape(state_->table.info[shape_slot(*state_, body)]);
}

double World::collider_error(BodyId body) const {
  return state_->table.info[shape_slot(*state_, body)].collider_error;
}

double World::mass(BodyId body) const {
  return state_->table.info[shape_slot(*state_, body)].mass;
}

Eigen::Vector3d World::center_of_mass(BodyId body) const {
  return to_eigen(state_->table.motion[shape_slot(*state_, body)].x);
}

Eigen::Matrix3d World::inertia(BodyId body) const {
  const BodySlot i = shape_slot(*state_, body);
  const rigid::Bodies& bodies = state_->table;
  const rigid::Mat3 r = math::matrix(bodies.motion[i].q);
  Eigen::Matrix3d result;
  for (Eigen::Index k = 0; k < 3; ++k)
    result.col(k) = to_eigen(rigid::turned(r, bodies.mass[i].inertia, to_vec3(Eigen::Vector3d::Unit(k))));
  return result;
}

Eigen::Vector3d World::velocity(BodyId body) const {
  return to_eigen(state_->table.motion[shape_slot(*state_, body)].v);
}

Eigen::Vector3d World::angular_velocity(BodyId body) const {
  return to_eigen(state_->table.motion[shape_slot(*state_, body)].w);
}

bool World::asleep(BodyId body) const {
  return state_->table.asleep[checked_slot(*state_, body)] != 0;
}

namespace {

const Body& checked_cloth(const World::State& s, BodyId id) {
  checked_slot(s, id);
  const Body& body = s.bodies[id];
  require(body.cloth != nullptr, ErrorCode::invalid_argument, "body '{}' is no cloth, so it has no levels", body.name);
  return body;
}

}  // namespace

namespace {

const Body& checked_soft(const World::State& s, BodyId id) {
  checked_slot(s, id);
  const Body& body = s.bodies[id];
  require(body.is_soft(), ErrorCode::invalid_argument, "body '{}' is not soft, so it has no nodes", body.name);
  return body;
}

}  // namespace

std::span<const Eigen::Vector3d> World::nodes(BodyId id) const {
  return checked_soft(*state_, id).soft.nodes;
}

SoftState World::soft_state(BodyId id) const {
  const solid::BodyState& soft = checked_soft(*state_, id).soft;
  const solid::BodyModel& model = *soft.model;
  SoftState state{.nodes = soft.nodes.size(),
                  .elements = model.elements.element_count(),
                  .voxel_size = model.voxel_size,
                  .rest_volume = model.rest_volume,
                  .volume = model.elements.volume(soft.nodes),
                  .elastic_energy = model.elements.energy(soft.nodes, soft.rest)};
  for (const double mass : model.mass) state.mass += mass;
  return state;
}

std::optional<SoftDepth> World::depth_in(BodyId id, const Eigen::Vector3d& point) const {
  const Body& body = checked_soft(*state_, id);
  require(body.soft.model->field.has_value(), ErrorCode::invalid_argument,
          "body '{}' has no field; SoftBody::field makes one", body.name);
  require(is_finite(point), ErrorCode::not_finite, "depth_in: point is ({}, {}, {}); expected finite", point.x(),
          point.y(), point.z());
  const auto place = state_->field_cells.place(body.serial, body.soft, point);
  return place ? std::optional(place->depth) : std::nullopt;
}

ClothLevels World::cloth_levels(BodyId id) const {
  const Body& body = checked_cloth(*state_, id);
  if (!body.levels.model) return {.active = body.positions.size()};
  return {body.levels.resolution->active().size(), body.levels.activations, body.levels.deactivations};
}

std::vector<std::uint8_t> World::vertex_levels(BodyId id) const {
  const Body& body = checked_cloth(*state_, id);
  std::vector<std::uint8_t> levels(body.positions.size(), 0);
  if (!body.levels.model) return levels;
  for (std::size_t v = 0; v < levels.size(); ++v) {
    const Index patch = body.levels.model->hierarchy.patch(static_cast<Index>(v));
    levels[v] = body.levels.resolution->levels()[at(patch)];
  }
  return levels;
}

std::vector<BoundingSphere> World::detection_spheres(int level) const {
  require(level >= 0, ErrorCode::invalid_argument, "level is {}; expected a number that is not negative", level);
  if (state_->method != mid::Method::spheres) return {};
  return state_->surface_scratch.detection.candidates.mid.spheres.tree().level(static_cast<std::size_t>(level));
}

void World::teleport(BodyId body, const Eigen::Isometry3d& pose) {
  const BodySlot i = shape_slot(*state_, body);
  rigid::Bodies& bodies = state_->table;
  rigid::Motion next = bodies.motion[i];
  rigid::place(pose, bodies.info[i], next);
  // Bodies in contact with it must wake up.
  wake_neighbours(*state_, body);
  bodies.motion[i] = next;
  state_->query_tree.forget();
  state_->bounds.fat[i].margin = -1;
  state_->check_tangles = true;
}

void World::set_velocity(BodyId body, const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity) {
  const BodySlot i = shape_slot(*state_, body);
  rigid::Bodies& bodies = state_->table;
  const rigid::Info& info = bodies.info[i];
  check_finite(info, "velocity", velocity);
  check_finite(info, "angular velocity", angular_velocity);
  require(info.motion != MotionModel::fixed, ErrorCode::invalid_argument, "body '{}' is fixed; it has no velocity",
          info.name);
  bodies.motion[i].v = rigid::unlocked(to_vec3(velocity), info.locked_translation);
  bodies.motion[i].w = rigid::unlocked(to_vec3(angular_velocity), info.locked_rotation);
  rigid::wake(bodies, i);
}

void World::apply_force(BodyId body, const Eigen::Vector3d& force) {
  apply_force(body, force, center_of_mass(body));
}

void World::apply_force(BodyId body, const Eigen::Vector3d& force, const Eigen::Vector3d& point) {
  const BodySlot i = shape_slot(*state_, body);
  rigid::Bodies& bodies = state_->table;
  check_dynamic(bodies.info[i], "a force");
  check_finite(bodies.info[i], "force", force);
  check_finite(bodies.info[i], "point of a force", point);
  bodies.force[i] = bodies.force[i] + to_vec3(force);
  bodies.pushed = true;
  bodies.torque[i] = bodies.torque[i] + cross(to_vec3(point) - bodies.motion[i].x, to_vec3(force));
  rigid::wake(bodies, i);
}

void World::apply_torque(BodyId body, const Eigen::Vector3d& torque) {
  const BodySlot i = shape_slot(*state_, body);
  rigid::Bodies& bodies = state_->table;
  check_dynamic(bodies.info[i], "a torque");
  check_finite(bodies.info[i], "torque", torque);
  bodies.pushed = true;
  bodies.torque[i] = bodies.torque[i] + to_vec3(torque);
  rigid::wake(bodies, i);
}

void World::apply_impulse(BodyId body, const Eigen::Vector3d& impulse, const Eigen::Vector3d& point) {
  const BodySlot i = shape_slot(*state_, body);
  rigid::Bodies& bodies = state_->table;
  const rigid::Info& info = bodies.info[i];
  check_dynamic(info, "an impulse");
  check_finite(info, "impulse", impulse);
  check_finite(info, "point of an impulse", point);
  rigid::Motion& m = bodies.motion[i];
  const rigid::Mass& mass = bodies.mass[i];
  const Vec3 moment = cross(to_vec3(point) - m.x, to_vec3(impulse));
  m.v = rigid::unlocked(m.v + mass.inverse * to_vec3(impulse), info.locked_translation);
  m.w = m.w + rigid::spin_of(math::matrix(m.q), moment, mass, info);
  rigid::wake(bodies, i);
}

void World::wake(BodyId body) {
  rigid::wake(state_->table, checked_slot(*state_, body));
}

std::optional<double> World::response_residual() const {
  return response::residual(state_->response, state_->respond_scratch.rigid);
}

std::vector<WorldTangle> World::tangles() const {
  std::vector<WorldTangle> list;
  const std::span<const bodies::SurfacePart> parts = state_->vertices.parts;
  for (const contact::Tangle& tangle : state_->tangles_at_start) {
    const bodies::SurfacePart& a = parts[at(tangle.object_a)];
    const bodies::SurfacePart& b = parts[at(tangle.object_b)];
    list.push_back({.a = a.id,
                    .b = b.id,
                    .pairs = tangle.pairs,
                    .triangles = {tangle.triangles[0] - a.first_triangle, tangle.triangles[1] - b.first_triangle},
                    .center = tangle.center});
  }
  for (const contact::ShapeTangle& tangle : state_->in_shapes) {
    const bodies::SurfacePart& a = parts[tangle.part];
    const BodySlot shape = state_->table.colliders[tangle.collider].body;
    list.push_back({.a = a.id,
                    .b = state_->table.info[shape].id,
                    .pairs = tangle.features,
                    .triangles = {tangle.triangle - a.first_triangle, none},
                    .center = tangle.center,
                    .depth = tangle.depth});
  }
  return list;
}

}  // namespace carom
