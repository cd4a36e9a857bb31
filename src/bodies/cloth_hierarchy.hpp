#pragma once

#include <span>
#include <vector>

#include "bodies/cloth.hpp"
#include "core/at.hpp"

/// Levels of detail of cloth over one array of vertices (Zouiouche 2012, IV.4.3), for any mesh: a level keeps about a
/// quarter of the vertices of the one below. Vertices are taken away by collapsing an edge onto its other end, in the
/// shape at rest, and none is moved.
namespace carom::cloth {

using carom::at;  // beside functions of that name in single files

inline constexpr int max_levels = 3;

class Hierarchy {
 public:
  Hierarchy() = default;
  /// `kept`: 1 for vertices that every level has, such as pinned ones. `levels`: 1 to max_levels.
  Hierarchy(const RestShape& rest, std::span<const std::uint8_t> kept, int levels);

  int levels() const { return levels_; }
  /// Coarsest level that has the vertex: 0 is the mesh itself.
  int level(Index vertex) const { return level_[static_cast<std::size_t>(vertex)]; }
  /// Vertex onto which it was collapsed, of a higher level or taken away later; none for those of the coarsest level.
  Index parent(Index vertex) const { return parent_[static_cast<std::size_t>(vertex)]; }
  /// Number of the patch of the vertex: of all that was collapsed, in the end, onto one vertex of the coarsest level.
  Index patch(Index vertex) const { return patch_[static_cast<std::size_t>(vertex)]; }
  std::size_t patch_count() const { return neighbor_begin_.size() - 1; }
  /// Patches that have an edge of the mesh in common with a patch, ascending.
  std::span<const Index> neighbors(Index patch) const {
    const auto p = static_cast<std::size_t>(patch);
    return std::span(neighbors_).subspan(neighbor_begin_[p], neighbor_begin_[p + 1] - neighbor_begin_[p]);
  }
  /// Vertices of a level and of those above it.
  std::size_t vertex_count(int level) const;

 private:
  void find_patches(std::span<const Triangle> triangles);

  int levels_ = 1;
  std::vector<std::uint8_t> level_;
  std::vector<Index> parent_;
  std::vector<Index> patch_;
  std::vector<Index> neighbors_;
  std::vector<std::size_t> neighbor_begin_{0};
};

/// Shape of a triangle: 1 if its sides are equal, 0 if it has no area.
double triangle_quality(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);

}  // namespace carom::cloth
