#pragma once

#include "mid/mid.hpp"

namespace carom::mid {

/// The uniform grid of F. Léonard, 3.2 to 3.6, with a rule that loses no pair: triangles in the region
/// of interest, cells as large as the largest of their boxes, a sorted list of (cell, triangle), and in
/// each cell the pairs whose overlap has its lowest corner there. Fast where triangles are of similar
/// size; the largest one rules the cells (see hgrid).
void grid(Context& context, const In& in, const Options& options, Out& out, StageStats& stats);

}  // namespace carom::mid
