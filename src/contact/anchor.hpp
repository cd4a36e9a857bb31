#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "core/indices.hpp"
#include "math/rotation.hpp"

/// Anchors: where the impulse of a contact enters the degrees of freedom of a body. A response that sees anchors alone
/// treats rigid and deforming bodies alike.
namespace carom::contact {

using math::Mat3;
using math::Vec3;

/// Anchor of one side of a contact: a point of a rigid body, or up to four weighted vertices.
struct Anchor {
  std::int32_t rigid = -1;  ///< number among the coupled rigid bodies; -1: vertices
  std::uint32_t count = 0;  ///< number of vertices
  std::array<Index, 4> vertices{none, none, none, none};
  std::array<double, 4> weights{};
  Vec3 arm{};  ///< m, rigid: from the centre of mass to the point
};

/// Rigid body with contacts that have anchors.
struct CoupledBody {
  BodySlot body{};
  Vec3 v;                ///< m/s
  Vec3 w;                ///< rad/s
  Vec3 inverse_mass;     ///< 1/kg along the axes of the world; 0 where locked, and where no force moves the body
  Mat3 inverse_inertia;  ///< in the world
  Vec3 displacement;     ///< m, since the start of the step
  Vec3 turn;             ///< rad, since the start of the step
  Vec3 impulse;          ///< N s, received from these contacts over the step
  Vec3 moment;           ///< N m s about the centre of mass, likewise
};

/// Degrees of freedom that anchors refer to.
struct AnchorState {
  std::span<CoupledBody> bodies;
  std::span<Eigen::Vector3d> velocities;     ///< m/s of each vertex
  std::span<Eigen::Vector3d> displacements;  ///< m of each vertex, since the start of the step
  std::span<const double> inverse_mass;      ///< 1/kg of each vertex; 0: no force moves it
};

inline Vec3 scaled_by(const Vec3& a, const Vec3& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

/// Velocity of an anchor, m/s.
inline Vec3 velocity_at(const Anchor& anchor, const AnchorState& s) {
  if (anchor.rigid >= 0) {
    const CoupledBody& body = s.bodies[static_cast<std::size_t>(anchor.rigid)];
    return body.v + cross(body.w, anchor.arm);
  }
  Vec3 sum;
  for (std::size_t k = 0; k < anchor.count; ++k) {
    sum = sum + anchor.weights[k] * math::to_vec3(s.velocities[static_cast<std::size_t>(anchor.vertices[k])]);
  }
  return sum;
}

/// Displacement of an anchor since the start of the step, m.
inline Vec3 displacement_at(const Anchor& anchor, const AnchorState& s) {
  if (anchor.rigid >= 0) {
    const CoupledBody& body = s.bodies[static_cast<std::size_t>(anchor.rigid)];
    return body.displacement + cross(body.turn, anchor.arm);
  }
  Vec3 sum;
  for (std::size_t k = 0; k < anchor.count; ++k) {
    sum = sum + anchor.weights[k] * math::to_vec3(s.displacements[static_cast<std::size_t>(anchor.vertices[k])]);
  }
  return sum;
}

/// Inverse effective mass of an anchor along a unit direction, 1/kg; 0 if no impulse moves it.
inline double inverse_effective_mass(const Anchor& anchor, const Vec3& along, const AnchorState& s) {
  if (anchor.rigid >= 0) {
    const CoupledBody& body = s.bodies[static_cast<std::size_t>(anchor.rigid)];
    const Vec3 turn = cross(anchor.arm, along);
    return dot(along, scaled_by(body.inverse_mass, along)) + dot(turn, body.inverse_inertia * turn);
  }
  double sum = 0;
  for (std::size_t k = 0; k < anchor.count; ++k) {
    sum += anchor.weights[k] * anchor.weights[k] * s.inverse_mass[static_cast<std::size_t>(anchor.vertices[k])];
  }
  return sum;
}

/// Impulse (N s) on an anchor.
inline void apply_impulse(const Anchor& anchor, const Vec3& impulse, const AnchorState& s) {
  if (anchor.rigid >= 0) {
    CoupledBody& body = s.bodies[static_cast<std::size_t>(anchor.rigid)];
    const Vec3 moment = cross(anchor.arm, impulse);
    body.v = body.v + scaled_by(body.inverse_mass, impulse);
    body.w = body.w + body.inverse_inertia * moment;
    body.impulse = body.impulse + impulse;
    body.moment = body.moment + moment;
    return;
  }
  for (std::size_t k = 0; k < anchor.count; ++k) {
    const auto v = static_cast<std::size_t>(anchor.vertices[k]);
    s.velocities[v] += math::to_eigen((anchor.weights[k] * s.inverse_mass[v]) * impulse);
  }
}

/// Contact point between two anchors.
struct AnchorContact {
  Anchor a;
  Anchor b;
  Vec3 point_a;  ///< m, in the world
  Vec3 point_b;
  Vec3 normal;          ///< unit, from a to b
  double distance = 0;  ///< m, at the start of the step, along the normal; negative if overlapping
  double gap = 0;       ///< m, distance less thickness
  double friction = 0;  ///< Coulomb's coefficient
  double restitution = 0;
  double normal_speed = 0;  ///< m/s, of b relative to a along the normal, at the start of the step
  // Found by the response, and the first guess of the next step.
  double normal_impulse = 0;  ///< N s, of the last iteration interval
  Vec3 friction_impulse;      ///< N s on b, likewise
  double total = 0;           ///< N s along the normal over the whole step

  // Prepared by the response.
  double normal_inverse_mass = 0;    ///< 1/kg
  double friction_inverse_mass = 0;  ///< 1/kg, largest over the directions in the plane of contact
};

}  // namespace carom::contact
