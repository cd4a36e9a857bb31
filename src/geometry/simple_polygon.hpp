#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"

/// Polygons in the plane whose edges touch nowhere but at common corners.
namespace carom::geometry {

/// Corners in the x-y plane at z = 0, counter-clockwise. Throws Error that names `what` and the corner, if there are
/// fewer than 3 or more than 10000, a coordinate is not finite, or edges cross or touch.
std::vector<Eigen::Vector3d> simple_polygon(const char* what, std::span<const Eigen::Vector2d> corners);

/// Triangles of a simple polygon, counter-clockwise like its corners: as many as corners less 2, with no other corners.
std::vector<Triangle> triangulate(std::span<const Eigen::Vector3d> polygon);

}  // namespace carom::geometry
