#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "bounds/moving_box.hpp"
#include "carom/detect/detect.hpp"
#include "core/context.hpp"
#include "kernels/node_pairs.hpp"
#include "mid/cluster_features.hpp"
#include "mid/triangle_pair.hpp"

/// Methods `bvh14` and `bvh18` of the stage `mid`, the plain search: a tree with eight children a node over clusters of
/// triangles. The tree has no pointers: the nodes of a level are numbered, the children of node i are the nodes 8 i to
/// 8 i + 7 of the level below, and all leaves, the clusters, are in level 0. Each frame the volumes are made again from
/// the leaves up; the clusters are cut again when they have become much larger than they were. The tree is walked
/// against itself, level by level, over pairs of nodes with a <= b, so no pair comes twice.
namespace carom::mid {

using bounds::Interval;
using bounds::MovingBox;

/// What is around a node: intervals along the axes and along diagonals.
enum class Volume { dop14, dop18 };

struct BvhOptions {
  double distance = 0;  ///< m
  PairScope pairs = PairScope::all;
  Volume volume = Volume::dop14;
  bool triangles_only = false;  ///< boxes of vertices and edges are not wanted
};

inline kernels::NodeScope node_scope(PairScope pairs) {
  switch (pairs) {
    case PairScope::between:
      return kernels::NodeScope::between;
    case PairScope::self:
      return kernels::NodeScope::self;
    case PairScope::all:
      return kernels::NodeScope::all;
  }
  return kernels::NodeScope::all;
}

/// Everything that lasts from call to call.
class Bvh {
 public:
  struct In {
    const Surface& surface;
    std::span<const Eigen::Vector3d> positions;
    std::span<const Box> objects;                 ///< grown by half the distance
    std::span<const std::uint8_t> object_wanted;  ///< 0: nothing can touch this object
    std::span<const Eigen::Vector3d> end{};       ///< of a step, for run_moving
    /// Of each object: pairs whose marks together are not broad::ObjectChoice::every_mark are not looked for. Empty:
    /// all are.
    std::span<const std::uint8_t> marks{};
  };

  /// Brings clusters and tree up to date and finds the pairs of clusters that may touch.
  void run(Context& context, const In& in, const BvhOptions& options, StageStats& stats);

  /// The same over a step in which vertices go straight from `in.positions` to `in.end`: volumes hold the whole step,
  /// and boxes that move are asked when they meet. Each pair has the part of the step in which it may touch.
  void run_moving(Context& context, const In& in, const BvhOptions& options, StageStats& stats);
  std::span<const Interval> intervals() const { return intervals_; }

  std::span<const Cluster> clusters() const { return clusters_; }
  /// Of clusters, a <= b.
  std::span<const kernels::NodePair> pairs() const { return pairs_; }

  /// All pairs of triangles (a < b) with overlapping boxes in the pairs of clusters found last, in an order
  /// that depends on the input alone. Adds what it took away to `stats`, and makes `out` that of triangles.
  void triangle_pairs(Context& context, std::vector<TrianglePair>& pairs, StageStats& stats);

  const ClusterFeatures& features() const { return features_; }
  kernels::Hull hull(std::size_t cluster) const { return kernels::Hull(hulls_.data() + 6 * cluster, 6); }

 private:
  static constexpr std::size_t cluster_grain = 64;
  static constexpr std::size_t pair_grain = 64;

  struct Level {
    std::vector<float> groups;
    std::vector<Index> object;
    std::vector<MovingBox> moving;  ///< of each node, filled by run_moving alone
    std::size_t count = 0;
  };
  struct MovingPair {
    kernels::NodePair pair;
    Interval part;
  };

  void bring_up_to_date(Context& context, const In& in, const BvhOptions& options);
  void build(Context& context, const In& in);
  void shape_levels();
  void refit_clusters(Context& context, const In& in, const BvhOptions& options);
  void refit_levels(Context& context);
  void walk(Context& context, const In& in, const BvhOptions& options);
  bool parted(const Level& level, const kernels::NodePair& pair, std::span<const std::uint8_t> marks) const;
  std::uint64_t parted_pairs(std::span<const std::uint8_t> marks) const;
  void fit_moving_boxes(Context& context, const In& in);
  std::uint64_t walk_moving(Context& context, const In& in, const BvhOptions& options);
  void count_pairs(const In& in, std::uint64_t never, StageStats& stats) const;
  void fill_features(Context& context, const In& in, bool triangles_only);
  double size_of(const Level& level) const;
  bool worn() const;
  void remember_sizes();

  std::uint64_t revision_ = 0;  ///< of the surface the clusters were made from
  Volume volume_ = Volume::dop14;
  std::size_t directions_ = 7;
  Eigen::Array3d origin_ = Eigen::Array3d::Zero();  ///< boxes are relative to it, so that floats have digits to spare
  bool rebuilt_ = false;
  std::vector<double> built_sizes_;  ///< of each level when the clusters were cut
  ClusterBuilder builder_;
  std::vector<Cluster> clusters_;
  std::size_t used_ = 0;        ///< clusters that have triangles
  std::vector<float> hulls_;    ///< six a cluster
  std::vector<double> margin_;  ///< by which the boxes of each cluster's features grow
  std::vector<Level> levels_;
  ClusterFeatures features_;
  std::vector<std::uint8_t> active_;
  std::vector<Index> active_list_;
  std::vector<kernels::NodePair> pairs_;
  std::vector<kernels::NodePair> next_;
  OrderedAppend<kernels::NodePair> append_;
  std::vector<Interval> intervals_;  ///< of `pairs_`, after run_moving
  std::vector<MovingPair> moving_pairs_, next_moving_;
  std::vector<std::uint64_t> never_;
  OrderedAppend<MovingPair> append_moving_;
  OrderedAppend<TrianglePair> append_triangles_;
};

}  // namespace carom::mid
