#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <span>
#include <vector>

#include "carom/core/unset.hpp"
#include "carom/shape/shape.hpp"

/// Queries of two shapes: do they touch, how far are they apart, how deep do they overlap?
///
/// Poses take shapes to the world. The distance is signed: positive is the shortest way between the shapes, negative is
/// the length of the shortest translation that separates them. The normal has unit length and points from a to
/// b: point_b - point_a = distance * normal, to 1e-12 of the sizes, and to 1e-6 for cylinders, cones and ellipsoids.
/// Shapes that touch collide, with distance 0; so may shapes that are a few 1e-15 of their sizes apart, or a few 1e-10
/// if one is a cylinder, a cone or an ellipsoid.
///
/// The three questions are answered from the same computation, so for one pair of shapes and poses they never
/// disagree: collide() is true exactly if distance().distance <= 0. Swapping a and b gives the mirrored result to the
/// last bit; moving both rigidly moves the result, to rounding.
///
/// The distance of a compound is that of its closest pair of parts, or of the deepest: its translation separates these
/// two parts, not always the whole. Its caches are not used. Two half-spaces overlap without end, by -infinity, unless
/// they look straight at each other. So do a room (MeshSolid) and a shape for which no translation into it was found.
///
/// A mesh is solid where it is closed, as MeshSolid says, and a surface without thickness elsewhere. What is inside
/// of what is solid collides with it. Whether triangles of two meshes meet is decided exactly, for the coordinates that
/// the poses give. The depth of a mesh is that of its deepest region, a region being a connected piece of the overlap:
/// the length of a translation along the normal that takes the two apart there. That it does was tried out; where a
/// mesh is in two places at once, the other places are not considered. The direction is the best of some and need not
/// be the best of all: no translation shorter than depth - error resolves the region, for so deep is some point of one
/// below the surface of the other. Margins make it deeper by their sum, which need not be enough where the normal is
/// not that of the last contact. For meshes that are inside out, doubled or open the translation is not always the
/// least, nor always enough. Caches are not used.
namespace carom {

/// The corners of a hull, a triangle, a box or a mesh that span the closest feature: one for a vertex, two for an edge,
/// three of a face. None for round shapes. Corner i of a box is at minus half the extents along x, y and z where bits
/// 0, 1 and 2 of i are set.
struct ShapeFeature {
  std::array<Index, 3> corners{none, none, none};
  int count() const {
    return (corners[0] != none ? 1 : 0) + (corners[1] != none ? 1 : 0) + (corners[2] != none ? 1 : 0);
  }
};

struct QueryResult {
  double distance = unset;  ///< m
  /// The true distance is in [distance - error, distance + error], but for rounding (1e-14 of the sizes); a depth of
  /// cylinders, cones and ellipsoids is true to 2e-5 of their size besides. The depth of a mesh is not less than true.
  double error = unset;
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);  ///< in the world, as all else
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);
  ShapeFeature feature_a;
  ShapeFeature feature_b;
  Index part_a = none;  ///< part of a compound, or triangle of a mesh
  Index part_b = none;
  int iterations = 0;
  bool limited = false;  ///< a limit of iterations was met before the error was small; `error` says how small it is

  bool colliding() const { return distance <= 0; }
};

/// Memory of a query for the next one on the same pair, moved a little. One for each pair, kept by the caller; any
/// state of it gives a right answer. Where the gap is within 1e-10 of the sizes (2e-5 for round shapes), the answer may
/// differ from that without a cache.
struct QueryCache {
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();  ///< in the frame of the shape that comes first in the computation
  std::array<std::array<std::uint32_t, 2>, 4> corners{};
  int corner_count = 0;
};

/// Whether two shapes touch or overlap. Throws Error for a pose that is not a rotation and a translation to 1e-6
/// (invalid_argument), or is not finite or beyond 1e60 (not_finite); the message names it. So do all queries.
bool collide(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
             QueryCache* cache = nullptr);

QueryResult distance(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                     QueryCache* cache = nullptr);

/// Penetration of two shapes: as distance() where they touch or overlap. Where they do not it stops as soon as that is
/// sure: then the distance is some lower bound, more than 0, and the points are no more than points of the two shapes.
/// With a mesh it is the same as distance().
QueryResult penetration(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                        const Eigen::Isometry3d& pose_b, QueryCache* cache = nullptr);

struct BatchOptions {
  int threads = 1;  ///< 0 = one for each core; results do not depend on it
  /// Caches, as many as there are pairs, or none.
  std::span<QueryCache> caches = {};
};

/// Pair i is a at poses_a[i] and b at poses_b[i], or at the only pose if there is one only; its answer goes to out[i].
/// Throws Error(invalid_argument) if the numbers do not fit; an Error for a pose names its index.
void collide(const Shape& a, std::span<const Eigen::Isometry3d> poses_a, const Shape& b,
             std::span<const Eigen::Isometry3d> poses_b, std::span<std::uint8_t> out, const BatchOptions& options = {});
void distance(const Shape& a, std::span<const Eigen::Isometry3d> poses_a, const Shape& b,
              std::span<const Eigen::Isometry3d> poses_b, std::span<QueryResult> out, const BatchOptions& options = {});
void penetration(const Shape& a, std::span<const Eigen::Isometry3d> poses_a, const Shape& b,
                 std::span<const Eigen::Isometry3d> poses_b, std::span<QueryResult> out,
                 const BatchOptions& options = {});

/// Queries of one shape against many: pair i is a and others[i].
void collide(const Shape& a, const Eigen::Isometry3d& pose_a, std::span<const Shape::Part> others,
             std::span<std::uint8_t> out, const BatchOptions& options = {});
void distance(const Shape& a, const Eigen::Isometry3d& pose_a, std::span<const Shape::Part> others,
              std::span<QueryResult> out, const BatchOptions& options = {});
void penetration(const Shape& a, const Eigen::Isometry3d& pose_a, std::span<const Shape::Part> others,
                 std::span<QueryResult> out, const BatchOptions& options = {});

struct ManifoldPoint {
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);
  double distance = unset;  ///< along the normal of the manifold, signed
};

/// Manifold: where two shapes touch, as points on a common normal, the corners of the common part of two faces, the
/// ends of that of an edge on a face, or one point; corners of neighboring faces that lie across the normal as nearly
/// count, too. A round rim counts as a polygon of 8 corners on it, a face of more than 32 corners as one of every
/// second, third...
struct Manifold {
  QueryResult closest;
  std::vector<ManifoldPoint> points;  ///< none if they are farther apart than asked
};

/// Manifold of all points no farther than `within` (m, at least 0) from the other shape along the normal of the closest
/// points. Convex shapes only.
Manifold manifold(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                  double within = 0);

}  // namespace carom
