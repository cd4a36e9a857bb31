#include <algorithm>

#include "carom/detect.hpp"
#include "core/check.hpp"

namespace carom {

Surface::Surface(std::size_t vertex_count, std::vector<Triangle> triangles, std::vector<Index> object_of_triangle)
    : vertex_count_(vertex_count),
      triangles_(std::move(triangles)),
      object_of_triangle_(std::move(object_of_triangle)) {
  if (object_of_triangle_.empty()) object_of_triangle_.assign(triangles_.size(), 0);
  require(object_of_triangle_.size() == triangles_.size(), ErrorCode::invalid_argument,
          "{} object numbers for {} triangles", object_of_triangle_.size(), triangles_.size());
  topology_ = build_topology(vertex_count_, triangles_);

  objects_ = object_of_triangle_;
  std::sort(objects_.begin(), objects_.end());
  objects_.erase(std::unique(objects_.begin(), objects_.end()), objects_.end());
  object_index_of_triangle_.resize(triangles_.size());
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const auto found = std::lower_bound(objects_.begin(), objects_.end(), object_of_triangle_[i]);
    object_index_of_triangle_[i] = static_cast<Index>(found - objects_.begin());
  }

  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    for (const Index vertex : triangles_[i]) {
      const auto owner = static_cast<std::size_t>(topology_.vertex_owner[static_cast<std::size_t>(vertex)]);
      require(object_of_triangle_[owner] == object_of_triangle_[i], ErrorCode::bad_mesh,
              "vertex {} is used by object {} (triangle {}) and by object {} (triangle {}); objects cannot share "
              "vertices",
              vertex, object_of_triangle_[owner], owner, object_of_triangle_[i], i);
    }
  }
}

}  // namespace carom
