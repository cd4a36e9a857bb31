#pragma once

#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "broad/box_tree.hpp"
#include "carom/mesh/surface.hpp"
#include "core/parallel.hpp"
#include "shapes/core.hpp"

namespace carom::narrow::surface {

/// Boxes of the triangles of one surface in a tree that follows the vertices. One for each surface body.
class SurfaceTree {
 public:
  /// Brings the tree up to the positions; with `end`, boxes hold the straight sweep of each vertex from its position to
  /// its end. The tree is refitted, and built again only if its nodes have grown too large, or the surface was edited
  /// so much that too many triangles are not in it.
  void update(Workers& workers, const Surface& surface, std::span<const Eigen::Vector3d> positions,
              std::span<const Eigen::Vector3d> end = {});

  /// Working memory of find; one for each thread.
  struct Scratch {
    broad::BoxTree::Walk walk;
    std::vector<broad::NodePair> pairs;
  };
  /// Replaces `out` by all live triangles whose boxes overlap `box`, ascending. The result depends on the positions
  /// alone, not on when the tree was built. Safe to call from several threads at once.
  void find(const Box& box, Scratch& scratch, std::vector<Index>& out) const;

  /// Box around all triangles, with their sweeps; empty if there are none.
  const Box& box() const { return whole_; }

 private:
  double node_size() const;
  bool follow(const Surface& surface);

  std::uint64_t revision_ = 0;  ///< of the surface that the tree follows
  double built_size_ = 0;       ///< node_size() when the tree was built
  std::vector<Box> boxes_;
  std::vector<std::uint32_t> items_;
  std::vector<std::uint8_t> in_tree_;  ///< of each triangle there was when the tree was built: dead ones are not
  std::vector<Index> later_;           ///< live triangles that are not in the tree, ascending
  broad::BoxTree tree_;
  Box whole_;
};

/// Box around a convex shape at a pose, grown by `within` on every side: what find() takes.
Box shape_box(const shapes::Core& core, const Eigen::Isometry3d& pose, double within);

}  // namespace carom::narrow::surface
