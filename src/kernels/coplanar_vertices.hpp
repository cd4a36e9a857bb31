#pragma once

#include <cstdint>

#include "kernels/hull_support.hpp"

namespace carom::kernels {

/// Bit i of the answer is set for each point i that is seen from `p` at a slope of no more than `most` against the
/// plane across the unit vector `d`: (e . d)^2 <= most^2 e^2 for the way e to it, so for p itself as well. `d` and `p`
/// have three coordinates. At most 64 points; `max_squared` is most^2.
std::uint64_t coplanar_vertices(const PointRows& points, const double* p, const double* d, double max_squared);

std::uint64_t level_corners_reference(const PointRows& points, const double* p, const double* d, double max_squared);

}  // namespace carom::kernels
