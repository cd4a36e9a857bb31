#pragma once

#include <Eigen/Core>
#include <vector>

namespace carom::convex {

using FlatPoints = std::vector<Eigen::Vector2d>;

/// Common part of two convex sets of the plane that touch or overlap. Each is a point, the two ends of a segment,
/// or a polygon counter-clockwise, and so is the answer. What is beside by less than `slack` counts as common.
FlatPoints common_part(const FlatPoints& a, const FlatPoints& b, double slack);

}  // namespace carom::convex
