#pragma once

#include <cstddef>
#include <cstdint>

/// Clusters of a surface as vector code wants them: tables of sixteen, so that a shuffle of bytes or of lanes looks up
/// any vertex of a cluster.
namespace carom::kernels {

inline constexpr std::size_t cluster_lanes = 16;       ///< triangles and vertices of a cluster, clusters of a block
inline constexpr std::size_t cluster_edge_lanes = 32;  ///< edges of a cluster

/// Up to 16 connected triangles of one object with up to 16 vertices, and the vertices and edges that they own. It
/// depends on the triangles alone, not on where they are. Every feature is in exactly one cluster, so a pair of
/// features is in exactly one pair of clusters. Places are numbers below 16 in `vertices`.
struct alignas(64) SurfaceCluster {
  std::uint8_t edge_from[cluster_edge_lanes];  ///< of owned edges: place of the smaller vertex
  std::uint8_t edge_to[cluster_edge_lanes];    ///< place of the larger one
  std::uint8_t corner[3][cluster_lanes];       ///< of triangles: places
  std::uint8_t across[4];                      ///< places of the ends of two diagonals
  std::uint8_t middle[3];                      ///< corners of a triangle in the middle
  std::uint8_t triangle_count;
  std::uint8_t vertex_count;
  std::uint8_t owned_vertex_count;
  std::uint8_t edge_count;
  std::uint8_t unused;
  std::int32_t object;                   ///< position in Surface::objects()
  std::int32_t vertices[cluster_lanes];  ///< the owned ones first; then the first again up to the end
  std::int32_t triangles[cluster_lanes];
  std::int32_t edges[cluster_edge_lanes];     ///< numbers of the owned edges
  std::uint32_t edges_at[cluster_lanes];      ///< owned edges at each place, one bit each
  std::uint32_t triangles_at[cluster_lanes];  ///< triangles at each place, one bit each
};
static_assert(sizeof(SurfaceCluster) == 512);

inline constexpr std::uint8_t no_place = 255;

/// Two clusters that use vertices in common, or a cluster and itself. Listed with the lower one.
struct ClusterNeighbor {
  std::int32_t cluster;                 ///< the other one
  std::uint8_t place[cluster_lanes];    ///< of each vertex of the lower one among those of the other; or no_place
  std::uint8_t reverse[cluster_lanes];  ///< of each vertex of the other one among those of the lower one
};

/// Clusters of one block that are neighbors of a cluster, one bit each.
struct BlockNeighbors {
  std::int32_t block;
  std::uint32_t clusters;
};

/// Up to 16 clusters of one object that follow each other and hang together.
struct ClusterBlock {
  std::int32_t first;          ///< cluster
  std::int32_t count;          ///< of clusters
  std::int32_t object;         ///< position in Surface::objects()
  std::uint32_t first_vertex;  ///< in the list of the vertices of blocks
  std::uint32_t vertex_count;
};

}  // namespace carom::kernels
