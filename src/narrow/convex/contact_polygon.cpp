#include "narrow/convex/contact_polygon.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "shapes/support.hpp"

namespace carom::convex {
namespace {

using Polygon = std::vector<Eigen::Vector3d>;
using shapes::CoreKind;

Polygon rim(double radius, double z, bool up) {
  Polygon polygon;
  for (int i = 0; i < 8; ++i) {
    const double angle = (up ? 1 : -1) * std::numbers::pi / 4 * i;
    polygon.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
  }
  return polygon;
}

/// The face of a box whose normal is nearest to d, if near enough; else its edge, else its corner.
Polygon of_box(const Eigen::Vector3d& half, const Eigen::Vector3d& d, double tilt) {
  Eigen::Vector3d corner;
  std::vector<Eigen::Index> free;
  for (Eigen::Index k = 0; k < 3; ++k) {
    corner[k] = std::copysign(half[k], d[k]);
    if (std::abs(d[k]) < tilt) free.push_back(k);
  }
  if (free.empty()) return {corner};
  Polygon polygon;
  if (free.size() == 1) {
    for (const double side : {1.0, -1.0}) {
      polygon.push_back(corner);
      polygon.back()[free[0]] = side * half[free[0]];
    }
    return polygon;
  }
  const Eigen::Index u = free[0];
  const Eigen::Index v = free[1];
  for (const auto& [a, b] : {std::pair{1.0, 1.0}, {-1.0, 1.0}, {-1.0, -1.0}, {1.0, -1.0}}) {
    polygon.push_back(corner);
    polygon.back()[u] = a * half[u];
    polygon.back()[v] = b * half[v];
  }
  const Eigen::Vector3d normal = (polygon[1] - polygon[0]).cross(polygon[2] - polygon[1]);
  if (normal.dot(d) < 0) std::reverse(polygon.begin(), polygon.end());
  return polygon;
}

Polygon of_hull(const shapes::HullData& hull, const Eigen::Vector3d& d, double tilt) {
  const auto at = static_cast<std::size_t>(shapes::hull_support(hull, math::to_vec3(d)).index);
  const auto point = [&](Index i) { return hull.points[static_cast<std::size_t>(i)]; };
  Index best = none;
  double best_slope = std::sqrt(1 - tilt * tilt);
  for (const Index f : hull.vertex_faces[at]) {
    const double slope = math::to_eigen(hull.face_normals[static_cast<std::size_t>(f)]).dot(d);
    if (slope >= best_slope) {
      best = f;
      best_slope = slope;
    }
  }
  Polygon polygon;
  if (best != none) {
    for (const Index i : hull.faces[static_cast<std::size_t>(best)]) polygon.push_back(point(i));
    return polygon;
  }
  polygon.push_back(hull.points[at]);
  double smallest = tilt;
  for (const Index i : hull.neighbours[at]) {
    const Eigen::Vector3d edge = point(i) - hull.points[at];
    const double slope = std::abs(edge.dot(d)) / edge.norm();
    if (slope >= smallest) continue;
    smallest = slope;
    polygon.resize(1);
    polygon.push_back(point(i));
  }
  return polygon;
}

}  // namespace

std::vector<Eigen::Vector3d> contact_polygon(const shapes::Core& core, const Eigen::Vector3d& d, double tilt) {
  const Eigen::Vector3d s = math::to_eigen(core.size);
  const double across = std::hypot(d.x(), d.y());
  switch (core.kind) {
    case CoreKind::box:
      return of_box(s, d, tilt);
    case CoreKind::hull:
      return of_hull(*core.hull, d, tilt);
    case CoreKind::segment:
      if (std::abs(d.z()) < tilt) return {{0, 0, s.z()}, {0, 0, -s.z()}};
      break;
    case CoreKind::cylinder:
      if (across < tilt) return rim(s.x(), std::copysign(s.z(), d.z()), d.z() > 0);
      if (std::abs(d.z()) < tilt) {
        const Eigen::Vector3d side(s.x() * d.x() / across, s.x() * d.y() / across, 0);
        return {side + Eigen::Vector3d(0, 0, s.z()), side - Eigen::Vector3d(0, 0, s.z())};
      }
      break;
    case CoreKind::cone:
      if (across < tilt && d.z() < 0) return rim(s.x(), -s.z(), false);
      if (across > 0) {
        const Eigen::Vector3d base(s.x() * d.x() / across, s.x() * d.y() / across, -s.z());
        const Eigen::Vector3d apex(0, 0, s.z());
        if (std::abs((apex - base).normalized().dot(d)) < tilt) return {apex, base};
      }
      break;
    default:
      break;
  }
  return {math::to_eigen(shapes::support(core, math::to_vec3(d)).p)};
}

}  // namespace carom::convex
