#pragma once

#include <cstddef>
#include <cstdint>

/// Which pairs of moving features surely miss each other over a step, many at once: the conservative filters of
/// continuous detection. A pair is a moving polygon of differences (continuous/relative_motion.hpp) that must not reach
/// the origin.
///
/// It misses if it is beyond the separation along some direction at the start and at the end: then it is all the
/// time, for its corners move straight. Tried are the three axes, where nothing is rounded but the differences; the
/// direction to its middle; its normal half way; and the direction to its nearest point half way. Or if the four
/// vertices are never in one plane: all Bernstein coefficients of the coplanarity polynomial have one sign.
///
/// Errors, with u = 2^-53: a product of a direction n with a corner is wrong by less than 5u |n|_1 size; 8u is
/// allowed, and 1e-290 for underflow, also under each root. For the polynomial see continuous/coplanarity.cpp. Pairs
/// with NaN, infinities or sizes out of the range in which this holds are never said to miss.
///
/// The same answers on every target, and by the reference.
namespace carom::kernels {

inline constexpr std::size_t miss_batch = 64;

/// Four vertices at the start, then the same at the end, as in FeatureMotion.
struct MissBatch {
  alignas(64) double x[8][miss_batch];
  alignas(64) double y[8][miss_batch];
  alignas(64) double z[8][miss_batch];
};

/// Sets out[i] to 1 if pair i surely stays farther apart than `separation`, else to 0, for the first `count`. What lies
/// behind them may be anything; out has room for miss_batch.
void ccd_misses_vertex_triangle(const MissBatch& batch, std::size_t count, double separation, std::uint8_t* out);
void ccd_misses_edge_edge(const MissBatch& batch, std::size_t count, double separation, std::uint8_t* out);

/// One pair: x, y, z of the eight points. `corners`: 3 for a vertex and a triangle, 4 for two edges.
bool ccd_misses_reference(int corners, const double (&points)[8][3], double separation);

}  // namespace carom::kernels
