#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/closest.hpp"

/// One step of many searches for the time of impact side by side: closest points at a time, a direction that separates
/// there, and until when it does. The operations are those of continuous/search.cpp in the same order, so the results
/// have the same bits on every target; that file is the scalar reference.
namespace carom::kernels {

/// Polygons whose corners go straight from start to end, as in continuous/relative_motion.hpp.
struct AdvanceBatch {
  alignas(64) double start[4][3][closest_batch];
  alignas(64) double end[4][3][closest_batch];
  alignas(64) double f_start[3][closest_batch];  ///< sides
  alignas(64) double f_end[3][closest_batch];
  alignas(64) double g_start[3][closest_batch];
  alignas(64) double g_end[3][closest_batch];
  alignas(64) double reach[closest_batch];
  alignas(64) double time[closest_batch];
};

struct AdvanceResults {
  alignas(64) double weights[4][closest_batch];
  alignas(64) double distance[closest_batch];      ///< of the polygon from the origin, at the time
  alignas(64) double direction[3][closest_batch];  ///< unit
  alignas(64) double until[closest_batch];         ///< all corners are beyond reach along it; the time: they are not
  /// 1 if the results count. 0 where lengths must be scaled first: then do the same one by one.
  std::uint8_t valid[closest_batch];
};

/// For the first `count`, triangles or parallelograms of two edges. What lies behind them may be anything.
void advance_vertex_triangle(const AdvanceBatch& batch, std::size_t count, AdvanceResults& results);
void advance_edge_edge(const AdvanceBatch& batch, std::size_t count, AdvanceResults& results);

}  // namespace carom::kernels
