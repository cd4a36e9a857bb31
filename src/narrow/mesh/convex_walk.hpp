#pragma once

#include "narrow/mesh/mesh_convex.hpp"
#include "narrow/mesh/walk.hpp"
#include "shapes/support.hpp"

namespace carom::mesh {

/// The tree of a mesh against a box around a core, along the axes of the core. Radii are not part of either.
class ConvexWalk {
 public:
  ConvexWalk(const PlacedMesh& a, const PlacedCore& b)
      : tree_(a.mesh.tree), pose_(convex::relative_pose(a.pose, b.pose)), view_(pose_) {
    const auto along = [&](const Vec3& d) { return dot(d, shapes::support(b.core, d).p); };
    const Vec3 high{along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
    const Vec3 low{-along({-1, 0, 0}), -along({0, -1, 0}), -along({0, 0, -1})};
    box_.center = 0.5 * (low + high);
    box_.half = detail::higher(high - box_.center, box_.center - low);
    scale_ = a.mesh.reach + b.core.reach + std::abs(pose_.t.x) + std::abs(pose_.t.y) + std::abs(pose_.t.z);
  }

  const RelativePose& pose() const { return pose_; }                   ///< of the core in the frame of the mesh
  double scale() const { return scale_; }                              ///< no coordinate is larger
  Vec3 middle() const { return pose_.rotate(box_.center) + pose_.t; }  ///< of the core, in the frame of the mesh

  /// leaf(i) for every triangle, in tree order, not farther than `reach` from the box, until one returns true.
  template <class Leaf>
  bool near(double reach, Leaf&& leaf) const {
    return near_moved({}, reach, leaf);
  }

  /// The same, the core moved on by `way`.
  template <class Leaf>
  bool near_moved(const Vec3& way, double reach, Leaf&& leaf) const {
    RelativePose pose = pose_;
    pose.t = pose.t + way;
    const BoxView view(pose);
    const double within = reach + slack();
    std::array<std::uint32_t, shapes::most_tree_depth + 2> waiting;
    std::size_t count = 0;
    waiting[count++] = 0;
    while (count > 0) {
      const std::uint32_t n = waiting[--count];
      if (view.apart(tree_.boxes[n], box_, within)) continue;
      const TreeNode& node = tree_.nodes[n];
      if (!node.leaf()) {
        waiting[count++] = node.first + 1;
        waiting[count++] = node.first;
        continue;
      }
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        if (leaf(i)) return true;
      }
    }
    return false;
  }

  /// leaf(i) for every triangle that may be nearer than `best`, or overlap; near ones first.
  template <class Leaf>
  void nearest(const double& best, Leaf&& leaf) const {
    struct Waiting {
      std::uint32_t node;
      double gap;
    };
    std::array<Waiting, shapes::most_tree_depth + 2> waiting;
    std::size_t count = 0;
    const auto gap = [&](std::uint32_t n) { return view_.gap(tree_.boxes[n], box_); };
    waiting[count++] = {0, 0};
    while (count > 0) {
      const Waiting w = waiting[--count];
      if (w.gap > best + slack()) continue;
      const TreeNode& node = tree_.nodes[w.node];
      if (!node.leaf()) {
        Waiting near{node.first, gap(node.first)};
        Waiting far{node.first + 1, gap(node.first + 1)};
        if (far.gap < near.gap) std::swap(near, far);
        waiting[count++] = far;
        waiting[count++] = near;
        continue;
      }
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) leaf(i);
    }
  }

 private:
  double slack() const { return 1e-14 * scale_; }

  const MeshTree& tree_;
  RelativePose pose_;
  BoxView view_;
  shapes::BoxVolume box_;
  double scale_ = 0;
};

}  // namespace carom::mesh
