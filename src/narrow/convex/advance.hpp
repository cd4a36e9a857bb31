#pragma once

#include "carom/query/cast.hpp"
#include "narrow/convex/moving_pair.hpp"

namespace carom::convex {

/// Options of the advancement of one pair.
struct AdvanceOptions {
  double separation = 0;  ///< m
  double tolerance = 0;   ///< m; rounding may need more
  int budget = 256;       ///< times looked at
  double start = 0;       ///< nothing meets before
  double end = 1;         ///< what meets at this time or later does not count
};

/// Conservative advancement of one pair: the closest points of a time give an axis, the axis holds the two apart for
/// some time, and so on until they are as near as they should be. The axis need not be the best one, nor the distance
/// right: what is skipped is free along the axis, by support points alone.
///
/// `closest` is in the frame of the world; `part_a` and `part_b` of it are left as they are.
/// `last_normal`, if asked for, is the direction between the closest points that was measured last.
CastResult advance(const MovingPair& pair, const AdvanceOptions& options, Eigen::Vector3d* last_normal = nullptr);

/// Closest points at a time, or those of the depth, seen from the origin of the first body.
QueryResult closest_at(const MovingPair& pair, double time);

}  // namespace carom::convex
