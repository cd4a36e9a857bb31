#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "broad/broad.hpp"
#include "mid/sphere_tree.hpp"
#include "mid/triangle_pair.hpp"

/// Method `spheres` of the stage `mid`: trees of spheres are walked against each other and themselves, level by level
/// (Zouiouche 2012, IV.3.4 and IV.5); pairs of triangles in leaves that are within reach are asked by their boxes.
namespace carom::mid {

struct SpheresIn {
  const Surface& surface;
  std::span<const Eigen::Vector3d> positions;
  std::span<const Box> triangles;  ///< grown by half the distance
  std::span<const broad::ObjectPair> object_pairs;
  double distance = 0;  ///< m
};

/// Trees that last from call to call, and working memory.
class Spheres {
 public:
  /// Every pair of triangles (a < b) closer than the distance, in objects that are paired, once: those whose boxes and
  /// the spheres of whose leaves overlap. In an order that depends on the input and on the trees.
  void run(Context& context, const SpheresIn& in, const SphereTreeOptions& options, std::vector<TrianglePair>& pairs,
           StageStats& stats);

  const SphereTree& tree() const { return tree_; }

 private:
  struct NodePair {
    Index a = none;
    Index b = none;
    bool leaves = false;
  };
  /// Rows [begin, end) of triangles of a against all of b.
  struct Rows {
    Index a = none;
    Index b = none;
    Index begin = 0;
    Index end = 0;
  };

  std::uint64_t traverse(Context& context, const SpheresIn& in);
  std::uint64_t cut_into_rows();

  SphereTree tree_;
  std::vector<NodePair> pairs_, next_;
  OrderedAppend<NodePair> append_;
  std::vector<std::uint64_t> tests_;
  std::vector<NodePair> leaf_pairs_;
  std::vector<Rows> rows_;
  OrderedAppend<TrianglePair> append_triangles_;
};

}  // namespace carom::mid
