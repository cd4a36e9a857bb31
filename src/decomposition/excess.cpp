#include "decomposition/excess.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <queue>

#include "narrow/mesh/point_queries.hpp"

namespace carom::decomposition {
namespace {

/// Cubes examined to tighten a bound that is already below the tolerance.
constexpr int refinement_budget = 3000;
/// Cubes examined at most; where they do not suffice the bound stays above the tolerance.
constexpr int decision_budget = 200000;

struct Cube {
  Vector3d middle;
  double half = 0;      ///< m, of the edge
  double distance = 0;  ///< m, of the middle from the surface of the solid; negative inside
  double upper = 0;     ///< m, bound on the excess inside

  bool operator<(const Cube& other) const { return upper < other.upper; }
};

class Search {
 public:
  Search(const shapes::MeshData& solid, const shapes::HullData& hull) : solid_(solid) {
    for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
      const math::Vec3& n = hull.face_normals[f];
      const Vector3d normal(n.x, n.y, n.z);
      faces_.push_back({normal, normal.dot(hull.points[static_cast<std::size_t>(hull.faces[f][0])])});
    }
    Vector3d min = hull.points[0];
    Vector3d max = hull.points[0];
    for (const Vector3d& p : hull.points) {
      min = min.cwiseMin(p);
      max = max.cwiseMax(p);
    }
    const Vector3d middle = (min + max) / 2;
    push(middle, (max - min).maxCoeff() / 2, signed_distance(middle, std::numeric_limits<double>::infinity()));
  }

  Excess run(double tolerance) {
    for (int examined = 0; !cubes_.empty() && examined < decision_budget; ++examined) {
      const Cube cube = cubes_.top();
      const bool decided = cube.upper <= tolerance;
      if (excess_.lower > tolerance) break;
      if (decided && (examined >= refinement_budget || cube.upper <= excess_.lower + 0.02 * tolerance)) break;
      cubes_.pop();
      for (int i = 0; i < 8; ++i) {
        const double h = cube.half / 2;
        const Vector3d middle = cube.middle + Vector3d(i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h);
        if (height(middle) > std::sqrt(3.0) * h) continue;  // outside of the hull
        push(middle, h, distance_near(cube, middle));
      }
    }
    excess_.upper = cubes_.empty() ? excess_.lower : std::max(excess_.lower, cubes_.top().upper);
    return excess_;
  }

 private:
  /// Height of a point above the hull's highest face plane; not above 0 inside.
  double height(const Vector3d& p) const {
    double highest = -std::numeric_limits<double>::infinity();
    for (const Plane& face : faces_) highest = std::max(highest, face.height(p));
    return highest;
  }

  double signed_distance(const Vector3d& p, double below) const {
    const math::Vec3 point{p.x(), p.y(), p.z()};
    const double distance = mesh::nearest(solid_, point, below).distance;
    return mesh::inside(solid_, point) ? -distance : distance;
  }

  /// The signed distance of a point near the middle of a cube, which bounds it and may tell its sign.
  double distance_near(const Cube& cube, const Vector3d& p) const {
    const double away = (p - cube.middle).norm();
    const double below = (std::abs(cube.distance) + away) * (1 + 1e-9) + std::numeric_limits<double>::min();
    if (std::abs(cube.distance) <= away * (1 + 1e-9)) return signed_distance(p, below);
    const double distance = mesh::nearest(solid_, {p.x(), p.y(), p.z()}, below).distance;
    return std::copysign(distance, cube.distance);
  }

  void push(const Vector3d& middle, double half, double distance) {
    if (distance > excess_.lower && height(middle) <= 0) {
      excess_.lower = distance;
      excess_.where = middle;
    }
    const double upper = distance + std::sqrt(3.0) * half;
    if (upper > excess_.lower) cubes_.push({middle, half, distance, upper});
  }

  const shapes::MeshData& solid_;
  std::vector<Plane> faces_;
  std::priority_queue<Cube> cubes_;
  Excess excess_;
};

/// Calls visit(a, b, c) with the corners of the triangles of a hull's faces, relative to its first corner.
template <class Visit>
void for_each_triangle(const shapes::HullData& hull, const Visit& visit) {
  const Vector3d& o = hull.points[0];
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const auto face = hull.faces[f];
    const auto corner = [&](std::size_t k) -> Vector3d { return hull.points[static_cast<std::size_t>(face[k])] - o; };
    for (std::size_t k = 1; k + 1 < face.size(); ++k) visit(corner(0), corner(k), corner(k + 1));
  }
}

}  // namespace

Excess measure_excess(const shapes::MeshData& solid, const shapes::HullData& hull, double tolerance) {
  return Search(solid, hull).run(tolerance);
}

double volume(const shapes::HullData& hull) {
  if (hull.dimension < 3) return 0;
  double sum = 0;
  for_each_triangle(hull, [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) { sum += a.dot(b.cross(c)); });
  return sum / 6;
}

double area(const shapes::HullData& hull) {
  double sum = 0;
  for_each_triangle(
      hull, [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) { sum += (b - a).cross(c - a).norm(); });
  return sum / 2;
}

}  // namespace carom::decomposition
