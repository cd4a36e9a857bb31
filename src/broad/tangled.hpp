#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom::broad {

/// Features that are let through an object because they intersect it already. Sets of vertices, each with the object
/// that it is let through; a pair of features is let through if one has a vertex of a set, and the other is of its
/// object and not wholly in the set.
struct Tangled {
  static constexpr std::size_t max_sets = 64;
  std::vector<std::uint64_t> sets{};  ///< bits of each vertex: the sets that it is in; empty: nothing is tangled
  std::vector<Index> through{};       ///< of each set: position of the object; none: all objects

  bool empty() const { return sets.empty(); }
  void clear() {
    sets.clear();
    through.clear();
  }

  bool lets_through(std::span<const Index> a, Index object_a, std::span<const Index> b, Index object_b) const {
    return one_sided(a, b, object_b) || one_sided(b, a, object_a);
  }

 private:
  bool one_sided(std::span<const Index> moved, std::span<const Index> other, Index object) const {
    std::uint64_t any = 0;
    for (const Index v : moved) any |= sets[static_cast<std::size_t>(v)];
    if (any == 0) return false;
    std::uint64_t all = ~std::uint64_t{0};
    for (const Index v : other) all &= sets[static_cast<std::size_t>(v)];
    for (std::size_t k = 0; k < through.size(); ++k) {
      const bool in = (any >> k & 1U) != 0 && (all >> k & 1U) == 0;
      if (in && (through[k] == none || through[k] == object)) return true;
    }
    return false;
  }
};

}  // namespace carom::broad
