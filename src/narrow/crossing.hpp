#pragma once

#include <span>
#include <vector>

#include "carom/detect/intersect.hpp"
#include "core/context.hpp"
#include "mid/cones.hpp"
#include "mid/mid.hpp"

/// Stage `narrow` for a distance of zero: which of the triangle pairs intersect, and where.
namespace carom::narrow {

struct CrossingIn {
  const Surface& surface;
  std::span<const Eigen::Vector3d> positions;
  std::span<const mid::TrianglePair> pairs;
  const mid::Cones* cones = nullptr;  ///< if any: pairs that it excludes are not tested
};

struct CrossingScratch {
  struct Counts {
    std::uint64_t cone = 0, tests = 0, plane = 0, apart = 0;
  };
  OrderedAppend<mid::TrianglePair> append;
  std::vector<mid::TrianglePair> hits;
  std::vector<Counts> counts;
};

/// `found` comes out sorted. What the cones exclude is counted in the stage before, which would
/// have left it out if it had known the positions.
void find_crossings(Context& context, const CrossingIn& in, CrossingScratch& scratch, std::vector<Intersection>& found,
                    StageStats& mid_stats, StageStats& stats);

}  // namespace carom::narrow
