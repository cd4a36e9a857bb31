#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "kernels/surface_cluster.hpp"

namespace carom::mesh {

/// Items waiting to be begun with, those with the fewest open neighbors first, the oldest first among these. Items may
/// wait in several queues, or no longer be open.
class SeedQueue {
 public:
  void push(Index item, std::size_t open_neighbors) { waiting_[std::min(open_neighbors, levels - 1)].push_back(item); }

  template <class IsOpen>
  Index pop(const IsOpen& is_open) {
    for (std::size_t level = 0; level < levels; ++level) {
      while (first_[level] < waiting_[level].size()) {
        const Index item = waiting_[level][first_[level]++];
        if (is_open(item)) return item;
      }
      waiting_[level].clear();
      first_[level] = 0;
    }
    return none;
  }

 private:
  static constexpr std::size_t levels = 4;
  std::array<std::vector<Index>, levels> waiting_;
  std::array<std::size_t, levels> first_{};
};

/// Clusters of triangles, grown over shared edges: at most 16 triangles, 16 vertices and 32 edges each. In time linear
/// in the triangles. Dead ones are left out.
class ClusterGrowth {
 public:
  ClusterGrowth(std::span<const Triangle> triangles, std::size_t vertex_count)
      : triangles_(triangles), vertex_count_(vertex_count) {}

  void run() {
    number_edges();
    grow_clusters();
    join_small();
  }

  std::vector<Edge>& edges() { return edges_; }                   ///< ascending, the smaller vertex first
  const std::vector<Index>& edge_of() const { return edge_of_; }  ///< each side; none if its ends are one vertex
  const std::vector<Index>& beyond() const { return beyond_; }    ///< the triangle on the other side of each side
  std::vector<Index>& cluster_of() { return cluster_of_; }        ///< each triangle
  std::size_t count() const { return sizes_.size(); }             ///< of clusters; some may be empty
  std::span<const Index> members(std::size_t cluster) const {
    return {members_.data() + cluster_lanes * cluster, sizes_[cluster]};
  }

 private:
  struct HalfEdge {
    Index to;
    Index side;  ///< 3 t + k
  };

  void number_edges();
  bool is_open(Index triangle) const { return cluster_of_[static_cast<std::size_t>(triangle)] == none; }
  std::size_t open_around(Index triangle) const;
  void grow_clusters();
  void grow_from(Index seed, SeedQueue& queue);
  void join_small();
  std::size_t edges_together(std::size_t a, std::size_t b) const;

  static constexpr std::size_t cluster_lanes = kernels::cluster_lanes;

  std::span<const Triangle> triangles_;
  std::size_t vertex_count_;
  std::vector<Edge> edges_;
  std::vector<Index> edge_of_;
  std::vector<Index> beyond_;
  std::vector<Index> cluster_of_;
  std::vector<Index> members_;  ///< triangles, 16 places a cluster
  std::vector<std::uint8_t> sizes_;
  std::vector<Index> vertex_mark_;
};

}  // namespace carom::mesh
