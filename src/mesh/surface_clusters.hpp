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
  std::vector<Index> cluster_of;                    ///< each triangle
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
  std::size_t made_blocks = 0;  ///< those beyond came by edits
  std::size_t edited = 0;       ///< triangles that came or went since all was made
};

/// Each of them is a neighbor of all others, so more are not good for clusters.
inline constexpr std::size_t max_clusters_at_vertex = 48;

/// In time linear in the triangles. Dead ones are left out.
SurfaceClusters make_clusters(const Surface& surface);

/// The block of each cluster.
std::vector<Index> blocks_of_clusters(const SurfaceClusters& clusters);

/// Adds the row of a cluster to both lists. `users` are all that use a vertex of it, ascending.
void add_neighbors(const SurfaceClusters& clusters, std::span<const Index> block_of, Index cluster,
                   std::span<const Index> users, std::vector<kernels::ClusterNeighbor>& neighbors,
                   std::vector<kernels::BlockNeighbors>& around);

/// The vertices of a block, at the end of the list.
void list_vertices_of(SurfaceClusters& clusters, kernels::ClusterBlock& block);

/// Brings clusters up to the last edit of the surface, of which they were before it: those around the edit are grown
/// again, all others stay. Takes time of the edit, and a copy of the lists of edges and neighbors.
void edit_clusters(const Surface& surface, SurfaceClusters& clusters);

}  // namespace carom::mesh
