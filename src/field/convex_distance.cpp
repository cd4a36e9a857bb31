#include "field/convex_distance.hpp"

#include <limits>

#include "narrow/surface/point_distance.hpp"
#include "shapes/shape_data.hpp"

// The signed distance d_k from a convex shape is a convex function of the point: the interpolation of its own values is
// nowhere below it, and it is nowhere below its tangent plane in the middle of the cell. For d, the smallest of all
// d_k, with values d_i at the corners and the interpolation f:
//
//   f - d = max_k (f - d_k) <= max_k max_i (d_i - tangent_k(x_i)),  as f - tangent_k is largest at a corner;
//   d - f <= d_k - f <= max_i (d_k(x_i) - d_i) for every k, 0 if there is one shape alone.
namespace carom::field {
namespace {

/// Rounding of closed forms and of GJK, over the size of the shape and the distance from it.
constexpr double convex_rounding = 1e-11;

}  // namespace

ConvexDistance::ConvexDistance(const Shape& shape) : shape_(shape) {
  if (shape_.kind() == ShapeKind::compound) {
    for (const Shape::Part& part : shape_.parts()) parts_.push_back({&part.shape.data().core, part.pose});
  } else {
    parts_.push_back({&shape_.data().core, Eigen::Isometry3d::Identity()});
  }
  const BoundingSphere ball = shape_.bounding_sphere();
  size_ = ball.center.norm() + ball.radius;
}

ConvexDistance::PartDistance ConvexDistance::from(const Part& part, const Vec3& p) {
  const Eigen::Vector3d local = part.pose.linear().transpose() * (math::to_eigen(p) - part.pose.translation());
  const narrow::surface::PointDistance d = narrow::surface::point_distance(*part.core, math::to_vec3(local), INFINITY);
  return {d.distance, math::to_vec3(part.pose.linear() * math::to_eigen(d.normal))};
}

double ConvexDistance::rounding(double reach) const {
  return convex_rounding * (size_ + reach);
}

ExactDistance ConvexDistance::at(const Vec3& p, double /*below*/, KnownSide /*side*/) const {
  PartDistance best{INFINITY, {}};
  for (const Part& part : parts_) {
    const PartDistance d = from(part, p);
    if (d.value < best.value) best = d;
  }
  return {best.value, p - best.value * best.gradient};
}

double ConvexDistance::error_bound(const CellSamples& cell, double /*wanted*/) const {
  double above = -INFINITY;
  double below = INFINITY;
  for (const Part& part : parts_) {
    const PartDistance middle = from(part, cell.middle);
    double largest = parts_.size() == 1 ? 0.0 : -INFINITY;
    for (std::size_t i = 0; i < 8; ++i) {
      const double tangent = middle.value + dot(middle.gradient, cell.corners[i] - cell.middle);
      above = std::max(above, cell.values[i] - tangent);
      if (parts_.size() > 1) largest = std::max(largest, from(part, cell.corners[i]).value - cell.values[i]);
    }
    below = std::min(below, largest);
  }
  return std::min(std::max({above, below, 0.0}), lipschitz_bound(cell));
}

}  // namespace carom::field
