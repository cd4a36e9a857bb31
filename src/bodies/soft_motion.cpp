#include <algorithm>
#include <cmath>

#include "bodies/soft_body.hpp"

namespace carom::solid {
namespace {

using Eigen::Vector3d;

/// s; time constant with which a vertex that was stopped goes back to where it belongs.
constexpr double place_time = 0.1;
constexpr std::size_t vertex_chunk = 1024;
/// Inner steps after which damping acts: it is stable over all of them, and costs as much as the elements.
constexpr int damping_every = 4;

}  // namespace

void Motion::begin(const BodyState& state) {
  start = state.nodes;
  start_velocities = velocities = state.velocities;
  displacements.assign(start.size(), Vector3d::Zero());
  touched_.clear();
  since_damping_ = 0;
}

void Motion::touch(const BodyState& state, std::span<const std::uint8_t> touched, std::span<const Vector3d> body,
                   std::span<const Vector3d> vertex_velocities, std::span<double> inverse_mass) {
  const BodyModel& model = *state.model;
  touched_.clear();
  for (std::size_t v = 0; v < model.surface.count(); ++v) {
    const bool any = !touched.empty() && touched[v] != 0;
    // Tangles have changed velocities already.
    if (any || vertex_velocities[v] != body[v]) touched_.push_back(static_cast<std::uint32_t>(v));
  }
  inverse_.resize(touched_.size());
  contact_masses(model, touched_, work_, inverse_);
  mass_.resize(touched_.size());
  known_.resize(touched_.size());
  for (std::size_t k = 0; k < touched_.size(); ++k) {
    inverse_mass[touched_[k]] = inverse_[k];
    mass_[k] = inverse_[k] > 0 ? 1 / inverse_[k] : 0;
    known_[k] = body[touched_[k]];
  }
}

void Motion::transfer(const BodyModel& model, std::span<const Vector3d> vertex_velocities) {
  const Embedding& e = model.surface;
  const std::span<const double> inverse = model.elements.inverse_mass();
  for (std::size_t k = 0; k < touched_.size(); ++k) {
    const std::uint32_t v = touched_[k];
    const Vector3d impulse = mass_[k] * (vertex_velocities[v] - known_[k]);
    if (impulse.isZero(0)) continue;
    for (std::uint32_t i = e.ranges[v].begin; i < e.ranges[v].end(); ++i) {
      const auto n = static_cast<std::size_t>(e.nodes[i]);
      velocities[n] += (e.weights[i] * inverse[n]) * impulse;
    }
    known_[k] = vertex_velocities[v];
  }
}

void Motion::collect(const BodyModel& model, std::span<Vector3d> vertex_velocities) {
  transfer(model, vertex_velocities);
  for (std::size_t k = 0; k < touched_.size(); ++k)
    known_[k] = vertex_velocities[touched_[k]] = model.surface.mean(touched_[k], velocities);
}

void Motion::place(const BodyModel& model, std::span<Vector3d> vertex_displacements) const {
  for (std::size_t v = 0; v < model.surface.count(); ++v)
    vertex_displacements[v] = model.surface.mean(v, displacements);
}

void Motion::push(const BodyModel& model, double interval, std::span<const Vector3d> forces) {
  const Embedding& e = model.surface;
  const std::span<const double> inverse = model.elements.inverse_mass();
  for (std::size_t v = 0; v < e.count(); ++v) {
    for (std::uint32_t i = e.ranges[v].begin; i < e.ranges[v].end(); ++i) {
      const auto n = static_cast<std::size_t>(e.nodes[i]);
      velocities[n] += (interval * e.weights[i] * inverse[n]) * forces[v];
    }
  }
}

void Motion::damp(Workers& workers, const BodyState& state, double h) {
  if (++since_damping_ < damping_every) return;
  since_damping_ = 0;
  projection_.damp(workers, state.model->elements, damping_every * h, start, displacements, velocities);
}

void Motion::project(Workers& workers, const BodyState& state, double h) {
  projection_.run(workers, state.model->elements, h, start, displacements, velocities, state.rest);
}

void Motion::move(double interval) {
  for (std::size_t n = 0; n < velocities.size(); ++n) displacements[n] += interval * velocities[n];
}

void Motion::finish(Workers& workers, const BodyModel& model, double dt, std::span<const Vector3d> vertex_start,
                    std::span<Vector3d> vertex_displacements, std::span<Vector3d> vertex_velocities) const {
  const double fraction = 1 - std::exp(-dt / place_time);
  parallel_for(workers, model.surface.count(), vertex_chunk, [&](std::size_t v) {
    vertex_velocities[v] = model.surface.mean(v, velocities);
    const Vector3d off = vertex_start[v] - model.surface.mean(v, start);
    vertex_displacements[v] = model.surface.mean(v, displacements) - fraction * off;
  });
}

}  // namespace carom::solid
