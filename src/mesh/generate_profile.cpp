#include <cmath>
#include <numbers>

#include "carom/mesh/generate.hpp"
#include "core/at.hpp"
#include "geometry/simple_polygon.hpp"
#include "mesh/generate_check.hpp"

// Solids made from a polygon: pulled along an axis, or turned about one.
namespace carom {

TriangleMesh make_extrusion(std::span<const Eigen::Vector2d> outline, double length) {
  mesh::require_positive("make_extrusion", "length", length);
  mesh::require_indexable("make_extrusion", "corners", 4.0 * static_cast<double>(outline.size()));
  const std::vector<Eigen::Vector3d> polygon = geometry::simple_polygon("make_extrusion: outline", outline);
  TriangleMesh mesh;
  for (const double z : {-length / 2, length / 2}) {
    for (const Eigen::Vector3d& p : polygon) mesh.positions.emplace_back(p.x(), p.y(), z);
  }
  const auto n = static_cast<Index>(polygon.size());
  for (Index i = 0; i < n; ++i) {
    const Index j = i + 1 == n ? 0 : i + 1;
    mesh.triangles.push_back({i, j, j + n});
    mesh.triangles.push_back({i, j + n, i + n});
  }
  for (const Triangle& t : geometry::triangulate(polygon)) {
    mesh.triangles.push_back({t[2], t[1], t[0]});
    mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  }
  return mesh;
}

TriangleMesh make_revolution(std::span<const Eigen::Vector2d> profile, int around) {
  mesh::require_at_least("make_revolution", "around", around, 3);
  mesh::require_indexable("make_revolution", "corners and around", 2.0 * static_cast<double>(profile.size()) * around);
  const std::vector<Eigen::Vector3d> polygon = geometry::simple_polygon("make_revolution: profile", profile);
  TriangleMesh mesh;
  std::vector<Index> first;  // vertex of each corner; one on the axis has no others
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const double radius = polygon[i].x();
    require(radius >= 0, ErrorCode::invalid_argument,
            "make_revolution: profile: a corner has the radius {}; expected "
            "none below 0",
            radius);
    first.push_back(static_cast<Index>(mesh.positions.size()));
    for (int k = 0; k < (radius == 0 ? 1 : around); ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      mesh.positions.emplace_back(radius * std::cos(angle), polygon[i].y(), -radius * std::sin(angle));
    }
  }
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const std::size_t j = (i + 1) % polygon.size();
    const bool pole_i = polygon[i].x() == 0;
    const bool pole_j = polygon[j].x() == 0;
    for (int k = 0; k < around; ++k) {
      const int next = k + 1 == around ? 0 : k + 1;
      const Index a = first[i] + (pole_i ? 0 : k);
      const Index a_next = first[i] + (pole_i ? 0 : next);
      const Index b = first[j] + (pole_j ? 0 : k);
      const Index b_next = first[j] + (pole_j ? 0 : next);
      if (!pole_i) mesh.triangles.push_back({a, a_next, b_next});
      if (!pole_j) mesh.triangles.push_back({a, b_next, b});
    }
  }
  return mesh;
}

}  // namespace carom
