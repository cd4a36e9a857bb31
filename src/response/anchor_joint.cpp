#include "response/anchor_joint.hpp"

#include <Eigen/LU>
#include <cmath>

namespace carom::response {
namespace {

/// Change of velocity of an anchor for an impulse along each axis, 1/kg.
Eigen::Matrix3d inverse_masses(const Anchor& anchor, const AnchorState& s) {
  if (anchor.rigid < 0) {
    double sum = 0;
    for (std::size_t k = 0; k < anchor.count; ++k)
      sum += anchor.weights[k] * anchor.weights[k] * s.inverse_mass[static_cast<std::size_t>(anchor.vertices[k])];
    return sum * Eigen::Matrix3d::Identity();
  }
  const contact::CoupledBody& body = s.bodies[static_cast<std::size_t>(anchor.rigid)];
  Eigen::Matrix3d matrix;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Vec3 axis = math::to_vec3(Eigen::Vector3d::Unit(k));
    const Vec3 turn = body.inverse_inertia * cross(anchor.arm, axis);
    matrix.col(k) = math::to_eigen(contact::scaled_by(body.inverse_mass, axis) + cross(turn, anchor.arm));
  }
  return matrix;
}

}  // namespace

void hold(std::span<AnchorJoint> joints, const AnchorState& s, const JointOptions& options, double h, double fraction) {
  for (AnchorJoint& joint : joints) {
    const Eigen::Matrix3d mass = inverse_masses(joint.a, s) + inverse_masses(joint.b, s);
    if (!(mass.trace() > 0)) continue;
    const Vec3 path = joint.wanted_end - joint.wanted_start;
    const Vec3 wanted = joint.wanted_start + fraction * path;
    const Vec3 now = joint.apart + displacement_at(joint.b, s) - displacement_at(joint.a, s);
    Vec3 speed = (1 / h) * (wanted - now);
    const double size = length(speed);
    if (size > options.max_speed) speed = (options.max_speed / size) * speed;
    const Vec3 change = speed - (velocity_at(joint.b, s) - velocity_at(joint.a, s));
    const Eigen::Vector3d impulse = mass.inverse() * math::to_eigen(change);
    if (!impulse.allFinite()) continue;
    apply_impulse(joint.a, math::to_vec3(-impulse), s);
    apply_impulse(joint.b, math::to_vec3(impulse), s);
    joint.total = joint.total + math::to_vec3(impulse);
  }
}

}  // namespace carom::response
