#include "carom/haptics/haptic_link.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/at.hpp"
#include "core/check.hpp"

namespace carom {

namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Stiffness times dt squared over mass at most: an explicit spring with this much is well damped in a few steps.
constexpr double max_explicit_ratio = 1;

/// Where a point of the world's side of a contact is now, how it moves, and how it gives way.
struct SurfacePoint {
  Vector3d position{0, 0, 0};
  Vector3d velocity{0, 0, 0};
  double inverse_mass = 0;  ///< 1/kg
};

SurfacePoint surface_point(const World& world, BodyId body, const ContactAnchor& anchor, const Vector3d& before) {
  SurfacePoint point;
  if (anchor.feature == FeatureKind::point) {
    point.position = before;
    if (world.motion(body) == MotionModel::fixed) return point;
    const Vector3d lever = before - world.center_of_mass(body);
    point.velocity = world.velocity(body) + world.angular_velocity(body).cross(lever);
    point.position += world.options().dt * point.velocity;
    if (world.mass(body) > 0) point.inverse_mass = 1 / world.mass(body);
    return point;
  }
  const bool moved_by_forces = world.motion(body) == MotionModel::particles;
  const bool mesh = !world.positions(body).empty();
  if (!mesh) {  // a rigid mesh
    point.position = before;
    return point;
  }
  for (std::size_t k = 0; k < anchor.vertices.size(); ++k) {
    if (anchor.vertices[k] == none) continue;
    const double weight = anchor.weights[k];
    point.position += weight * world.positions(body)[at(anchor.vertices[k])];
    if (moved_by_forces) point.inverse_mass += weight * weight * world.inverse_mass(body, anchor.vertices[k]);
  }
  // The mean over the step: vertices that are squeezed keep a velocity that contacts take away in every step.
  point.velocity = (point.position - before) / world.options().dt;
  return point;
}

}  // namespace

void check_driven(const World& world, BodyId body, double stiffness) {
  require(world.motion(body) == MotionModel::rigid, ErrorCode::invalid_argument,
          "haptic tool: body '{}' is {}; expected a rigid body", world.name(body), to_string(world.motion(body)));
  const double dt = world.options().dt;
  const double lightest = stiffness * dt * dt / max_explicit_ratio;
  require(world.mass(body) >= lightest, ErrorCode::unstable,
          "haptic tool: body '{}' has {:.3g} kg, too light for a coupling of {:.4g} N/m at steps of {:.3g} s; expected "
          "{:.3g} kg at the least",
          world.name(body), world.mass(body), stiffness, dt, lightest);
}

void drive(World& world, BodyId body, const HapticTarget& target, double stiffness, double angular_stiffness) {
  check_driven(world, body, stiffness);
  const double dt = world.options().dt;
  const double mass = world.mass(body);
  const Isometry3d pose = world.pose(body);
  const Vector3d center = world.center_of_mass(body);
  const Vector3d wanted = target.pose * (pose.inverse() * center);
  const Vector3d against = target.velocity - world.velocity(body);
  // The damper is implicit in the speed. The spring is not: what presses and stands still has the whole force.
  const double damping = 2 * std::sqrt(stiffness * mass);
  const Vector3d force = stiffness * (wanted - center) + damping / (1 + dt * damping / mass) * against;
  world.apply_force(body, force - mass * world.options().gravity);

  const Matrix3d inertia = world.inertia(body);
  const Eigen::AngleAxisd turn(target.pose.linear() * pose.linear().transpose());
  const Vector3d spin = world.angular_velocity(body);
  const double turn_damping = 2 * std::sqrt(angular_stiffness * inertia.trace() / 3);
  const Vector3d torque = angular_stiffness * (turn.angle() * turn.axis() - dt * spin) - turn_damping * spin;
  const Matrix3d system = inertia + dt * (turn_damping + dt * angular_stiffness) * Matrix3d::Identity();
  world.apply_torque(body, inertia * system.partialPivLu().solve(torque));
}

struct HapticLink::Impl {
  World* world = nullptr;
  BodyId body;
  HapticTool* tool = nullptr;
  Isometry3d before = Isometry3d::Identity();  ///< pose of the body at the start of the step
  std::vector<HapticPlane> planes;
  std::vector<double> gaps;  ///< m, of the planes
};

HapticLink::HapticLink(World& world, BodyId body, HapticTool& tool) : impl_(std::make_unique<Impl>()) {
  check_driven(world, body, tool.options().stiffness);
  impl_->world = &world;
  impl_->body = body;
  impl_->tool = &tool;
  impl_->before = world.pose(body);
}
HapticLink::~HapticLink() = default;
HapticLink::HapticLink(HapticLink&&) noexcept = default;
HapticLink& HapticLink::operator=(HapticLink&&) noexcept = default;

HapticTarget HapticLink::before_step() {
  const HapticTarget target = impl_->tool->target();
  before_step(target);
  return target;
}

void HapticLink::before_step(const HapticTarget& target) {
  Impl& s = *impl_;
  s.before = s.world->pose(s.body);
  if (target.samples == 0) return;
  drive(*s.world, s.body, target, s.tool->options().stiffness, s.tool->options().angular_stiffness);
}

void HapticLink::after_step() {
  Impl& s = *impl_;
  const World& world = *s.world;
  const double dt = world.options().dt;
  const Isometry3d to_tool = s.before.inverse();
  const Isometry3d pose = world.pose(s.body);
  s.planes.clear();
  s.gaps.clear();
  for (const WorldContact& c : world.contacts()) {
    const bool is_a = c.body_a == s.body;
    if (!is_a && c.body_b != s.body) continue;
    const SurfacePoint surface = is_a ? surface_point(world, c.body_b, c.anchor_b, c.point_b)
                                      : surface_point(world, c.body_a, c.anchor_a, c.point_a);
    HapticPlane plane;
    plane.normal = is_a ? Vector3d(-c.normal) : c.normal;
    plane.velocity = surface.velocity;
    plane.tool_point = to_tool * (is_a ? c.point_a : c.point_b);
    plane.force = std::max(0.0, c.impulse) / dt;
    // A free surface gives way as its mass lets it, but never so much that less than half of the coupling is felt.
    plane.compliance = std::min(dt * dt * surface.inverse_mass, 1 / s.tool->options().stiffness);
    // A contact that carries a force is compressed a little: the surface is at the tool then, under that force.
    const double thickness = world.thickness(c.body_a, c.body_b);
    const double gap = plane.normal.dot(pose * plane.tool_point - surface.position) - thickness;
    plane.point = surface.position + (thickness + std::min(gap, 0.0)) * plane.normal;
    s.planes.push_back(plane);
    s.gaps.push_back(gap);
  }
  if (s.planes.size() > max_haptic_planes) {
    // The nearest, in the order of the contacts.
    std::vector<double> sorted = s.gaps;
    std::nth_element(sorted.begin(), sorted.begin() + max_haptic_planes - 1, sorted.end());
    const double last = sorted[max_haptic_planes - 1];
    std::vector<HapticPlane> nearest;
    for (std::size_t i = 0; i < s.planes.size() && nearest.size() < max_haptic_planes; ++i) {
      if (s.gaps[i] <= last) nearest.push_back(s.planes[i]);
    }
    s.planes = std::move(nearest);
  }
  s.tool->publish(s.planes);
}

}  // namespace carom
