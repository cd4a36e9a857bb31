#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"

/// Triangulation of a region of a plane whose borders and inner lines are given as edges (Sloan 1993, by sweep and
/// flips). All decisions are signs of exact orientations of the points as projected along an axis.
namespace carom::geometry {

/// Region of a plane. Points need to be in the plane to rounding only: what counts is their projection.
struct PlanarRegion {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<Index, 2>> border;  ///< directed: the region is to the left, seen against the normal
  std::vector<std::array<Index, 2>> lines;   ///< edges within the region, in any direction
  int axis = 2;                              ///< along which points are projected
  bool flipped = false;                      ///< the normal of the plane points down that axis
};

/// Axis along which a plane of this normal is projected, its largest component.
int projection_axis(const Eigen::Vector3d& normal);

/// Triangles over the points, counter-clockwise seen against the normal; every border and line is an edge of them.
/// Nothing if two points coincide, or if edges cross or pass through points, or if the border does not close.
std::optional<std::vector<Triangle>> triangulate(const PlanarRegion& region);

}  // namespace carom::geometry
