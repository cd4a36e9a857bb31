#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "field/mesh_distance.hpp"
#include "shapes/core.hpp"

namespace carom::field {

/// Signed distance from a union of convex shapes, the smallest of theirs, and the error of interpolating it.
class ConvexDistance {
 public:
  explicit ConvexDistance(const Shape& shape);

  ExactDistance at(const Vec3& p, double below, KnownSide side) const;
  double error_bound(const CellSamples& cell, double wanted) const;
  double rounding(double reach) const;

 private:
  struct Part {
    const shapes::Core* core = nullptr;
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  };
  struct PartDistance {
    double value = 0;
    Vec3 gradient;
  };
  static PartDistance from(const Part& part, const Vec3& p);

  Shape shape_;  ///< keeps the cores alive
  std::vector<Part> parts_;
  double size_ = 0;  ///< m
};

}  // namespace carom::field
