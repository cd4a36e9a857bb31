#include "carom/mesh/surface_builder.hpp"

#include "core/check.hpp"

namespace carom {

Index SurfaceBuilder::add(std::span<const Eigen::Vector3d> positions, std::span<const Triangle> triangles) {
  constexpr std::size_t max_count = 0x7fffffff / 3;  // corners are numbered as well
  require(positions_.size() + positions.size() <= max_count && triangles_.size() + triangles.size() <= max_count,
          ErrorCode::unsupported,
          "a surface of {} vertices and {} triangles is too large; at most {} of each are possible",
          positions_.size() + positions.size(), triangles_.size() + triangles.size(), max_count);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (const Index corner : triangles[i]) {
      require(corner >= 0 && static_cast<std::size_t>(corner) < positions.size(), ErrorCode::bad_index,
              "object {}: triangle {} has corner {}, but the mesh has {} vertices", object_count_, i, corner,
              positions.size());
    }
  }
  const auto first = static_cast<Index>(positions_.size());
  positions_.insert(positions_.end(), positions.begin(), positions.end());
  for (const Triangle& t : triangles) triangles_.push_back({t[0] + first, t[1] + first, t[2] + first});
  object_of_triangle_.resize(triangles_.size(), object_count_);
  return object_count_++;
}

Index SurfaceBuilder::add(const TriangleMesh& mesh, const Eigen::Affine3d& pose) {
  const std::size_t first = positions_.size();
  const Index object = add(mesh);
  for (std::size_t i = first; i < positions_.size(); ++i) positions_[i] = pose * positions_[i];
  return object;
}

}  // namespace carom
