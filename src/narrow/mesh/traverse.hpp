#pragma once

#include <array>
#include <cassert>

#include "narrow/mesh/volume_pairs.hpp"

/// Two trees walked against each other, depth first. Each step splits the larger of two nodes, so no more pairs wait
/// than the trees are deep.
namespace carom::mesh {

using shapes::MeshTree;
using shapes::TreeNode;

inline constexpr std::size_t max_waiting = 2 * shapes::max_tree_depth + 2;

/// leaf(i, j) for every two triangles, in tree order, whose volumes are not farther apart than `reach`, until one
/// returns true; returns whether one did.
template <class View, class Leaf>
bool traverse_near(const MeshTree& a, const MeshTree& b, const View& view, double reach, Leaf&& leaf) {
  const auto& va = View::of(a);
  const auto& vb = View::of(b);
  struct Pair {
    std::uint32_t a, b;
  };
  std::array<Pair, max_waiting> waiting;
  std::size_t count = 0;
  if (!view.apart(va[0], view.see(vb[0]), reach)) waiting[count++] = {0, 0};
  while (count > 0) {
    const Pair p = waiting[--count];
    const TreeNode& na = a.nodes[p.a];
    const TreeNode& nb = b.nodes[p.b];
    if (na.leaf() && nb.leaf()) {
      for (std::uint32_t i = 0; i < na.count; ++i) {
        for (std::uint32_t j = 0; j < nb.count; ++j) {
          if (leaf(na.first + i, nb.first + j)) return true;
        }
      }
      continue;
    }
    assert(count + 2 <= max_waiting);
    if (nb.leaf() || (!na.leaf() && na.size >= nb.size)) {
      const auto& seen = view.see(vb[p.b]);
      for (const std::uint32_t child : {na.first + 1, na.first}) {
        if (!view.apart(va[child], seen, reach)) waiting[count++] = {child, p.b};
      }
    } else {
      for (const std::uint32_t child : {nb.first + 1, nb.first}) {
        if (!view.apart(va[p.a], view.see(vb[child]), reach)) waiting[count++] = {p.a, child};
      }
    }
  }
  return false;
}

/// leaf(i, j) for every two triangles that may be nearer than `best`, the near ones first. `leaf` lowers `best`, to
/// which the rounding of a bound, `slack`, is added, and aims the view at what it found.
template <class View, class Leaf>
void walk_nearest(const MeshTree& a, const MeshTree& b, const View& view, double slack, const double& best,
                  Leaf&& leaf) {
  const auto& va = View::of(a);
  const auto& vb = View::of(b);
  struct Pair {
    std::uint32_t a, b;
    double gap;
  };
  std::array<Pair, max_waiting> waiting;
  std::size_t count = 0;
  waiting[count++] = {0, 0, 0};
  while (count > 0) {
    const Pair p = waiting[--count];
    if (p.gap > best + slack || view.along(va[p.a], vb[p.b]) > best + slack) continue;
    const TreeNode& na = a.nodes[p.a];
    const TreeNode& nb = b.nodes[p.b];
    if (na.leaf() && nb.leaf()) {
      for (std::uint32_t i = 0; i < na.count; ++i) {
        for (std::uint32_t j = 0; j < nb.count; ++j) leaf(na.first + i, nb.first + j);
      }
      continue;
    }
    assert(count + 2 <= max_waiting);
    const bool split_a = nb.leaf() || (!na.leaf() && na.size >= nb.size);
    Pair near = split_a ? Pair{na.first, p.b, 0} : Pair{p.a, nb.first, 0};
    Pair far = split_a ? Pair{na.first + 1, p.b, 0} : Pair{p.a, nb.first + 1, 0};
    const auto bound = [&](const Pair& q, const auto& seen) {
      const double along = view.along(va[q.a], vb[q.b]);
      return along > best + slack ? along : std::max(along, view.gap(va[q.a], seen, best + slack));
    };
    if (split_a) {
      const auto& seen = view.see(vb[p.b]);
      near.gap = bound(near, seen);
      far.gap = bound(far, seen);
    } else {
      near.gap = bound(near, view.see(vb[near.b]));
      far.gap = bound(far, view.see(vb[far.b]));
    }
    if (far.gap < near.gap) std::swap(near, far);
    if (far.gap <= best + slack) waiting[count++] = far;
    if (near.gap <= best + slack) waiting[count++] = near;
  }
}

}  // namespace carom::mesh
