#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>

#include "carom/query/query.hpp"

/// Casts: when do two solids that move, and turn, come together first?
///
/// What is promised, for every pair of shapes that distance() takes and any finite motion:
/// - never a false no, and the time is never late: at every time before it the shapes are farther apart than the
///   separation;
/// - a false yes only if they come within separation + `CastResult::tolerance`;
/// - the work is bounded, by `CastOptions::budget`.
namespace carom {

/// The origin of the shape goes straight and at constant speed from `from` to `to` while time goes from 0 to 1; about
/// this origin the shape turns at constant rate about one axis that is fixed in the world, the shorter way, at most
/// half a turn. (Of two ways of half a turn one is taken, always the same for the same poses.)
struct ShapeMotion {
  Eigen::Isometry3d from = Eigen::Isometry3d::Identity();
  Eigen::Isometry3d to = Eigen::Isometry3d::Identity();
};

/// Pose of a motion at a time in [0, 1], as cast() understands it.
Eigen::Isometry3d pose_at(const ShapeMotion& motion, double time);

struct CastOptions {
  /// m, not negative: shapes this close or closer have met. 0: a touch.
  double separation = 0;
  /// Tolerance, not negative; relative to the motion, the longest path of a point of one shape as seen from the other.
  /// A hit is reported when the shapes are within separation + tolerance, and may be too early by as much. Where
  /// rounding is coarser, that counts.
  double tolerance = 1e-6;
  /// Budget, at least 1: how many times of a pair of convex shapes, or of triangles, are looked at. Nearly all pairs
  /// need fewer than 10.
  int budget = 256;
};

struct CastResult {
  bool hit = false;
  /// The budget was used up, or rounding kept the search from the tolerance asked for: then the hit is not certain,
  /// and `tolerance` says how near to one it is.
  bool limited = false;
  /// Time in [0, 1]: before it they have not met. 1 if they never do.
  double time = unset;
  /// m: at `time` the shapes are no farther apart than separation + this. 0 if they start within the separation.
  double tolerance = unset;
  /// Closest points of the shapes at `time`, where there is a hit; not set elsewhere. Its distance is negative only if
  /// they overlap at the start.
  QueryResult closest;
  int iterations = 0;  ///< times that were looked at
};

/// a goes from `from` to `to`, b stays. Throws Error: not_finite or invalid_argument for a pose that is not finite or
/// no rotation and place (names it), invalid_argument for options.
CastResult cast(const Shape& a, const Eigen::Isometry3d& from, const Eigen::Isometry3d& to, const Shape& b,
                const Eigen::Isometry3d& pose_b, const CastOptions& options = {});

/// Cast of two shapes that both move.
CastResult cast(const Shape& a, const ShapeMotion& motion_a, const Shape& b, const ShapeMotion& motion_b,
                const CastOptions& options = {});

struct CastBatchOptions {
  int threads = 1;  ///< 0 = one for each core; results do not depend on it
};

/// Pair i is a with motions_a[i] and b with motions_b[i], or with the only motion if there is one only; its answer goes
/// to out[i]. Errors name the pair.
void cast(const Shape& a, std::span<const ShapeMotion> motions_a, const Shape& b,
          std::span<const ShapeMotion> motions_b, std::span<CastResult> out, const CastOptions& options = {},
          const CastBatchOptions& batch = {});

/// Casts of one shape against many that stay: pair i is a and others[i].
void cast(const Shape& a, const ShapeMotion& motion_a, std::span<const Shape::Part> others, std::span<CastResult> out,
          const CastOptions& options = {}, const CastBatchOptions& batch = {});

}  // namespace carom
