#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "carom/field/distance_field.hpp"
#include "math/vec3.hpp"
#include "shapes/mesh_data.hpp"

/// Distance fields: how they are stored, made and asked.
namespace carom::field {

using math::Vec3;

/// Levels of halving below a root cell at most. Coordinates of corners are integers, in units of the smallest cell.
inline constexpr int max_level = 16;
inline constexpr std::uint32_t root_units = 1U << static_cast<unsigned>(max_level);

/// Marks an entry of the tree that is a cell; the other bits are its number.
inline constexpr std::uint32_t cell_bit = 1U << 31U;

/// Corner k of a cell is at its upper end along x, y and z where bits 0, 1 and 2 of k are set.
using CornerValues = std::array<float, 8>;
using GridPoint = std::array<std::uint32_t, 3>;

inline GridPoint corner_at(const GridPoint& low, std::uint32_t size, std::size_t corner) {
  return {low[0] + ((corner & 1U) != 0 ? size : 0), low[1] + ((corner & 2U) != 0 ? size : 0),
          low[2] + ((corner & 4U) != 0 ? size : 0)};
}

/// Grid of root cells, each the root of a tree of cells that are halved along all axes.
///
/// The size of a root cell is a power of two and the low corner a multiple of a quarter of it: corners of cells have
/// exact coordinates.
struct FieldData {
  Vec3 low;  ///< m, of the grid
  double root_size = 1;
  std::array<std::uint32_t, 3> roots{};  ///< along each axis
  /// Entries of the root cells, x fastest, then blocks of eight for the halves of a cell, by corner. An entry is a cell
  /// or the place of the block of its halves.
  std::vector<std::uint32_t> tree;
  std::vector<CornerValues> cells;  ///< m
  std::vector<float> errors;        ///< m, of each cell
  Vec3 box_low;                     ///< m, of the surface
  Vec3 box_high;
  bool endless = false;                          ///< the solid is a room: what is far away is inside
  double margin = 0;                             ///< m, taken off every distance
  std::shared_ptr<const shapes::MeshData> mesh;  ///< that it was made from; null for other shapes
  FieldReport report;

  Vec3 position(const GridPoint& p) const {
    const double unit = root_size / root_units;
    return {low.x + unit * p[0], low.y + unit * p[1], low.z + unit * p[2]};
  }
  std::size_t root_entry(const GridPoint& root) const {
    return root[0] + std::size_t{roots[0]} * (root[1] + std::size_t{roots[1]} * root[2]);
  }
};

struct FoundCell {
  std::uint32_t cell = 0;
  int level = 0;
};

/// The cell that holds the smallest possible cell at a place.
inline FoundCell cell_at(const FieldData& field, const GridPoint& place) {
  const auto bits = static_cast<unsigned>(max_level);
  std::uint32_t entry = field.tree[field.root_entry({place[0] >> bits, place[1] >> bits, place[2] >> bits})];
  int level = 0;
  while ((entry & cell_bit) == 0) {
    ++level;
    const auto shift = static_cast<unsigned>(max_level - level);
    const std::uint32_t half =
        (place[0] >> shift & 1U) | (place[1] >> shift & 1U) << 1U | (place[2] >> shift & 1U) << 2U;
    entry = field.tree[entry + half];
  }
  return {entry & ~cell_bit, level};
}

/// Trilinear interpolation at t, in [0, 1] along each axis. At a corner it is the value of that corner, to the bit.
inline double interpolate(const CornerValues& v, const Vec3& t) {
  const auto mix = [](double s, double a, double b) { return (1 - s) * a + s * b; };
  return mix(t.z, mix(t.y, mix(t.x, v[0], v[1]), mix(t.x, v[2], v[3])),
             mix(t.y, mix(t.x, v[4], v[5]), mix(t.x, v[6], v[7])));
}

}  // namespace carom::field
