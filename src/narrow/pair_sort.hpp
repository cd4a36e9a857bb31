#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "kernels/cluster_search.hpp"

namespace carom::narrow {

/// Memory for numbers that is not initialised when it grows.
class RawNumbers {
 public:
  std::uint64_t* data() { return list_.data; }
  std::span<const std::uint64_t> span() const { return {list_.data, list_.size}; }
  std::size_t size() const { return list_.size; }
  /// When it grows, what was in it is not worth anything.
  void resize(std::size_t size) {
    if (size > list_.size) {
      list_.clear();
      list_.reserve_more(size);
    }
    list_.size = size;
  }
  /// Takes the numbers and the memory of a list, which gets those of this one.
  void swap(kernels::PairList& list) { std::swap(list_, list); }

 private:
  kernels::PairList list_;
};

/// Pairs of features by number, in canonical order.
struct NumberedPairs {
  RawNumbers vertex_triangle;  ///< the vertex in the upper half, the triangle in the lower one
  RawNumbers edge_edge;        ///< the lower number of an edge in the upper half
  std::size_t size() const { return vertex_triangle.size() + edge_edge.size(); }
};

/// Sorts pairs of features, an unsigned number with the first feature in its upper half. First into ranges of first
/// features, chunk by chunk, then each range by itself: into buckets by counting, and within buckets by rank, as
/// few pairs share a first feature. A sorted list of different numbers is unique, so it does not depend on the number
/// of threads.
class PairSort {
 public:
  /// All of `lists` into `out`. The upper halves are below 2^31. What is in the lists then is not worth anything: a
  /// single one changes memory with `out`, so that two arrays do.
  void run(Workers& workers, std::span<kernels::PairList* const> lists, RawNumbers& out);

 private:
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  struct Extent {
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
  };
  Extent extent_of_firsts(Workers& workers, std::span<kernels::PairList* const> lists);
  void sort_range(const std::uint64_t* from, std::uint64_t* to, std::size_t count, std::uint64_t lowest,
                  unsigned range_bits, std::vector<std::uint32_t>& counts) const;

  std::vector<Extent> extents_;  ///< of each list
  RawNumbers ranged_;
  std::vector<std::uint32_t> places_;  ///< of each list, of each range
  std::vector<Range> ranges_;
  std::vector<std::vector<std::uint32_t>> counts_;
};

}  // namespace carom::narrow
