#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "oracle/placed.hpp"

/// Parts of worlds in which rigid bodies and bodies with vertices touch each other.
namespace carom::mixed {

using Eigen::Vector3d;

inline Eigen::Isometry3d at(const Vector3d& place) {
  return Eigen::Isometry3d(Eigen::Translation3d(place));
}

/// Level square sheet of `cells` squares a side.
inline TriangleMesh level_sheet(int cells, double size, const Vector3d& place = Vector3d::Zero()) {
  return placed(make_sheet(size, size, cells, cells), place);
}

/// Vertices of a mesh for which `wanted` holds.
template <class Wanted>
std::vector<Index> vertices_where(const TriangleMesh& mesh, Wanted&& wanted) {
  std::vector<Index> found;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (wanted(mesh.positions[v])) found.push_back(static_cast<Index>(v));
  }
  return found;
}

/// Mass of each vertex: a third of each of its triangles, by area.
inline std::vector<double> masses(const TriangleMesh& mesh, double mass) {
  std::vector<double> fraction(mesh.positions.size(), 0.0);
  double total = 0;
  for (const Triangle& t : mesh.triangles) {
    const auto& p = mesh.positions;
    const Vector3d& a = p[static_cast<std::size_t>(t[0])];
    const double area = (p[static_cast<std::size_t>(t[1])] - a).cross(p[static_cast<std::size_t>(t[2])] - a).norm() / 2;
    for (const Index v : t) fraction[static_cast<std::size_t>(v)] += area / 3;
    total += area;
  }
  for (double& m : fraction) m *= mass / total;
  return fraction;
}

/// Momentum, angular momentum about the origin and energy of motion.
struct Totals {
  Vector3d momentum = Vector3d::Zero();
  Vector3d angular = Vector3d::Zero();
  double kinetic = 0;
};

inline void add_rigid(const World& world, BodyId body, Totals& totals) {
  const double m = world.mass(body);
  const Vector3d v = world.velocity(body);
  const Vector3d w = world.angular_velocity(body);
  totals.momentum += m * v;
  totals.angular += world.center_of_mass(body).cross(m * v) + world.inertia(body) * w;
  totals.kinetic += 0.5 * m * v.squaredNorm() + 0.5 * w.dot(world.inertia(body) * w);
}

inline void add_particles(const World& world, BodyId body, const std::vector<double>& mass, Totals& totals) {
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const Vector3d& v = world.velocities(body)[i];
    totals.momentum += mass[i] * v;
    totals.angular += world.positions(body)[i].cross(mass[i] * v);
    totals.kinetic += 0.5 * mass[i] * v.squaredNorm();
  }
}

/// Smallest distance of a contact between a shape and a surface; infinite without one.
inline double smallest_shape_distance(const World& world) {
  double smallest = INFINITY;
  for (const WorldContact& c : world.contacts()) {
    if ((c.anchor_a.feature == FeatureKind::point) != (c.anchor_b.feature == FeatureKind::point))
      smallest = std::min(smallest, c.distance);
  }
  return smallest;
}

inline std::size_t contacts_between(const World& world, BodyId a, BodyId b) {
  return static_cast<std::size_t>(std::count_if(
      world.contacts().begin(), world.contacts().end(),
      [&](const WorldContact& c) { return (c.body_a == a && c.body_b == b) || (c.body_a == b && c.body_b == a); }));
}

}  // namespace carom::mixed
