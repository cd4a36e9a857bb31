#include "narrow/mesh/mesh_mesh.hpp"

#include <algorithm>
#include <limits>

#include "narrow/mesh/depth.hpp"
#include "narrow/mesh/dispatch_volume.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "narrow/mesh/triangle_pair.hpp"

namespace carom::mesh {
namespace {

int compare(const double* a, const double* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

int compare_meshes(const PlacedMesh& a, const PlacedMesh& b) {
  if (a.radius != b.radius) return a.radius < b.radius ? -1 : 1;
  const TriangleMesh& ma = a.mesh.mesh;
  const TriangleMesh& mb = b.mesh.mesh;
  if (&ma == &mb) return 0;
  if (ma.triangles.size() != mb.triangles.size()) return ma.triangles.size() < mb.triangles.size() ? -1 : 1;
  if (ma.positions.size() != mb.positions.size()) return ma.positions.size() < mb.positions.size() ? -1 : 1;
  if (const int c = compare(ma.positions[0].data(), mb.positions[0].data(), 3 * ma.positions.size()); c != 0) return c;
  if (ma.triangles != mb.triangles) return ma.triangles < mb.triangles ? -1 : 1;
  if (a.mesh.options.solid != b.mesh.options.solid) return a.mesh.options.solid < b.mesh.options.solid ? -1 : 1;
  return 0;
}

/// The triangles meet, or are within the radii of each other.
bool surfaces_touch(const MeshData& a, const MeshData& b, const RelativePose& pose, double radius) {
  const double reach = radius + rounding(a, b, pose);
  return dispatch_volume(a, b, pose, [&](const auto& view) {
    return traverse_near(a.tree, b.tree, view, reach, [&](std::uint32_t i, std::uint32_t j) {
      const TriangleCorners tb = moved(b.tree.corners[j], pose);
      if (meet(a.tree.corners[i], tb)) return true;
      return radius > 0 && distance_of(a.tree.corners[i], tb) <= radius;
    });
  });
}

struct Closest {
  double distance = INFINITY;
  std::uint32_t i = 0;
  std::uint32_t j = 0;
};

constexpr int max_projections = 8;

/// From a point of b to the nearest of a, to the nearest of b again and so on: a near pair, for a start. Each way is a
/// search for one point, which costs next to nothing beside that for a pair.
Closest near_pair(const MeshData& a, const MeshData& b, const RelativePose& pose) {
  Closest best;
  Vec3 p = pose.rotate(b.tree.boxes[0].center) + pose.t;
  NearestPoint on_a = nearest(a, p, INFINITY);
  for (int k = 0; k < max_projections; ++k) {
    const NearestPoint on_b = nearest(b, pose.rotate_back(on_a.point - pose.t), best.distance);
    if (on_b.triangle == none) break;
    best = {on_b.distance, on_a.place, on_b.place};
    p = pose.rotate(on_b.point) + pose.t;
    const NearestPoint next = nearest(a, p, best.distance);
    if (next.triangle == none || next.distance > 0.999 * best.distance) break;
    on_a = next;
    best.distance = next.distance;
    best.i = next.place;
  }
  return best;
}

Closest closest_pair(const MeshData& a, const MeshData& b, const RelativePose& pose) {
  Closest best;
  const double slack = rounding(a, b, pose);
  Aim aim;
  dispatch_volume(a, b, pose, [&](auto view) {
    const auto test = [&](std::uint32_t i, std::uint32_t j) {
      const TriangleCorners& ta = a.tree.corners[i];
      const TriangleCorners& tb = b.tree.corners[j];
      const double from = std::max({dot(aim.n, ta[0]), dot(aim.n, ta[1]), dot(aim.n, ta[2])});
      const double to = std::min({dot(aim.back, tb[0]), dot(aim.back, tb[1]), dot(aim.back, tb[2])});
      if (aim.offset + to - from > best.distance + slack) return;
      const TriangleClosest c = closest_of(ta, moved(tb, pose));
      const double d = c.distance;
      // The first of equals in the meshes counts, whatever the tree.
      if (d > best.distance) return;
      if (d == best.distance && std::pair(a.tree.triangles[i], b.tree.triangles[j]) >
                                    std::pair(a.tree.triangles[best.i], b.tree.triangles[best.j]))
        return;
      best = {d, i, j};
      if (!(d > 0)) return;
      aim.set(pose, (1 / d) * (c.point_b - c.point_a));
      view.aim(aim.n);
    };
    const Closest near = near_pair(a, b, pose);
    test(near.i, near.j);
    walk_nearest(a.tree, b.tree, view, slack, best.distance, test);
    return true;
  });
  return best;
}

}  // namespace

ShapeFeature feature(const MeshData& mesh, Index triangle, std::uint32_t corners) {
  ShapeFeature f;
  std::size_t count = 0;
  for (std::uint32_t k = 0; k < 3; ++k) {
    if ((corners >> k & 1U) == 0) continue;
    const Index v = mesh.mesh.triangles[static_cast<std::size_t>(triangle)][k];
    std::size_t place = count++;
    for (; place > 0 && f.corners[place - 1] > v; --place) f.corners[place] = f.corners[place - 1];
    f.corners[place] = v;
  }
  return f;
}

bool swapped(const PlacedMesh& a, const PlacedMesh& b) {
  if (const int c = compare(a.pose.matrix().data() + 12, b.pose.matrix().data() + 12, 3); c != 0) return c > 0;
  if (const int c = compare(a.pose.matrix().data(), b.pose.matrix().data(), 12); c != 0) return c > 0;
  return compare_meshes(a, b) > 0;
}

double rounding(const MeshData& a, const MeshData& b, const RelativePose& pose) {
  return 1e-14 * (a.reach + b.reach + std::abs(pose.t.x) + std::abs(pose.t.y) + std::abs(pose.t.z));
}

bool one_inside_other(const MeshData& a, const MeshData& b, const RelativePose& pose) {
  for (std::size_t i = 0; a.any_closed && i < b.component_triangle.size(); ++i) {
    if (inside(a, pose.rotate(math::to_vec3(b.corner(b.component_triangle[i], 0))) + pose.t)) return true;
  }
  for (std::size_t i = 0; b.any_closed && i < a.component_triangle.size(); ++i) {
    if (inside(b, pose.rotate_back(math::to_vec3(a.corner(a.component_triangle[i], 0)) - pose.t))) return true;
  }
  return false;
}

void mirror(QueryResult& result) {
  std::swap(result.point_a, result.point_b);
  std::swap(result.feature_a, result.feature_b);
  std::swap(result.part_a, result.part_b);
  result.normal = -result.normal;
}

bool collides(const PlacedMesh& a, const PlacedMesh& b) {
  if (swapped(a, b)) return collides(b, a);
  const RelativePose pose = convex::relative_pose(a.pose, b.pose);
  return surfaces_touch(a.mesh, b.mesh, pose, a.radius + b.radius) || one_inside_other(a.mesh, b.mesh, pose);
}

void query(const PlacedMesh& a, const PlacedMesh& b, QueryResult& result) {
  if (swapped(a, b)) {
    query(b, a, result);
    mirror(result);
    return;
  }
  const RelativePose pose = convex::relative_pose(a.pose, b.pose);
  const double radius = a.radius + b.radius;
  if (surfaces_touch(a.mesh, b.mesh, pose, 0) || one_inside_other(a.mesh, b.mesh, pose)) {
    depth(a, b, pose, result);
    return;
  }
  const Closest closest = closest_pair(a.mesh, b.mesh, pose);
  const TriangleCorners& ta = a.mesh.tree.corners[closest.i];
  const TriangleCorners tb = moved(b.mesh.tree.corners[closest.j], pose);
  const TriangleClosest c = closest_of(ta, tb);
  const Vec3 n = direction_of(ta, tb, c);
  // Apart for sure, so never 0.
  const double gap = std::max(closest.distance, std::numeric_limits<double>::denorm_min());
  result.distance = gap - radius;
  result.error = 0;
  result.normal = a.pose.linear() * math::to_eigen(n);
  result.point_a = a.pose * math::to_eigen(c.point_a + a.radius * n);
  result.point_b = a.pose * math::to_eigen(c.point_b - b.radius * n);
  result.part_a = a.mesh.tree.triangles[closest.i];
  result.part_b = b.mesh.tree.triangles[closest.j];
  result.feature_a = feature(a.mesh, result.part_a, c.corners_a);
  result.feature_b = feature(b.mesh, result.part_b, c.corners_b);
}

}  // namespace carom::mesh
