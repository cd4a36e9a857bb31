#pragma once

#include <Eigen/Core>
#include <vector>

#include "shapes/core.hpp"

namespace carom::convex {

/// The part of a core that lies farthest along a unit direction, in its own frame: a point, the two ends of a
/// segment, or the corners of a face, counter-clockwise seen from outside. What is tilted by less than `tilt` (a sine)
/// counts as lying across the direction. Round rims become polygons.
std::vector<Eigen::Vector3d> contact_polygon(const shapes::Core& core, const Eigen::Vector3d& direction, double tilt);

}  // namespace carom::convex
