#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"
#include "geometry/vec3.hpp"

/// Which colliders may touch: all pairs of boxes that overlap. Boxes are larger than what they hold, so that pairs are
/// looked for only when something left its box.
namespace carom::rigid {

using detail::Vec3;

struct Box {
  Vec3 low;
  Vec3 high;

  bool holds(const Box& other) const {
    return low.x <= other.low.x && low.y <= other.low.y && low.z <= other.low.z && other.high.x <= high.x &&
           other.high.y <= high.y && other.high.z <= high.z;
  }
  bool overlaps(const Box& other) const {
    return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y &&
           low.z <= other.high.z && other.low.z <= high.z;
  }
};

/// Two colliders, the smaller number first.
struct ColliderPair {
  std::int32_t a = 0;
  std::int32_t b = 0;
  friend auto operator<=>(const ColliderPair&, const ColliderPair&) = default;
};

struct BroadScratch {
  struct End {
    double low = 0;
    std::int32_t collider = 0;
  };
  std::vector<End> order;
  std::vector<std::int32_t> endless;
};

/// All pairs of overlapping boxes for which keep(a, b) is true, sorted. Boxes may be infinite.
template <class Keep>
void overlapping_pairs(const std::vector<Box>& boxes, BroadScratch& scratch, std::vector<ColliderPair>& pairs,
                       Keep&& keep) {
  scratch.order.clear();
  scratch.endless.clear();
  pairs.clear();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box& box = boxes[i];
    if (box.high.x - box.low.x < INFINITY) {
      scratch.order.push_back({box.low.x, static_cast<std::int32_t>(i)});
    } else {
      scratch.endless.push_back(static_cast<std::int32_t>(i));
    }
  }
  const auto offer = [&](std::int32_t i, std::int32_t j) {
    if (!boxes[static_cast<std::size_t>(i)].overlaps(boxes[static_cast<std::size_t>(j)])) return;
    if (keep(i, j)) pairs.push_back({std::min(i, j), std::max(i, j)});
  };
  for (const std::int32_t i : scratch.endless) {
    for (const auto& end : scratch.order) offer(i, end.collider);
  }
  std::sort(scratch.order.begin(), scratch.order.end(),
            [](const auto& a, const auto& b) { return a.low != b.low ? a.low < b.low : a.collider < b.collider; });
  for (std::size_t i = 0; i < scratch.order.size(); ++i) {
    const double high = boxes[static_cast<std::size_t>(scratch.order[i].collider)].high.x;
    for (std::size_t j = i + 1; j < scratch.order.size() && scratch.order[j].low <= high; ++j) {
      offer(scratch.order[i].collider, scratch.order[j].collider);
    }
  }
  std::sort(pairs.begin(), pairs.end());
}

}  // namespace carom::rigid
