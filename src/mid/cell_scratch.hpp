#pragma once

#include "mid/cell_pairs.hpp"

namespace carom::mid {

/// Working memory of `grid` and `hgrid`.
struct CellScratch {
  /// The longest side for each power of two, 0 if there is none.
  static constexpr int size_classes = 288;
  using Sizes = std::array<double, size_classes>;

  std::vector<Member> members;
  OrderedAppend<Member> append_members;
  std::vector<Lattice> lattices;
  std::vector<Sizes> sizes;
  std::vector<double> longest;
  std::vector<std::size_t> level_starts;  ///< where the cells of each level begin in the list
  CellList list;
  std::vector<CellPairCounts> counts;
};

}  // namespace carom::mid
