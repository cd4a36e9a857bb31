#include "mesh/brute_mesh.hpp"

#include <cmath>
#include <numbers>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/closest.hpp"

namespace carom::test {
namespace {

TrianglePoints placed(const TriangleMesh& mesh, std::size_t t, const Eigen::Isometry3d& pose) {
  TrianglePoints points;
  for (std::size_t k = 0; k < 3; ++k) points[k] = pose * mesh.positions[static_cast<std::size_t>(mesh.triangles[t][k])];
  return points;
}

double distance_of(const TrianglePoints& p, const TrianglePoints& q) {
  double smallest = INFINITY;
  for (std::size_t i = 0; i < 3; ++i) {
    smallest = std::min(smallest, closest_vertex_triangle(p[i], q[0], q[1], q[2]).distance);
    smallest = std::min(smallest, closest_vertex_triangle(q[i], p[0], p[1], p[2]).distance);
    for (std::size_t j = 0; j < 3; ++j) {
      smallest = std::min(smallest, closest_edge_edge(p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]).distance);
    }
  }
  return smallest;
}

}  // namespace

BrutePair brute_pair(const TriangleMesh& a, const Eigen::Isometry3d& pose_a, const TriangleMesh& b,
                     const Eigen::Isometry3d& pose_b) {
  BrutePair result;
  result.distance = INFINITY;
  for (std::size_t i = 0; i < a.triangles.size(); ++i) {
    const TrianglePoints p = placed(a, i, pose_a);
    for (std::size_t j = 0; j < b.triangles.size(); ++j) {
      const TrianglePoints q = placed(b, j, pose_b);
      if (intersects(p, q)) {
        result.meet = true;
        result.distance = 0;
        result.crossing.push_back({static_cast<Index>(i), static_cast<Index>(j)});
      } else if (!result.meet) {
        result.distance = std::min(result.distance, distance_of(p, q));
      }
    }
  }
  return result;
}

double winding_number(const TriangleMesh& mesh, const Eigen::Isometry3d& pose, const Eigen::Vector3d& p) {
  double sum = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const TrianglePoints c = placed(mesh, t, pose);
    const Eigen::Vector3d u = c[0] - p;
    const Eigen::Vector3d v = c[1] - p;
    const Eigen::Vector3d w = c[2] - p;
    sum += 2 * std::atan2(u.dot(v.cross(w)), u.norm() * v.norm() * w.norm() + u.dot(v) * w.norm() +
                                                 v.dot(w) * u.norm() + w.dot(u) * v.norm());
  }
  return sum / (4 * std::numbers::pi);
}

TriangleMesh joined(const TriangleMesh& a, const TriangleMesh& b, const Eigen::Vector3d& offset_b) {
  TriangleMesh result = a;
  const auto first = static_cast<Index>(a.positions.size());
  for (const Eigen::Vector3d& p : b.positions) result.positions.push_back(p + offset_b);
  for (const Triangle& t : b.triangles) result.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return result;
}

TriangleMesh torn(const TriangleMesh& mesh) {
  TriangleMesh result;
  for (const Triangle& t : mesh.triangles) {
    const auto first = static_cast<Index>(result.positions.size());
    for (const Index i : t) result.positions.push_back(mesh.positions[static_cast<std::size_t>(i)]);
    result.triangles.push_back({first, first + 1, first + 2});
  }
  return result;
}

TriangleMesh inside_out(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

}  // namespace carom::test
