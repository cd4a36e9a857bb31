#include "decomposition/piece.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace carom::decomposition {
namespace {

struct Sides {
  bool below = false;
  bool above = false;
};

Sides sides_of(const Polygon& polygon, const Plane& plane, double thickness) {
  Sides sides;
  for (const Vector3d& p : polygon) {
    const double height = plane.height(p);
    sides.below |= height < -thickness;
    sides.above |= height > thickness;
  }
  return sides;
}

/// The corners of a polygon that are not above the plane, and the points where its sides cross it.
Polygon below(const Polygon& polygon, const Plane& plane, double thickness) {
  Polygon rest;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector3d& p = polygon[i];
    const Vector3d& q = polygon[(i + 1) % polygon.size()];
    const double hp = plane.height(p);
    const double hq = plane.height(q);
    if (hp <= thickness) rest.push_back(p);
    if ((hp < -thickness && hq > thickness) || (hp > thickness && hq < -thickness)) {
      rest.emplace_back(p + hp / (hp - hq) * (q - p));
    }
  }
  return rest;
}

/// The face that a plane gives a convex cell: the corners of its cut faces that lie in the plane, in order around it.
Polygon section(const std::vector<Polygon>& faces, const Plane& plane, double thickness) {
  Polygon points;
  Vector3d middle = Vector3d::Zero();
  for (const Polygon& face : faces) {
    for (const Vector3d& p : face) {
      if (std::abs(plane.height(p)) > thickness) continue;
      const bool known =
          std::any_of(points.begin(), points.end(), [&](const Vector3d& q) { return (p - q).norm() <= thickness; });
      if (known) continue;
      points.push_back(p);
      middle += p;
    }
  }
  if (points.size() < 3) return {};
  middle /= static_cast<double>(points.size());
  const Vector3d u = (points[0] - middle).normalized();
  const Vector3d v = plane.normal.cross(u);
  std::sort(points.begin(), points.end(), [&](const Vector3d& a, const Vector3d& b) {
    return std::atan2(v.dot(a - middle), u.dot(a - middle)) < std::atan2(v.dot(b - middle), u.dot(b - middle));
  });
  return points;
}

}  // namespace

Piece cut(const Piece& piece, const Plane& plane, double thickness) {
  Piece rest;
  for (const Facet& facet : piece.surface) {
    const Sides sides = sides_of(facet.corners, plane, thickness);
    if (!sides.below && !sides.above) {
      if (facet.normal.dot(plane.normal) > 0) rest.surface.push_back(facet);
    } else if (!sides.above) {
      rest.surface.push_back(facet);
    } else if (sides.below) {
      rest.surface.push_back({below(facet.corners, plane, thickness), facet.normal});
    }
  }
  for (const Polygon& face : piece.cell) {
    const Sides sides = sides_of(face, plane, thickness);
    if (!sides.below) continue;
    rest.cell.push_back(sides.above ? below(face, plane, thickness) : face);
  }
  Polygon face = section(rest.cell, plane, thickness);
  if (!face.empty()) rest.cell.push_back(std::move(face));
  return rest;
}

std::vector<Vector3d> extreme_points(const Piece& piece) {
  std::vector<Vector3d> points = piece.cell_corners;
  for (const Facet& facet : piece.surface) points.insert(points.end(), facet.corners.begin(), facet.corners.end());
  const auto less = [](const Vector3d& a, const Vector3d& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  };
  std::sort(points.begin(), points.end(), less);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

std::vector<Polygon> box_faces(const Vector3d& min, const Vector3d& max) {
  std::vector<Polygon> faces;
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    for (const Vector3d* side : {&min, &max}) {
      Polygon face(4, *side);
      face[1][u] = face[2][u] = ((*side)[u] == min[u] ? max : min)[u];
      face[2][v] = face[3][v] = ((*side)[v] == min[v] ? max : min)[v];
      faces.push_back(std::move(face));
    }
  }
  return faces;
}

}  // namespace carom::decomposition
