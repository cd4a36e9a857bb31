#include "carom/query/mesh_contacts.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "narrow/mesh/convex_depth.hpp"
#include "narrow/mesh/depth.hpp"
#include "narrow/mesh/manifolds.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace {

using mesh::PlacedCore;
using mesh::PlacedMesh;
using shapes::ShapeData;

PlacedMesh placed(const Shape& shape, const Eigen::Isometry3d& pose) {
  return {*shape.data().mesh, pose, shape.margin()};
}

void check_mesh(const Shape& shape, const char* who, const char* which) {
  require(shape.kind() == ShapeKind::mesh, ErrorCode::invalid_argument, "{}: {} is a {}, expected a mesh", who, which,
          to_string(shape.kind()));
}

std::vector<MeshCrossing> in_world(const std::vector<mesh::TriangleCrossing>& crossings,
                                   const Eigen::Isometry3d& pose) {
  std::vector<MeshCrossing> all;
  for (const mesh::TriangleCrossing& c : crossings) {
    all.push_back({c.a, c.b, c.where.kind, pose * c.where.start, pose * c.where.end});
  }
  return all;
}

double rounding_of(const Shape& shape) {
  return shape.kind() == ShapeKind::mesh ? shape.margin() : shape.data().core.radius;
}

/// Region of shapes of which margins alone overlap: that of the closest points.
OverlapRegion of_margins(const QueryResult& r, const Shape& a, const Shape& b) {
  OverlapRegion region;
  if (a.kind() == ShapeKind::mesh) region.triangles_a = {r.part_a};
  if (b.kind() == ShapeKind::mesh) region.triangles_b = {r.part_b};
  region.depth = -r.distance;
  region.error = r.error;
  region.normal = r.normal;
  region.point_a = r.point_a;
  region.point_b = r.point_b;
  region.deepest = r.point_a;
  return region;
}

std::vector<OverlapRegion> of_meshes(const PlacedMesh& a, const PlacedMesh& b) {
  const mesh::RelativePose pose = convex::relative_pose(a.pose, b.pose);
  const double radius = a.radius + b.radius;
  const std::vector<mesh::Region> regions = mesh::find_regions(a.mesh, b.mesh, pose);
  const std::vector<mesh::RegionDepth> depths = mesh::measure(a.mesh, b.mesh, pose, regions);
  std::vector<OverlapRegion> all;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const mesh::RegionDepth& d = depths[i];
    OverlapRegion& out = all.emplace_back();
    out.depth = d.depth + radius;
    out.error = d.depth - d.lower;
    out.normal = a.pose.linear() * math::to_eigen(d.normal);
    out.point_a = a.pose * math::to_eigen(d.point_a + a.radius * d.normal);
    out.point_b = a.pose * math::to_eigen(d.point_b - b.radius * d.normal);
    out.deepest = d.lower > 0 ? Eigen::Vector3d(a.pose * math::to_eigen(d.deepest)) : out.point_a;
    out.limited = d.limited;
    out.triangles_a = regions[i].a.triangles;
    out.triangles_b = regions[i].b.triangles;
    out.crossings = in_world(regions[i].crossings, a.pose);
  }
  return all;
}

std::vector<OverlapRegion> of_mesh_and_core(const PlacedMesh& a, const PlacedCore& b) {
  std::vector<OverlapRegion> all;
  const double radius = a.radius + b.core.radius;
  mesh::ConvexWalk walk(a, b);
  for (const mesh::ConvexRegion& r : mesh::convex_regions(a, b, walk)) {
    OverlapRegion& out = all.emplace_back();
    out.depth = r.depth + radius;
    out.error = r.depth - r.lower;
    out.normal = a.pose.linear() * math::to_eigen(r.normal);
    out.point_a = a.pose * math::to_eigen(r.point_a + a.radius * r.normal);
    out.point_b = a.pose * math::to_eigen(r.point_b - b.core.radius * r.normal);
    out.deepest = out.point_b;
    out.limited = r.limited;
    out.triangles_a = r.triangles;
  }
  return all;
}

TriangleManifold manifold_of(const mesh::FaceManifold& found) {
  TriangleManifold m;
  m.triangle = found.triangle;
  m.normal = math::to_eigen(found.patch.normal);
  m.count = found.patch.count;
  const auto count = static_cast<std::size_t>(m.count);
  for (std::size_t k = 0; k < count; ++k) {
    const convex::ConvexManifoldPoint& p = found.patch.points[k];
    const Eigen::Vector3d middle = math::to_eigen(p.middle);
    m.points[k] = {middle - 0.5 * p.distance * m.normal, middle + 0.5 * p.distance * m.normal, p.distance};
  }
  for (std::size_t k = 1; k < count; ++k) {
    if (m.points[k].distance < m.points[0].distance) std::swap(m.points[k], m.points[0]);
  }
  return m;
}

void mirror(std::vector<OverlapRegion>& regions) {
  for (OverlapRegion& r : regions) {
    r.normal = -r.normal;
    std::swap(r.point_a, r.point_b);
    std::swap(r.triangles_a, r.triangles_b);
    for (MeshCrossing& c : r.crossings) std::swap(c.triangle_a, c.triangle_b);
    std::sort(r.crossings.begin(), r.crossings.end(), [](const MeshCrossing& p, const MeshCrossing& q) {
      return std::pair(p.triangle_a, p.triangle_b) < std::pair(q.triangle_a, q.triangle_b);
    });
  }
}

}  // namespace

