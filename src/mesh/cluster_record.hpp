#pragma once

#include <functional>
#include <span>

#include "carom/mesh/mesh.hpp"
#include "kernels/surface_cluster.hpp"

namespace carom::mesh {

/// Who owns features that are in a cluster.
struct ClusterOwner {
  std::function<bool(Index vertex)> vertex;
  std::function<Index(Index triangle, std::size_t side)> edge;  ///< number of the edge; none if another owns it, or
                                                                ///< its ends are one vertex
};

/// The tables of a cluster of these triangles.
void fill_cluster(std::span<const Index> members, std::span<const Triangle> triangles, Index object,
                  const ClusterOwner& owner, kernels::SurfaceCluster& cluster);

/// A place of a block that is not in use.
void empty_cluster(Index object, kernels::SurfaceCluster& cluster);

}  // namespace carom::mesh
