#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <span>
#include <vector>

#include "carom/shape.hpp"

/// Do two shapes touch, how far are they apart, how deep do they overlap?
///
/// Poses take shapes to the world. The distance is signed: positive is the shortest way between the shapes, negative is
/// the length of the shortest translation that separates them. The normal has unit length and points from a to
/// b: point_b - point_a = distance * normal. Shapes that touch collide, with distance 0.
///
/// The three questions are answered from the same computation, so for one pair of shapes and poses they never
/// disagree: collide() is true exactly if distance().distance <= 0. Swapping a and b gives the mirrored result to the
/// last bit; moving both rigidly moves the result, to rounding.
namespace carom {

/// The corners of a hull, a triangle or a box that span the closest feature: one for a vertex, two for an edge, three
/// of a face. None for round shapes. Corner i of a box is at minus half the extents along x, y and z where bits 0, 1
/// and 2 of i are set.
struct ShapeFeature {
  std::array<Index, 3> corners{none, none, none};
  int count() const {
    return (corners[0] != none ? 1 : 0) + (corners[1] != none ? 1 : 0) + (corners[2] != none ? 1 : 0);
  }
};

struct QueryResult {
  double distance = 0;  ///< m
  /// The true distance is in [distance - error, distance + error], but for rounding (1e-14 of the sizes).
  double error = 0;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitX();
  Eigen::Vector3d point_a = Eigen::Vector3d::Zero();  ///< in the world, as all else
  Eigen::Vector3d point_b = Eigen::Vector3d::Zero();
  ShapeFeature feature_a;
  ShapeFeature feature_b;
  Index part_a = none;  ///< of a compound, triangle of a mesh
  Index part_b = none;
  int iterations = 0;
  bool limited = false;  ///< a limit of iterations was met before the error was small; `error` says how small it is

  bool colliding() const { return distance <= 0; }
};

/// What a query remembers for the next one on the same pair, moved a little. One for each pair, kept by the caller; any
/// state of it gives a right answer. Where the gap is within rounding (1e-14 of the sizes), the answer may differ from
/// that without a cache.
struct QueryCache {
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();  ///< in the frame of the shape that comes first in the computation
  std::array<std::array<std::uint32_t, 2>, 4> corners{};
  int corner_count = 0;
};

/// True if they touch or overlap. Throws Error(not_finite) for a pose that is not finite; so do all queries.
bool collide(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
             QueryCache* cache = nullptr);

QueryResult distance(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                     QueryCache* cache = nullptr);

/// As distance() where they touch or overlap. Where they do not it stops as soon as that is sure: then the distance is
/// some lower bound, more than 0, and the points are no more than points of the two shapes.
QueryResult penetration(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                        const Eigen::Isometry3d& pose_b, QueryCache* cache = nullptr);

}  // namespace carom
