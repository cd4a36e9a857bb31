#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "core/parallel.hpp"
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
  bool suitable = true;                ///< not loose, and without hubs
  /// Most triangles share no edges: nothing but edges is known of such a surface, as clusters must be made by place.
  bool loose = false;
  /// More than `max_clusters_at_vertex` clusters meet at some vertex; those that have only such vertices in common are
  /// not listed as neighbors.
  bool hubs = false;
  std::size_t made_blocks = 0;  ///< those beyond came by edits
  std::size_t edited = 0;       ///< triangles that came or went since all was made
  /// Revision of the surface whose edit changed each cluster last, and the one whose edit made all again; 0: none did.
  std::vector<std::uint64_t> changed_after;
  std::uint64_t made_after = 0;
};

/// Each of them is a neighbor of all others; with more, the lists would be longer than the surface.
inline constexpr std::size_t max_clusters_at_vertex = 48;

/// In time linear in the triangles, by all cores if there are many. Dead ones are left out.
SurfaceClusters make_clusters(const Surface& surface);
SurfaceClusters make_clusters(Workers& workers, const Surface& surface);

/// For a surface that is loose: clusters of triangles that are near each other at these positions, which are finite.
SurfaceClusters make_clusters_by_place(Workers& workers, const Surface& surface,
                                       std::span<const Eigen::Vector3d> positions);

/// The block of each cluster.
std::vector<Index> blocks_of_clusters(const SurfaceClusters& clusters);

/// Adds the row of a cluster to both lists. `users` are all that use a vertex of it, ascending.
void add_neighbors(const SurfaceClusters& clusters, std::span<const Index> block_of, Index cluster,
                   std::span<const Index> users, std::vector<kernels::ClusterNeighbor>& neighbors,
                   std::vector<kernels::BlockNeighbors>& around);

/// The vertices of a block, at the end of the list.
void list_vertices_of(std::span<const kernels::SurfaceCluster> clusters, kernels::ClusterBlock& block,
                      std::vector<Index>& list);

/// Brings clusters up to the last edit of the surface, of which they were before it: those around the edit are grown
/// again, all others stay. Takes time of the edit, and a copy of the lists of edges and neighbors.
void edit_clusters(const Surface& surface, SurfaceClusters& clusters);

}  // namespace carom::mesh
