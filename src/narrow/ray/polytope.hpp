#pragma once

#include "narrow/ray/triangle.hpp"
#include "shapes/hull_data.hpp"

namespace carom::rays {

/// All within `radius` of the triangle, or of its edges where it is seen edge-on. `rounding` takes the place of a
/// radius of 0 for what has no thickness across the line, in metres.
Span rounded_triangle(const TriangleTest& test, const Vec3& p, const Vec3& q, const Vec3& r, double radius,
                      double rounding);

Span hull(const TriangleTest& test, const shapes::HullData& hull, double radius, double rounding);

}  // namespace carom::rays
