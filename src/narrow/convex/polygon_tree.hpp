#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom::convex {

/// A convex polygon, and a tree that finds its farthest corner along a direction.
///
/// Side k runs from corner k to corner k + 1; its outward normal is the side turned back by a quarter. Normals cut the
/// circle of directions into arcs, one for each corner. A node of the tree asks whether a direction is on the
/// left of a normal, which is whether going along that side one gets farther. The root asks for side 0, and so leaves
/// half the circle on either side; there normals are in order, and every further node halves what is left of them.
struct PolygonTree {
  explicit PolygonTree(std::span<const Eigen::Vector2d> points);

  std::vector<Eigen::Vector2d> corners;  ///< counter-clockwise, no three in a line

  struct Node {
    Index side = none;
    /// The node to go to if the direction is left of the normal, or if not; ~i is corner i.
    Index left = none;
    Index right = none;
  };
  std::vector<Node> nodes;  ///< the first is the root; none for fewer than three corners

  std::size_t size() const { return corners.size(); }
  Eigen::Vector2d side(std::size_t k) const { return corners[(k + 1) % corners.size()] - corners[k]; }
  Index extreme(const Eigen::Vector2d& direction) const;

 private:
  Index add_node(Index low, Index high);
};

}  // namespace carom::convex
