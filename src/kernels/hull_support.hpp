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

/// Of two lists, each along a direction of its own: one call instead of two.
void farthest_of_both(const PointRows& a, const double* along_a, const PointRows& b, const double* along_b,
                      std::uint32_t* at);

/// How far the points reach along each of three directions, `axes` having three coordinates of each: the least and the
/// largest x dx + y dy + z dz.
void extents(const PointRows& points, const double* axes, double* low, double* high);

void extents_reference(const PointRows& points, const double* axes, double* low, double* high);

}  // namespace carom::kernels
