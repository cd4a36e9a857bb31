#pragma once

#include <cstddef>
#include <cstdint>

/// Closest points of pairs of features that are given by number, straight into records of 32 bytes: positions are read,
/// measured and forgotten in registers. Weights and distances have the bits of kernels/closest.hpp on every target.
namespace carom::kernels {

/// As carom::CompactContact.
struct CompactRecord {
  std::int32_t a;
  std::int32_t b;
  double weights[2];
  double distance;
};
static_assert(sizeof(CompactRecord) == 32);

inline constexpr std::size_t compact_batch = 64;

/// Vertices and triangles: pairs have the vertex in the upper half. `positions` are three numbers for each of
/// `vertices`. At most compact_batch pairs. Returns a bit for each pair whose lengths are so long or short that they
/// must be scaled first: then ask the scalar function.
std::uint64_t compact_vertex_triangle(const double* positions, std::size_t vertices, const std::int32_t (*triangles)[3],
                                      const std::uint64_t* pairs, std::size_t count, CompactRecord* out);

/// The same of edges.
std::uint64_t compact_edge_edge(const double* positions, std::size_t vertices, const std::int32_t (*edges)[2],
                                const std::uint64_t* pairs, std::size_t count, CompactRecord* out);

}  // namespace carom::kernels
