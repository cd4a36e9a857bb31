#include "bodies/particles.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/check.hpp"

namespace carom::particles {

void share_mass(double mass, Body& body) {
  std::vector<double> fraction(body.positions.size(), 0.0);
  double total = 0;
  for (const Triangle& t : body.triangles) {
    const Eigen::Vector3d& a = body.positions[static_cast<std::size_t>(t[0])];
    const Eigen::Vector3d& b = body.positions[static_cast<std::size_t>(t[1])];
    const Eigen::Vector3d& c = body.positions[static_cast<std::size_t>(t[2])];
    const double third = (b - a).cross(c - a).norm() / 6;
    for (const Index corner : t) fraction[static_cast<std::size_t>(corner)] += third;
    total += 3 * third;
  }
  for (std::size_t i = 0; i < fraction.size(); ++i) {
    const double inverse = total / (mass * fraction[i]);
    require(fraction[i] > 0 && std::isfinite(inverse), ErrorCode::bad_mesh,
            "body '{}': vertex {} is in no triangle with an area, so its mass would be zero", body.name, i);
    body.inverse_mass[i] = inverse;
  }
  body.net.density = mass / total;
}

void make_springs(double stretch_stiffness, double bend_stiffness, Body& body) {
  const Topology topology = build_topology(body.positions.size(), body.triangles);
  body.springs.clear();
  body.net.stretch_stiffness = stretch_stiffness;
  body.net.bend_stiffness = bend_stiffness;
  body.net.bent.clear();
  const auto add = [&](Index a, Index b, double stiffness) {
    const double length =
        (body.positions[static_cast<std::size_t>(a)] - body.positions[static_cast<std::size_t>(b)]).norm();
    body.springs.push_back({std::min(a, b), std::max(a, b), length, stiffness});
  };
  if (stretch_stiffness != 0) {
    for (const Edge& edge : topology.edges) add(edge[0], edge[1], stretch_stiffness);
  }
  if (bend_stiffness == 0) return;
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const auto triangles = topology.edge_triangles[e];
    if (triangles.size() != 2) continue;
    std::array<Index, 2> opposite{none, none};
    for (std::size_t k = 0; k < 2; ++k) {
      for (const Index corner : body.triangles[static_cast<std::size_t>(triangles[k])]) {
        if (corner != topology.edges[e][0] && corner != topology.edges[e][1]) opposite[k] = corner;
      }
    }
    if (opposite[0] != none && opposite[1] != none && opposite[0] != opposite[1]) {
      add(opposite[0], opposite[1], bend_stiffness);
      body.net.bent.push_back(topology.edges[e]);
    }
  }
}

double max_step(const Body& body) {
  // Row sums bound the largest eigenvalue s of the stiffness matrix over mass. The step holds for s dt^2 <= 2 together
  // with contacts (docs/methods/responses.md); damping is implicit and sets no limit.
  std::vector<double> stiffness(body.positions.size(), 0.0);
  for (const Spring& spring : body.springs) {
    for (const Index end : {spring.a, spring.b}) stiffness[static_cast<std::size_t>(end)] += 2 * spring.stiffness;
  }
  double largest_dt = INFINITY;
  for (std::size_t i = 0; i < stiffness.size(); ++i) {
    const double s = stiffness[i] * body.inverse_mass[i];
    if (s > 0) largest_dt = std::min(largest_dt, std::sqrt(2 / s));
  }
  return largest_dt;
}

void check_step(const Body& body, double dt) {
  const double largest_dt = max_step(body);
  require(dt <= largest_dt, ErrorCode::unstable,
          "body '{}': a step of {} s is too long for its springs and masses; the longest stable step is {:.3g} s (or "
          "lower stretch_stiffness or bend_stiffness, raise mass, or take the response 'soft')",
          body.name, dt, largest_dt);
}

