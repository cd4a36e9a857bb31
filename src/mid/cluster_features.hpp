#pragma once

#include <span>
#include <vector>

#include "core/context.hpp"
#include "kernels/feature_pairs.hpp"
#include "mid/clusters.hpp"

namespace carom::mid {

/// The features of clusters in rows that vectors can load: boxes, made again in each frame for the clusters that need
/// them, and the numbers of their vertices, made with the clusters. A cluster's boxes are six rows of its edges, then
/// of its vertices, then of its triangles; its vertices are two rows, one and three of the same.
class ClusterFeatures {
 public:
  /// Room for the features of these clusters, and their vertices.
  void lay_out(Context& context, std::span<const Cluster> clusters);

  /// Where features are, and what their boxes are made relative to and grown by.
  struct In {
    std::span<const Eigen::Vector3d> positions;
    std::span<const Eigen::Vector3d> end;  ///< of a step; empty if nothing moves
    const Eigen::Array3d& origin;
    double margin;
  };
  /// Boxes of the features of one cluster.
  void fill(std::size_t cluster, const Cluster& of, const In& in, bool triangles_only);

  kernels::FeatureRows edges(std::size_t cluster) const {
    const Place& place = places_[cluster];
    return {boxes_.data() + place.boxes, vertices_.data() + place.vertices, stride(place.edges), place.edges};
  }
  kernels::FeatureRows vertices(std::size_t cluster) const {
    const Place& place = places_[cluster];
    const std::size_t edges = stride(place.edges);
    return {boxes_.data() + place.boxes + 6 * edges, vertices_.data() + place.vertices + 2 * edges, stride(place.owned),
            place.owned};
  }
  kernels::FeatureRows triangles(std::size_t cluster) const {
    const Place& place = places_[cluster];
    const std::size_t edges = stride(place.edges);
    const std::size_t owned = stride(place.owned);
    return {boxes_.data() + place.boxes + 6 * (edges + owned), vertices_.data() + place.vertices + 2 * edges + owned,
            stride(place.triangles), place.triangles};
  }

 private:
  /// Where the rows of a cluster begin, and how many features it has.
  struct Place {
    std::size_t boxes = 0;
    std::size_t vertices = 0;
    std::uint8_t edges = 0, owned = 0, triangles = 0;
  };

  /// Rows are padded to whole vectors of eight.
  static std::uint32_t stride(std::uint32_t count) { return (count + 7U) / 8U * 8U; }
  static std::size_t box_floats(const Place& place);
  static std::size_t vertex_numbers(const Place& place);
  static Place counted(const Cluster& cluster);
  void list_vertices(const Place& place, const Cluster& cluster);

  std::vector<Place> places_;
  std::vector<float> boxes_;
  std::vector<Index> vertices_;
};

}  // namespace carom::mid
