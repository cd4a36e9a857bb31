#include "response/anchor_solver.hpp"

#include <algorithm>
#include <cmath>

namespace carom::response {
namespace {

/// Largest eigenvalue of the inverse effective mass in the plane of contact, 1/kg.
double friction_inverse_mass(const AnchorContact& c, const AnchorState& s) {
  const bool turns = c.a.rigid >= 0 || c.b.rigid >= 0;
  const Vec3& n = c.normal;
  const double x = std::abs(n.x);
  const double y = std::abs(n.y);
  const double z = std::abs(n.z);
  const Vec3 axis = x <= y && x <= z ? Vec3{1, 0, 0} : y <= z ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  const Vec3 t0 = math::unit_or_zero(cross(n, axis));
  const double k0 = inverse_effective_mass(c.a, t0, s) + inverse_effective_mass(c.b, t0, s);
  if (!turns) return k0;
  const Vec3 t1 = cross(n, t0);
  const double k1 = inverse_effective_mass(c.a, t1, s) + inverse_effective_mass(c.b, t1, s);
  // Off-diagonal element, by polarisation.
  const Vec3 both = std::sqrt(0.5) * (t0 + t1);
  const double k01 = inverse_effective_mass(c.a, both, s) + inverse_effective_mass(c.b, both, s) - 0.5 * (k0 + k1);
  return 0.5 * (k0 + k1 + std::sqrt((k0 - k1) * (k0 - k1) + 4 * k01 * k01));
}

void apply(const AnchorContact& c, const Vec3& impulse, const AnchorState& s) {
  apply_impulse(c.a, -impulse, s);
  apply_impulse(c.b, impulse, s);
}

Vec3 relative_velocity(const AnchorContact& c, const AnchorState& s) {
  return velocity_at(c.b, s) - velocity_at(c.a, s);
}

double gap_now(const AnchorContact& c, const AnchorState& s) {
  return c.gap + dot(c.normal, displacement_at(c.b, s) - displacement_at(c.a, s));
}

/// Changes the normal impulse towards a speed of separation, m/s. Returns the change of the speed.
double solve_normal(AnchorContact& c, double wanted, const AnchorState& s) {
  const double speed = dot(c.normal, relative_velocity(c, s));
  const double next = std::max(0.0, c.normal_impulse + (wanted - speed) / c.normal_inverse_mass);
  const double change = next - c.normal_impulse;
  if (change == 0) return 0;
  c.normal_impulse = next;
  apply(c, change * c.normal, s);
  return std::abs(change) * c.normal_inverse_mass;
}

double solve_friction(AnchorContact& c, const AnchorState& s) {
  const double limit = c.friction * c.normal_impulse;
  const Vec3 v = relative_velocity(c, s);
  const Vec3 slip = v - dot(c.normal, v) * c.normal;
  Vec3 next = c.friction_impulse - (1 / c.friction_inverse_mass) * slip;
  const double size = length(next);
  if (size > limit) next = (limit / size) * next;
  const Vec3 change = next - c.friction_impulse;
  if (change.x == 0 && change.y == 0 && change.z == 0) return 0;
  c.friction_impulse = next;
  apply(c, change, s);
  return length(change) * c.friction_inverse_mass;
}

}  // namespace

void prepare(std::span<AnchorContact> contacts, const AnchorState& s) {
  for (AnchorContact& c : contacts) {
    c.normal_inverse_mass = inverse_effective_mass(c.a, c.normal, s) + inverse_effective_mass(c.b, c.normal, s);
    c.friction_inverse_mass = friction_inverse_mass(c, s);
    c.total = 0;
    if (c.normal_inverse_mass > 0) {
      c.friction_impulse = c.friction_impulse - dot(c.normal, c.friction_impulse) * c.normal;
    } else {
      c.normal_impulse = 0;
      c.friction_impulse = {};
    }
  }
}

void warm_start(std::span<AnchorContact> contacts, const AnchorState& s) {
  for (const AnchorContact& c : contacts) {
    if (c.normal_impulse > 0) apply(c, c.normal_impulse * c.normal + c.friction_impulse, s);
  }
}

double sweep(std::span<AnchorContact> contacts, const AnchorState& s, const AnchorOptions& options, double h,
             bool push) {
  double largest = 0;
  for (AnchorContact& c : contacts) {
    if (!(c.normal_inverse_mass > 0)) continue;
    const double gap = gap_now(c, s);
    double wanted = -gap / h;
    if (gap < 0) wanted = push ? std::min(options.max_push_speed, -options.push_rate * gap) : 0;
    largest = std::max(largest, solve_normal(c, wanted, s));
    if (c.friction_inverse_mass > 0) largest = std::max(largest, solve_friction(c, s));
  }
  return largest;
}

void bounce(std::span<AnchorContact> contacts, const AnchorState& s, const AnchorOptions& options) {
  for (AnchorContact& c : contacts) {
    if (c.restitution == 0 || !(c.normal_speed < -options.bounce_speed) || !(c.total > 0)) continue;
    const double speed = dot(c.normal, relative_velocity(c, s));
    const double wanted = -c.restitution * c.normal_speed;
    if (!(wanted > speed)) continue;
    const double impulse = (wanted - speed) / c.normal_inverse_mass;
    c.total += impulse;
    apply(c, impulse * c.normal, s);
  }
}

void add_to_totals(std::span<AnchorContact> contacts) {
  for (AnchorContact& c : contacts) c.total += c.normal_impulse;
}

}  // namespace carom::response
