#pragma once

#include <Eigen/Core>
#include <vector>

#include "carom/shape/shape.hpp"

namespace carom::shapes {

/// The surface as triangles, outside counter-clockwise: of a hull exactly, of a mesh as it is, of a
/// round shape none.
std::vector<std::array<Eigen::Vector3d, 3>> surface_triangles(const Shape& shape);

/// Second moments of the surface about its centre, for finding its principal axes.
Eigen::Matrix3d surface_covariance(const Shape& shape);

}  // namespace carom::shapes
