#pragma once

#include "narrow/ray/span.hpp"
#include "shapes/core.hpp"

namespace carom::rays {

/// Boxes, cylinders, cones and ellipsoids with a radius. The distance of a point from a convex set is convex along a
/// line, so Newton's iteration from outside never passes the surface, and where the distance no longer falls there is
/// no hit. It ends at rounding.
Span rounded(const Line& line, const shapes::Core& core);

}  // namespace carom::rays
