#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "carom/mesh/generate.hpp"
#include "mesh/generate_check.hpp"

// The sphere, and the surfaces that close in two directions: torus and tube.
namespace carom {
namespace {

using Eigen::Vector3d;

constexpr double turn = 2 * std::numbers::pi;

TriangleMesh icosahedron() {
  const double g = std::numbers::phi;
  TriangleMesh mesh;
  mesh.positions = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                    {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  for (Vector3d& p : mesh.positions) p.normalize();
  mesh.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  return mesh;
}

/// Each triangle in four, with one new vertex a shared edge, pushed out to the unit sphere.
TriangleMesh subdivide(const TriangleMesh& mesh) {
  const Topology topology = build_topology(mesh.positions.size(), mesh.triangles);
  const auto old_count = static_cast<Index>(mesh.positions.size());
  TriangleMesh fine;
  fine.positions.reserve(mesh.positions.size() + topology.edges.size());
  fine.positions = mesh.positions;
  for (const auto& [a, b] : topology.edges)
    fine.positions.push_back(
        (mesh.positions[static_cast<std::size_t>(a)] + mesh.positions[static_cast<std::size_t>(b)]).normalized());
  fine.triangles.reserve(4 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    const Index ab = old_count + topology.triangle_edges[t][0];
    const Index bc = old_count + topology.triangle_edges[t][1];
    const Index ca = old_count + topology.triangle_edges[t][2];
    fine.triangles.push_back({a, ab, ca});
    fine.triangles.push_back({b, bc, ab});
    fine.triangles.push_back({c, ca, bc});
    fine.triangles.push_back({ab, bc, ca});
  }
  return fine;
}

/// Quads between ring i and ring i + 1, the last joined to the first. Outward if a ring turns clockwise for
/// one who looks along the rings.
std::vector<Triangle> join_rings(int along, int across) {
  std::vector<Triangle> triangles;
  triangles.reserve(2 * static_cast<std::size_t>(along) * static_cast<std::size_t>(across));
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < across; ++j) {
      const Index here = i * across;
      const Index there = (i + 1 == along ? 0 : i + 1) * across;
      const int next = j + 1 == across ? 0 : j + 1;
      triangles.push_back({here + j, here + next, there + next});
      triangles.push_back({here + j, there + next, there + j});
    }
  return triangles;
}

struct Frame {
  Vector3d point;
  Vector3d tangent;
  Vector3d normal;

  Vector3d binormal() const { return tangent.cross(normal); }
};

Vector3d reflect(const Vector3d& v, const Vector3d& mirror) {
  return v - (2 * v.dot(mirror) / mirror.squaredNorm()) * mirror;
}

/// The normal carried from one frame to the next point without turning about the curve, by two
/// reflections (Wang, Juttler, Zheng, Liu: Computation of rotation minimizing frames, 2008, section 4).
Vector3d carry(const Frame& from, const Vector3d& point, const Vector3d& tangent) {
  const Vector3d chord = (point - from.point).stableNormalized();
  const Vector3d tangent_reflected = reflect(from.tangent, chord);
  const Vector3d normal_reflected = reflect(from.normal, chord);
  const Vector3d mirror = tangent - tangent_reflected;
  const Vector3d normal = mirror.squaredNorm() > 0 ? reflect(normal_reflected, mirror) : normal_reflected;
  return (normal - normal.dot(tangent) * tangent).normalized();
}

std::vector<Frame> sample(const std::function<Vector3d(double)>& closed_curve, int along) {
  std::vector<Frame> frames(static_cast<std::size_t>(along));
  for (int i = 0; i < along; ++i) {
    const double t = static_cast<double>(i) / along;
    frames[static_cast<std::size_t>(i)].point = closed_curve(t);
    require(is_finite(frames[static_cast<std::size_t>(i)].point), ErrorCode::invalid_argument,
            "make_tube: closed_curve({}) is not finite", t);
  }
  const std::size_t n = frames.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vector3d& here = frames[i].point;
    const Vector3d& next = frames[(i + 1) % n].point;
    const Vector3d tangent = next - frames[(i + n - 1) % n].point;
    require(here != next && tangent.stableNorm() > 0 && is_finite(tangent), ErrorCode::invalid_argument,
            "make_tube: closed_curve stands still or turns back at t = {}", static_cast<double>(i) / along);
    frames[i].tangent = tangent.stableNormalized();
  }
  return frames;
}

/// Frames that turn about the curve as little as they can and meet themselves where it closes: the angle
/// that is left after one round is taken back evenly along the way.
std::vector<Frame> frames_along(const std::function<Vector3d(double)>& closed_curve, int along) {
  std::vector<Frame> frames = sample(closed_curve, along);
  frames[0].normal = frames[0].tangent.unitOrthogonal();
  for (std::size_t i = 1; i < frames.size(); ++i)
    frames[i].normal = carry(frames[i - 1], frames[i].point, frames[i].tangent);
  const Vector3d back = carry(frames.back(), frames[0].point, frames[0].tangent);
  const double twist = std::atan2(back.dot(frames[0].binormal()), back.dot(frames[0].normal));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const double angle = -twist * static_cast<double>(i) / along;
    frames[i].normal = std::cos(angle) * frames[i].normal + std::sin(angle) * frames[i].binormal();
  }
  return frames;
}

}  // namespace

