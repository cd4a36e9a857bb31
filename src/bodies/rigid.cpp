#include "bodies/rigid.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "bodies/rigid_limits.hpp"
#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "shapes/shape_data.hpp"

namespace carom {

namespace rigid {
namespace {

using math::to_eigen;
using math::to_vec3;

void check_not_negative(const std::string& body, const char* field, double value) {
  require(std::isfinite(value) && value >= 0, ErrorCode::invalid_argument,
          "body '{}': {} is {}; expected a number that is not negative", body, field, value);
}

void check_vector(const std::string& body, const char* field, const Eigen::Vector3d& value) {
  require(is_finite(value), ErrorCode::not_finite, "body '{}': {} is ({}, {}, {}); expected finite", body, field,
          value.x(), value.y(), value.z());
}

void check_pose_of(const std::string& body, const Eigen::Isometry3d& pose) {
  check_pose(pose, [&] { return fmt::format("body '{}': pose", body); });
}

bool is_dynamic_mesh(const RigidBody& body) {
  return body.shape.kind() == ShapeKind::mesh && body.motion == MotionModel::rigid;
}

void check(const RigidBody& body) {
  check_pose_of(body.name, body.pose);
  check_vector(body.name, "velocity", body.velocity);
  check_vector(body.name, "angular_velocity", body.angular_velocity);
  check_not_negative(body.name, "friction", body.material.friction);
  require(body.material.friction <= max_friction, ErrorCode::invalid_argument,
          "body '{}': friction is {}; expected at most {}", body.name, body.material.friction, max_friction);
  check_not_negative(body.name, "torsional_friction", body.torsional_friction);
  check_not_negative(body.name, "rolling_friction", body.rolling_friction);
  check_not_negative(body.name, "linear_damping", body.linear_damping);
  check_not_negative(body.name, "angular_damping", body.angular_damping);
  require(body.material.restitution >= 0 && body.material.restitution <= 1, ErrorCode::invalid_argument,
          "body '{}': restitution is {}; expected 0 to 1", body.name, body.material.restitution);
  require(is_dynamic_mesh(body) || body.decomposition == DecomposeOptions{}, ErrorCode::invalid_argument,
          "body '{}' is a {} {}; decomposition is for rigid meshes, leave it out", body.name, to_string(body.motion),
          to_string(body.shape.kind()));
  require(body.shape.kind() != ShapeKind::half_space || body.motion == MotionModel::fixed, ErrorCode::invalid_argument,
          "body '{}' is a half-space, which has no mass; expected it to be fixed", body.name);
  if (body.shape.kind() == ShapeKind::compound) {
    for (const Shape::Part& part : body.shape.parts()) {
      require(part.shape.kind() != ShapeKind::half_space, ErrorCode::unsupported,
              "body '{}': a part of its compound is a half-space; expected that to be a body of its own", body.name);
    }
  }
  require(body.motion != MotionModel::fixed || (body.velocity.isZero() && body.angular_velocity.isZero()),
          ErrorCode::invalid_argument, "body '{}' is fixed but has a velocity", body.name);
}

struct MassOf {
  double mass = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

MassOf mass_of(const RigidBody& body) {
  if (body.mass) {
    const MassOverride& given = *body.mass;
    require(std::isfinite(given.mass) && given.mass > 0, ErrorCode::invalid_argument,
            "body '{}': mass is {}; expected a positive number of kilograms", body.name, given.mass);
    if (given.inertia_from_shape) {
      const bool solid = body.shape.kind() != ShapeKind::half_space;
      const MassProperties unit = solid ? body.shape.mass_properties() : MassProperties{};
      require(unit.volume > 0, ErrorCode::invalid_argument,
              "body '{}' is a {} without volume, which has no inertia; expected a mass with its inertia", body.name,
              to_string(body.shape.kind()));
      return {given.mass, unit.center, given.mass / unit.volume * unit.inertia};
    }
    check_vector(body.name, "centre of mass", given.center);
    require(given.inertia.allFinite(), ErrorCode::not_finite, "body '{}': inertia is not finite", body.name);
    require(
        (given.inertia - given.inertia.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * given.inertia.cwiseAbs().maxCoeff(),
        ErrorCode::invalid_argument, "body '{}': inertia is not symmetric", body.name);
    return {given.mass, given.center, given.inertia};
  }
  if (body.shape.kind() == ShapeKind::half_space) return {};
  const MassProperties unit = body.shape.mass_properties();
  if (body.motion == MotionModel::rigid) {
    require(std::isfinite(body.density) && body.density > 0, ErrorCode::invalid_argument,
            "body '{}': density is {}; expected a positive number of kg/m^3", body.name, body.density);
    require(unit.volume > 0, ErrorCode::invalid_argument, "body '{}' is a {} without volume; expected a given mass",
            body.name, to_string(body.shape.kind()));
  }
  return {body.density * unit.volume, unit.center, body.density * unit.inertia};
}

/// No point of the core is farther from `center`, which is in the frame of the core.
double reach_from(const Shape& shape, const Eigen::Vector3d& center) {
  if (shape.kind() == ShapeKind::half_space) return INFINITY;
  const BoundingSphere sphere = shape.bounding_sphere();
  return (sphere.center - center).norm() + sphere.radius;
}

/// A ball inside of a shape: about its centre of mass, and not always the largest.
void find_inner_ball(const Shape& shape, Collider& c) {
  if (shape.kind() == ShapeKind::half_space) {
    c.inner = INFINITY;
    return;
  }
  if (shape.kind() == ShapeKind::mesh) return;
  const shapes::Core& core = shape.data().core;
  const Vec3& s = core.size;
  double inner = 0;
  switch (core.kind) {
    case shapes::CoreKind::box:
    case shapes::CoreKind::ellipsoid:
      inner = std::min({s.x, s.y, s.z});
      break;
    case shapes::CoreKind::cylinder:
      inner = std::min(s.x, s.z);
      break;
    case shapes::CoreKind::cone:
      c.middle = {0, 0, -0.5 * s.z};
      inner = std::min(0.5 * s.z, 1.5 * s.z * s.x / std::hypot(s.x, 2 * s.z));
      break;
    case shapes::CoreKind::hull: {
      c.middle = to_vec3(shape.mass_properties().center);
      if (core.hull->dimension < 3) break;
      inner = INFINITY;
      for (std::size_t f = 0; f < core.hull->faces.size(); ++f) {
        const Vec3 corner = to_vec3(core.hull->points[static_cast<std::size_t>(core.hull->faces[f][0])]);
        inner = std::min(inner, dot(core.hull->face_normals[f], corner - c.middle));
      }
      break;
    }
    default:
      break;
  }
  c.inner = std::max(inner, 0.0) + core.radius;
}

/// Sets the convex shapes that collide for a rigid mesh.
void decompose_mesh(const RigidBody& body, Info& info) try {
  const Decomposition decomposition = decompose(body.shape, body.decomposition);
  const Shape parts = decomposition.parts.size() == 1 ? decomposition.parts[0] : decomposition.compound();
  info.decomposed = body.shape.margin() == 0 ? parts : parts.with_margin(body.shape.margin());
  info.collider_error = decomposition.error;
} catch (const Error& error) {
  const bool no_solid = error.code() == ErrorCode::bad_mesh;
  fail(error.code(), "body '{}' is a rigid mesh: {}{}", body.name, error.what(),
       no_solid ? ", or a body that is fixed or scripted" : "");
}

void check_field(const RigidBody& body) {
  require(body.shape.kind() == ShapeKind::mesh, ErrorCode::invalid_argument,
          "body '{}' is a {}; a distance field is for meshes, leave it out", body.name, to_string(body.shape.kind()));
  require(body.field->is_of(body.shape), ErrorCode::invalid_argument,
          "body '{}': its distance field is that of another shape; expected that of its own", body.name);
}

/// Puts colliders into a range of their own. Returns the first.
ColliderIndex place_colliders(Bodies& bodies, std::vector<Collider> colliders, BodySlot body) {
  for (Collider& c : colliders) c.body = body;
  const auto vacant = bodies.free_colliders.find(static_cast<std::int32_t>(colliders.size()));
  if (vacant == bodies.free_colliders.end() || vacant->second.empty()) {
    const ColliderIndex first(bodies.colliders.size());
    for (const Collider& c : colliders) bodies.colliders.push_back(c);
    return first;
  }
  const ColliderIndex first = vacant->second.back();
  vacant->second.pop_back();
  ColliderIndex next = first;
  for (const Collider& c : colliders) {
    bodies.colliders[next] = c;
    ++next;
  }
  return first;
}

/// Fills the slot of a body, which is vacant or the next one.
void fill_slot(Bodies& bodies, Info info, const Mass& mass, const Motion& motion, std::vector<Collider> colliders) {
  const BodySlot slot = slot_of(info.id);
  if (slot.offset() >= bodies.size()) {
    const std::size_t size = slot.offset() + 1;
    bodies.motion.resize(size);
    bodies.mass.resize(size);
    bodies.force.resize(size);
    bodies.torque.resize(size);
    bodies.info.resize(size);
    bodies.asleep.resize(size);
    bodies.time_at_rest.resize(size);
    bodies.sleeping_neighbor.resize(size);
  }
  info.collider_count = static_cast<std::int32_t>(colliders.size());
  info.first_collider = place_colliders(bodies, std::move(colliders), slot);
  bodies.motion[slot] = motion;
  bodies.mass[slot] = mass;
  bodies.info[slot] = std::move(info);
  ++bodies.count;
}

}  // namespace

void remove(Bodies& bodies, BodySlot body) {
  Info& info = bodies.info[body];
  for (const ColliderIndex c : info.colliders()) {
    bodies.colliders[c] = {};
    bodies.colliders[c].body = body;
  }
  bodies.free_colliders[info.collider_count].push_back(info.first_collider);
  info = {};
  info.motion = MotionModel::fixed;
  info.filter = {0, 0};
  bodies.motion[body] = {};
  bodies.mass[body] = {};
  bodies.force[body] = bodies.torque[body] = {};
  bodies.asleep[body] = 0;
  bodies.time_at_rest[body] = 0;
  bodies.sleeping_neighbor[body] = BodySlot::none;
  --bodies.count;
}

const Shape& collision_shape(const Info& info) {
  return info.decomposed ? *info.decomposed : info.shape;
}

const Shape& collider_shape(const Bodies& bodies, ColliderIndex collider) {
  const Info& info = bodies.info[bodies.colliders[collider].body];
  const Shape& shape = collision_shape(info);
  if (shape.kind() != ShapeKind::compound) return shape;
  return shape.parts()[static_cast<std::size_t>(collider - info.first_collider)].shape;
}

void add(Bodies& bodies, RigidBody body, BodyId id) {
  check(body);
  const bool dynamic = body.motion == MotionModel::rigid;
  Info info;
  if (is_dynamic_mesh(body)) decompose_mesh(body, info);
  if (body.field) check_field(body);
  info.field = body.field;
  const MassOf mass = mass_of(body);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(mass.inertia);
  Eigen::Matrix3d axes = principal.eigenvectors();
  Eigen::Vector3d moments = principal.eigenvalues();
  // A diagonal inertia keeps its axes: they are the caller's, and the eigenvectors of equal moments are any.
  const Eigen::Matrix3d off = mass.inertia - Eigen::Matrix3d(mass.inertia.diagonal().asDiagonal());
  if (off.cwiseAbs().maxCoeff() <= 1e-12 * mass.inertia.cwiseAbs().maxCoeff() || !axes.allFinite()) {
    axes.setIdentity();
    moments = mass.inertia.diagonal();
  }
  axes.col(2) = axes.col(0).cross(axes.col(1));
  if (dynamic) {
    // Responses work with inverses in single precision.
    require(
        mass.mass > 1e-25 && mass.mass < 1e25 && moments.minCoeff() > 1e-30 && moments.maxCoeff() < 1e30,
        ErrorCode::invalid_argument,
        "body '{}': its mass is {} kg and its moments of inertia are {}, {}, {}; expected 1e-25 to 1e25 kg and 1e-30 "
        "to 1e30 kg m^2",
        body.name, mass.mass, moments.x(), moments.y(), moments.z());
    require(moments.minCoeff() > 1e-12 * moments.maxCoeff(), ErrorCode::invalid_argument,
            "body '{}': the moments of inertia are {}, {}, {}; expected positive ones", body.name, moments.x(),
            moments.y(), moments.z());
    require(moments.maxCoeff() <= (1 + 1e-6) * (moments.sum() - moments.maxCoeff()), ErrorCode::invalid_argument,
            "body '{}': the moments of inertia are {}, {}, {}, which no body has; expected the largest to be at most "
            "the sum of the others",
            body.name, moments.x(), moments.y(), moments.z());
  }
  info.id = id;
  info.motion = body.motion;
  info.mass = dynamic ? mass.mass : 0;
  Eigen::Isometry3d shape_from_body = Eigen::Isometry3d::Identity();
  shape_from_body.linear() = axes;
  shape_from_body.translation() = mass.center;
  info.body_from_shape = shape_from_body.inverse();
  info.friction = body.material.friction;
  info.restitution = body.material.restitution;
  info.torsional_friction = body.torsional_friction;
  info.rolling_friction = body.rolling_friction;
  info.linear_damping = body.linear_damping;
  info.angular_damping = body.angular_damping;
  info.locked_translation = body.locked_translation;
  info.locked_rotation = body.locked_rotation;
  info.filter = body.filter;
  info.sleeping_allowed = body.sleeping_allowed;

  Mass m;
  const auto any = [](const std::array<bool, 3>& axis) { return axis[0] || axis[1] || axis[2]; };
  m.turn_locked = any(body.locked_rotation);
  m.locked = m.turn_locked || any(body.locked_translation);
  if (dynamic) {
    m.inverse = 1 / mass.mass;
    m.inertia = to_vec3(moments);
    m.inverse_inertia = {1 / moments.x(), 1 / moments.y(), 1 / moments.z()};
    m.round = moments.maxCoeff() - moments.minCoeff() <= 1e-12 * moments.maxCoeff();
  }
  Motion motion;
  motion.v = unlocked(to_vec3(body.velocity), body.locked_translation);
  motion.w = unlocked(to_vec3(body.angular_velocity), body.locked_rotation);
  place(body.pose, info, motion);

  std::vector<Collider> colliders;
  const auto add_collider = [&](const Shape& shape, const Eigen::Isometry3d& pose) {
    const Eigen::Isometry3d local = info.body_from_shape * pose;
    Collider c;
    if (shape.kind() == ShapeKind::mesh) {
      c.mesh = shape.data().mesh.get();
      c.margin = shape.margin();
    } else {
      c.core = &shape.data().core;
    }
    c.rotation = {to_vec3(local.linear().col(0)), to_vec3(local.linear().col(1)), to_vec3(local.linear().col(2))};
    c.place = to_vec3(local.translation());
    c.reach = reach_from(shape, local.inverse().translation());
    c.size = shape.kind() == ShapeKind::half_space ? INFINITY : shape.bounding_sphere().radius;
    find_inner_ball(shape, c);
    info.reach = std::max(info.reach, c.reach);
    info.size = std::max(info.size, c.size);
    colliders.push_back(c);
  };
  info.shape = body.shape;  // keeps the cores alive
  const Shape& collides = collision_shape(info);
  if (collides.kind() != ShapeKind::compound) {
    add_collider(collides, Eigen::Isometry3d::Identity());
  } else {
    for (const Shape::Part& part : collides.parts()) add_collider(part.shape, part.pose);
  }
  info.name = std::move(body.name);
  fill_slot(bodies, std::move(info), m, motion, std::move(colliders));
}

void add(Bodies& bodies, SurfaceEntry entry) {
  Info info;
  info.id = entry.id;
  info.motion = MotionModel::fixed;
  info.deforms = entry.deforms;
  info.pinned = entry.pinned;
  info.sleeping_allowed = entry.sleeping_allowed;
  info.friction = entry.friction;
  info.restitution = entry.restitution;
  info.filter = entry.filter;
  info.name = std::move(entry.name);
  Collider c;
  c.surface = true;
  fill_slot(bodies, std::move(info), {}, {}, {c});
}

namespace {

/// Gives an entry with a surface the frame and the size of a mesh. Returns the collider of the mesh.
Collider take_mesh(Bodies& bodies, BodySlot body, const Shape& mesh) {
  Bodies one;
  add(one, RigidBody{.name = bodies.info[body].name, .shape = mesh, .motion = MotionModel::fixed}, {0, 0});
  const Info& added = one.info[BodySlot(0)];
  Info& info = bodies.info[body];
  info.shape = added.shape;
  info.body_from_shape = added.body_from_shape;
  info.reach = added.reach;
  info.size = added.size;
  bodies.motion[body] = one.motion[BodySlot(0)];
  return one.colliders[ColliderIndex(0)];
}

}  // namespace

void set_mesh(Bodies& bodies, BodySlot body, const Shape& mesh) {
  Collider& collider = bodies.colliders[bodies.info[body].first_collider];
  collider = take_mesh(bodies, body, mesh);
  collider.body = body;
}

void set_field(Bodies& bodies, BodySlot body, const Shape& mesh, const DistanceField& field) {
  take_mesh(bodies, body, mesh);
  bodies.info[body].field = field;
}

Mat3 inverse_about_free_axes(const Mat3& inertia, const std::array<bool, 3>& locked) {
  const double* m[3] = {&inertia.x.x, &inertia.y.x, &inertia.z.x};
  double work[3][6] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) work[i][j] = locked[i] || locked[j] ? (i == j ? 1.0 : 0.0) : m[j][i];
    work[i][3 + i] = locked[i] ? 0 : 1;
  }
  // Positive definite: no pivoting needed.
  for (std::size_t p = 0; p < 3; ++p) {
    const double inverse = 1 / work[p][p];
    for (double& x : work[p]) x *= inverse;
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == p) continue;
      const double f = work[i][p];
      for (std::size_t j = 0; j < 6; ++j) work[i][j] -= f * work[p][j];
    }
  }
  return {
      {work[0][3], work[1][3], work[2][3]}, {work[0][4], work[1][4], work[2][4]}, {work[0][5], work[1][5], work[2][5]}};
}