double volume(const Body& body, std::span<const Eigen::Vector3d> start,
              std::span<const Eigen::Vector3d> displacements) {
  double sum = 0;
  for (const Triangle& t : body.triangles) {
    Eigen::Vector3d p[3];
    for (int k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(t[static_cast<std::size_t>(k)]);
      p[k] = start[v] + displacements[v];
    }
    sum += p[0].dot(p[1].cross(p[2]));
  }
  return sum / 6;
}

namespace {

/// Impulse of a damper at a vertex that is in contact, as a fraction of the relative momentum of its ends: no more than
/// this in each of the two sweeps.
constexpr double max_touched_fraction = 0.03;

/// Dampers along the springs, one after the other in both directions: each takes the impulse of an implicit step of
/// half the interval, so that no damping is too strong and momentum is kept. The two directions make the sweep
/// symmetric, without which it could feed the springs (docs/methods/responses.md). Dampers of vertices in contact are
/// limited: a contact that moves a vertex after its dampers have spread the push of its springs over the body would not
/// feel that push, and stretch the springs for nothing.
void damp_springs(const Body& body, double interval, std::span<const Eigen::Vector3d> start,
                  std::span<const Eigen::Vector3d> displacements, std::span<const std::uint8_t> touched,
                  std::span<Eigen::Vector3d> velocities) {
  const double given = 0.5 * interval * body.spring_damping;
  const auto damp = [&](const Spring& spring) {
    const auto a = static_cast<std::size_t>(spring.a);
    const auto b = static_cast<std::size_t>(spring.b);
    const Eigen::Vector3d span = start[b] + displacements[b] - (start[a] + displacements[a]);
    const double square = span.squaredNorm();
    if (!(square > 0)) return;
    const double closing = (velocities[b] - velocities[a]).dot(span);
    const double inverse_mass = body.inverse_mass[a] + body.inverse_mass[b];
    const bool limited = !touched.empty() && (touched[a] != 0 || touched[b] != 0);
    const double damping = limited ? std::min(given, max_touched_fraction / inverse_mass) : given;
    const Eigen::Vector3d impulse = (damping * closing / (square * (1 + damping * inverse_mass))) * span;
    velocities[a] += body.inverse_mass[a] * impulse;
    velocities[b] -= body.inverse_mass[b] * impulse;
  };
  for (const Spring& spring : body.springs) damp(spring);
  for (std::size_t i = body.springs.size(); i-- > 0;) damp(body.springs[i]);
}

/// Volume as a fraction of that at rest below which gas pushes no harder: the force stays finite.
constexpr double min_volume = 0.1;

}  // namespace

// Gas at constant temperature: the pressure over that outside falls as the volume grows.
void add_pressure(const Body& body, std::span<const Eigen::Vector3d> start,
                  std::span<const Eigen::Vector3d> displacements, std::span<Eigen::Vector3d> forces) {
  const double now = volume(body, start, displacements);
  const double pressure = body.pressure * body.rest_volume / std::max(now, min_volume * body.rest_volume);
  for (const Triangle& t : body.triangles) {
    Eigen::Vector3d p[3];
    for (int k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(t[static_cast<std::size_t>(k)]);
      p[k] = start[v] + displacements[v];
    }
    const Eigen::Vector3d third = (pressure / 6) * (p[1] - p[0]).cross(p[2] - p[0]);
    for (const Index v : t) forces[static_cast<std::size_t>(v)] += third;
  }
}

double gas_energy(const Body& body) {
  const std::vector<Eigen::Vector3d> none(body.positions.size(), Eigen::Vector3d::Zero());
  const double ratio = volume(body, body.positions, none) / body.rest_volume;
  const double held = body.pressure * body.rest_volume;
  const double below = std::max(0.0, min_volume - ratio);
  return held * (below / min_volume - std::log(std::max(ratio, min_volume)));
}

