#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/surface_cluster.hpp"
#include "mesh/edge_numbers.hpp"

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

/// Part of the triangles of a surface. Parts are grown apart, so all that one writes is its own.
struct SurfacePart {
  std::span<const Index> order;    ///< its triangles, in the order in which they begin clusters
  std::span<const Index> part_of;  ///< each triangle; empty: there is one part
  Index number = 0;

  bool has(Index triangle) const { return part_of.empty() || part_of[static_cast<std::size_t>(triangle)] == number; }
};

/// Clusters of the triangles of a part, grown over shared edges: at most 16 triangles, 16 vertices and 32 edges each.
/// In time linear in the triangles.
class ClusterGrowth {
 public:
  /// `cluster_of` has a place for each triangle, `none` to begin with; numbers begin at 0 in each part.
  ClusterGrowth(std::span<const Triangle> triangles, const EdgeNumbers& edges, const SurfacePart& part,
                std::span<Index> cluster_of)
      : triangles_(triangles), edges_(edges), part_(part), cluster_of_(cluster_of) {}

  void run() {
    grow_clusters();
    join_small();
  }

  std::size_t count() const { return sizes_.size(); }  ///< of clusters; some may be empty
  std::span<const Index> members(std::size_t cluster) const {
    return {members_.data() + cluster_lanes * cluster, sizes_[cluster]};
  }

 private:
  static constexpr std::size_t cluster_lanes = kernels::cluster_lanes;

  /// The vertices of a cluster.
  class Vertices {
   public:
    std::size_t size() const { return size_; }
    bool has(Index vertex) const {
      bool found = false;
      for (const Index v : list_) found |= v == vertex;
      return found;
    }
    std::size_t missing(const Triangle& c) const {
      return std::size_t{!has(c[0])} + std::size_t{c[1] != c[0] && !has(c[1])} +
             std::size_t{c[2] != c[0] && c[2] != c[1] && !has(c[2])};
    }
    void add(const Triangle& c) {
      for (const Index v : c)
        if (!has(v)) list_[size_++] = v;
    }
    Vertices() { list_.fill(none); }

   private:
    std::array<Index, cluster_lanes> list_;
    std::size_t size_ = 0;
  };

  bool is_open(Index triangle) const {
    return part_.has(triangle) && cluster_of_[static_cast<std::size_t>(triangle)] == none;
  }
  bool is_in(Index triangle, Index cluster) const {
    return triangle != none && part_.has(triangle) && cluster_of_[static_cast<std::size_t>(triangle)] == cluster;
  }
  std::size_t open_around(Index triangle) const;
  void grow_clusters();
  void grow_from(Index seed, SeedQueue& queue);
  void join_small();
  std::size_t vertices_together(std::size_t a, std::size_t b) const;
  std::size_t edges_together(std::size_t a, std::size_t b) const;

  std::span<const Triangle> triangles_;
  const EdgeNumbers& edges_;
  SurfacePart part_;
  std::span<Index> cluster_of_;
  std::vector<Index> members_;  ///< triangles, 16 places a cluster
  std::vector<std::uint8_t> sizes_;
};

}  // namespace carom::mesh
