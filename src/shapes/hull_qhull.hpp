#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom::shapes {

/// Faces of the convex hull of points that do not lie in a plane: the numbers of the corners of each, in no order. The
/// only function that knows qhull. `nullopt` where qhull gives up; then `why` holds what it said.
std::optional<std::vector<std::vector<Index>>> qhull_faces(std::span<const Eigen::Vector3d> points, std::string& why);

}  // namespace carom::shapes
