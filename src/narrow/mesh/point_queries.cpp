#include "narrow/mesh/point_queries.hpp"

#include <algorithm>
#include <cmath>

#include "carom/closest.hpp"
#include "geometry/collinear.hpp"
#include "geometry/orientation.hpp"

namespace carom::mesh {
namespace {

using shapes::BoxVolume;
using shapes::MeshTree;
using shapes::most_tree_depth;
using shapes::TreeNode;
using shapes::TriangleCorners;

/// leaf(i) for each triangle whose box the segment from p to p + d may meet, until one returns true.
template <class Leaf>
bool walk_segment(const MeshTree& tree, const Vec3& p, const Vec3& d, double slack, Leaf&& leaf) {
  const Vec3 half_way = 0.5 * d;
  const Vec3 middle = p + half_way;
  const Vec3 h{std::abs(half_way.x), std::abs(half_way.y), std::abs(half_way.z)};
  const double length = std::sqrt(dot(d, d));
  std::array<std::uint32_t, most_tree_depth + 2> waiting;
  std::size_t count = 0;
  waiting[count++] = 0;
  while (count > 0) {
    const std::uint32_t n = waiting[--count];
    const BoxVolume& box = tree.boxes[n];
    const Vec3 t = middle - box.center;
    // Along the axes of the box, and across the segment.
    if (std::abs(t.x) > box.half.x + h.x + slack || std::abs(t.y) > box.half.y + h.y + slack ||
        std::abs(t.z) > box.half.z + h.z + slack)
      continue;
    const double s = slack * length;
    if (std::abs(t.y * half_way.z - t.z * half_way.y) > box.half.y * h.z + box.half.z * h.y + s ||
        std::abs(t.z * half_way.x - t.x * half_way.z) > box.half.x * h.z + box.half.z * h.x + s ||
        std::abs(t.x * half_way.y - t.y * half_way.x) > box.half.x * h.y + box.half.y * h.x + s)
      continue;
    const TreeNode& node = tree.nodes[n];
    if (!node.leaf()) {
      waiting[count++] = node.first + 1;
      waiting[count++] = node.first;
      continue;
    }
    for (std::uint32_t i = 0; i < node.count; ++i) {
      if (leaf(node.first + i)) return true;
    }
  }
  return false;
}

/// Directions without small relations to anything a mesh may be built of.
constexpr std::array<Vec3, 12> directions{{{0.9193, 0.3127, 0.2381},
                                           {-0.3371, 0.8912, -0.3033},
                                           {0.1733, -0.2917, 0.9406},
                                           {-0.8127, -0.4931, 0.3109},
                                           {0.4289, 0.6173, -0.6597},
                                           {-0.5477, 0.3779, 0.7463},
                                           {0.6353, -0.7411, -0.2171},
                                           {-0.2239, -0.6691, -0.7087},
                                           {0.7541, 0.1097, -0.6475},
                                           {-0.9311, 0.2713, 0.2437},
                                           {0.0619, 0.9871, 0.1477},
                                           {0.3947, -0.5153, 0.7607}}};

enum class Crossing { none, in, out, unclear, on };

/// How the segment from p to q, which is beyond the mesh, passes the triangle.
Crossing cross(const TriangleCorners& t, const Eigen::Vector3d& p, const Eigen::Vector3d& q) {
  const std::array<Eigen::Vector3d, 3> c{detail::to_eigen(t[0]), detail::to_eigen(t[1]), detail::to_eigen(t[2])};
  const int from = detail::orient3d(c[0], c[1], c[2], p);
  const int to = detail::orient3d(c[0], c[1], c[2], q);
  if (from == to && from != 0) return Crossing::none;
  if (from == 0 && to == 0) return detail::collinear(c[0], c[1], c[2]) ? Crossing::none : Crossing::unclear;
  int low = 1;
  int high = -1;
  bool zero = false;
  for (std::size_t k = 0; k < 3; ++k) {
    const int side = detail::orient3d(p, q, c[k], c[(k + 1) % 3]);
    low = std::min(low, side);
    high = std::max(high, side);
    zero = zero || side == 0;
  }
  if (low < 0 && high > 0) return Crossing::none;
  if (from == 0) return Crossing::on;
  if (zero) return Crossing::unclear;
  if (to == 0) return Crossing::unclear;
  return from < 0 ? Crossing::out : Crossing::in;
}

/// 0 outside; 2 if the ray does not tell.
int inside_along(const MeshData& mesh, const Vec3& p, const Vec3& direction) {
  const BoxVolume& box = mesh.tree.boxes[0];
  const Vec3 to_center = box.center - p;
  // Beyond the sphere around the box, from wherever p is.
  const double far = 2 * (std::sqrt(dot(to_center, to_center)) + mesh.tree.nodes[0].size);
  const Vec3 d = far * direction;
  const Eigen::Vector3d from = detail::to_eigen(p);
  const Eigen::Vector3d to = detail::to_eigen(p + d);
  const double slack = 1e-14 * (mesh.reach + std::sqrt(dot(p, p)) + far);
  int winding = 0;
  bool on = false;
  const bool unclear = walk_segment(mesh.tree, p, d, slack, [&](std::uint32_t i) {
    if (!mesh.is_closed(mesh.tree.triangles[i])) return false;
    switch (cross(mesh.tree.corners[i], from, to)) {
      case Crossing::none:
        return false;
      case Crossing::in:
        --winding;
        return false;
      case Crossing::out:
        ++winding;
        return false;
      case Crossing::on:
        on = true;
        return true;
      case Crossing::unclear:
        return true;
    }
    return false;
  });
  if (on) return 1;
  if (unclear) return 2;
  return winding != 0 ? 1 : 0;
}

double solid_angle(const TriangleCorners& t, const Vec3& p) {
  const Vec3 a = t[0] - p;
  const Vec3 b = t[1] - p;
  const Vec3 c = t[2] - p;
  const double la = std::sqrt(dot(a, a));
  const double lb = std::sqrt(dot(b, b));
  const double lc = std::sqrt(dot(c, c));
  return 2 * std::atan2(dot(a, detail::cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

}  // namespace

bool inside(const MeshData& mesh, const Vec3& p) {
  if (!mesh.any_closed) return false;
  const BoxVolume& box = mesh.tree.boxes[0];
  const Vec3 t = p - box.center;
  if (std::abs(t.x) > box.half.x || std::abs(t.y) > box.half.y || std::abs(t.z) > box.half.z) return false;
  for (const Vec3& direction : directions) {
    const int answer = inside_along(mesh, p, direction);
    if (answer != 2) return answer == 1;
  }
  double sum = 0;
  for (std::size_t i = 0; i < mesh.tree.corners.size(); ++i) {
    if (mesh.is_closed(mesh.tree.triangles[i])) sum += solid_angle(mesh.tree.corners[i], p);
  }
  constexpr double full = 12.566370614359172;
  return std::abs(sum) > 0.5 * full;
}

NearestPoint nearest(const MeshData& mesh, const Vec3& p, double below, bool only_closed) {
  const MeshTree& tree = mesh.tree;
  NearestPoint best;
  best.distance = below;
  const double slack = 1e-14 * (mesh.reach + std::sqrt(dot(p, p)));
  const auto gap = [&](std::uint32_t n) {
    const BoxVolume& box = tree.boxes[n];
    const Vec3 t = p - box.center;
    const Vec3 g = detail::higher(Vec3{std::abs(t.x), std::abs(t.y), std::abs(t.z)} - box.half, {0, 0, 0});
    return std::sqrt(dot(g, g));
  };
  struct Waiting {
    std::uint32_t node;
    double gap;
  };
  std::array<Waiting, most_tree_depth + 2> waiting;
  std::size_t count = 0;
  waiting[count++] = {0, gap(0)};
  const Eigen::Vector3d q = detail::to_eigen(p);
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
          closest_vertex_triangle(q, detail::to_eigen(t[0]), detail::to_eigen(t[1]), detail::to_eigen(t[2]));
      if (!(c.distance < best.distance)) continue;
      best.distance = c.distance;
      best.point = detail::to_vec3(c.point);
      best.triangle = tree.triangles[i];
      best.place = i;
      best.corners = (c.weights[0] > 0 ? 1U : 0U) | (c.weights[1] > 0 ? 2U : 0U) | (c.weights[2] > 0 ? 4U : 0U);
    }
  }
  return best;
}

double way_out(const MeshData& mesh, const Vec3& p, const Vec3& direction) {
  const BoxVolume& box = mesh.tree.boxes[0];
  const Vec3 to_center = box.center - p;
  double best = INFINITY;
  const double far = 2 * (std::sqrt(dot(to_center, to_center)) + mesh.tree.nodes[0].size);
  const Vec3 d = far * direction;
  const double slack = 1e-14 * (mesh.reach + std::sqrt(dot(p, p)) + far);
  walk_segment(mesh.tree, p, d, slack, [&](std::uint32_t i) {
    if (!mesh.is_closed(mesh.tree.triangles[i])) return false;
    const TriangleCorners& t = mesh.tree.corners[i];
    const Vec3 u = t[1] - t[0];
    const Vec3 v = t[2] - t[0];
    const Vec3 n = detail::cross(u, v);
    const double facing = dot(n, direction);
    if (facing == 0) return false;
    const Vec3 w = t[0] - p;
    const double at = dot(n, w) / facing;
    if (!(at >= 0 && at < best)) return false;
    // Inside, with a little more: a ray through an edge must not slip out between two triangles.
    const Vec3 c = detail::cross(direction, w);
    const double ku = -dot(v, c) / facing;
    const double kv = dot(u, c) / facing;
    constexpr double more = 1e-9;
    if (ku >= -more && kv >= -more && ku + kv <= 1 + more) best = at;
    return false;
  });
  return best;
}

}  // namespace carom::mesh