Mat3 inverse_inertia(const Mat3& r, const Mass& mass, const Info& info) {
  const auto in_world = [&](const Vec3& diagonal) {
    return Mat3{turned(r, diagonal, {1, 0, 0}), turned(r, diagonal, {0, 1, 0}), turned(r, diagonal, {0, 0, 1})};
  };
  if (!mass.turn_locked) return in_world(mass.inverse_inertia);
  return inverse_about_free_axes(in_world(mass.inertia), info.locked_rotation);
}

Eigen::Isometry3d shape_pose(const Motion& motion, const Info& info) {
  const Mat3 r = math::matrix(motion.q);
  Eigen::Isometry3d world_from_body = Eigen::Isometry3d::Identity();
  world_from_body.linear().col(0) = to_eigen(r.x);
  world_from_body.linear().col(1) = to_eigen(r.y);
  world_from_body.linear().col(2) = to_eigen(r.z);
  world_from_body.translation() = to_eigen(motion.x);
  return world_from_body * info.body_from_shape;
}

void place(const Eigen::Isometry3d& pose, const Info& info, Motion& motion) {
  check_pose_of(info.name, pose);
  const Eigen::Isometry3d world_from_body = pose * info.body_from_shape.inverse();
  motion.x = to_vec3(world_from_body.translation());
  motion.q = math::to_quat(world_from_body.linear());
}

}  // namespace rigid
}  // namespace carom
