#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/cloth.hpp"
#include "core/at.hpp"

// What can be said of constraints without moving them.
namespace carom::cloth {

namespace {

/// Inner step in units of one over the largest frequency of a triangle (adr/0014).
constexpr double inner_step_factor = 1.5;
/// Interval in which bending acts once, in units of one over the largest frequency of an edge: there are several at
/// each vertex.
constexpr double bend_step_factor = 0.25;

Eigen::Vector3d column_of(const StretchElement& e, std::size_t axis, std::span<const Eigen::Vector3d> x) {
  const Eigen::Vector3d& p = x[at(e.corners[0])];
  return e.gradient[axis][0] * (x[at(e.corners[1])] - p) + e.gradient[axis][1] * (x[at(e.corners[2])] - p);
}

}  // namespace

double Model::inner_step(std::span<const double> inverse_mass) const {
  // One projection leaves an error of (h w)^2 of the strain, where w is the frequency of a triangle on its own.
  double largest = 0;
  for (const StretchElement& e : triangles_) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const double g1 = e.gradient[axis][0];
      const double g2 = e.gradient[axis][1];
      const double weight = inverse_mass[at(e.corners[0])] * (g1 + g2) * (g1 + g2) +
                            inverse_mass[at(e.corners[1])] * g1 * g1 + inverse_mass[at(e.corners[2])] * g2 * g2;
      largest = std::max(largest, weight / e.compliance[axis]);
    }
  }
  return largest > 0 ? inner_step_factor / std::sqrt(largest) : std::numeric_limits<double>::infinity();
}

double Model::bend_step(std::span<const double> inverse_mass) const {
  double largest = 0;
  for (const BendElement& e : hinges_) {
    const double first = -(e.weight[1] + e.weight[2] + e.weight[3]);
    double weight = inverse_mass[at(e.vertices[0])] * first * first;
    for (std::size_t i = 1; i < 4; ++i) weight += inverse_mass[at(e.vertices[i])] * e.weight[i] * e.weight[i];
    // Damping is faster than the spring where it is strong.
    const double rate = weight * (1 + e.damping * std::sqrt(weight / e.compliance));
    largest = std::max(largest, rate / e.compliance);
  }
  return largest > 0 ? bend_step_factor / std::sqrt(largest) : std::numeric_limits<double>::infinity();
}

double Model::energy(std::span<const Eigen::Vector3d> positions) const {
  double sum = 0;
  for (const StretchElement& e : triangles_) {
    const Eigen::Vector3d u = column_of(e, 0, positions);
    const Eigen::Vector3d v = column_of(e, 1, positions);
    const double strain[3] = {u.norm() - 1, v.norm() - 1, u.dot(v)};
    for (std::size_t k = 0; k < 3; ++k) sum += 0.5 * strain[k] * strain[k] / e.compliance[k];
  }
  for (const BendElement& e : hinges_) {
    const Eigen::Vector3d& p = positions[at(e.vertices[0])];
    const Eigen::Vector3d e1 = positions[at(e.vertices[1])] - p;
    const Eigen::Vector3d e2 = positions[at(e.vertices[2])] - p;
    const Eigen::Vector3d e3 = positions[at(e.vertices[3])] - p;
    const Eigen::Vector3d bend = e.weight[1] * e1 + e.weight[2] * e2 + e.weight[3] * e3;
    const bool away = bend.dot(e1.cross(e2) + e3.cross(e1)) < 0;
    const double value = bend.norm() + (away ? e.rest : -e.rest);
    sum += 0.5 * value * value / e.compliance;
  }
  return sum;
}

std::vector<double> Model::strains(std::span<const Eigen::Vector3d> positions) const {
  std::vector<double> strain;
  for (const StretchElement& e : triangles_)
    strain.push_back(std::max(column_of(e, 0, positions).norm(), column_of(e, 1, positions).norm()) - 1);
  return strain;
}

}  // namespace carom::cloth
