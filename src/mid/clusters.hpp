#pragma once

#include <array>
#include <span>
#include <vector>

#include "carom/detect/detect.hpp"
#include "core/context.hpp"
#include "core/radix_sort.hpp"

namespace carom::mid {

inline constexpr std::size_t cluster_triangles = 16;
inline constexpr std::size_t cluster_features = 3 * cluster_triangles;  ///< vertices or edges of 16 loose triangles

/// Up to 16 triangles of one object that lie close together, and the features they own. Clusters are
/// what the tree has for leaves and what the narrow phase takes by pairs: large enough to
/// fill vectors, small enough to be tight. Every feature is in exactly one cluster, so a pair
/// of features is in exactly one pair of clusters.
struct Cluster {
  std::array<Index, cluster_triangles> triangles;
  std::array<Index, cluster_features> vertices;  ///< all that the triangles use, each once; the owned ones first
  std::array<std::array<std::uint8_t, 3>, cluster_triangles> corners;  ///< places in `vertices`
  std::array<std::array<std::uint8_t, 2>, cluster_features>
      edges;                        ///< owned; places in `vertices`, the smaller vertex first
  std::uint8_t triangle_count = 0;  ///< 0: a place that is not in use
  std::uint8_t vertex_count = 0;
  std::uint8_t owned_vertex_count = 0;
  std::uint8_t edge_count = 0;
  Index object = none;  ///< position in Surface::objects()
};

/// No more than cluster_triangles, all of one object.
Cluster make_cluster(const Surface& surface, std::span<const Index> triangles);

/// All triangles of a surface, cut into clusters where they lie now. Objects follow each other along
/// a space-filling curve, and so do the triangles within each object. A larger object begins
/// at a multiple of eight places, so that the lower nodes of the tree hold one object each.
class ClusterBuilder {
 public:
  void run(Context& context, const Surface& surface, std::span<const Eigen::Vector3d> positions,
           std::vector<Cluster>& clusters);

 private:
  struct Keyed {
    std::uint64_t key = 0;
    Index object = none;
  };
  std::vector<std::uint64_t> keyed_;  ///< place along the curves in the upper bits, triangle in the lower ones
  RadixSort<std::uint64_t> sort_;
  std::vector<Keyed> object_order_;
  std::vector<Index> rank_;
  std::vector<Index> sizes_;
  std::vector<Eigen::Array3d> low_, high_;
  std::vector<std::size_t> place_;
};

}  // namespace carom::mid
