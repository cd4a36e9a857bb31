#include "response/penalty.hpp"

#include <algorithm>
#include <cmath>

#include "core/stage_timer.hpp"

namespace carom::penalty {

namespace {

/// How the contact distance changes when a vertex moves along the normal: side a closes the gap,
/// side b opens it.
double signed_weight(const Contact& contact, std::size_t k) {
  return k < static_cast<std::size_t>(side_a_size(contact.kind)) ? -contact.weights[k] : contact.weights[k];
}

/// Sum of the weights of the vertices that can move.
double movable_weight(const Contact& contact, std::span<const double> inverse_mass) {
  double sum = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    if (inverse_mass[static_cast<std::size_t>(contact.vertices[k])] > 0) sum += contact.weights[k];
  }
  return sum;
}

}  // namespace

void run(const In& in, const ContactOptions& options, Scratch& scratch, std::span<Eigen::Vector3d> velocities,
         StageStats& stats) {
  const StageTimer timer(stats);
  const double strength = options.stiffness * in.dt * in.dt + options.damping * in.dt;

  // Row sums of the contacts' matrix over mass: at most 1 keeps the step stable.
  scratch.load.assign(in.inverse_mass.size(), 0.0);
  for (const Contact& contact : in.contacts) {
    const double movable = movable_weight(contact, in.inverse_mass);
    for (std::size_t k = 0; k < 4; ++k) {
      const auto v = static_cast<std::size_t>(contact.vertices[k]);
      scratch.load[v] += strength * contact.weights[k] * movable * in.inverse_mass[v];
    }
  }

  // Serial and in canonical order, so that sums come out the same for any number of threads. Every
  // contact sees the predicted velocities: what they change is gathered first and added at the end.
  scratch.change.assign(velocities.size(), Eigen::Vector3d::Zero());
  scratch.impulses.assign(in.contacts.size(), 0.0);
  std::uint64_t immovable = 0;
  for (std::size_t i = 0; i < in.contacts.size(); ++i) {
    const Contact& contact = in.contacts[i];
    if (!(movable_weight(contact, in.inverse_mass) > 0)) {
      ++immovable;
      continue;
    }
    double largest_load = 1;
    double separating = 0;  // m/s
    for (std::size_t k = 0; k < 4; ++k) {
      const auto v = static_cast<std::size_t>(contact.vertices[k]);
      largest_load = std::max(largest_load, scratch.load[v]);
      separating += signed_weight(contact, k) * velocities[v].dot(contact.normal);
    }
    if (largest_load > 1) ++stats.limited;
    const double force = options.stiffness * (options.distance - contact.distance) - options.damping * separating;
    const double impulse = std::max(0.0, force) / largest_load * in.dt;  // a contact never pulls
    scratch.impulses[i] = impulse;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto v = static_cast<std::size_t>(contact.vertices[k]);
      scratch.change[v] += impulse * signed_weight(contact, k) * in.inverse_mass[v] * contact.normal;
    }
  }
  for (std::size_t v = 0; v < velocities.size(); ++v) velocities[v] += scratch.change[v];
  stats.set_unit("contacts");
  stats.in += in.contacts.size();
  stats.out += in.contacts.size() - immovable;
  stats.add_culled("immovable", immovable);
}

}  // namespace carom::penalty
