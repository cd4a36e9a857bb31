#pragma once

#include <rapidcheck.h>

#include <Eigen/Geometry>
#include <cmath>
#include <set>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/mesh/surface.hpp"
#include "carom/world/world.hpp"

/// Worlds in which blades cut sheets, and what must hold of these.
namespace carom {

using Eigen::Vector3d;

inline WorldOptions weightless(int threads = 1) {
  WorldOptions options;
  options.gravity = {0, 0, 0};
  options.dt = 1.0 / 60;
  options.contact.distance = 0.004;
  options.threads = threads;
  return options;
}

/// A box whose edge of y, from -0.2 to 0.2 m, is a blade; it collides with nothing.
inline BodyId add_knife(World& world, const Vector3d& place, const Vector3d& velocity) {
  RigidBody body;
  body.name = "knife";
  body.shape = Shape::box({0.01, 0.2, 0.001});
  body.motion = MotionModel::scripted;
  body.pose.translation() = place;
  body.velocity = velocity;
  body.filter = {.group = 2, .mask = 0};
  const BodyId id = world.add(body);
  world.add_blade(id, {{{0, -0.2, 0}, {0, 0.2, 0}}});
  return id;
}

/// A straight cut in the x-z plane, from one point to another.
inline BladePath straight(const Vector3d& from, const Vector3d& to) {
  const Vector3d up(0, 0.3, 0);
  return {{{from - up, from + up}, {to - up, to + up}}};
}

/// Cuts all bodies of a set; those that come off join it.
inline void cut_all(World& world, const BladePath& path, std::set<BodyId>& bodies) {
  const std::set<BodyId> now = bodies;
  for (const BodyId id : now) {
    const WorldCut cut = world.cut(id, path);
    bodies.insert(cut.pieces.begin(), cut.pieces.end());
  }
}

inline double area_of(const World& world, BodyId id) {
  double area = 0;
  for (const Triangle& t : world.triangles(id)) {
    const auto p = world.positions(id);
    const Vector3d a = p[static_cast<std::size_t>(t[0])];
    area += 0.5 * (p[static_cast<std::size_t>(t[1])] - a).cross(p[static_cast<std::size_t>(t[2])] - a).norm();
  }
  return area;
}

inline TriangleMesh mesh_of(const World& world, BodyId id) {
  TriangleMesh mesh;
  const auto positions = world.positions(id);
  const auto triangles = world.triangles(id);
  mesh.positions.assign(positions.begin(), positions.end());
  mesh.triangles.assign(triangles.begin(), triangles.end());
  return mesh;
}

/// Manifold with a border, oriented, no triangle thinner than snapping allows.
inline void expect_surface(const World& world, BodyId id) {
  const MeshReport report = inspect(mesh_of(world, id));
  RC_ASSERT(report.nonmanifold_edges.empty());
  RC_ASSERT(report.nonmanifold_vertices.empty());
  RC_ASSERT(report.inconsistent_edges.empty());
  RC_ASSERT(report.repeated_corner_triangles.empty());
  RC_ASSERT(report.zero_area_triangles.empty());
}

/// Least height of all triangles, and mean of the least heights of each.
struct Heights {
  double least = INFINITY;
  double mean = 0;
};
inline Heights heights_of(const TriangleMesh& mesh) {
  Heights found;
  for (const Triangle& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k % 3])]; };
    double height = INFINITY;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d along = corner(k + 1) - corner(k);
      height = std::min(height, along.cross(corner(k + 2) - corner(k)).norm() / along.norm());
    }
    found.least = std::min(found.least, height);
    found.mean += height / static_cast<double>(mesh.triangles.size());
  }
  return found;
}

/// Pairs of triangles of all sheets that intersect, and those of them that have no corner at one place.
struct Touching {
  std::size_t pairs = 0;
  std::size_t elsewhere = 0;
};
inline Touching touching(const World& world) {
  std::vector<Vector3d> positions;
  std::vector<Triangle> triangles;
  for (const BodyId id : world.bodies()) {
    if (world.motion(id) != MotionModel::particles) continue;
    const auto first = static_cast<Index>(positions.size());
    positions.insert(positions.end(), world.positions(id).begin(), world.positions(id).end());
    for (const Triangle& t : world.triangles(id)) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  Touching found;
  for (const auto& pair : intersections(Surface(positions.size(), triangles), positions)) {
    ++found.pairs;
    bool meet = false;
    for (const Index a : triangles[static_cast<std::size_t>(pair.a)]) {
      for (const Index b : triangles[static_cast<std::size_t>(pair.b)])
        meet |= positions[static_cast<std::size_t>(a)] == positions[static_cast<std::size_t>(b)];
    }
    found.elsewhere += meet ? 0 : 1;
  }
  return found;
}

}  // namespace carom
