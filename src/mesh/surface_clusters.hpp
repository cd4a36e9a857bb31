#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "kernels/surface_cluster.hpp"

namespace carom {
class Surface;
}

namespace carom::mesh {

/// What detection needs to know of a surface that does not depend on where its vertices are: its edges by number, its
/// triangles in clusters, the clusters in blocks, and which clusters have vertices in common.
struct SurfaceClusters {
  std::vector<Edge> edges;  ///< each with the smaller vertex first, ascending: so the order of pairs of edges is that
                            ///< of pairs of their numbers
  std::vector<kernels::SurfaceCluster> clusters;
  std::vector<std::uint32_t> neighbor_begin;        ///< of each cluster in `neighbors`, and their end
  std::vector<kernels::ClusterNeighbor> neighbors;  ///< itself first, then those with higher numbers, ascending
  std::vector<std::uint32_t> around_begin;          ///< of each cluster in `around`, and their end
  std::vector<kernels::BlockNeighbors> around;      ///< all neighbors, itself too, by block
  std::vector<kernels::ClusterBlock> blocks;
  std::vector<Index> block_vertices;   ///< of all blocks, those of a block ascending
  std::vector<Index> unused_vertices;  ///< in no triangle, ascending
  /// False for what clusters are no good for: loose triangles, which share no edges, and vertices at which thousands of
  /// triangles meet.
  bool suitable = true;
};

/// In time linear in the triangles. Dead ones are left out.
SurfaceClusters make_clusters(const Surface& surface);

}  // namespace carom::mesh
