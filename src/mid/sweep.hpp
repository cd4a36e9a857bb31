#pragma once

#include "mid/mid.hpp"

namespace carom::mid {

/// One sweep over the boxes of all triangles that can matter, along the axis on which they are
/// spread the most. Correct for any input and simple enough to check by eye; the cost grows with
/// the number of boxes that overlap on that one axis.
void sweep(Context& context, const In& in, const Options& options, Out& out, StageStats& stats);

}  // namespace carom::mid
