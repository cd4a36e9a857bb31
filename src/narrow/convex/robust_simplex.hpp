#pragma once

#include "narrow/convex/simplex.hpp"

namespace carom::convex {

/// Closest point of a simplex to the origin, for simplices so thin that the formulas of closest_to_origin make no more
/// progress: by the closest-point functions of the geometry, which are right to rounding for any shape of triangle.
/// Four vertices if the origin is inside the tetrahedron but for rounding.
Closest robust_closest_to_origin(const Simplex& s);

}  // namespace carom::convex
