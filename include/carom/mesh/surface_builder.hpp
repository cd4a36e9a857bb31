#pragma once

#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "carom/mesh/surface.hpp"

namespace carom {

/// Joins meshes into one surface: vertices and triangles end to end, in the order in which the meshes
/// were added, and one object a mesh.
class SurfaceBuilder {
 public:
  /// Adds a mesh as the next object and returns its number; the first is 0. Throws Error(bad_index) that names
  /// the triangle with a corner outside of the mesh, Error(unsupported) if there would be more vertices or
  /// triangles than an Index can count; the builder is then as it was.
  Index add(std::span<const Eigen::Vector3d> positions, std::span<const Triangle> triangles);
  Index add(const TriangleMesh& mesh) { return add(mesh.positions, mesh.triangles); }
  /// Adds a mesh moved by a pose, or by any other affine map.
  Index add(const TriangleMesh& mesh, const Eigen::Affine3d& pose);

  Index object_count() const { return object_count_; }
  const std::vector<Eigen::Vector3d>& positions() const { return positions_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  const std::vector<Index>& object_of_triangle() const { return object_of_triangle_; }

  Surface surface() const { return {positions_.size(), triangles_, object_of_triangle_}; }

 private:
  std::vector<Eigen::Vector3d> positions_;
  std::vector<Triangle> triangles_;
  std::vector<Index> object_of_triangle_;
  Index object_count_ = 0;
};

}  // namespace carom
