#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "mesh/edge_numbers.hpp"

namespace carom::mesh {

/// Which triangles make a cluster, and which clusters a block: those that follow each other.
struct ClusterGrouping {
  std::vector<Index> members;              ///< triangles
  std::vector<std::uint32_t> ends;         ///< of each cluster in `members`
  std::vector<std::uint8_t> block_counts;  ///< clusters of each block

  std::span<const Index> cluster(std::size_t c) const {
    const std::size_t begin = c == 0 ? 0 : ends[c - 1];
    return {members.data() + begin, ends[c] - begin};
  }
};

/// By shared edges alone: clusters and blocks grow over neighbors. Large surfaces are cut into parts, which grow side
/// by side; the parts, and so the clusters, do not depend on the number of threads. In time linear in the triangles.
ClusterGrouping group_by_edges(Workers& workers, const Surface& surface, const EdgeNumbers& edges);

/// By place: triangles of an object along a curve through their middles. For triangles that share no edges. Positions
/// are finite.
ClusterGrouping group_by_place(Workers& workers, const Surface& surface, std::span<const Eigen::Vector3d> positions);

}  // namespace carom::mesh
