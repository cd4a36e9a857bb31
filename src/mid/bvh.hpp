#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "carom/detect.hpp"
#include "core/context.hpp"
#include "kernels/feature_pairs.hpp"
#include "kernels/node_pairs.hpp"
#include "mid/clusters.hpp"
#include "mid/triangle_pair.hpp"

/// Method `bvh` of the stage `mid`: a tree with eight children a node over clusters of triangles.
/// The tree has no pointers: the nodes of a level are numbered, the children of node i are the nodes
/// 8 i to 8 i + 7 of the level below, and all leaves, the clusters, are in level 0. Each frame
/// the volumes are made anew from the leaves up; the clusters are cut anew when they have
/// become much larger than they were. The tree is walked against itself, level by level, over pairs of
/// nodes with a <= b, so no pair comes twice.
namespace carom::mid {

/// What is around a node: a box, or intervals along more directions than the axes.
enum class Volume { box, dop14, dop18 };

struct BvhOptions {
  double distance = 0;  ///< m
  PairScope pairs = PairScope::all;
  Volume volume = Volume::box;
};

/// Rows of features are padded to whole vectors of eight.
inline std::uint32_t row_stride(std::uint32_t count) {
  return (count + 7U) / 8U * 8U;
}

/// Everything that lasts from call to call.
class Bvh {
 public:
  struct In {
    const Surface& surface;
    std::span<const Eigen::Vector3d> positions;
    std::span<const Box> objects;                 ///< grown by half the distance
    std::span<const std::uint8_t> object_wanted;  ///< 0: nothing can touch this object
  };

  /// Brings clusters and tree up to date and finds the pairs of clusters that may touch. If vertices are marked in
  /// `touched`, only pairs with a cluster that uses one of these.
  void run(Context& context, const In& in, const BvhOptions& options, StageStats& stats,
           std::span<const std::uint8_t> touched = {});

  std::span<const Cluster> clusters() const { return clusters_; }
  /// Of clusters, a <= b.
  std::span<const kernels::NodePair> pairs() const { return pairs_; }

  /// All pairs of triangles (a < b) with overlapping boxes in the pairs of clusters found last, in an order
  /// that depends on the input alone. Adds what it took away to `stats`, and makes `out` that of triangles.
  void triangle_pairs(Context& context, std::vector<TrianglePair>& pairs, StageStats& stats);

  // A cluster's boxes are six rows of its edges, then of its vertices, then of its triangles; its vertices are
  // two rows, one and three of the same.
  kernels::FeatureRows edges(std::size_t cluster) const {
    const Cluster& c = clusters_[cluster];
    return {boxes_of(cluster), vertices_of(cluster), row_stride(c.edge_count), c.edge_count};
  }
  kernels::FeatureRows vertices(std::size_t cluster) const {
    const Cluster& c = clusters_[cluster];
    const std::size_t edges = row_stride(c.edge_count);
    return {boxes_of(cluster) + 6 * edges, vertices_of(cluster) + 2 * edges, row_stride(c.owned_vertex_count),
            c.owned_vertex_count};
  }
  kernels::FeatureRows triangles(std::size_t cluster) const {
    const Cluster& c = clusters_[cluster];
    const std::size_t edges = row_stride(c.edge_count);
    const std::size_t owned = row_stride(c.owned_vertex_count);
    return {boxes_of(cluster) + 6 * (edges + owned), vertices_of(cluster) + 2 * edges + owned,
            row_stride(c.triangle_count), c.triangle_count};
  }
  kernels::Hull hull(std::size_t cluster) const { return kernels::Hull(hulls_.data() + 6 * cluster, 6); }

 private:
  struct Level {
    std::vector<float> groups;
    std::vector<Index> object;
    std::vector<std::uint8_t> touched;  ///< has a touched cluster; filled if the call asks for these
    std::size_t count = 0;
  };

  const float* boxes_of(std::size_t cluster) const { return features_.data() + feature_begin_[cluster]; }
  const Index* vertices_of(std::size_t cluster) const { return feature_vertices_.data() + vertex_begin_[cluster]; }
  void build(Context& context, const In& in);
  void refit_clusters(Context& context, const In& in, const BvhOptions& options);
  void refit_levels(Context& context);
  void touch(Context& context, std::span<const std::uint8_t> touched);
  void walk(Context& context, const BvhOptions& options, bool touched_only);
  void fill_features(Context& context, const In& in);
  double size_of(const Level& level) const;
  bool worn() const;
  void remember_sizes();

  std::uint64_t revision_ = 0;  ///< of the surface the clusters were made from
  Volume volume_ = Volume::box;
  std::size_t directions_ = 3;
  Eigen::Array3d origin_ = Eigen::Array3d::Zero();  ///< boxes are relative to it, so that floats have digits to spare
  bool rebuilt_ = false;
  std::vector<double> built_sizes_;  ///< of each level when the clusters were cut
  ClusterBuilder builder_;
  std::vector<Cluster> clusters_;
  std::size_t used_ = 0;        ///< clusters that have triangles
  std::vector<float> hulls_;    ///< six a cluster
  std::vector<double> margin_;  ///< by which the boxes of each cluster's features grow
  std::vector<Level> levels_;
  std::vector<std::size_t> feature_begin_;  ///< of each cluster in `features_`
  std::vector<float> features_;             ///< boxes, made anew for the clusters of a pair
  std::vector<std::size_t> vertex_begin_;   ///< of each cluster in `feature_vertices_`
  std::vector<Index> feature_vertices_;     ///< made with the clusters
  std::vector<std::uint8_t> active_;
  std::vector<Index> active_list_;
  std::vector<kernels::NodePair> pairs_;
  std::vector<kernels::NodePair> next_;
  OrderedAppend<kernels::NodePair> append_;
  OrderedAppend<TrianglePair> append_triangles_;
};

}  // namespace carom::mid