std::vector<Spring> make_fabric_springs(const Body& body) {
  const cloth::RestShape rest = rest_shape(body);
  const ClothRest& of = *body.cloth_rest;
  const bool pushes = of.verlet_options.max_strain > 0;
  const Topology topology = build_topology(body.positions.size(), body.triangles);
  std::vector<Spring> springs;
  const auto length = [&](Index a, Index b) {
    return (body.rest_positions[static_cast<std::size_t>(a)] - body.rest_positions[static_cast<std::size_t>(b)]).norm();
  };
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const auto [a, b] = topology.edges[e];
    double stiffness = 0;
    double bending = 0;
    std::vector<Index> opposite;
    for (const Index t : topology.edge_triangles[e]) {
      const auto number = static_cast<std::size_t>(t);
      const Fabric& fabric = of.fabrics[rest.fabric(number)];
      const double area = 0.5 * (rest.corner(number, 1) - rest.corner(number, 0))
                                    .cross(rest.corner(number, 2) - rest.corner(number, 0))
                                    .norm();
      stiffness += 0.5 * (fabric.warp_stiffness + fabric.weft_stiffness) * area;
      bending = std::max(bending, fabric.bend_stiffness);
      for (const Index v : body.triangles[number]) {
        if (v != a && v != b) opposite.push_back(v);
      }
    }
    const double rest_length = length(a, b);
    if (!(rest_length > 0)) continue;
    springs.push_back({a, b, rest_length, pushes ? stiffness / (rest_length * rest_length) : 0});
    for (std::size_t k = 0; k + 1 < opposite.size(); ++k) {
      const Index c = std::min(opposite[k], opposite[k + 1]);
      const Index d = std::max(opposite[k], opposite[k + 1]);
      if (c == d || !(length(c, d) > 0)) continue;
      springs.push_back({c, d, length(c, d), pushes ? bending / (length(c, d) * length(c, d)) : 0});
    }
  }
  return springs;
}

void limit_lengths(const Body& body, const VerletOptions& options, double interval,
                   std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                   std::span<Eigen::Vector3d> velocities) {
  const double per_interval = 1 / interval;
  const double longest = 1 + options.max_strain;
  for (int i = 0; i < options.iterations; ++i) {
    for (const Spring& spring : body.springs) {
      const auto a = static_cast<std::size_t>(spring.a);
      const auto b = static_cast<std::size_t>(spring.b);
      const double weight = body.inverse_mass[a] + body.inverse_mass[b];
      const Eigen::Vector3d span =
          start[b] + displacements[b] - start[a] - displacements[a] + interval * (velocities[b] - velocities[a]);
      const double length = span.norm();
      const double wanted =
          options.max_strain > 0 ? std::min(length, longest * spring.rest_length) : spring.rest_length;
      if (!(weight > 0) || !(length > 0) || length == wanted) continue;
      const Eigen::Vector3d impulse = (per_interval * (length - wanted) / (weight * length)) * span;
      velocities[a] += body.inverse_mass[a] * impulse;
      velocities[b] -= body.inverse_mass[b] * impulse;
    }
  }
}

void add_forces(const Body& body, const Eigen::Vector3d& gravity, double interval,
                std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                std::span<Eigen::Vector3d> velocities, std::span<Eigen::Vector3d> forces,
                std::span<const std::uint8_t> touched) {
  std::fill(forces.begin(), forces.end(), Eigen::Vector3d::Zero());
  for (const Spring& spring : body.springs) {
    const auto a = static_cast<std::size_t>(spring.a);
    const auto b = static_cast<std::size_t>(spring.b);
    const Eigen::Vector3d span = start[b] + displacements[b] - (start[a] + displacements[a]);
    const double length = span.norm();
    if (!(length > 0)) continue;  // no direction to push in
    const Eigen::Vector3d direction = span / length;
    const Eigen::Vector3d force = spring.stiffness * (length - spring.rest_length) * direction;
    forces[a] += force;
    forces[b] -= force;
  }
  if (body.pressure > 0) add_pressure(body, start, displacements, forces);
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (body.inverse_mass[i] == 0) continue;
    velocities[i] += interval * (gravity + body.inverse_mass[i] * forces[i]);
    velocities[i] /= 1 + interval * body.air_damping;
  }
  if (body.spring_damping > 0) damp_springs(body, interval, start, displacements, touched, velocities);
}

}  // namespace carom::particles
