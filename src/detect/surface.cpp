#include <algorithm>
#include <atomic>

#include "carom/detect.hpp"
#include "core/check.hpp"

namespace carom {

namespace {

std::vector<std::uint8_t> owned_features(std::span<const Triangle> triangles, const Topology& topology) {
  std::vector<std::uint8_t> owned(triangles.size(), 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& corners = triangles[t];
    const auto& edges = topology.triangle_edges[t];
    for (std::size_t k = 0; k < 3; ++k) {
      // A triangle with a repeated corner or edge owns it once.
      const bool repeated_vertex = (k > 0 && corners[k] == corners[0]) || (k > 1 && corners[k] == corners[1]);
      const bool repeated_edge = (k > 0 && edges[k] == edges[0]) || (k > 1 && edges[k] == edges[1]);
      const auto me = static_cast<Index>(t);
      if (!repeated_vertex && topology.vertex_owner[static_cast<std::size_t>(corners[k])] == me)
        owned[t] |= static_cast<std::uint8_t>(1U << k);
      if (edges[k] != none && !repeated_edge && topology.edge_owner[static_cast<std::size_t>(edges[k])] == me)
        owned[t] |= static_cast<std::uint8_t>(1U << (3 + k));
    }
  }
  return owned;
}

}  // namespace

Surface::Surface(std::size_t vertex_count, std::vector<Triangle> triangles, std::vector<Index> object_of_triangle)
    : vertex_count_(vertex_count),
      triangles_(std::move(triangles)),
      object_of_triangle_(std::move(object_of_triangle)) {
  if (object_of_triangle_.empty()) object_of_triangle_.assign(triangles_.size(), 0);
  require(object_of_triangle_.size() == triangles_.size(), ErrorCode::invalid_argument,
          "{} object numbers for {} triangles", object_of_triangle_.size(), triangles_.size());
  static std::atomic<std::uint64_t> revisions{0};
  revision_ = ++revisions;
  const Topology topology = build_topology(vertex_count_, triangles_);
  owned_ = owned_features(triangles_, topology);

  objects_ = object_of_triangle_;
  std::sort(objects_.begin(), objects_.end());
  objects_.erase(std::unique(objects_.begin(), objects_.end()), objects_.end());
  object_index_of_triangle_.resize(triangles_.size());
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const auto found = std::lower_bound(objects_.begin(), objects_.end(), object_of_triangle_[i]);
    object_index_of_triangle_[i] = static_cast<Index>(found - objects_.begin());
  }

  object_index_of_vertex_.assign(vertex_count_, none);
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    for (const Index vertex : triangles_[i]) {
      object_index_of_vertex_[static_cast<std::size_t>(vertex)] = object_index_of_triangle_[i];
      const auto owner = static_cast<std::size_t>(topology.vertex_owner[static_cast<std::size_t>(vertex)]);
      require(object_of_triangle_[owner] == object_of_triangle_[i], ErrorCode::bad_mesh,
              "vertex {} is used by object {} (triangle {}) and by object {} (triangle {}); objects cannot share "
              "vertices",
              vertex, object_of_triangle_[owner], owner, object_of_triangle_[i], i);
    }
  }
}

}  // namespace carom
