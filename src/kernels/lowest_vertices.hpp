#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/hull_support.hpp"

namespace carom::kernels {

inline constexpr std::size_t plane_lanes = 8;

/// Planes by coordinate of their unit normals, then n . x on each, `stride` of each (a multiple of plane_lanes).
struct PlaneRows {
  const double* x;
  std::size_t stride;
};

/// Of each plane, turned to have `middle` in front of it: how high the lowest of the first `count` points is over it,
/// and which one that is, the first of several. Negative numbers of points mean a plane that was turned, -1 - i for
/// point i.
void lowest_vertices(const PlaneRows& planes, const PointRows& points, std::size_t count, const double* middle,
                     double* height, std::int32_t* at);

void low_corners_reference(const PlaneRows& planes, const PointRows& points, std::size_t count, const double* middle,
                           double* height, std::int32_t* at);

}  // namespace carom::kernels
