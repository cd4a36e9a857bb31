#include "carom/mesh/surface.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "mesh/surface_check.hpp"
#include "mesh/surface_clusters.hpp"

namespace carom {

Surface::Surface(std::size_t vertex_count, std::vector<Triangle> triangles, std::vector<Index> object_of_triangle)
    : vertex_count_(vertex_count),
      triangles_(std::move(triangles)),
      object_of_triangle_(std::move(object_of_triangle)),
      revision_(mesh::next_revision()) {
  if (object_of_triangle_.empty()) object_of_triangle_.assign(triangles_.size(), 0);
  mesh::check_lists(vertex_count_, triangles_, object_of_triangle_);
  number_objects();
  build_corners();
  if (objects_.size() > 1) {
    for (std::size_t i = 0; i < triangles_.size(); ++i) {
      for (const Index vertex : triangles_[i]) {
        const auto owner = static_cast<std::size_t>(first_corner(vertex)) / 3;
        if (object_of_triangle_[owner] != object_of_triangle_[i])
          mesh::fail_shared(vertex, object_of_triangle_[owner], fmt::format("triangle {}", owner),
                            object_of_triangle_[i], fmt::format("triangle {}", i));
      }
    }
  }
  own_all();
  clusters_ = std::make_shared<mesh::SurfaceClusters>(mesh::make_clusters(*this));
}

std::span<const Edge> Surface::edges() const {
  return clusters_->edges;
}

/// Neighbours in the list mostly belong to the same object, so look only where it changes.
void Surface::number_objects() {
  for (std::size_t i = 0; i < object_of_triangle_.size(); ++i) {
    if (i == 0 || object_of_triangle_[i] != object_of_triangle_[i - 1]) objects_.push_back(object_of_triangle_[i]);
  }
  std::sort(objects_.begin(), objects_.end());
  objects_.erase(std::unique(objects_.begin(), objects_.end()), objects_.end());
  object_index_of_triangle_.resize(triangles_.size());
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    object_index_of_triangle_[i] =
        i > 0 && object_of_triangle_[i] == object_of_triangle_[i - 1]
            ? object_index_of_triangle_[i - 1]
            : static_cast<Index>(std::lower_bound(objects_.begin(), objects_.end(), object_of_triangle_[i]) -
                                 objects_.begin());
  }
}

/// Backwards, so that the corners at each vertex come out ascending.
void Surface::build_corners() {
  first_corner_.assign(vertex_count_, none);
  next_corner_.resize(3 * triangles_.size());
  for (std::size_t t = triangles_.size(); t-- > 0;) {
    if (is_dead(triangles_[t])) continue;
    for (std::size_t k = 3; k-- > 0;) {
      Index& first = first_corner_[static_cast<std::size_t>(triangles_[t][k])];
      next_corner_[3 * t + k] = first;
      first = static_cast<Index>(3 * t + k);
    }
  }
}

/// The owner of a vertex or an edge is the first triangle that has it. Each edge is looked at from
/// its smaller end: `seen[w] == v` says that the edge from v to w has its owner, so the whole takes
/// time linear in the triangles, however many meet at a vertex.
void Surface::own_all() {
  owned_.assign(triangles_.size(), 0);
  std::vector<Index> seen(vertex_count_, none);
  for (Index v = 0; static_cast<std::size_t>(v) < vertex_count_; ++v) {
    const Index first = first_corner(v);
    if (first == none) continue;
    owned_[static_cast<std::size_t>(first) / 3] |= static_cast<std::uint8_t>(1U << (first % 3));
    for (Index corner = first; corner != none; corner = next_corner(corner)) {
      const auto t = static_cast<std::size_t>(corner) / 3;
      const auto k = static_cast<std::size_t>(corner) % 3;
      const std::size_t after = k == 2 ? 0 : k + 1;
      const std::size_t before = k == 0 ? 2 : k - 1;
      if (const Index w = triangles_[t][after]; w > v && seen[static_cast<std::size_t>(w)] != v) {
        seen[static_cast<std::size_t>(w)] = v;
        owned_[t] |= static_cast<std::uint8_t>(1U << (3 + k));
      }
      if (const Index w = triangles_[t][before]; w > v && seen[static_cast<std::size_t>(w)] != v) {
        seen[static_cast<std::size_t>(w)] = v;
        owned_[t] |= static_cast<std::uint8_t>(1U << (3 + before));
      }
    }
  }
}

}  // namespace carom
