#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "carom/detect.hpp"
#include "core/context.hpp"

/// Stage `bounds`: a box around every triangle and every object, grown so that two features closer
/// than the contact distance always have overlapping boxes.
namespace carom::bounds {

struct In {
  const Surface& surface;
  std::span<const Eigen::Vector3d> positions;
};

struct Options {
  double distance = 0;  ///< m, the contact distance; each box grows by half of it
};

struct Out {
  std::vector<Box> triangles;
  std::vector<Box> objects;  ///< by position in Surface::objects()
  /// m; how far rounding may put a computed distance below the true one. Culling in double
  /// precision adds it, too.
  double slack = 0;

  std::vector<double> partial;  ///< working memory
};

/// Throws Error(not_finite) that names the vertex: this is where positions enter the pipeline.
void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats);

}  // namespace carom::bounds
