#include "narrow/mesh/mesh_convex.hpp"

#include <algorithm>
#include <limits>

#include "narrow/convex/convex.hpp"
#include "narrow/mesh/convex_depth.hpp"
#include "narrow/mesh/convex_traverse.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "narrow/mesh/triangle_core.hpp"

namespace carom::mesh {
namespace {

using convex::Question;
using shapes::CoreKind;

/// Whether a point of the core is in the solid: given that no triangle touches it, all of it is.
bool core_inside(const MeshData& mesh, const shapes::Core& core, const RelativePose& pose) {
  return mesh.any_closed && inside(mesh, pose.rotate(shapes::support(core, {1, 0, 0}).p) + pose.t);
}

/// The vertex that is lowest along n; of equals the first.
struct Lowest {
  double height = INFINITY;
  Index triangle = none;
  std::uint32_t corner = 0;
  Vec3 point;
};

Lowest lowest(const MeshData& mesh, const Vec3& n) {
  const shapes::MeshTree& tree = mesh.tree;
  const Vec3 an = absolute(n);
  const double slack = 1e-14 * mesh.reach;
  Lowest best;
  std::array<std::uint32_t, shapes::max_tree_depth + 2> waiting;
  std::size_t count = 0;
  waiting[count++] = 0;
  const auto bound = [&](std::uint32_t i) { return dot(n, tree.boxes[i].center) - dot(an, tree.boxes[i].half); };
  while (count > 0) {
    const std::uint32_t i = waiting[--count];
    if (bound(i) > best.height + slack) continue;
    const shapes::TreeNode& node = tree.nodes[i];
    if (!node.leaf()) {
      const bool left = bound(node.first) <= bound(node.first + 1);
      waiting[count++] = node.first + (left ? 1 : 0);
      waiting[count++] = node.first + (left ? 0 : 1);
      continue;
    }
    for (std::uint32_t j = node.first; j < node.first + node.count; ++j) {
      for (std::uint32_t k = 0; k < 3; ++k) {
        const double height = dot(n, tree.corners[j][k]);
        if (height < best.height || (height == best.height && tree.triangles[j] < best.triangle)) {
          best = {height, tree.triangles[j], k, tree.corners[j][k]};
        }
      }
    }
  }
  return best;
}

/// The depth below the plane, which a translation out of it resolves: exact.
void against_half_space(const PlacedMesh& a, const PlacedCore& b, QueryResult& result) {
  const RelativePose pose = convex::relative_pose(a.pose, b.pose);
  const Vec3 n = pose.rotate(b.core.size);  // out of the half-space
  const Lowest low = lowest(a.mesh, n);
  const double height = dot(n, low.point - pose.t) - b.core.offset;
  // The solid around a room has no end either: no translation takes the two apart.
  result.distance = a.mesh.room ? -INFINITY : height - (a.radius + b.core.radius);
  result.error = 0;
  result.normal = a.pose.linear() * math::to_eigen(-n);
  result.point_a = a.pose * math::to_eigen(low.point - a.radius * n);
  result.point_b = a.pose * math::to_eigen(low.point - (height - b.core.radius) * n);
  result.part_a = low.triangle;
  result.feature_a.corners[0] = a.mesh.mesh.triangles[static_cast<std::size_t>(low.triangle)][low.corner];
}

ShapeFeature in_mesh(const MeshData& mesh, Index triangle, const ShapeFeature& of_triangle) {
  std::uint32_t corners = 0;
  for (const Index k : of_triangle.corners) corners |= k == none ? 0U : 1U << static_cast<std::uint32_t>(k);
  return feature(mesh, triangle, corners);
}

}  // namespace

bool collides(const PlacedMesh& a, const PlacedCore& b) {
  if (b.core.kind == CoreKind::half_space) {
    QueryResult result;
    against_half_space(a, b, result);
    return result.distance <= 0;
  }
  thread_local TriangleCore triangle;
  ConvexWalk traverse(a, b);
  if (traverse.near(a.radius + b.core.radius, [&](std::uint32_t i) {
        QueryResult r;
        convex::query(Question::verdict, triangle.set(a.mesh.tree.corners[i], a.radius), a.pose, b.core, b.pose,
                      nullptr, r);
        if (r.distance <= 0) return true;
        traverse.planes().add(math::to_vec3(a.pose.linear().transpose() * r.normal));
        return false;
      }))
    return true;
  return core_inside(a.mesh, b.core, traverse.pose());
}

void query(const PlacedMesh& a, const PlacedCore& b, QueryResult& result) {
  if (b.core.kind == CoreKind::half_space) return against_half_space(a, b, result);
  thread_local TriangleCore triangle;
  ConvexWalk traverse(a, b);
  const double radius = a.radius + b.core.radius;
  const auto overlap = [&](double distance) { return distance <= 0 && distance <= -radius + 1e-12 * traverse.scale(); };
  double best = INFINITY;  // between the cores
  std::uint32_t nearest = 0;
  result.distance = INFINITY;
  traverse.nearest(best, [&](std::uint32_t i) {
    if (overlap(result.distance)) return;
    QueryResult r;
    convex::query(Question::gap, triangle.set(a.mesh.tree.corners[i], a.radius), a.pose, b.core, b.pose, nullptr, r);
    r.part_a = a.mesh.tree.triangles[i];
    if (r.distance > -radius) traverse.planes().add(math::to_vec3(a.pose.linear().transpose() * r.normal));
    if (r.distance > result.distance || (r.distance == result.distance && r.part_a > result.part_a)) return;
    result = r;
    nearest = i;
    // Once cores overlap, the depth of single triangles is of no use.
    best = overlap(r.distance) ? -INFINITY : std::max(r.distance + radius, 0.0);
  });
  // A touch of nearly parallel faces can be rounding, which a plane between them would have told, had it been asked:
  // the verdict is that of collides().
  const bool cores_overlap = overlap(result.distance);
  const bool unsure = cores_overlap || std::abs(result.distance) <= 1e-8 * traverse.scale();
  const bool touching = unsure && collides(a, b);
  if (cores_overlap ? touching : core_inside(a.mesh, b.core, traverse.pose())) {
    convex_depth(a, b, traverse, result);
    return;
  }
  if (cores_overlap) {
    const Index part = result.part_a;
    convex::query(Question::distance, triangle.set(a.mesh.tree.corners[nearest], a.radius), a.pose, b.core, b.pose,
                  nullptr, result);
    result.part_a = part;
  }
  if (touching) result.distance = std::min(result.distance, 0.0);
  if (unsure && !touching) result.distance = std::max(result.distance, std::numeric_limits<double>::denorm_min());
  result.feature_a = in_mesh(a.mesh, result.part_a, result.feature_a);
}

}  // namespace carom::mesh
