#pragma once

#include <span>

#include "carom/detect/intersect.hpp"

namespace carom::geometry {

/// A triangle, and for each corner its side of the plane of another one: the sign of orient3d, and zero for all
/// if the other one has no plane.
struct SidedTriangle {
  TrianglePoints corners;
  std::array<int, 3> side{};
};

std::array<int, 3> sides_of(const TrianglePoints& of, const TrianglePoints& plane);

/// Whether two triangles have a point in common that is not in the hull of `shared`, corners of both
/// (none, one or two). Exact; the points must be finite.
bool meet_beyond(const SidedTriangle& a, const SidedTriangle& b, std::span<const Eigen::Vector3d> shared);
bool meet_beyond(const TrianglePoints& a, const TrianglePoints& b, std::span<const Eigen::Vector3d> shared);

/// Where; the triangles must have a point in common.
TriangleIntersection intersection_of(const TrianglePoints& a, const TrianglePoints& b);

}  // namespace carom::geometry
