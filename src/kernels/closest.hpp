#pragma once

#include <cstddef>
#include <cstdint>

/// Closest points of many pairs of features at once, in double precision: the operations of
/// carom/mesh/closest.hpp and narrow/proximity.cpp in the same order, so the results have the same bits on
/// every target. These are the scalar reference.
namespace carom::kernels {

inline constexpr std::size_t closest_batch = 64;

/// Four points a pair: the vertex and the corners, or both ends of both edges.
struct ClosestBatch {
  alignas(64) double x[4][closest_batch];
  alignas(64) double y[4][closest_batch];
  alignas(64) double z[4][closest_batch];
};

struct ClosestResults {
  alignas(64) double weights[4][closest_batch];  ///< as in Contact
  alignas(64) double distance[closest_batch];
  alignas(64) double point_a[3][closest_batch];
  alignas(64) double point_b[3][closest_batch];
  alignas(64) double normal[3][closest_batch];
  /// 1 if the results count. 0 where the lengths are so long or short that they must be scaled
  /// first, or the closest points coincide: then ask the scalar functions.
  std::uint8_t valid[closest_batch];
};

/// Points of pairs by the numbers of their vertices. `positions` are three numbers for each of `vertices`.
void gather_points(const double* positions, std::size_t vertices, const std::int32_t (*numbers)[4], std::size_t count,
                   ClosestBatch& batch);

/// Weights, distance, both points and the normal of each pair, fourteen numbers, to `out` and every `stride` bytes.
void scatter_results(const ClosestResults& results, std::size_t count, unsigned char* out, std::size_t stride);

/// For the first `count` pairs. What lies behind them in the batch may be anything.
void closest_vertex_triangle(const ClosestBatch& batch, std::size_t count, ClosestResults& results);
void closest_edge_edge(const ClosestBatch& batch, std::size_t count, ClosestResults& results);

}  // namespace carom::kernels
