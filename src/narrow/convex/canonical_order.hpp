#pragma once

#include <Eigen/Geometry>

#include "shapes/core.hpp"

namespace carom::convex {

/// Whether the pair is to be computed with b first. Depends on what the shapes and poses are and not on which is called
/// a, so both orders are computed by the same operations and mirror each other to the last bit. Two cores that are
/// equal in everything need no order.
bool swapped(const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
             const Eigen::Isometry3d& pose_b);

}  // namespace carom::convex
