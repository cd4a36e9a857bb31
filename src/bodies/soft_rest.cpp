#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "bodies/soft_body.hpp"

// Shapes at rest that change: actuators, and plastic flow.
namespace carom::solid {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using kernels::element_lanes;

constexpr std::size_t element_chunk = 256;

double activation(const Actuator& actuator, double time) {
  const std::vector<ActivationKey>& keys = actuator.keys;
  if (time <= keys.front().time) return keys.front().value;
  for (std::size_t k = 1; k < keys.size(); ++k) {
    if (time > keys[k].time) continue;
    const double u = (time - keys[k - 1].time) / (keys[k].time - keys[k - 1].time);
    return keys[k - 1].value + u * (keys[k].value - keys[k - 1].value);
  }
  return keys.back().value;
}

/// Logarithms of singular values without their mean: strain at a constant volume.
Vector3d shear_strain(const Vector3d& singular) {
  const Vector3d logs = singular.array().max(1e-6).log();
  return logs.array() - logs.mean();
}

/// Shape at rest of an element whose deformation gradient, seen from it, is f (O'Brien, Bargteil and Hodgins 2002).
void flow(const Matrix3d& gradient, const Plasticity& p, double dt, Matrix3d& flowed) {
  const Matrix3d f = gradient * flowed;
  // No singular value is far from 1 where F^T F is near the unit.
  const Matrix3d strain = 0.5 * (f.transpose() * f - Matrix3d::Identity());
  if (strain.squaredNorm() < 0.25 * p.yield_strain * p.yield_strain) return;
  const Eigen::JacobiSVD<Matrix3d> svd(f, Eigen::ComputeFullV);
  const Vector3d logs = shear_strain(svd.singularValues());
  const double size = logs.norm();
  if (!(size > p.yield_strain)) return;
  const double share = std::min(1.0, dt * p.flow_rate) * (size - p.yield_strain) / size;
  const Matrix3d& v = svd.matrixV();
  const Matrix3d next = flowed * v * (-share * logs).array().exp().matrix().asDiagonal() * v.transpose();
  const Eigen::JacobiSVD<Matrix3d> total(next);
  if (shear_strain(total.singularValues()).norm() <= p.max_strain) flowed = next;
}

void set_rest(const Matrix3d& g, std::size_t lane, std::vector<kernels::RestBatch>& rest) {
  kernels::RestBatch& batch = rest[lane / element_lanes];
  const std::size_t at = lane % element_lanes;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t a = 0; a < 3; ++a)
      batch.g[k][a][at] = g(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(a));
  }
  // Largest sum of a row of the absolute values: no eigenvalue is larger.
  batch.scale[at] = (g * g.transpose()).cwiseAbs().rowwise().sum().maxCoeff();
}

}  // namespace

void update_rest(Workers& workers, double time, double dt, BodyState& state) {
  const BodyModel& model = *state.model;
  const bool flows = model.plasticity.yield_strain > 0;
  if (model.actuators.empty() && !flows) return;
  const std::size_t count = model.elements.element_count();
  if (state.rest.empty()) {
    state.rest.resize(model.elements.batch_count());
    for (std::size_t lane = 0; lane < state.rest.size() * element_lanes; ++lane)
      set_rest(Matrix3d::Identity(), lane, state.rest);
    if (flows && state.flowed.size() != count) state.flowed.assign(count, Matrix3d::Identity());
  }
  // Inverse of the stretch of actuators, along the axes.
  std::vector<Vector3d> shortened(model.actuators.empty() ? 0 : count, Vector3d::Ones());
  for (const ActiveElements& active : model.actuators) {
    const double u = activation(active.actuator, time);
    const Vector3d inverse = (Vector3d::Ones() + u * (active.actuator.stretch - Vector3d::Ones())).cwiseInverse();
    for (const std::size_t e : active.elements) shortened[e] = shortened[e].cwiseProduct(inverse);
  }
  parallel_for(workers, count, element_chunk, [&](std::size_t e) {
    const std::size_t lane = model.elements.lane_of(e);
    Matrix3d g = shortened.empty() ? Matrix3d::Identity() : Matrix3d(shortened[e].asDiagonal());
    if (flows) {
      flow(model.elements.gradient(lane, state.nodes) * g, model.plasticity, dt, state.flowed[e]);
      g = g * state.flowed[e];
    }
    set_rest(g, lane, state.rest);
  });
}

}  // namespace carom::solid
