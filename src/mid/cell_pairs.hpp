#pragma once

#include <span>
#include <vector>

#include "mid/cell_list.hpp"
#include "mid/triangle_pair.hpp"

namespace carom::mid {

/// What became of the pairs of triangles that were met in cells.
struct CellPairCounts {
  std::uint64_t met = 0;
  std::uint64_t cell = 0;    ///< handled in another cell
  std::uint64_t object = 0;  ///< of objects that are not wanted together
  std::uint64_t box = 0;     ///< their boxes do not overlap
};

/// Finds the pairs of triangles in cells, each in the one cell that holds the lowest corner of the
/// overlap of the two boxes (see Lattice).
class CellPairs {
 public:
  /// `filter` may be null.
  CellPairs(const CellList& list, std::span<const Box> triangles, std::span<const Index> object_of_triangle,
            const broad::ObjectFilter* filter, std::vector<TrianglePair>& pairs, CellPairCounts& counts)
      : list_(list),
        triangles_(triangles),
        object_of_(object_of_triangle),
        filter_(filter),
        pairs_(pairs),
        counts_(counts) {}

  /// Entries [begin, row_end) of a cell that ends at `end`, each with all that come after it in the cell.
  void within(const Lattice& lattice, std::size_t cell_size, std::size_t begin, std::size_t row_end, std::size_t end);

  /// A triangle of another lattice, which begins in the cell along the axes `begins`, with all entries
  /// [begin, end) of the cell.
  void against(const Lattice& lattice, std::size_t triangle, unsigned begins, std::size_t begin, std::size_t end);

 private:
  void by_pairs(const Lattice& lattice, std::size_t begin, std::size_t row_end, std::size_t end);
  void by_sweep(const Lattice& lattice, std::size_t begin, std::size_t row_end, std::size_t end);
  bool filtered(const TrianglePair& pair) const;
  void test(const Lattice& lattice, std::size_t a, unsigned begins_a, std::uint64_t entry_b);

  const CellList& list_;
  std::span<const Box> triangles_;
  std::span<const Index> object_of_;
  const broad::ObjectFilter* filter_;
  std::vector<TrianglePair>& pairs_;
  CellPairCounts& counts_;
  // Of one cell; here because to clear it for each cell would cost more than the cell. One more than
  // there can be, for the pair that is written and not kept.
  std::array<TrianglePair, CellList::max_by_pairs*(CellList::max_by_pairs - 1) / 2 + 1> found_;
};

/// body(cell, begin, row_end) for the part of each cell that entries [begin, end) hold. Chunks of entries
/// share a crowded cell among them, row by row.
template <class Body>
void for_each_part(const CellList& list, std::size_t begin, std::size_t end, Body&& body) {
  const auto starts = list.starts();
  auto cell = static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), begin) - starts.begin()) - 1;
  for (; begin < end; ++cell) {
    const std::size_t row_end = std::min<std::size_t>(end, starts[cell + 1]);
    body(cell, begin, row_end);
    begin = row_end;
  }
}

}  // namespace carom::mid
