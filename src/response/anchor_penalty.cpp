#include "response/anchor_penalty.hpp"

#include <algorithm>
#include <cmath>

namespace carom::anchor_penalty {

namespace {

using contact::Anchor;
using contact::AnchorContact;
using contact::AnchorState;
using math::Vec3;

/// Calls visit(index, weight, inverse mass) for what an impulse along the normal moves: vertices, then bodies.
template <class Visit>
void each_mass(const AnchorContact& c, const AnchorState& s, Visit&& visit) {
  for (const Anchor* side : {&c.a, &c.b}) {
    if (side->rigid >= 0) {
      visit(s.velocities.size() + static_cast<std::size_t>(side->rigid), 1.0,
            contact::inverse_effective_mass(*side, c.normal, s));
      continue;
    }
    for (std::size_t k = 0; k < side->count; ++k) {
      const auto v = static_cast<std::size_t>(side->vertices[k]);
      visit(v, side->weights[k], s.inverse_mass[v]);
    }
  }
}

/// Sum of the weights of what can move.
double movable_weight(const AnchorContact& c, const AnchorState& s) {
  double sum = 0;
  each_mass(c, s, [&](std::size_t, double weight, double inverse_mass) {
    if (inverse_mass > 0) sum += weight;
  });
  return sum;
}

}  // namespace

void run(const In& in, const ContactOptions& options, std::span<AnchorContact> contacts, Scratch& scratch,
         StageStats& stats) {
  const AnchorState& s = in.state;
  const double strength = options.stiffness * in.dt * in.dt + options.damping * in.dt;

  // Row sums of the contacts' matrix over mass: at most 1 keeps the step stable.
  scratch.load.assign(s.velocities.size() + s.bodies.size(), 0.0);
  scratch.mobility.assign(scratch.load.size(), 0.0);
  for (const AnchorContact& c : contacts) {
    const double movable = movable_weight(c, s);
    each_mass(c, s, [&](std::size_t i, double weight, double inverse_mass) {
      scratch.load[i] += strength * weight * movable * inverse_mass;
      scratch.mobility[i] += weight * movable * inverse_mass;
    });
  }

  // Serial and in canonical order, so that sums come out the same for any number of threads. Every contact sees the
  // predicted velocities: what they change is gathered first and added at the end.
  scratch.change.assign(s.velocities.size(), Eigen::Vector3d::Zero());
  std::uint64_t immovable = 0;
  for (AnchorContact& c : contacts) {
    c.total = c.normal_impulse = 0;
    if (!(movable_weight(c, s) > 0)) {
      ++immovable;
      continue;
    }
    double largest_load = 1;
    each_mass(c, s, [&](std::size_t i, double, double) { largest_load = std::max(largest_load, scratch.load[i]); });
    if (largest_load > 1) ++stats.limited;
    const Vec3 velocity = contact::velocity_at(c.b, s) - contact::velocity_at(c.a, s);
    const double separating = dot(velocity, c.normal);
    const double force = options.stiffness * -c.gap - options.damping * separating;
    c.total = c.normal_impulse = std::max(0.0, force) / largest_load * in.dt;  // a contact never pulls
  }
  for (AnchorContact& c : contacts) {
    if (!(c.total > 0)) continue;
    double mobility = 0;
    each_mass(c, s, [&](std::size_t i, double, double) { mobility = std::max(mobility, scratch.mobility[i]); });
    const Vec3 velocity = contact::velocity_at(c.b, s) - contact::velocity_at(c.a, s);
    const Vec3 slip = velocity - dot(velocity, c.normal) * c.normal;
    const double speed = length(slip);
    const double drag = speed > 0 ? std::min(c.friction * c.total, speed / mobility) / speed : 0;
    c.friction_impulse = -drag * slip;
  }
  for (const AnchorContact& c : contacts) {
    if (!(c.total > 0)) continue;
    const Vec3 impulse = c.total * c.normal + c.friction_impulse;
    for (const Anchor* side : {&c.a, &c.b}) {
      const double sign = side == &c.a ? -1 : 1;
      if (side->rigid >= 0) {
        contact::CoupledBody& body = s.bodies[static_cast<std::size_t>(side->rigid)];
        body.impulse = body.impulse + sign * impulse;
        body.moment = body.moment + cross(side->arm, sign * impulse);
        continue;
      }
      for (std::size_t k = 0; k < side->count; ++k) {
        const auto v = static_cast<std::size_t>(side->vertices[k]);
        scratch.change[v] += math::to_eigen((sign * side->weights[k] * s.inverse_mass[v]) * impulse);
      }
    }
  }
  for (std::size_t v = 0; v < s.velocities.size(); ++v) s.velocities[v] += scratch.change[v];
  stats.set_unit("contacts");
  stats.in += contacts.size();
  stats.out += contacts.size() - immovable;
  stats.add_culled("immovable", immovable);
}

}  // namespace carom::anchor_penalty
