#pragma once

#include "carom/cast.hpp"
#include "narrow/convex/moving_pair.hpp"

namespace carom::convex {

/// Conservative advancement of one pair up to the time `end`: the closest points of a time give an axis, the axis holds
/// the two apart for some time, and so on until they are as near as they should be. The axis need not be the best one,
/// nor the distance right: what is skipped is free along the axis, by support points alone.
///
/// `closest` is in the frame of the world; `part_a` and `part_b` of it are left as they are.
CastResult advance(const MovingPair& pair, double end, const CastOptions& options);

}  // namespace carom::convex
