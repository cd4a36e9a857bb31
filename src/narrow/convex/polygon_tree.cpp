#include "narrow/convex/polygon_tree.hpp"

#include <algorithm>
#include <cassert>

#include "math/orientation.hpp"

namespace carom::convex {
namespace {

using Eigen::Vector2d;

int turn(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  const auto lift = [](const Vector2d& p) { return Eigen::Vector3d(p.x(), p.y(), 0); };
  return math::orient2d(lift(a), lift(b), lift(c), 2);
}

/// Andrew's chain with exact signs.
std::vector<Vector2d> hull(std::span<const Vector2d> points) {
  std::vector<Vector2d> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Vector2d& a, const Vector2d& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() < 3) return sorted;
  std::vector<Vector2d> chain;
  const auto add = [&](const Vector2d& p, std::size_t keep) {
    while (chain.size() >= keep + 2 && turn(chain[chain.size() - 2], chain.back(), p) <= 0) chain.pop_back();
    chain.push_back(p);
  };
  for (const Vector2d& p : sorted) add(p, 0);
  const std::size_t lower = chain.size() - 1;
  for (std::size_t i = sorted.size() - 1; i-- > 0;) add(sorted[i], lower);
  chain.pop_back();
  return chain;
}

}  // namespace

PolygonTree::PolygonTree(std::span<const Vector2d> points) : corners(hull(points)) {
  const auto n = static_cast<Index>(corners.size());
  if (n < 3) return;
  // Normals up to `last` are within half a turn of that of side 0.
  Index last = 0;
  while (last + 1 < n && turn({0, 0}, side(0), side(static_cast<std::size_t>(last) + 1)) > 0) ++last;
  nodes.push_back({0, none, none});
  const Index left = add_node(1, last);
  const Index right = add_node(last + 1, n - 1);
  nodes[0].left = left;
  nodes[0].right = right;
}

/// For directions of which it is known that they are left of normal low - 1 and not left of normal high + 1.
Index PolygonTree::add_node(Index low, Index high) {
  if (low > high) return ~(low % static_cast<Index>(corners.size()));
  const Index middle = low + (high - low) / 2;
  const auto at = static_cast<Index>(nodes.size());
  nodes.push_back({middle, none, none});
  const Index left = add_node(middle + 1, high);
  const Index right = add_node(low, middle - 1);
  nodes[static_cast<std::size_t>(at)].left = left;
  nodes[static_cast<std::size_t>(at)].right = right;
  return at;
}

Index PolygonTree::extreme(const Vector2d& direction) const {
  if (nodes.empty()) return corners.size() > 1 && direction.dot(corners[1] - corners[0]) > 0 ? 1 : 0;
  Index at = 0;
  while (at >= 0) {
    const Node& node = nodes[static_cast<std::size_t>(at)];
    at = direction.dot(side(static_cast<std::size_t>(node.side))) >= 0 ? node.left : node.right;
  }
  return ~at;
}

}  // namespace carom::convex
