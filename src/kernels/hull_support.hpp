#pragma once

#include <cstdint>

namespace carom::kernels {

/// Points by coordinate, `stride` of each (a multiple of farthest_lanes).
struct PointRows {
  const double* x;
  std::uint32_t stride;
};

inline constexpr std::uint32_t farthest_lanes = 8;

/// The point with the largest x dx + y dy + z dz, summed in this order; of several the first.
std::uint32_t farthest(const PointRows& points, double dx, double dy, double dz);

std::uint32_t farthest_reference(const PointRows& points, double dx, double dy, double dz);

}  // namespace carom::kernels
