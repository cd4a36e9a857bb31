#include "narrow/mesh/point_queries.hpp"

#include <algorithm>
#include <cmath>

#include "carom/mesh/closest.hpp"
#include "shapes/winding.hpp"

namespace carom::mesh {

using shapes::BoxVolume;
using shapes::max_tree_depth;
using shapes::MeshTree;
using shapes::TreeNode;
using shapes::TriangleCorners;

bool inside(const MeshData& mesh, const Vec3& p) {
  if (!mesh.any_closed) return false;
  const shapes::Winding winding = winding_number(mesh, p, mesh.closed);
  return winding.on_surface || (mesh.room ? winding.number >= 0 : winding.number != 0);
}

NearestPoint nearest(const MeshData& mesh, const Vec3& p, double below, bool only_closed) {
  const MeshTree& tree = mesh.tree;
  NearestPoint best;
  best.distance = below;
  const double slack = 1e-14 * (mesh.reach + std::sqrt(dot(p, p)));
  const auto gap = [&](std::uint32_t n) {
    const BoxVolume& box = tree.boxes[n];
    const Vec3 t = p - box.center;
    const Vec3 g = math::higher(Vec3{std::abs(t.x), std::abs(t.y), std::abs(t.z)} - box.half, {0, 0, 0});
    return std::sqrt(dot(g, g));
  };
  struct Waiting {
    std::uint32_t node;
    double gap;
  };
  std::array<Waiting, max_tree_depth + 2> waiting;
  std::size_t count = 0;
  waiting[count++] = {0, gap(0)};
  const Eigen::Vector3d q = math::to_eigen(p);
  while (count > 0) {
    const Waiting w = waiting[--count];
    if (w.gap > best.distance + slack) continue;
    const TreeNode& node = tree.nodes[w.node];
    if (!node.leaf()) {
      Waiting near{node.first, gap(node.first)};
      Waiting far{node.first + 1, gap(node.first + 1)};
      if (far.gap < near.gap) std::swap(near, far);
      waiting[count++] = far;
      waiting[count++] = near;
      continue;
    }
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      if (only_closed && !mesh.is_closed(tree.triangles[i])) continue;
      const TriangleCorners& t = tree.corners[i];
      const VertexTriangleClosest c =
          closest_vertex_triangle(q, math::to_eigen(t[0]), math::to_eigen(t[1]), math::to_eigen(t[2]));
      if (!(c.distance < best.distance)) continue;
      best.distance = c.distance;
      best.point = math::to_vec3(c.point);
      best.triangle = tree.triangles[i];
      best.place = i;
      best.corners = (c.weights[0] > 0 ? 1U : 0U) | (c.weights[1] > 0 ? 2U : 0U) | (c.weights[2] > 0 ? 4U : 0U);
    }
  }
  return best;
}

double exit_path(const MeshData& mesh, const Vec3& p, const Vec3& direction) {
  const BoxVolume& box = mesh.tree.boxes[0];
  const Vec3 to_center = box.center - p;
  double best = INFINITY;
  const double far = 2 * (std::sqrt(dot(to_center, to_center)) + mesh.tree.nodes[0].size);
  const Vec3 d = far * direction;
  const double slack = 1e-14 * (mesh.reach + std::sqrt(dot(p, p)) + far);
  shapes::walk_segment(mesh.tree, p, d, slack, [&](std::uint32_t i) {
    if (!mesh.is_closed(mesh.tree.triangles[i])) return false;
    const TriangleCorners& t = mesh.tree.corners[i];
    const Vec3 u = t[1] - t[0];
    const Vec3 v = t[2] - t[0];
    const Vec3 n = math::cross(u, v);
    const double facing = dot(n, direction);
    if (facing == 0) return false;
    const Vec3 w = t[0] - p;
    const double at = dot(n, w) / facing;
    if (!(at >= 0 && at < best)) return false;
    // Inside, with a little more: a ray through an edge must not slip out between two triangles.
    const Vec3 c = math::cross(direction, w);
    const double ku = -dot(v, c) / facing;
    const double kv = dot(u, c) / facing;
    constexpr double more = 1e-9;
    if (ku >= -more && kv >= -more && ku + kv <= 1 + more) best = at;
    return false;
  });
  return best;
}

}  // namespace carom::mesh
