#pragma once

#include "narrow/mesh/mesh_convex.hpp"
#include "narrow/mesh/traverse.hpp"
#include "shapes/support.hpp"

namespace carom::mesh {

/// Planes that some triangle and the core are on different sides of: as a rule they keep the neighbours of the triangle
/// away as well, at a fraction of what a query costs. The last few are kept.
class SidePlanes {
 public:
  SidePlanes(const MeshTree& tree, const shapes::Core& core, const RelativePose& pose)
      : tree_(tree), core_(core), pose_(pose) {}

  /// n is a unit vector from the triangle to the core, in the frame of the mesh.
  void add(const Vec3& n) {
    const Vec3 low = pose_.rotate(shapes::support(core_, -pose_.rotate_back(n)).p) + pose_.t;
    keep({n, dot(n, low)});
  }
  /// The widest gap between the core and what is below a node, or a triangle, along the normals of the planes.
  double gap_of_node(std::uint32_t node) const {
    return gap(planes_for_nodes, [&](const Vec3& n) {
      if (tree_.oriented.empty()) return dot(n, tree_.boxes[node].center) + reach_along(n, tree_.boxes[node]);
      return dot(n, tree_.oriented[node].center) + reach_along(n, tree_.oriented[node]);
    });
  }
  double gap_of_triangle(std::uint32_t i) const {
    const shapes::TriangleCorners& t = tree_.corners[i];
    return gap(max_planes, [&](const Vec3& n) { return std::max({dot(n, t[0]), dot(n, t[1]), dot(n, t[2])}); });
  }
  /// Whether the plane of a triangle has the core farther away than `reach`, which is kept then. One support tells.
  bool keep_face(std::uint32_t i, const Vec3& middle, double reach) {
    const shapes::TriangleCorners& t = tree_.corners[i];
    const Vec3 m = math::cross(t[1] - t[0], t[2] - t[0]);
    const double area = std::sqrt(dot(m, m));
    const double side = dot(m, middle - t[0]);
    if (!(std::abs(side) > reach * area)) return false;
    const Vec3 n = (side < 0 ? -1 / area : 1 / area) * m;
    const Vec3 low = pose_.rotate(shapes::support(core_, -pose_.rotate_back(n)).p) + pose_.t;
    if (!(dot(n, low) - std::max({dot(n, t[0]), dot(n, t[1]), dot(n, t[2])}) > reach)) return false;
    keep({n, dot(n, low)});
    return true;
  }

 private:
  struct Plane {
    Vec3 n;
    double low = 0;  ///< of the core along n
  };
  void keep(const Plane& plane) {
    planes_[next_] = plane;
    next_ = (next_ + 1) % planes_.size();
    count_ = std::min(count_ + 1, planes_.size());
  }
  /// Around a contact every side has a plane of its own; nodes are not worth asking all of them.
  static constexpr std::size_t max_planes = 8;
  static constexpr std::size_t planes_for_nodes = 3;

  /// Over the last `of` planes.
  template <class Top>
  double gap(std::size_t of, Top&& top) const {
    double widest = -INFINITY;
    for (std::size_t k = 1; k <= std::min(of, count_); ++k) {
      const Plane& plane = planes_[(next_ + max_planes - k) % max_planes];
      widest = std::max(widest, plane.low - top(plane.n));
    }
    return widest;
  }

