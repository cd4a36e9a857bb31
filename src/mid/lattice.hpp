#pragma once

#include <array>
#include <cstdint>

#include "bounds/box.hpp"

namespace carom::mid {

/// A uniform grid over a region. What is outside counts to the cells at the rim.
///
/// All that correctness needs of cell() is that it never decreases with x, and every operation in it
/// is monotone, rounding included. Then along each axis the cell of the larger of two numbers is the
/// larger of their cells, so the lowest corner of the overlap of two boxes is in the cell
/// max(cell(a.min), cell(b.min)), which both boxes cover: see covers() and `begins` of an entry.
struct Lattice {
  std::array<double, 3> origin{};
  std::array<double, 3> inverse{};  ///< 1 / side of a cell
  std::array<double, 3> last{};     ///< the highest cell along each axis
  std::array<std::uint64_t, 3> stride{};
  std::uint64_t first = 0;  ///< number of its cell (0, 0, 0); the lattices of a list follow each other
  std::uint64_t cells = 0;
  std::size_t widest = 0;  ///< the axis along which the region is longest
  bool same = true;        ///< pairs of triangles of one object are wanted
  bool different = true;   ///< pairs of triangles of two objects are wanted

  std::uint32_t cell(float x, std::size_t k) const {
    return static_cast<std::uint32_t>(std::clamp((static_cast<double>(x) - origin[k]) * inverse[k], 0.0, last[k]));
  }
};

/// The cells that a box covers, both ends included.
struct CellRange {
  std::array<std::uint32_t, 3> low;
  std::array<std::uint32_t, 3> high;

  std::uint64_t count() const {
    return std::uint64_t{high[0] - low[0] + 1} * (high[1] - low[1] + 1) * (high[2] - low[2] + 1);
  }
};

inline CellRange covers(const Lattice& lattice, const Box& box) {
  CellRange range;
  for (std::size_t k = 0; k < 3; ++k) {
    range.low[k] = lattice.cell(box.min[k], k);
    range.high[k] = lattice.cell(box.max[k], k);
  }
  return range;
}

/// body(number of the cell, begins) for each cell; bit k of `begins` says that the box begins in this
/// cell along axis k. A pair of boxes is handled in the one cell in which, along every axis, at least
/// one of them begins: begins_a | begins_b == 7.
template <class Body>
void for_each_cell(const Lattice& lattice, const CellRange& range, Body&& body) {
  for (std::uint32_t z = range.low[2]; z <= range.high[2]; ++z) {
    for (std::uint32_t y = range.low[1]; y <= range.high[1]; ++y) {
      const std::uint64_t row = lattice.first + z * lattice.stride[2] + y * lattice.stride[1];
      const unsigned begins = (z == range.low[2] ? 4U : 0U) | (y == range.low[1] ? 2U : 0U);
      body(row + range.low[0], begins | 1U);
      for (std::uint32_t x = range.low[0] + 1; x <= range.high[0]; ++x) body(row + x, begins);
    }
  }
}

/// The longest side of a box, in double as its ends may be the largest floats; never infinite.
double longest_side(const Box& box);

/// Cells at least `side` long, larger if there would be more than `max_cells` of them.
Lattice make_lattice(const Box& region, double side, std::uint64_t first, std::uint64_t max_cells);

}  // namespace carom::mid
