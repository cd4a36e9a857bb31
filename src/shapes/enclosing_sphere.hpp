#pragma once

#include <Eigen/Core>
#include <span>

#include "carom/shape/shape.hpp"

namespace carom::shapes {

/// The smallest sphere that holds all points, by Welzl's method with the point that stopped it moved to
/// the front; the radius is rounded up so that no point is outside. At least one point.
BoundingSphere enclosing_sphere(std::span<const Eigen::Vector3d> points);

}  // namespace carom::shapes
