#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "carom/core/unset.hpp"
#include "carom/shape/shape.hpp"

/// Clashes: which parts of an assembly overlap or are too close to each other, and how badly?
namespace carom {

enum class ClashKind {
  overlap,  ///< deeper than the tolerance
  touch,    ///< no deeper than the tolerance and no farther apart
  close,    ///< apart, but by less than the clearance
};
std::string_view to_string(ClashKind kind);

/// Local depth: how far the surface of one part goes below that of the other. A point that deep was found, and no point
/// of the surface is deeper than depth + error.
struct LocalDepth {
  double depth = unset;  ///< m; not a number where the other part has no inside
  double error = unset;  ///< m; infinite where nothing is known, as of open parts
};

/// Connected region in which two parts overlap.
struct ClashRegion {
  /// m: the larger of both local depths. Where the surfaces coincide, so that neither goes below the other though there
  /// is volume between them, the radius of the largest ball found in the overlap.
  double depth = unset;
  double error = unset;         ///< m: neither surface goes deeper than depth + error
  LocalDepth in_a;              ///< of the surface of b, below that of a
  LocalDepth in_b;              ///< of the surface of a, below that of b
  double volume = unset;        ///< m^3; not a number where a part is open or is neither a mesh nor given as one
  double volume_error = unset;  ///< m^3: the true volume is in [volume - volume_error, volume + volume_error]
  AxisBox box{Eigen::Vector3d::Constant(unset), Eigen::Vector3d::Constant(unset)};  ///< around the region
  /// Direction in which b leaves a here: that in which the volume shrinks fastest. Where the overlap is all around, as
  /// of a press fit, the shortest exit of the deepest point.
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);  ///< the deepest point and its nearest exit, or reversed:
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);  ///< `depth` apart, one on the surface of each
  std::vector<Index> triangles_a{};                            ///< triangles of a that cross b or are inside; ascending
  std::vector<Index> triangles_b{};
};

/// Translation of b that takes the two apart in their deepest region: see distance() of carom/query/query.hpp.
struct ClashSeparation {
  double length = unset;  ///< m; infinite where none was found
  double error = unset;   ///< m: no translation shorter than length - error does
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);
};

struct Clash {
  ClashKind kind = ClashKind::overlap;
  Index a = none;  ///< numbers of the parts, a < b
  Index b = none;
  double distance = unset;  ///< m: how far they are apart; minus the depth of the deepest region where they overlap
  double error = unset;     ///< m: of that depth, as in ClashRegion
  double volume = unset;    ///< m^3: sum over the regions
  double volume_error = unset;
  AxisBox box{Eigen::Vector3d::Constant(unset), Eigen::Vector3d::Constant(unset)};  ///< around all regions
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);  ///< from a to b
  std::vector<ClashRegion> regions{};                         ///< regions of an overlap, the worst first
  std::optional<ClashSeparation> separation{};                ///< with ClashOptions::separation
};

enum class ClashRank {
  depth,   ///< the deepest first
  volume,  ///< the largest volume first, then what has none by depth
};
std::string_view to_string(ClashRank rank);

struct ClashProgress {
  std::size_t done = 0;   ///< pairs
  std::size_t total = 0;  ///< pairs to check
  std::size_t found = 0;  ///< clashes of the pairs done
  /// Pair that is being worked on, for a report within a pair; `none` between pairs.
  Index a = none;
  Index b = none;
};

struct ClashOptions {
  /// m, not negative: parts that are no farther apart than this are reported as well.
  double clearance = 0;
  /// m: local depth or gap up to which parts only touch. Parts that were made to fit do so but for rounding;
  /// negative = 1e-6 of the size of the larger of the two, which is what single precision in a file costs.
  double tolerance = -1;
  ClashRank rank = ClashRank::depth;
  bool separation = false;  ///< also the translation that takes an overlapping pair apart, which may take long
  int threads = 0;          ///< 0 = one for each core; the result does not depend on it
  /// Progress, called by one thread at a time, now and then also within a pair; false ends the search. Clashes that
  /// were found until then are returned.
  std::function<bool(const ClashProgress&)> progress{};
};

/// Clashes, each pair of parts that overlaps, touches or is closer than the clearance, the worst first: overlaps by
/// rank, then the others by distance, then by a and b. Of two meshes without margins, depths and volumes are local and
/// measured, see docs/methods/queries.md; of other shapes the depth is that of distance() and there is no volume.
/// Throws Error: invalid_argument (options), and what distance() throws, with the number of the part.
std::vector<Clash> find_clashes(std::span<const Shape::Part> parts, const ClashOptions& options = {});

}  // namespace carom
