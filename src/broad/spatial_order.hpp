#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "core/parallel.hpp"
#include "core/radix_sort.hpp"

namespace carom::broad {

/// An order in which boxes that are near each other are near in the list: along Hilbert's curve through their centres,
/// large boxes after the others. Keep one: a warm call allocates nothing.
class SpatialOrder {
 public:
  static constexpr std::uint32_t no_item = 0xffffffffU;

  /// `order` gets the items; where another class of sizes begins it is filled up with no_item to a multiple of eight.
  void run(Workers& workers, std::span<const Box> boxes, std::span<const std::uint32_t> items,
           std::vector<std::uint32_t>& order);

 private:
  struct Entry {
    std::uint32_t key;
    std::uint32_t item;
  };
  void refine(std::span<const Box> boxes, std::span<Entry> entries, int depth);

  std::vector<Entry> entries_;
  RadixSort<Entry> sort_;
  struct Extent {
    std::array<float, 3> low, high;
  };
  std::vector<Extent> partial_;
};

}  // namespace carom::broad