  const MeshTree& tree_;
  const shapes::Core& core_;
  const RelativePose& pose_;
  std::array<Plane, max_planes> planes_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

/// The tree of a mesh against a box around a core, along the axes of the mesh, and against planes. Radii are not part
/// of either.
class ConvexWalk {
 public:
  ConvexWalk(const PlacedMesh& a, const PlacedCore& b)
      : tree_(a.mesh.tree), pose_(convex::relative_pose(a.pose, b.pose)), planes_(tree_, b.core, pose_) {
    const auto along = [&](const Vec3& d) {
      const Vec3 e = pose_.rotate_back(d);
      return dot(e, shapes::support(b.core, e).p);
    };
    const Vec3 high{along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
    const Vec3 low{-along({-1, 0, 0}), -along({0, -1, 0}), -along({0, 0, -1})};
    const Vec3 center = 0.5 * (low + high);
    box_ = {center + pose_.t, math::higher(high - center, center - low)};
    scale_ = a.mesh.reach + b.core.reach + std::abs(pose_.t.x) + std::abs(pose_.t.y) + std::abs(pose_.t.z);
  }
  ConvexWalk(const ConvexWalk&) = delete;
  ConvexWalk& operator=(const ConvexWalk&) = delete;

  /// Planes beyond which near() and nearest() leave triangles out; add to them what separates.
  SidePlanes& planes() { return planes_; }
  const RelativePose& pose() const { return pose_; }  ///< of the core in the frame of the mesh
  double scale() const { return scale_; }             ///< no coordinate is larger
  const Vec3& middle() const { return box_.center; }  ///< of the core, in the frame of the mesh

  /// leaf(i) for every triangle, in tree order, that may be within `reach` of the core, until one returns true.
  template <class Leaf>
  bool near(double reach, Leaf&& leaf) {
    const double within = reach + slack();
    return traverse(
        {}, within, [&](std::uint32_t n) { return planes_.gap_of_node(n) > within; },
        [&](std::uint32_t i) {
          if (planes_.gap_of_triangle(i) > within || planes_.keep_face(i, box_.center, within)) return false;
          return leaf(i);
        });
  }

  /// The same, the core moved on by `way`, and without the planes.
  template <class Leaf>
  bool near_moved(const Vec3& travel, double reach, Leaf&& leaf) const {
    return traverse(
        travel, reach + slack(), [](std::uint32_t) { return false; }, leaf);
  }

  /// leaf(i) for every triangle that may be nearer than `best`, or overlap; near ones first.
  template <class Leaf>
  void nearest(const double& best, Leaf&& leaf) {
    struct Waiting {
      std::uint32_t node;
      double gap;
    };
    std::array<Waiting, shapes::max_tree_depth + 2> waiting;
    std::size_t count = 0;
    const auto gap = [&](std::uint32_t n) {
      const shapes::BoxVolume& box = tree_.boxes[n];
      const double between = length_above_0(absolute(box.center - box_.center) - box.half - box_.half);
      return between > best + slack() ? between : std::max(between, planes_.gap_of_node(n));
    };
    waiting[count++] = {0, 0};
    while (count > 0) {
      const Waiting w = waiting[--count];
      if (w.gap > best + slack() || planes_.gap_of_node(w.node) > best + slack()) continue;
      const TreeNode& node = tree_.nodes[w.node];
      if (!node.leaf()) {
        Waiting near{node.first, gap(node.first)};
        Waiting far{node.first + 1, gap(node.first + 1)};
        if (far.gap < near.gap) std::swap(near, far);
        if (far.gap <= best + slack()) waiting[count++] = far;
        if (near.gap <= best + slack()) waiting[count++] = near;
        continue;
      }
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        if (planes_.gap_of_triangle(i) > best + slack() || planes_.keep_face(i, box_.center, best + slack())) continue;
        leaf(i);
      }
    }
  }

 private:
  template <class Skip, class Leaf>
  bool traverse(const Vec3& travel, double within, Skip&& skip, Leaf&& leaf) const {
    const Vec3 center = box_.center + travel;
    const Vec3 half = box_.half + Vec3{within, within, within};
    std::array<std::uint32_t, shapes::max_tree_depth + 2> waiting;
    std::size_t count = 0;
    waiting[count++] = 0;
    while (count > 0) {
      const std::uint32_t n = waiting[--count];
      const shapes::BoxVolume& box = tree_.boxes[n];
      if (std::abs(box.center.x - center.x) > box.half.x + half.x ||
          std::abs(box.center.y - center.y) > box.half.y + half.y ||
          std::abs(box.center.z - center.z) > box.half.z + half.z || skip(n))
        continue;
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

  double slack() const { return 1e-14 * scale_; }

  const MeshTree& tree_;
  RelativePose pose_;
  SidePlanes planes_;
  shapes::BoxVolume box_;
  double scale_ = 0;
};

}  // namespace carom::mesh
