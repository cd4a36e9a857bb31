#pragma once

#include <Eigen/Geometry>
#include <optional>

#include "carom/shape/shape.hpp"

/// First hit of a ray on a shape, to rounding: by closed forms where there are any, for rounded cylinders, cones and
/// ellipsoids by Newton's iteration on the distance, which is convex along the ray.
namespace carom::rays {

struct Hit {
  double time = 0;         ///< m
  Eigen::Vector3d normal;  ///< unit, against the ray; minus its direction where it starts inside
};

/// `direction` has unit length, `limit` is in metres and may be infinite. See WorldHit for what counts as a hit.
std::optional<Hit> first_hit(const Shape& shape, const Eigen::Isometry3d& pose, const Eigen::Vector3d& origin,
                             const Eigen::Vector3d& direction, double limit);

}  // namespace carom::rays
