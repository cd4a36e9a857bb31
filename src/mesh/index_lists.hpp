#pragma once

#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom::mesh {

inline IndexLists lists_of(const std::vector<std::vector<Index>>& lists) {
  IndexLists result;
  result.offsets.push_back(0);
  for (const auto& list : lists) {
    result.items.insert(result.items.end(), list.begin(), list.end());
    result.offsets.push_back(static_cast<Index>(result.items.size()));
  }
  return result;
}

}  // namespace carom::mesh
