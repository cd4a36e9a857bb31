#pragma once

#include "broad/pair_finder.hpp"
#include "core/radix_sort.hpp"

namespace carom::broad {

/// Method `cells`: a grid of equal cells, each with a list of the wide boxes that reach into it. A cell needs nothing
/// but its own list, and a pair belongs to the cell in which the part common to both begins; so cells can be worked on
/// anywhere. What covers too many cells is in a list of its own.
class CellsFinder final : public PairFinder {
 public:
  /// `cell` in metres, 0 = by the sizes of the boxes.
  CellsFinder(double cell, bool may_give_up) : wanted_(cell), may_give_up_(may_give_up) {}

  bool rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
               std::vector<NodePair>& out) override;
  bool follow(Workers& workers, const Proxies& proxies, std::vector<NodePair>& out) override;

 private:
  struct Entry {
    std::uint64_t cell;
    std::uint32_t item;
  };
  struct Range {
    std::array<std::uint32_t, 3> low, high;
  };
  void choose_cell(std::span<const Box> boxes, std::span<const std::uint32_t> indices);
  std::uint32_t coordinate(float x) const;
  Range range_of(const Box& box) const;
  bool large(const Range& range) const;
  std::uint64_t owner(const Box& a, const Box& b) const;
  void pairs_of_cell(std::span<const Box> boxes, std::size_t cell, std::vector<NodePair>& out) const;

  double wanted_;
  bool may_give_up_;
  double per_metre_ = 1;        // cells
  std::vector<Entry> entries_;  // ascending by cell
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> large_;
  std::vector<std::uint32_t> fresh_;    // came or left since the lists were made, and are not in them
  std::vector<std::uint8_t> is_fresh_;  // 0 = in the lists
  std::vector<double> sizes_;
  RadixSort<Entry> sort_;
  OrderedAppend<NodePair> append_;
  OrderedAppend<Entry> append_entries_;
  std::vector<NodePair> more_;
};

}  // namespace carom::broad
