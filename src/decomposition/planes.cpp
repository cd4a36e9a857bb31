#include "decomposition/planes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

namespace carom::decomposition {
namespace {

/// Sine of the angle between two triangles from which on their edge counts as concave: 1 degree.
constexpr double min_concavity = 0.0175;
/// Concave edges tried for one cut, each with two planes.
constexpr std::size_t max_edges = 16;
/// Slices of a piece along each axis, between which planes are tried.
constexpr int slices = 8;

bool same(const Plane& a, const Plane& b, double size) {
  const double turn = a.normal.dot(b.normal);
  return std::abs(turn) > 1 - 1e-6 && std::abs(a.offset - (turn > 0 ? b.offset : -b.offset)) < 1e-3 * size;
}

}  // namespace

std::vector<ConcaveEdge> concave_edges(const shapes::MeshData& mesh, double facing) {
  std::map<Edge, std::vector<Index>> triangles_of;
  const auto& triangles = mesh.mesh.triangles;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = mesh.vertex_at[static_cast<std::size_t>(triangles[t][k])];
      const Index b = mesh.vertex_at[static_cast<std::size_t>(triangles[t][(k + 1) % 3])];
      if (a != b) triangles_of[{std::min(a, b), std::max(a, b)}].push_back(static_cast<Index>(t));
    }
  }
  const auto plane_of = [&](Index t) {
    const Vector3d a = mesh.corner(t, 0);
    const Vector3d normal = facing * (mesh.corner(t, 1) - a).cross(mesh.corner(t, 2) - a).normalized();
    return Plane{normal, normal.dot(a)};
  };
  std::vector<ConcaveEdge> edges;
  for (const auto& [edge, sharing] : triangles_of) {
    if (sharing.size() != 2) continue;
    const Plane first = plane_of(sharing[0]);
    const Plane second = plane_of(sharing[1]);
    const Vector3d& from = mesh.mesh.positions[static_cast<std::size_t>(edge[0])];
    const Vector3d& to = mesh.mesh.positions[static_cast<std::size_t>(edge[1])];
    // The corner of the second triangle that is not on the edge is the one farthest from the line.
    double height = 0;
    double width = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d p = mesh.corner(sharing[1], k);
      const double away = (p - from).cross(to - from).norm() / (to - from).norm();
      if (away <= width) continue;
      width = away;
      height = first.height(p);
    }
    if (height > min_concavity * width) edges.push_back({from, to, first, second});
  }
  std::stable_sort(edges.begin(), edges.end(), [](const ConcaveEdge& a, const ConcaveEdge& b) {
    return (a.to - a.from).squaredNorm() > (b.to - b.from).squaredNorm();
  });
  return edges;
}

std::vector<Plane> candidate_planes(const std::vector<Vector3d>& points, const Vector3d& where,
                                    const std::vector<ConcaveEdge>& edges) {
  Vector3d min = points[0];
  Vector3d max = points[0];
  for (const Vector3d& p : points) {
    min = min.cwiseMin(p);
    max = max.cwiseMax(p);
  }
  const double size = (max - min).norm();
  std::vector<Plane> planes;
  const auto add = [&](const Plane& plane) {
    if (std::none_of(planes.begin(), planes.end(), [&](const Plane& p) { return same(p, plane, size); })) {
      planes.push_back(plane);
    }
  };
  std::size_t tried = 0;
  for (const ConcaveEdge& edge : edges) {
    if (tried == max_edges) break;
    const Vector3d middle = (edge.from + edge.to) / 2;
    if ((middle.array() < min.array() - 1e-9 * size).any() || (middle.array() > max.array() + 1e-9 * size).any())
      continue;
    add(edge.first);
    add(edge.second);
    ++tried;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d normal = Vector3d::Unit(axis);
    for (int i = 1; i < slices; ++i) add({normal, min[axis] + (max[axis] - min[axis]) * i / slices});
    add({normal, where[axis]});
  }
  return planes;
}

}  // namespace carom::decomposition
