#pragma once

#include <span>
#include <vector>

#include "core/context.hpp"
#include "core/radix_sort.hpp"
#include "mid/lattice.hpp"
#include "mid/members.hpp"

namespace carom::mid {

/// The sorted (cell, triangle) list of F. Léonard, 3.5. An entry is one number, so that it sorts fast
/// and takes 8 bytes: the cell, the triangle, and along which axes the triangle begins in the cell.
class CellList {
 public:
  /// Cells beyond this many cannot be told apart by the bits that the triangle's number leaves.
  static std::uint64_t max_cells(std::size_t triangles);

  /// Sorts the members into the cells of their lattices; within a cell triangles ascend.
  void build(Context& context, std::span<const Box> triangles, std::span<const Member> members,
             std::span<const Lattice> lattices);

  std::span<const std::uint64_t> entries() const { return entries_; }
  std::size_t cell_count() const { return starts_.empty() ? 0 : starts_.size() - 1; }
  /// Entries of the i-th cell that is not empty: from start(i) to start(i + 1).
  std::size_t start(std::size_t i) const { return starts_[i]; }
  std::span<const std::uint32_t> starts() const { return starts_; }

  std::uint64_t cell(std::uint64_t entry) const { return entry >> (index_bits_ + begins_bits); }
  std::size_t triangle(std::uint64_t entry) const { return entry >> begins_bits & index_mask_; }
  static unsigned begins(std::uint64_t entry) { return static_cast<unsigned>(entry & 7U); }

  /// Cells of more than this many triangles are swept, not gone through pair by pair: their entries
  /// are ordered by the lower end of the box along the widest axis of the lattice.
  static constexpr std::size_t max_by_pairs = 64;

 private:
  static constexpr unsigned begins_bits = 3;
  void fill(Context& context, std::span<const Box> triangles, std::span<const Member> members,
            std::span<const Lattice> lattices);
  void find_cells(Context& context);
  void order_crowded_cells(Context& context, std::span<const Box> triangles, std::span<const Lattice> lattices);

  std::vector<std::uint64_t> entries_;
  std::vector<std::uint32_t> starts_;
  unsigned index_bits_ = 0;
  std::uint64_t index_mask_ = 0;
  RadixSort<std::uint64_t> sort_;
  OrderedAppend<std::uint32_t> append_;
  std::vector<std::size_t> offsets_;
};

/// The lattice to which a cell belongs; `lattices` follow each other.
std::size_t lattice_of(std::span<const Lattice> lattices, std::uint64_t cell);

}  // namespace carom::mid
