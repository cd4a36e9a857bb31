#pragma once

#include "kernels/hull_support.hpp"
#include "shapes/core.hpp"
#include "shapes/hull_data.hpp"
#include "shapes/mesh_tree.hpp"

namespace carom::mesh {

/// A triangle of a mesh as the convex queries see it. Made once and set again and again, without allocation.
class TriangleCore {
 public:
  TriangleCore() {
    hull_.points.resize(3);
    hull_.stride = kernels::farthest_lanes;
    hull_.rows.resize(3 * static_cast<std::size_t>(hull_.stride));
    hull_.face_normals.resize(2);
    hull_.faces = {{0, 3, 6}, {0, 1, 2, 0, 2, 1}};
    hull_.vertex_faces = {{0, 2, 4, 6}, {0, 1, 0, 1, 0, 1}};
    hull_.neighbours = {{0, 2, 4, 6}, {1, 2, 0, 2, 0, 1}};
    hull_.dimension = 2;
    core_.kind = shapes::CoreKind::hull;
    core_.hull = &hull_;
  }
  TriangleCore(const TriangleCore&) = delete;
  TriangleCore& operator=(const TriangleCore&) = delete;

  const shapes::Core& set(const shapes::TriangleCorners& t, double radius) {
    double reach = 0;
    const std::size_t stride = hull_.stride;
    for (std::size_t k = 0; k < 3; ++k) {
      hull_.points[k] = math::to_eigen(t[k]);
      reach = std::max(reach, dot(t[k], t[k]));
    }
    for (std::size_t i = 0; i < stride; ++i) {
      const shapes::Vec3& p = t[std::min<std::size_t>(i, 2)];
      hull_.rows[i] = p.x;
      hull_.rows[stride + i] = p.y;
      hull_.rows[2 * stride + i] = p.z;
    }
    const shapes::Vec3 n = math::cross(t[1] - t[0], t[2] - t[0]);
    const double length = std::sqrt(dot(n, n));
    hull_.face_normals[0] = length > 0 ? (1 / length) * n : shapes::Vec3{};
    hull_.face_normals[1] = -hull_.face_normals[0];
    core_.reach = std::sqrt(reach);
    core_.radius = radius;
    return core_;
  }

 private:
  shapes::HullData hull_;
  shapes::Core core_;
};

}  // namespace carom::mesh
