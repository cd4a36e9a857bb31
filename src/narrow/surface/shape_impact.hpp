#pragma once

#include <Eigen/Core>
#include <array>

#include "narrow/convex/moving_pair.hpp"
#include "narrow/mesh/triangle_core.hpp"

/// Time of impact of a convex shape that moves rigidly and a triangle that deforms: each of its vertices moves straight
/// from its start to its end.
///
/// Conservative advancement along separating axes. Along a fixed axis n the lowest of three vertices that move straight
/// is a concave function of time, so it is nowhere below its chord over an interval; the support of the turning shape
/// is nowhere above its chord by more than M u (h - u) / 2 (see moving_pair.hpp). Together they bound the gap along n
/// from below over the whole interval by its values at the two ends. Motion across n, sliding, does not enter.
namespace carom::narrow::surface {

struct MovingTriangle {
  std::array<Eigen::Vector3d, 3> start;  ///< world frame, at time 0
  std::array<Eigen::Vector3d, 3> end;    ///< world frame, at time 1
};

struct ShapeImpactOptions {
  double separation = 0;  ///< m
  /// m. How far before the separation is reached a hit may be reported, and how much closer a pair may come that starts
  /// close; see ShapeImpact. Rounding may need more: 1e-13 of the sizes and distances.
  double tolerance = 0;
  int max_iterations = 64;
  double end = 1;  ///< times from here on do not count: the earliest impact known so far
};

/// Rule for the pairs that start close: with d the distance at time 0, the limit is
///
///     limit = min(separation, d - min(tolerance, d / 2)).
///
/// A pair that starts at the separation plus the tolerance or farther apart is held to the separation. A pair that
/// starts closer is held to the distance that it has, less the tolerance or half of the distance, whichever is smaller:
/// it may rest, slide and roll there, and repeated steps never bring it to 0.
struct ShapeImpact {
  bool hit = false;
  /// Overlap at time 0, or a distance of no more than rounding: the motion is not limited by this pair, `time` is 1.
  bool overlapping = false;
  /// The iterations ran out: `time` is safe but may be earlier than the tolerance allows.
  bool limited = false;
  /// In [0, 1]. The distance is at least `limit`, but for rounding, at all times up to here; at a hit it is at most
  /// limit + tolerance unless `limited`. 1 if there is no hit before `end`.
  double time = 1;
  double limit = 0;     ///< m, by the rule above
  double distance = 0;  ///< m, at the time of a hit; of an overlapping pair at time 0
  double error = 0;  ///< m, of the distance, as in QueryResult: not 0 for cylinders, cones and ellipsoids near slivers
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< unit, from the shape to the triangle, at a hit
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< on the triangle at `time`, world frame, at a hit
  std::array<double, 3> weights{};                   ///< barycentric, of `point`
  int iterations = 0;
};

/// `triangle_core` is working memory, one for each thread. Allocates nothing.
ShapeImpact shape_impact(const convex::MovingCore& shape, const MovingTriangle& triangle,
                         const ShapeImpactOptions& options, mesh::TriangleCore& triangle_core);

}  // namespace carom::narrow::surface
