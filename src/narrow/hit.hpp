#pragma once

#include <compare>
#include <cstdint>

#include "carom/detect/contact.hpp"

namespace carom::narrow {

/// Two features within reach, packed so that sorting the numbers gives the canonical order. This is
/// all that is kept while looking; a contact is ten times as large.
struct Hit {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  friend auto operator<=>(const Hit&, const Hit&) = default;
};

namespace hit_bits {
// Indices are below 2^31, so the top bit is free to put edge-edge after vertex-face.
inline constexpr std::uint64_t edge_edge_bit = 1ULL << 63U;

inline std::uint64_t pack(Index first, Index second) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32U | static_cast<std::uint32_t>(second);
}
inline Edge unpack(std::uint64_t packed) {
  return {static_cast<Index>(packed >> 32U), static_cast<Index>(packed & 0xffffffffU)};
}
}  // namespace hit_bits

inline Hit pack_vertex_face(Index vertex, Index triangle) {
  return {hit_bits::pack(vertex, 0), hit_bits::pack(triangle, 0)};
}
/// `a` and `b` have their smaller index first, and a < b.
inline Hit pack_edge_edge(const Edge& a, const Edge& b) {
  return {hit_bits::edge_edge_bit | hit_bits::pack(a[0], a[1]), hit_bits::pack(b[0], b[1])};
}

inline ContactKind kind_of(const Hit& hit) {
  return (hit.a & hit_bits::edge_edge_bit) != 0 ? ContactKind::edge_edge : ContactKind::vertex_face;
}
inline Index vertex_of(const Hit& hit) {
  return hit_bits::unpack(hit.a)[0];
}
inline Index triangle_of(const Hit& hit) {
  return hit_bits::unpack(hit.b)[0];
}
inline Edge edge_a_of(const Hit& hit) {
  return hit_bits::unpack(hit.a & ~hit_bits::edge_edge_bit);
}
inline Edge edge_b_of(const Hit& hit) {
  return hit_bits::unpack(hit.b);
}

}  // namespace carom::narrow
