#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "carom/core/unset.hpp"
#include "carom/shape/shape.hpp"

/// Clashes: which parts of an assembly overlap or are too close to each other?
namespace carom {

enum class ClashKind {
  overlap,  ///< deeper than the tolerance
  touch,    ///< no deeper than the tolerance and no farther apart
  close,    ///< apart, but by less than the clearance
};
std::string_view to_string(ClashKind kind);

/// Region where two parts overlap, of which one is a mesh at least: see OverlapRegion.
struct ClashRegion {
  double depth = unset;                                       ///< m
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);  ///< from a to b
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);
};

struct Clash {
  ClashKind kind = ClashKind::overlap;
  Index a = none;  ///< numbers of the parts, a < b
  Index b = none;
  double distance = unset;  ///< m, as distance() of carom/query/query.hpp gives it: negative where they overlap
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);  ///< from a to b
  std::vector<ClashRegion> regions{};                         ///< regions of an overlap, the deepest first
};

struct ClashOptions {
  /// m, not negative: parts that are no farther apart than this are reported as well.
  double clearance = 0;
  /// m: what overlaps or is apart by no more than this touches. Parts that were made to fit do so but for rounding;
  /// negative = 1e-6 of the size of the larger of the two, which is what single precision in a file costs.
  double tolerance = -1;
  int threads = 0;  ///< 0 = one for each core; the result does not depend on it
  /// Progress, called from the calling thread with the pairs that are done, of all that have to be looked at, and what
  /// was found so far; false ends the search.
  std::function<bool(std::size_t done, std::size_t total, std::size_t found)> progress{};
};

/// Clashes, each pair of parts that overlaps, touches or is closer than the clearance, the worst first: by distance,
/// then by a and b. Throws Error: invalid_argument (options), and what distance() throws, with the number of the part.
std::vector<Clash> find_clashes(std::span<const Shape::Part> parts, const ClashOptions& options = {});

}  // namespace carom
