#pragma once

#include <cstddef>
#include <cstdint>

/// A quick look at pairs of features: surely within reach, surely beyond it, or to be measured. In
/// single precision and still safe, for what it finds is a bound whichever way it was found:
///
/// - Any two points of the features are at least as far apart as the features. The points that a
///   careless closest-point formula gives are on the features to rounding, so their distance plus an
///   allowance bounds the true one from above.
/// - Along any direction the gap between the features' shadows bounds their distance from below.
///   Between the closest points it is the distance itself, so the bound is as good as the formula.
///
/// Coordinates are relative to the first point and in units of the reach, so a number here has a
/// relative error of 2^-24 and a bound is off by a few of these times the largest coordinate.
/// A NaN or an infinity makes the pair unsure.
namespace carom::kernels {

enum class DistanceBound : std::uint8_t { beyond, within, unsure };

inline constexpr std::size_t distance_bound_batch = 256;

/// Three points in the frame of a fourth. Edges: a1, b0, b1 relative to a0. Vertex and triangle:
/// the corners relative to the vertex.
struct DistanceBoundBatch {
  alignas(64) float x[3][distance_bound_batch];
  alignas(64) float y[3][distance_bound_batch];
  alignas(64) float z[3][distance_bound_batch];
};

/// For the first `count` pairs; what lies behind them in the batch may be anything.
void distance_bound_edge_edge(const DistanceBoundBatch& batch, std::size_t count, DistanceBound* out);
void distance_bound_vertex_triangle(const DistanceBoundBatch& batch, std::size_t count, DistanceBound* out);

}  // namespace carom::kernels
