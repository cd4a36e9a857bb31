#pragma once

#include "carom/detect/intersect.hpp"
#include "carom/query/query.hpp"

/// Contacts of a mesh with another shape, in all places: query.hpp tells of the deepest only.
namespace carom {

/// Crossing of two triangles, one of each mesh.
struct MeshCrossing {
  Index triangle_a = none;
  Index triangle_b = none;
  IntersectionKind kind = IntersectionKind::point;
  Eigen::Vector3d start = Eigen::Vector3d::Constant(unset);  ///< in the world; as in TriangleIntersection
  Eigen::Vector3d end = Eigen::Vector3d::Constant(unset);
};

/// A connected piece of the overlap of two shapes of which one is a mesh at least.
///
/// A region of two meshes is triangles that cross, joined where the curve of intersection goes on into a neighbour, and
/// what these curves cut out of either surface and is inside the other. A piece that is inside as a whole is a region
/// by itself. A region of a mesh and a convex shape is triangles that overlap the shape, joined at their vertices.
struct OverlapRegion {
  /// Moving b by this along the normal takes the two apart here, as in query.hpp; margins included.
  double depth = unset;
  double error = unset;  ///< no translation shorter than depth - error does
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d point_a =
      Eigen::Vector3d::Constant(unset);  ///< where they part last: point_a - point_b = depth * normal
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);
  /// The vertex of one that is farthest below the surface of the other, if any is; else as point_a.
  Eigen::Vector3d deepest = Eigen::Vector3d::Constant(unset);
  bool limited = false;            ///< no direction was found free within the trials: the depth takes all of both apart
  std::vector<Index> triangles_a;  ///< triangles of a mesh that cross, and those inside; ascending
  std::vector<Index> triangles_b;
  std::vector<MeshCrossing> crossings;  ///< crossings of two meshes, sorted by triangles
};

/// All overlap regions, the deepest first; none if the shapes do not collide. Throws Error(invalid_argument) if neither
/// is a mesh or one is a compound, and what distance() throws for a pose.
std::vector<OverlapRegion> overlap_regions(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                                           const Eigen::Isometry3d& pose_b);

/// Every pair of triangles of two meshes that meet, sorted, whether the meshes are closed or not.
std::vector<MeshCrossing> mesh_crossings(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                                         const Eigen::Isometry3d& pose_b);

/// Manifold of a convex shape on one triangle of a mesh, for a solver of contacts.
struct TriangleManifold {
  Index triangle = none;
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);  ///< from the mesh to the shape
  std::array<ManifoldPoint, 4> points{};                      ///< point_a is on the mesh; the deepest first
  int count = 0;
};

/// Manifolds, one for each triangle within `within` (m, at least 0) of a convex shape that has something of its own to
/// say, ascending; `out` is cleared. Now and then a triangle has two.
///
/// The normal is that of the triangle where the shape is over it, or below it by less than a hundredth of the shape's
/// size. Elsewhere it is that of the closest points, or of the shortest way out; a triangle whose edge or vertex is
/// touched is left out if another one at this edge or vertex is nearer along the normal: what slides over a flat floor
/// feels no inner edges. Triangles of a closed mesh that face away from the middle of the shape are left out.
///
/// Whatever is left out, the nearest point is as far as the mesh is, to 1e-4 of the shape's size, if they are apart by
/// less than `within` and the shape is not inside of a closed mesh; and where the shape overlaps triangles, a point
/// says so, unless no way out is found at all (OverlapRegion::limited). A convex shape deep inside a closed mesh, away
/// from the surface, has none: ask overlap_regions. Throws Error(invalid_argument) for a shape that is no mesh, or
/// another that is not convex or a half-space.
void mesh_manifolds(const Shape& mesh, const Eigen::Isometry3d& pose_mesh, const Shape& convex,
                    const Eigen::Isometry3d& pose_convex, double within, std::vector<TriangleManifold>& out);

/// Every triangle of a mesh, margin included, that meets a box of the world, and some that only come near it;
/// ascending. `out` is cleared.
void triangles_near(const Shape& mesh, const Eigen::Isometry3d& pose, const AxisBox& box, std::vector<Index>& out);

}  // namespace carom
