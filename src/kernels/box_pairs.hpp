#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Which boxes of one short list overlap which of another: the innermost loop of detection.
namespace carom::kernels {

/// Boxes as six rows of floats, min x, y, z and max x, y, z, each `stride` long. A vector may read up to
/// `box_lanes` floats beyond the end of the last row; what it reads there does not count.
struct BoxRows {
  const float* rows = nullptr;
  std::uint32_t stride = 0;
  std::uint32_t count = 0;
};

inline constexpr std::uint32_t box_lanes = 16;   ///< the widest vector there is
inline constexpr std::uint32_t most_boxes = 48;  ///< in one list: the edges of 16 loose triangles

/// One pair that overlaps: place in a, place in b.
struct BoxPair {
  std::uint8_t a;
  std::uint8_t b;
};

/// Six numbers, min and max, that hold all boxes of a list.
using Hull = std::span<const float, 6>;

/// Writes the overlapping pairs, by a and then by b, and returns how many. `out` has room for
/// most_boxes * most_boxes. Closed boxes: touching is overlapping.
std::size_t overlapping(const BoxRows& a, Hull hull_a, const BoxRows& b, Hull hull_b, BoxPair* out);
/// Within one list: a < b.
std::size_t overlapping(const BoxRows& a, BoxPair* out);

/// The same, one by one.
std::size_t overlapping_reference(const BoxRows& a, const BoxRows& b, BoxPair* out);
std::size_t overlapping_reference(const BoxRows& a, BoxPair* out);

}  // namespace carom::kernels
