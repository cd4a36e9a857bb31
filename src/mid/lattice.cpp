#include "mid/lattice.hpp"

#include <cassert>

namespace carom::mid {

namespace {

// Boxes beyond the range of float end at infinity.
double finite(float x) {
  return std::clamp(static_cast<double>(x), -static_cast<double>(FLT_MAX), static_cast<double>(FLT_MAX));
}

// A box that is no longer than a cell covers two cells at most along an axis if the rounding of its
// ends cannot make it longer than that: 2^-53 of at most max_along_axis cells, less than this.
constexpr double max_along_axis = 0x1p20;
constexpr double rounding_room = 1 + 0x1p-20;

}  // namespace

double longest_side(const Box& box) {
  double side = 0;
  for (std::size_t k = 0; k < 3; ++k) side = std::max(side, finite(box.max[k]) - finite(box.min[k]));
  return side;
}

Lattice make_lattice(const Box& region, double side, std::uint64_t first, std::uint64_t max_cells) {
  assert(max_cells > 0);
  Lattice lattice;
  lattice.first = first;
  std::array<double, 3> length{};
  for (std::size_t k = 0; k < 3; ++k) {
    lattice.origin[k] = finite(region.min[k]);
    length[k] = std::max(finite(region.max[k]) - lattice.origin[k], 0.0);
    if (length[k] > length[lattice.widest]) lattice.widest = k;
  }
  // Boxes are rounded outward, so a side is never 0 unless there is no box at all.
  double cell = std::max(side, static_cast<double>(FLT_TRUE_MIN)) * rounding_room;
  // Lengths are below 2^130 and cells above 2^-150, so this ends.
  for (;; cell *= 2) {
    double cells = 1;
    bool fits = true;
    for (std::size_t k = 0; k < 3; ++k) {
      lattice.last[k] = std::floor(length[k] / cell);
      fits = fits && lattice.last[k] < max_along_axis;
      cells *= lattice.last[k] + 1;
    }
    if (fits && cells <= static_cast<double>(max_cells)) break;
  }
  lattice.cells = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    lattice.inverse[k] = 1 / cell;
    lattice.stride[k] = lattice.cells;
    lattice.cells *= static_cast<std::uint64_t>(lattice.last[k]) + 1;
  }
  return lattice;
}

}  // namespace carom::mid
