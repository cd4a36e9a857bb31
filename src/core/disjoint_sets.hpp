#pragma once

#include <numeric>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom {

/// Sets that merge. The lowest element stands for its set, so the outcome does not depend on the
/// order of merging.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), Index{0}); }

  Index find(Index element) {
    while (parent_[at(element)] != element) {
      parent_[at(element)] = parent_[at(parent_[at(element)])];
      element = parent_[at(element)];
    }
    return element;
  }

  void merge(Index a, Index b) {
    a = find(a);
    b = find(b);
    if (a < b) parent_[at(b)] = a;
    if (b < a) parent_[at(a)] = b;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  std::vector<Index> parent_;
};

}  // namespace carom
