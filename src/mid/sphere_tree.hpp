#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "carom/mesh/surface.hpp"
#include "carom/shape/shape.hpp"
#include "core/context.hpp"

/// Binary trees of smallest enclosing spheres, one over the triangles of each object (Zouiouche 2012, IV.3 and V.5.3).
/// A node is split at the mean of the centers of its triangles, along the axis of their largest variance, down to a
/// depth that the user chooses. The sphere of a new node is the smallest around its vertices (Welzl); when vertices
/// move, centers and radii follow from the leaves up.
namespace carom::mid {

/// Depth of a tree of spheres: number of levels. A tree of depth 1 is a root.
inline constexpr int min_sphere_depth = 1;
inline constexpr int max_sphere_depth = 32;

/// Update of the radius of a node whose vertices have moved.
enum class SphereRefit {
  /// Farthest vertex of a leaf; of an inner node the farther of its children's spheres, or the farthest corner of its
  /// box if that is nearer.
  farthest,
  /// Radius at construction times the largest ratio of a distance now to what it was at construction (Zouiouche 2012,
  /// IV.3.5.2). Never tighter than `farthest`, as no vertex was farther than the radius. Published, it loses vertices:
  /// the spheres of children may reach out of the smallest sphere around the vertices, and a vertex may move to where
  /// they do. Here the radius at construction counts as no less than the reach of the children.
  ratio,
};

struct SphereTreeOptions {
  int depth = 15;  ///< levels, see min_sphere_depth
  SphereRefit refit = SphereRefit::farthest;
  bool rebuild = true;  ///< trees are made again when their leaves have grown by half
};

class SphereTree {
 public:
  struct Node {
    Eigen::Vector3d center{0, 0, 0};
    double radius = 0;   ///< m, of a sphere that holds all vertices of the node, rounding included
    Index child = none;  ///< the first of two, which stand together; none: a leaf
    Index begin = 0;     ///< of its triangles in order()
    Index end = 0;
    Index vertices_begin = 0;  ///< of the vertices of a leaf in its list
    Index vertices_end = 0;
    Eigen::Vector3d low{0, 0, 0}, high{0, 0, 0};  ///< box of its vertices
    Eigen::Vector3d shift{0, 0, 0};               ///< from the center of its box to its own, at construction
    double built_radius = 0;                      ///< m, at construction
    std::array<double, 2> built_reach{};          ///< m, of the children of an inner node, at construction

    bool is_leaf() const { return child == none; }
    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  };

  /// Brings the trees up to the positions, or makes them if the surface or the depth is another.
  void update(Context& context, const Surface& surface, std::span<const Eigen::Vector3d> positions,
              const SphereTreeOptions& options);

  /// Nodes of all levels, the roots first; every child comes after its parent.
  std::span<const Node> nodes() const { return nodes_; }
  /// Triangles, in the order in which nodes have them.
  std::span<const Index> order() const { return order_; }
  /// Root of an object, by its position in Surface::objects(); none if it has no triangles.
  Index root(Index object) const { return roots_[static_cast<std::size_t>(object)]; }
  std::size_t depth() const { return level_begin_.empty() ? 0 : level_begin_.size() - 1; }
  /// Spheres of a level, 0 for the roots, and of the leaves above it: together they hold the whole surface.
  std::vector<BoundingSphere> level(std::size_t number) const;
  std::size_t built() const { return built_; }  ///< times

 private:
  void build(Context& context, const Surface& surface, std::span<const Eigen::Vector3d> positions);
  void add_roots(const Surface& surface);
  void fit(std::span<const Eigen::Vector3d> positions, const Surface& surface, bool may_split, Node& node,
           Index& middle);
  void list_leaf_vertices(Context& context, const Surface& surface);
  void remember(std::span<const Eigen::Vector3d> positions);
  void refit_leaf(std::span<const Eigen::Vector3d> positions, Node& node) const;
  void refit_inner(Node& node) const;
  double leaf_size() const;

  SphereTreeOptions options_{};
  std::uint64_t revision_ = 0;
  std::size_t built_ = 0;
  double built_leaf_size_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::size_t> level_begin_;  ///< of each level, and the number of all
  std::vector<Index> roots_;
  std::vector<Index> order_;
  std::vector<Index> leaf_vertices_;
  std::vector<double> built_distance_;  ///< m, of each of `leaf_vertices_` from the center, at construction
  OrderedAppend<Index> append_;
  std::vector<Index> leaves_;
};

}  // namespace carom::mid
