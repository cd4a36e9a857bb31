#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "shapes/mesh_data.hpp"

namespace carom::shapes {

/// leaf(i) for each triangle, in tree order, whose box the segment from p to p + d may meet, until one returns true.
template <class Leaf>
bool walk_segment(const MeshTree& tree, const Vec3& p, const Vec3& d, double slack, Leaf&& leaf) {
  const Vec3 halfway = 0.5 * d;
  const Vec3 middle = p + halfway;
  const Vec3 h{std::abs(halfway.x), std::abs(halfway.y), std::abs(halfway.z)};
  const double length = std::sqrt(dot(d, d));
  std::array<std::uint32_t, max_tree_depth + 2> waiting;
  std::size_t count = 0;
  waiting[count++] = 0;
  while (count > 0) {
    const std::uint32_t n = waiting[--count];
    const BoxVolume& box = tree.boxes[n];
    const Vec3 t = middle - box.center;
    // Along the axes of the box, and across the segment.
    if (std::abs(t.x) > box.half.x + h.x + slack || std::abs(t.y) > box.half.y + h.y + slack ||
        std::abs(t.z) > box.half.z + h.z + slack)
      continue;
    const double s = slack * length;
    if (std::abs(t.y * halfway.z - t.z * halfway.y) > box.half.y * h.z + box.half.z * h.y + s ||
        std::abs(t.z * halfway.x - t.x * halfway.z) > box.half.x * h.z + box.half.z * h.x + s ||
        std::abs(t.x * halfway.y - t.y * halfway.x) > box.half.x * h.y + box.half.y * h.x + s)
      continue;
    const TreeNode& node = tree.nodes[n];
    if (!node.leaf()) {
      waiting[count++] = node.first + 1;
      waiting[count++] = node.first;
      continue;
    }
    for (std::uint32_t i = 0; i < node.count; ++i) {
      if (leaf(node.first + i)) return true;
    }
  }
  return false;
}

/// How often pieces of a mesh wind around a point: 1 inside one that faces outward, -1 inside one that faces inward.
struct Winding {
  int number = 0;
  bool on_surface = false;
};

/// Winding number of the components with a mark that is not 0, all of them closed. Exact for the point given, unless
/// every one of many rays from it meets an edge.
Winding winding_number(const MeshData& mesh, const Vec3& p, std::span<const std::uint8_t> marked);

}  // namespace carom::shapes