TriangleMesh make_icosphere(double radius, int subdivisions) {
  mesh::require_positive("make_icosphere", "radius", radius);
  mesh::require_at_least("make_icosphere", "subdivisions", subdivisions, 0);
  mesh::require_indexable("make_icosphere", "subdivisions", 20 * std::pow(4.0, subdivisions));
  TriangleMesh mesh = icosahedron();
  for (int i = 0; i < subdivisions; ++i) mesh = subdivide(mesh);
  for (Vector3d& p : mesh.positions) p *= radius;
  return mesh;
}

TriangleMesh make_torus(double radius, double tube_radius, int around, int across) {
  mesh::require_positive("make_torus", "radius", radius);
  mesh::require_positive("make_torus", "tube_radius", tube_radius);
  require(tube_radius < radius, ErrorCode::invalid_argument,
          "make_torus: tube_radius is {}; expected less than radius, {}, or the torus cuts itself", tube_radius,
          radius);
  require(std::isfinite(radius + tube_radius), ErrorCode::invalid_argument,
          "make_torus: radius is {}; with tube_radius the size is not a finite number", radius);
  mesh::require_at_least("make_torus", "around", around, 3);
  mesh::require_at_least("make_torus", "across", across, 3);
  mesh::require_indexable("make_torus", "around and across", 2.0 * around * across);

  TriangleMesh mesh;
  mesh.positions.reserve(static_cast<std::size_t>(around) * static_cast<std::size_t>(across));
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double u = turn * i / around;
      const double v = turn * j / across;
      const double from_axis = radius + tube_radius * std::cos(v);
      mesh.positions.emplace_back(from_axis * std::cos(u), tube_radius * std::sin(v), from_axis * std::sin(u));
    }
  mesh.triangles = join_rings(around, across);
  return mesh;
}

TriangleMesh make_tube(const std::function<Vector3d(double)>& closed_curve, double tube_radius, int along, int across) {
  require(static_cast<bool>(closed_curve), ErrorCode::invalid_argument, "make_tube: closed_curve is empty");
  mesh::require_positive("make_tube", "tube_radius", tube_radius);
  mesh::require_at_least("make_tube", "along", along, 3);
  mesh::require_at_least("make_tube", "across", across, 3);
  mesh::require_indexable("make_tube", "along and across", 2.0 * along * across);

  TriangleMesh mesh;
  mesh.positions.reserve(static_cast<std::size_t>(along) * static_cast<std::size_t>(across));
  for (const Frame& frame : frames_along(closed_curve, along))
    for (int j = 0; j < across; ++j) {
      const double v = turn * j / across;
      mesh.positions.push_back(frame.point +
                               tube_radius * (std::cos(v) * frame.normal + std::sin(v) * frame.binormal()));
    }
  mesh.triangles = join_rings(along, across);
  return mesh;
}

Vector3d trefoil(double t, double radius, double height) {
  // Twice around the axis while three times around the middle circle; the strands swing half a radius in and out.
  const double from_axis = radius * (1 + 0.5 * std::cos(3 * turn * t));
  return {from_axis * std::cos(2 * turn * t), height * std::sin(3 * turn * t), from_axis * std::sin(2 * turn * t)};
}

}  // namespace carom
