#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <vector>

#include "carom/query/query.hpp"
#include "narrow/convex/support_polygon.hpp"
#include "shapes/core.hpp"

/// Where two convex shapes touch, as at most four points on one normal: what a response works with. Allocates nothing.
namespace carom::convex {

using math::Vec3;

inline constexpr int max_manifold_points = 4;

struct ConvexManifoldPoint {
  Vec3 middle;                ///< half way between the two shapes along the normal, in the world
  double distance = 0;        ///< along the normal, signed
  std::uint32_t feature = 0;  ///< of the shapes: the same for the same corners and edges, whatever the pose
};

struct ConvexManifold {
  /// A lower bound of the distance if there are no points.
  double distance = 0;
  Vec3 normal;  ///< unit, from a to b
  int count = 0;
  std::array<ConvexManifoldPoint, max_manifold_points> points;
};

/// All that is no farther than `within` from the other shape along the normal, reduced to four points: the deepest one,
/// and of the others those that span the largest area.
void find_manifold(const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
                   const Eigen::Isometry3d& pose_b, double within, QueryCache& cache, ConvexManifold& result);

/// Replaces `points` by all that is no farther than `within` from the other shape along the normal of the closest
/// points, which are given and no farther apart; none if that is the closest points alone.
void find_all_points(const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
                     const Eigen::Isometry3d& pose_b, double within, const QueryResult& closest,
                     std::vector<ConvexManifoldPoint>& points);

/// Manifold of a face of a and what of b lies farthest against its unit normal, both in one frame, in which the result
/// is as well. `of_b` is used up. Returns how wide that is which is over the face, near or not (m): of a polygon across
/// its longest diagonal, of a segment its length, infinite for a point.
double manifold_on_face(const SupportPolygon& face, SupportPolygon& of_b, const Vec3& normal, double within,
                        ConvexManifold& result);

}  // namespace carom::convex
