#include "bodies/rigid.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "core/check.hpp"
#include "query/check_pose.hpp"
#include "shapes/shape_data.hpp"

namespace carom {

std::string_view to_string(RigidKind kind) {
  switch (kind) {
    case RigidKind::static_body:
      return "static";
    case RigidKind::kinematic:
      return "kinematic";
    case RigidKind::dynamic:
      return "dynamic";
  }
  return "unknown";
}

std::string_view to_string(ContactMotion motion) {
  switch (motion) {
    case ContactMotion::colliding:
      return "colliding";
    case ContactMotion::resting:
      return "resting";
    case ContactMotion::separating:
      return "separating";
  }
  return "unknown";
}

namespace rigid {
namespace {

using detail::to_eigen;
using detail::to_vec3;

void check_not_negative(const std::string& body, const char* field, double value) {
  require(std::isfinite(value) && value >= 0, ErrorCode::invalid_argument,
          "body '{}': {} is {}; expected a number that is not negative", body, field, value);
}

void check_vector(const std::string& body, const char* field, const Eigen::Vector3d& value) {
  require(is_finite(value), ErrorCode::not_finite, "body '{}': {} is ({}, {}, {}); expected finite", body, field,
          value.x(), value.y(), value.z());
}

void check_pose_of(const std::string& body, const Eigen::Isometry3d& pose) {
  require(is_good_pose(pose), ErrorCode::not_finite, "body '{}': the pose is not finite, or beyond {}", body,
          farthest_place);
  const Eigen::Matrix3d r = pose.linear();
  require((r.transpose() * r - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() < 1e-6 && r.determinant() > 0,
          ErrorCode::invalid_argument, "body '{}': the pose is not a rotation and a translation", body);
}

void check(const RigidBody& body) {
  check_pose_of(body.name, body.pose);
  check_vector(body.name, "velocity", body.velocity);
  check_vector(body.name, "angular_velocity", body.angular_velocity);
  check_not_negative(body.name, "friction", body.friction);
  check_not_negative(body.name, "torsional_friction", body.torsional_friction);
  check_not_negative(body.name, "rolling_friction", body.rolling_friction);
  check_not_negative(body.name, "linear_damping", body.linear_damping);
  check_not_negative(body.name, "angular_damping", body.angular_damping);
  require(body.restitution >= 0 && body.restitution <= 1, ErrorCode::invalid_argument,
          "body '{}': restitution is {}; expected 0 to 1", body.name, body.restitution);
  require(body.shape.kind() != ShapeKind::mesh || body.kind != RigidKind::dynamic, ErrorCode::unsupported,
          "body '{}' is a dynamic mesh; meshes are static or kinematic, dynamic bodies convex or compounds", body.name);
  require(body.shape.kind() != ShapeKind::half_space || body.kind == RigidKind::static_body,
          ErrorCode::invalid_argument, "body '{}' is a half-space, which has no mass; expected it to be static",
          body.name);
  if (body.shape.kind() == ShapeKind::compound) {
    for (const Shape::Part& part : body.shape.parts()) {
      require(part.shape.kind() != ShapeKind::half_space, ErrorCode::unsupported,
              "body '{}': a part of its compound is a half-space; expected that to be a body of its own", body.name);
    }
  }
  require(body.kind != RigidKind::static_body || (body.velocity.isZero() && body.angular_velocity.isZero()),
          ErrorCode::invalid_argument, "body '{}' is static but has a velocity", body.name);
}

struct MassOf {
  double mass = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

MassOf mass_of(const RigidBody& body) {
  if (body.mass) {
    const GivenMass& given = *body.mass;
    require(std::isfinite(given.mass) && given.mass > 0, ErrorCode::invalid_argument,
            "body '{}': mass is {}; expected a positive number of kilograms", body.name, given.mass);
    check_vector(body.name, "centre of mass", given.center);
    require(given.inertia.allFinite(), ErrorCode::not_finite, "body '{}': inertia is not finite", body.name);
    require(
        (given.inertia - given.inertia.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * given.inertia.cwiseAbs().maxCoeff(),
        ErrorCode::invalid_argument, "body '{}': inertia is not symmetric", body.name);
    return {given.mass, given.center, given.inertia};
  }
  if (body.shape.kind() == ShapeKind::half_space) return {};
  const MassProperties unit = body.shape.mass_properties();
  if (body.kind == RigidKind::dynamic) {
    require(std::isfinite(body.density) && body.density > 0, ErrorCode::invalid_argument,
            "body '{}': density is {}; expected a positive number of kg/m^3", body.name, body.density);
    require(unit.volume > 0, ErrorCode::invalid_argument,
            "body '{}' is a {} without volume; a dynamic body needs a mass that is given", body.name,
            to_string(body.shape.kind()));
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

}  // namespace

const Shape& collider_shape(const Bodies& bodies, std::size_t collider) {
  const Info& info = bodies.info[static_cast<std::size_t>(bodies.colliders[collider].body)];
  if (info.shape.kind() != ShapeKind::compound) return info.shape;
  return info.shape.parts()[collider - static_cast<std::size_t>(info.first_collider)].shape;
}

void add(Bodies& bodies, RigidBody body, BodyId id) {
  check(body);
  const bool dynamic = body.kind == RigidKind::dynamic;
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
  Info info;
  info.id = id;
  info.kind = body.kind;
  info.mass = dynamic ? mass.mass : 0;
  Eigen::Isometry3d shape_from_body = Eigen::Isometry3d::Identity();
  shape_from_body.linear() = axes;
  shape_from_body.translation() = mass.center;
  info.body_from_shape = shape_from_body.inverse();
  info.friction = body.friction;
  info.restitution = body.restitution;
  info.torsional_friction = body.torsional_friction;
  info.rolling_friction = body.rolling_friction;
  info.linear_damping = body.linear_damping;
  info.angular_damping = body.angular_damping;
  info.locked_translation = body.locked_translation;
  info.locked_rotation = body.locked_rotation;
  info.group = body.group;
  info.mask = body.mask;
  info.sleeping_allowed = body.sleeping_allowed;
  info.first_collider = static_cast<std::int32_t>(bodies.colliders.size());

  Mass m;
  const auto any = [](const std::array<bool, 3>& axis) { return axis[0] || axis[1] || axis[2]; };
  m.locked = any(body.locked_rotation) || any(body.locked_translation);
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

  const auto add_collider = [&](const Shape& shape, const Eigen::Isometry3d& pose) {
    const Eigen::Isometry3d local = info.body_from_shape * pose;
    Collider c;
    c.body = static_cast<std::int32_t>(bodies.size());
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
    bodies.colliders.push_back(c);
  };
  if (body.shape.kind() != ShapeKind::compound) {
    add_collider(body.shape, Eigen::Isometry3d::Identity());
  } else {
    for (const Shape::Part& part : body.shape.parts()) add_collider(part.shape, part.pose);
  }
  info.collider_count = static_cast<std::int32_t>(bodies.colliders.size()) - info.first_collider;
  info.name = std::move(body.name);
  info.shape = body.shape;  // keeps the cores alive
  bodies.motion.push_back(motion);
  bodies.mass.push_back(m);
  bodies.force.emplace_back();
  bodies.torque.emplace_back();
  bodies.info.push_back(std::move(info));
  bodies.asleep.push_back(0);
  bodies.still.push_back(0);
  bodies.island.push_back(-1);
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

Eigen::Isometry3d shape_pose(const Motion& motion, const Info& info) {
  const Mat3 r = detail::matrix(motion.q);
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
  motion.q = detail::to_quat(world_from_body.linear());
}

namespace {

/// Turns of a quarter of a radian and less: the series are good to rounding, and the splitting to a percent.
constexpr double largest_turn = 0.25;

/// A turn of the body about its own axis k, with the momentum in the frame of the body.
template <int k>
void turn_about(double time, const Vec3& inverse_inertia, Quat& q, Vec3& m) {
  double Vec3::*const along = k == 0 ? &Vec3::x : k == 1 ? &Vec3::y : &Vec3::z;
  double Vec3::*const next = k == 0 ? &Vec3::y : k == 1 ? &Vec3::z : &Vec3::x;
  double Vec3::*const last = k == 0 ? &Vec3::z : k == 1 ? &Vec3::x : &Vec3::y;
  const double angle = time * (m.*along) * (inverse_inertia.*along);
  Vec3 axis;
  axis.*along = angle;
  const Quat turn = detail::rotation_by(axis);
  q = q * turn;
  const double half_sine = k == 0 ? turn.x : k == 1 ? turn.y : turn.z;
  const double c = 1 - 2 * half_sine * half_sine;
  const double s = 2 * half_sine * turn.w;
  const double n = m.*next;
  const double l = m.*last;
  m.*next = c * n + s * l;
  m.*last = c * l - s * n;
}

Vec3 scaled(const Vec3& by, const Vec3& v) {
  return {by.x * v.x, by.y * v.y, by.z * v.z};
}

/// How a body turns in the time h while its axis hardly moves, as a rotation vector in its own frame: the expansion of
/// Magnus with the derivatives of the spin, which are those of m' = m x w. The first term left out is of the fifth
/// order in h. `w` is the spin of the momentum m, `m1` is m x w.
Vec3 little_turn(double h, const Vec3& inverse, const Vec3& m, const Vec3& w, const Vec3& m1) {
  const Vec3 w1 = scaled(inverse, m1);
  const Vec3 m2 = cross(m1, w) + cross(m, w1);
  const Vec3 w2 = scaled(inverse, m2);
  const Vec3 m3 = cross(m2, w) + 2.0 * cross(m1, w1) + cross(m, w2);
  const Vec3 third = 2.0 * w2 + cross(w, w1);
  const Vec3 fourth = scaled(inverse, m3) + cross(w, w2);
  return h * (w + (h / 2) * (w1 + (h / 6) * (third + (h / 2) * fourth)));
}

/// `m` is the momentum in the frame of the body at the beginning.
Quat spun(Quat q, Vec3 m, const Vec3& inverse, double speed, double dt) {
  const Vec3 spin = scaled(inverse, m);
  const double energy = 0.5 * dot(m, spin);
  const Vec3 change = cross(m, spin);
  const Vec3 faster = scaled(inverse, change);
  // The spin of a solid changes by no more than its own square in a second. That of an inertia that was given may.
  const double most = largest_turn * largest_turn;
  if (speed * dt <= largest_turn && dot(faster, faster) * dt * dt * dt * dt <= most * most) {
    const Quat turn = detail::rotation_by(little_turn(dt, inverse, m, spin, change));
    q = q * turn;
    m = detail::matrix(turn).back(m);
  } else {
    const int pieces = static_cast<int>(std::clamp(std::ceil(speed * dt / largest_turn), 1.0, 1000.0));
    const double h = dt / pieces;
    for (int i = 0; i < pieces; ++i) {
      turn_about<0>(0.5 * h, inverse, q, m);
      turn_about<1>(0.5 * h, inverse, q, m);
      turn_about<2>(h, inverse, q, m);
      turn_about<1>(0.5 * h, inverse, q, m);
      turn_about<0>(0.5 * h, inverse, q, m);
    }
  }
  // These turns keep the momentum but not quite the energy. The least turn that gives it back, to first order.
  for (int i = 0; i < 2; ++i) {
    const Vec3 w = scaled(inverse, m);
    const Vec3 lever = cross(m, w);
    const double square = dot(lever, lever);
    if (!(square > 1e-12 * dot(m, m) * dot(w, w))) break;  // about an axis of the body: nothing to give back
    const Vec3 back = ((0.5 * dot(m, w) - energy) / square) * lever;
    const double angle = dot(back, back);
    if (!(angle < 0.01)) break;
    if (angle < 1e-16) {  // the second order is below rounding
      q = q * Quat{1, 0.5 * back.x, 0.5 * back.y, 0.5 * back.z};
      break;
    }
    const Quat turn = detail::rotation_by(back);
    q = q * turn;
    m = detail::matrix(turn).back(m);
  }
  return detail::normalized(q);
}

}  // namespace

Quat turn_freely(const Quat& q, const Vec3& momentum, const Mass& mass, double dt) {
  const Mat3 r = detail::matrix(q);
  const Vec3 w = turned(r, mass.inverse_inertia, momentum);
  const double speed = length(w);
  if (mass.round || speed * dt < 1e-9) return detail::normalized(detail::rotation_by(dt * w) * q);
  return spun(q, r.back(momentum), mass.inverse_inertia, speed, dt);
}

Free free_motion(const Motion& motion, const Mat3& r, const Mass& mass, const Info& info, const Vec3& gravity,
                 const Vec3& force, const Vec3& torque, double dt) {
  Free free;
  if (mass.inverse == 0) {
    free.v = motion.v;
    free.w = motion.w;
    free.q = detail::normalized(detail::rotation_by(dt * motion.w) * motion.q);
    return free;
  }
  const double slower = info.linear_damping > 0 ? 1 / (1 + dt * info.linear_damping) : 1.0;
  free.v = slower * (motion.v + dt * (gravity + mass.inverse * force));
  const double calmer = info.angular_damping > 0 ? 1 / (1 + dt * info.angular_damping) : 1.0;
  free.momentum = calmer * (turned(r, mass.inertia, motion.w) + dt * torque);
  const Vec3 w = turned(r, mass.inverse_inertia, free.momentum);
  if (mass.locked) {
    // What is locked is held by whatever torque it takes; the rest turns without the gyroscopic one.
    free.v = unlocked(free.v, info.locked_translation);
    free.w = unlocked(w, info.locked_rotation);
    free.q = detail::normalized(detail::rotation_by(0.5 * dt * (motion.w + free.w)) * motion.q);
    return free;
  }
  const double speed = std::sqrt(dot(w, w));
  // Below this the turn of the axis is less than a billionth of the speed.
  if (mass.round || speed * dt < 1e-9) {
    free.w = w;
    free.q = detail::normalized(detail::rotation_by(0.5 * dt * (motion.w + w)) * motion.q);
    return free;
  }
  free.spins = true;
  free.q = spun(motion.q, r.back(free.momentum), mass.inverse_inertia, speed, dt);
  free.w = turned(detail::matrix(free.q), mass.inverse_inertia, free.momentum);
  return free;
}

}  // namespace rigid
}  // namespace carom
