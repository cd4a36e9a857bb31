#include "narrow/mesh/normal_cone.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace carom::mesh {

bool in_normal_cone(const shapes::MeshData& mesh, std::uint32_t place, const math::Vec3& normal) {
  const shapes::TriangleCorners& corners = mesh.tree.corners[place];
  const double height[3] = {dot(normal, corners[0]), dot(normal, corners[1]), dot(normal, corners[2])};
  const double top = std::max({height[0], height[1], height[2]});
  const double size = std::abs(height[0] - top) + std::abs(height[1] - top) + std::abs(height[2] - top);
  // Along its own normal a triangle has no height but for rounding.
  const double level =
      1e-6 * size + 1e-9 * (math::length(corners[1] - corners[0]) + math::length(corners[2] - corners[0]));
  const Triangle& of = mesh.mesh.triangles[static_cast<std::size_t>(mesh.tree.triangles[place])];
  // One vertex, the two of an edge, or all three.
  std::array<Index, 3> highest{};
  std::size_t count = 0;
  math::Vec3 p;
  for (std::size_t k = 0; k < 3; ++k) {
    if (height[k] < top - level) continue;
    highest[count++] = mesh.vertex_at[static_cast<std::size_t>(of[k])];
    p = corners[k];
  }
  if (count == 3) return true;
  for (const Index other : mesh.vertex_triangles[static_cast<std::size_t>(highest[0])]) {
    const Triangle& c = mesh.mesh.triangles[static_cast<std::size_t>(other)];
    const auto has = [&](Index v) {
      return std::any_of(c.begin(), c.end(), [&](Index u) { return mesh.vertex_at[static_cast<std::size_t>(u)] == v; });
    };
    if (count == 2 && !has(highest[1])) continue;
    for (const Index u : c) {
      const math::Vec3 d = math::to_vec3(mesh.mesh.positions[static_cast<std::size_t>(u)]) - p;
      if (dot(normal, d) > 1e-6 * math::length(d)) return false;
    }
  }
  return true;
}

}  // namespace carom::mesh
