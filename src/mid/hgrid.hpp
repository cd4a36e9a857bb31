#pragma once

#include "mid/mid.hpp"

namespace carom::mid {

/// A grid of several levels, for triangles of very different size: each triangle is listed on the
/// level whose cells fit it, meets the others of its level as in `grid`, and looks itself up in the
/// cells of all coarser levels.
void hgrid(Context& context, const In& in, const Options& options, Out& out, StageStats& stats);

}  // namespace carom::mid