std::vector<OverlapRegion> overlap_regions(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                                           const Eigen::Isometry3d& pose_b) {
  for (const auto& [shape, name] : {std::pair{&a, "a"}, {&b, "b"}}) {
    require(shape->kind() != ShapeKind::compound, ErrorCode::invalid_argument,
            "overlap_regions: {} is a compound, expected a mesh or a convex shape", name);
  }
  require(a.kind() == ShapeKind::mesh || b.kind() == ShapeKind::mesh, ErrorCode::invalid_argument,
          "overlap_regions: a is a {} and b a {}, expected a mesh", to_string(a.kind()), to_string(b.kind()));
  check_pose(pose_a, "overlap_regions", "pose_a");
  check_pose(pose_b, "overlap_regions", "pose_b");
  if (!collide(a, pose_a, b, pose_b)) return {};
  const QueryResult whole = distance(a, pose_a, b, pose_b);
  const bool half_space = a.kind() == ShapeKind::half_space || b.kind() == ShapeKind::half_space;
  // The radius of a ball or a capsule is like a margin round its core.
  if (half_space || -whole.distance < rounding_of(a) + rounding_of(b)) return {of_margins(whole, a, b)};
  std::vector<OverlapRegion> regions;
  bool flipped = false;
  if (a.kind() == ShapeKind::mesh && b.kind() == ShapeKind::mesh) {
    flipped = mesh::swapped(placed(a, pose_a), placed(b, pose_b));
    regions =
        flipped ? of_meshes(placed(b, pose_b), placed(a, pose_a)) : of_meshes(placed(a, pose_a), placed(b, pose_b));
  } else {
    flipped = b.kind() == ShapeKind::mesh;
    regions = flipped ? of_mesh_and_core(placed(b, pose_b), {a.data().core, pose_a})
                      : of_mesh_and_core(placed(a, pose_a), {b.data().core, pose_b});
  }
  // The cores are apart by rounding only.
  if (regions.empty()) return {of_margins(whole, a, b)};
  if (flipped) mirror(regions);
  std::stable_sort(regions.begin(), regions.end(),
                   [](const OverlapRegion& p, const OverlapRegion& q) { return p.depth > q.depth; });
  return regions;
}

std::vector<MeshCrossing> mesh_crossings(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                                         const Eigen::Isometry3d& pose_b) {
  check_mesh(a, "mesh_crossings", "a");
  check_mesh(b, "mesh_crossings", "b");
  check_pose(pose_a, "mesh_crossings", "pose_a");
  check_pose(pose_b, "mesh_crossings", "pose_b");
  if (mesh::swapped(placed(a, pose_a), placed(b, pose_b))) {
    std::vector<MeshCrossing> all = mesh_crossings(b, pose_b, a, pose_a);
    for (MeshCrossing& c : all) std::swap(c.triangle_a, c.triangle_b);
    std::sort(all.begin(), all.end(), [](const MeshCrossing& p, const MeshCrossing& q) {
      return std::pair(p.triangle_a, p.triangle_b) < std::pair(q.triangle_a, q.triangle_b);
    });
    return all;
  }
  return in_world(mesh::find_crossings(*a.data().mesh, *b.data().mesh, convex::relative_pose(pose_a, pose_b)), pose_a);
}

void mesh_manifolds(const Shape& mesh, const Eigen::Isometry3d& pose_mesh, const Shape& convex,
                    const Eigen::Isometry3d& pose_convex, double within, std::vector<TriangleManifold>& out) {
  check_mesh(mesh, "mesh_manifolds", "the first shape");
  require(convex.convex() && convex.kind() != ShapeKind::half_space, ErrorCode::invalid_argument,
          "mesh_manifolds: the second shape is a {}, expected a bounded convex shape", to_string(convex.kind()));
  require(std::isfinite(within), ErrorCode::not_finite, "mesh_manifolds: within is not finite");
  require(within >= 0, ErrorCode::invalid_argument, "mesh_manifolds: within is {}, expected at least 0", within);
  check_pose(pose_mesh, "mesh_manifolds", "pose_mesh");
  check_pose(pose_convex, "mesh_manifolds", "pose_convex");
  thread_local std::vector<mesh::FaceManifold> found;
  thread_local mesh::Candidates candidates;
  const PlacedMesh a = placed(mesh, pose_mesh);
  const PlacedCore b{convex.data().core, pose_convex};
  mesh::find_candidates(a, b, within, candidates);
  mesh::find_face_manifolds(a, b, within, candidates, found);
  out.clear();
  for (const mesh::FaceManifold& patch : found) out.push_back(manifold_of(patch));
}

void triangles_near(const Shape& mesh, const Eigen::Isometry3d& pose, const AxisBox& box, std::vector<Index>& out) {
  check_mesh(mesh, "triangles_near", "the shape");
  check_pose(pose, "triangles_near", "pose");
  require(box.min.allFinite() && box.max.allFinite(), ErrorCode::not_finite, "triangles_near: the box is not finite");
  mesh::find_triangles_near(placed(mesh, pose), box, out);
}

}  // namespace carom
