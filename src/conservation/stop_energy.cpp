#include "conservation/stop_energy.hpp"

#include <algorithm>
#include <vector>

#include "core/at.hpp"

namespace carom::conservation {
namespace {

using Eigen::Vector3d;

/// Sweeps over the edges around stopped vertices, and over all edges of the body.
constexpr int near_sweeps = 4;
constexpr int far_sweeps = 4;

/// Takes the speed from an edge, m/s along it, and returns its energy, J.
double still(std::span<const Vector3d> x, std::span<const double> weight, Index a, Index b, std::span<Vector3d> v) {
  const double sum = weight[at(a)] + weight[at(b)];
  const Vector3d along = x[at(b)] - x[at(a)];
  const double square = along.squaredNorm();
  if (!(sum > 0) || !(square > 0)) return 0;
  const double speed = along.dot(v[at(b)] - v[at(a)]);  // times the length
  const Vector3d impulse = (speed / (sum * square)) * along;
  v[at(a)] += weight[at(a)] * impulse;
  v[at(b)] -= weight[at(b)] * impulse;
  return 0.5 * speed * speed / (sum * square);
}

/// Energy that stops gave to a body, J. Marks the vertices that were stopped.
double given(const Body& body, const bodies::SurfacePart& part, const Vector3d& gravity,
             const bodies::Vertices& vertices, std::vector<std::uint8_t>& mark) {
  const std::span<const Vector3d> start = part.of(vertices.start);
  const std::span<const Vector3d> displacements = part.of(vertices.displacements);
  const std::span<const Vector3d> x = part.of(vertices.positions);
  const std::span<const double> weight = part.of(vertices.awake_inverse_mass);
  mark.assign(x.size(), 0);
  std::vector<Vector3d> wanted(x.begin(), x.end());
  double energy = 0;
  bool any = false;
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (!(weight[v] > 0)) continue;
    wanted[v] = start[v] + displacements[v];
    if (wanted[v] == x[v]) continue;
    mark[v] = 1;
    any = true;
    energy -= gravity.dot(x[v] - wanted[v]) / weight[v];
  }
  if (!any) {
    mark.clear();
    return 0;
  }
  return energy + body.cloth->energy(x) - body.cloth->energy(wanted);
}

/// Takes at least `energy` (J) from the speeds of the edges, if there is as much. Returns what it took.
double still(const Body& body, const bodies::SurfacePart& part, std::span<const std::uint8_t> mark, double energy,
             bodies::Vertices& vertices) {
  const std::span<const Vector3d> x = part.of(vertices.positions);
  const std::span<const double> weight = part.of(vertices.awake_inverse_mass);
  const std::span<Vector3d> v = part.of(vertices.velocities);
  double taken = 0;
  for (int sweep = mark.empty() ? near_sweeps : 0; sweep < near_sweeps + far_sweeps; ++sweep) {
    for (const Triangle& t : body.triangles) {
      if (sweep < near_sweeps && mark[at(t[0])] + mark[at(t[1])] + mark[at(t[2])] == 0) continue;
      for (std::size_t k = 0; k < 3; ++k) taken += still(x, weight, t[k], t[(k + 1) % 3], v);
      if (taken >= energy) return taken;
    }
  }
  return taken;
}

double kinetic_energy(std::span<const double> weight, std::span<const Vector3d> velocities) {
  double sum = 0;
  for (std::size_t v = 0; v < weight.size(); ++v) {
    if (weight[v] > 0) sum += 0.5 * velocities[v].squaredNorm() / weight[v];
  }
  return sum;
}

}  // namespace

StopEnergy take_stop_energy(const BodyMap& bodies, const rigid::Bodies& table, const Vector3d& gravity, bool stopped,
                            bodies::Vertices& vertices) {
  StopEnergy result;
  std::vector<std::uint8_t> mark;
  for (const bodies::SurfacePart& part : vertices.parts) {
    const Body& body = bodies[part.id];
    double& left = vertices.stop_energy[part.body];
    left = body.stop_energy;
    if (!body.cloth || body.cloth_rest->verlet || table.asleep[part.body] != 0) continue;
    mark.clear();
    if (stopped) left += given(body, part, gravity, vertices, mark);
    if (left > 0) left -= still(body, part, mark, left, vertices);
    if (!(left > 0)) {
      left = 0;
      continue;
    }
    const double elastic = body.cloth->energy(part.of(vertices.positions));
    left = std::min(left, elastic);
    result.left += std::max(0.0, left - body.stop_energy);
    result.all += elastic + kinetic_energy(part.of(vertices.awake_inverse_mass), part.of(vertices.velocities));
  }
  return result;
}

}  // namespace carom::conservation
