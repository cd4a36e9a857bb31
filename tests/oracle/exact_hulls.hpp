#pragma once

#include <Eigen/Geometry>

#include "carom/shape/shape.hpp"
#include "oracle/exact_distance.hpp"

/// Two polytopes without rounding: corners are taken to the world in rational arithmetic.
namespace carom::oracle {

/// Squared distance of two hulls that are apart, from all pairs of their features. Boxes are hulls here.
mpq_class squared_distance(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                           const Eigen::Isometry3d& pose_b);

/// The smallest overlap over the normals of all faces and the cross products of all pairs of edges, in rational
/// arithmetic but for the length of each normal; negative if one of them separates the hulls.
double depth(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b);

}  // namespace carom::oracle
