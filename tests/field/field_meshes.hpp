#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "carom/mesh/closest.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/mesh/mesh.hpp"

/// Closed meshes of many kinds, and their signed distance triangle by triangle.
namespace carom::fields {

using Eigen::Vector3d;

struct NamedMesh {
  std::string name;
  TriangleMesh mesh;
};

inline TriangleMesh moved(TriangleMesh mesh, const Vector3d& by) {
  for (Vector3d& p : mesh.positions) p += by;
  return mesh;
}

inline TriangleMesh turned(TriangleMesh mesh) {
  const Eigen::AngleAxisd turn(0.7, Vector3d(1, 2, -0.5).normalized());
  for (Vector3d& p : mesh.positions) p = turn * p;
  return mesh;
}

inline TriangleMesh inside_out(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

inline TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
  const auto first = static_cast<Index>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (const Triangle& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

/// Ball with vertices moved at random: spikes, slivers, and triangles that cut each other.
inline TriangleMesh crumpled(std::uint64_t seed, double amount) {
  TriangleMesh mesh = make_icosphere(0.5, 2);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> u(-amount, amount);
  for (Vector3d& p : mesh.positions) p += Vector3d(u(random), u(random), u(random));
  return mesh;
}

/// Box with one corner cut into triangles a thousand times smaller than the others.
inline TriangleMesh tiny_and_huge() {
  TriangleMesh mesh = make_box({1, 0.7, 0.4});
  for (int round = 0; round < 10; ++round) {
    // The triangle that is last is cut at its middle in three.
    const Triangle t = mesh.triangles.back();
    mesh.triangles.pop_back();
    const auto at = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    const auto middle = static_cast<Index>(mesh.positions.size());
    mesh.positions.push_back((at(0) + at(1) + at(2)) / 3);
    for (std::size_t k = 0; k < 3; ++k) mesh.triangles.push_back({t[k], t[(k + 1) % 3], middle});
  }
  return mesh;
}

inline std::vector<NamedMesh> closed_meshes() {
  return {
      {"ball", make_icosphere(0.5, 3)},
      {"box", make_box({1, 0.8, 0.6})},
      {"turned box", turned(make_box({1, 0.8, 0.6}))},
      {"thin plate", turned(make_box({1, 0.004, 0.7}))},
      {"needle", turned(make_box({1, 0.01, 0.01}))},
      {"torus", make_torus(0.5, 0.2, 32, 16)},
      {"tiny and huge triangles", tiny_and_huge()},
      {"two boxes that share an edge",
       joined(make_box({0.5, 0.5, 0.5}), moved(make_box({0.5, 0.5, 0.5}), {0.5, 0.5, 0}))},
      {"two boxes that share a corner",
       joined(make_box({0.5, 0.5, 0.5}), moved(make_box({0.5, 0.5, 0.5}), {0.5, 0.5, 0.5}))},
      {"two boxes that overlap", joined(turned(make_box({1, 0.5, 0.5})), make_box({0.4, 0.9, 0.3}))},
      {"box with a hollow", joined(make_box({1, 1, 1}), inside_out(turned(make_box({0.5, 0.5, 0.5}))))},
      {"inside out", inside_out(make_icosphere(0.5, 2))},
      {"crumpled", crumpled(1, 0.08)},
      {"far from the origin", moved(make_torus(0.5, 0.2, 24, 12), {1e4, -3e4, 2e3})},
      {"small",
       [] {
         TriangleMesh mesh = make_torus(0.5, 0.2, 24, 12);
         for (Vector3d& p : mesh.positions) p *= 1e-5;
         return mesh;
       }()},
  };
}

/// Winding number from solid angles, which shares nothing with rays; for points off the surface.
inline int winding_by_angles(const TriangleMesh& mesh, const Vector3d& p) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vector3d a = mesh.positions[static_cast<std::size_t>(t[0])] - p;
    const Vector3d b = mesh.positions[static_cast<std::size_t>(t[1])] - p;
    const Vector3d c = mesh.positions[static_cast<std::size_t>(t[2])] - p;
    const double la = a.norm();
    const double lb = b.norm();
    const double lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return static_cast<int>(std::lround(sum / (4 * std::numbers::pi)));
}

inline double unsigned_distance(const TriangleMesh& mesh, const Vector3d& p) {
  double nearest = INFINITY;
  for (const Triangle& t : mesh.triangles) {
    const auto at = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    nearest = std::min(nearest, closest_vertex_triangle(p, at(0), at(1), at(2)).distance);
  }
  return nearest;
}

/// Signed distance, triangle by triangle; `room` as in Shape::is_room().
inline double signed_distance(const TriangleMesh& mesh, bool room, const Vector3d& p) {
  const int winding = winding_by_angles(mesh, p);
  const double distance = unsigned_distance(mesh, p);
  return (room ? winding >= 0 : winding != 0) ? -distance : distance;
}

inline Vector3d random_vector(std::mt19937_64& random, double size) {
  std::uniform_real_distribution<double> u(-size, size);
  const double x = u(random);
  const double y = u(random);
  return {x, y, u(random)};
}

/// Points that are hard on a field: in all of the box around a mesh and far beyond, on and next to faces, edges and
/// vertices, on both sides.
inline std::vector<Vector3d> hard_points(const TriangleMesh& mesh, double band, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Vector3d low = mesh.positions[0];
  Vector3d high = low;
  for (const Vector3d& p : mesh.positions) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Vector3d middle = 0.5 * (low + high);
  const double size = 0.5 * (high - low).norm();
  std::uniform_real_distribution<double> u(0, 1);
  std::vector<Vector3d> points{middle, low, high};
  for (int i = 0; i < count; ++i) {
    const Triangle& t = mesh.triangles[random() % mesh.triangles.size()];
    const auto at = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    const double s = u(random);
    const double r = std::sqrt(u(random));
    const Vector3d on_face = (1 - r) * at(0) + r * ((1 - s) * at(1) + s * at(2));
    const Vector3d on_edge = (1 - s) * at(0) + s * at(1);
    switch (i % 8) {
      case 0:
        points.push_back(middle + random_vector(random, 1.2 * size));
        break;
      case 1:
        points.push_back(on_face + random_vector(random, band));
        break;
      case 2:
        points.push_back(on_edge + random_vector(random, band));
        break;
      case 3:
        points.push_back(at(0) + random_vector(random, band));
        break;
      case 4:
        points.push_back(on_face + random_vector(random, 1e-6 * size));
        break;
      case 5:
        points.push_back(on_edge + random_vector(random, 0.1 * band));
        break;
      case 6:
        points.push_back(middle + random_vector(random, 20 * size));
        break;
      default:
        points.push_back(middle + u(random) * (on_face - middle));
    }
  }
  return points;
}

}  // namespace carom::fields
