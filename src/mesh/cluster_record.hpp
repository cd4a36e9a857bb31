#pragma once

#include <span>

#include "carom/mesh/mesh.hpp"
#include "kernels/surface_cluster.hpp"

namespace carom::mesh {

/// What a cluster owns of the features of its triangles.
struct ClusterFeatures {
  bool vertex[kernels::cluster_lanes][3];
  Index edge[kernels::cluster_lanes][3];  ///< number of the edge from each corner to the next; none if another cluster
                                          ///< owns it, or its ends are one vertex
};

/// The tables of a cluster of these triangles.
void fill_cluster(std::span<const Index> members, std::span<const Triangle> triangles, Index object,
                  const ClusterFeatures& owned, kernels::SurfaceCluster& cluster);

/// A place of a block that is not in use.
void empty_cluster(Index object, kernels::SurfaceCluster& cluster);

}  // namespace carom::mesh
