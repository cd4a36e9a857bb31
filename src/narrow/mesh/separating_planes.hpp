#pragma once

#include <vector>

#include "shapes/mesh_tree.hpp"

namespace carom::mesh {

/// Planes through the lowest point of a core along their normals, in the frame of the mesh: no triangle is nearer to
/// the core than to one of them. Unlike SidePlanes all are kept, as those of contacts are worth asking for long.
class SeparatingPlanes {
 public:
  using Vec3 = math::Vec3;

  void clear() { planes_.clear(); }
  /// `low` is normal . x of the lowest point of the core; the last one added is asked first if it is `likely`.
  void add(const Vec3& normal, double low, bool likely) {
    planes_.push_back({normal, low});
    if (likely) std::swap(planes_.front(), planes_.back());
  }
  bool has(const Vec3& normal) const {
    for (const Plane& plane : planes_) {
      if (dot(plane.normal, normal) > 1 - 1e-12) return true;
    }
    return false;
  }
  /// Whether a triangle is shown to be farther than `reach` from the core.
  bool keeps(const shapes::TriangleCorners& t, double reach) const {
    for (const Plane& plane : planes_) {
      const double top = plane.low - reach;
      if (dot(plane.normal, t[0]) < top && dot(plane.normal, t[1]) < top && dot(plane.normal, t[2]) < top) return true;
    }
    return false;
  }

 private:
  struct Plane {
    Vec3 normal;
    double low = 0;
  };
  std::vector<Plane> planes_;
};

}  // namespace carom::mesh
