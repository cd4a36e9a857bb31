#include "carom/query/clash.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "carom/detect/broad_phase.hpp"
#include "carom/query/mesh_contacts.hpp"
#include "carom/query/query.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "geometry/check_pose.hpp"

namespace carom {
namespace {

constexpr double relative_tolerance = 1e-6;
/// Pairs between two calls of `progress`: a pair of large meshes takes milliseconds.
constexpr std::size_t pairs_at_a_time = 64;

/// Half-spaces end nowhere, nor does what is solid around a room.
AxisBox bounds_of(const Shape::Part& part) {
  const auto endless = [](const Shape& shape) { return shape.kind() == ShapeKind::half_space || shape.is_room(); };
  const auto pieces = part.shape.parts();
  if (endless(part.shape) ||
      std::any_of(pieces.begin(), pieces.end(), [&](const Shape::Part& piece) { return endless(piece.shape); })) {
    return {Eigen::Vector3d::Constant(-INFINITY), Eigen::Vector3d::Constant(INFINITY)};
  }
  return part.shape.bounding_box(part.pose);
}

std::vector<ProxyPair> near_pairs(std::span<const AxisBox> boxes, double reach, int threads) {
  BroadPhase broad({.threads = threads});
  for (const AxisBox& box : boxes) {
    // By half the reach, and by more than what rounding takes of it.
    const Eigen::Array3d grown = 0.5 * reach + 1e-14 * box.min.array().abs().max(box.max.array().abs());
    broad.add(AxisBox{(box.min.array() - grown).matrix(), (box.max.array() + grown).matrix()});
  }
  broad.update();
  return {broad.pairs().begin(), broad.pairs().end()};
}

bool has_regions(const Shape& a, const Shape& b) {
  const bool mesh = a.kind() == ShapeKind::mesh || b.kind() == ShapeKind::mesh;
  return mesh && a.kind() != ShapeKind::compound && b.kind() != ShapeKind::compound;
}

std::vector<ClashRegion> regions_of(const Shape::Part& a, const Shape::Part& b) {
  std::vector<ClashRegion> regions;
  for (const OverlapRegion& region : overlap_regions(a.shape, a.pose, b.shape, b.pose))
    regions.push_back({region.depth, region.normal, region.point_a, region.point_b});
  return regions;
}

}  // namespace

std::string_view to_string(ClashKind kind) {
  switch (kind) {
    case ClashKind::overlap:
      return "overlap";
    case ClashKind::touch:
      return "touch";
    case ClashKind::close:
      return "close";
  }
  return "";
}

std::vector<Clash> find_clashes(std::span<const Shape::Part> parts, const ClashOptions& options) {
  require(std::isfinite(options.clearance) && options.clearance >= 0, ErrorCode::invalid_argument,
          "clearance is {}; expected a number of metres that is not negative", options.clearance);
  require(std::isfinite(options.tolerance), ErrorCode::invalid_argument,
          "tolerance is {}; expected a finite number of metres", options.tolerance);
  std::vector<AxisBox> boxes;
  double largest = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_pose(parts[i].pose, [&] { return fmt::format("find_clashes: part {}: its pose", i); });
    boxes.push_back(bounds_of(parts[i]));
    if (const double size = (boxes.back().max - boxes.back().min).norm(); std::isfinite(size))
      largest = std::max(largest, size);
  }
  const auto tolerance_of = [&](std::uint32_t a, std::uint32_t b) {
    if (options.tolerance >= 0) return options.tolerance;
    double size = 0;
    for (const std::uint32_t i : {a, b}) {
      if (const double s = (boxes[i].max - boxes[i].min).norm(); std::isfinite(s)) size = std::max(size, s);
    }
    return relative_tolerance * size;
  };
  const double reach =
      std::max(options.clearance, options.tolerance >= 0 ? options.tolerance : relative_tolerance * largest);
  const std::vector<ProxyPair> pairs = near_pairs(boxes, reach, options.threads);

  Workers workers(options.threads);
  std::vector<QueryResult> results(std::min(pairs.size(), pairs_at_a_time));
  std::vector<std::vector<ClashRegion>> regions(results.size());
  std::vector<Clash> clashes;
  bool ended = false;
  for (std::size_t begin = 0; begin < pairs.size(); begin += pairs_at_a_time) {
    ended = options.progress && !options.progress(begin, pairs.size(), clashes.size());
    if (ended) break;
    const std::size_t count = std::min(pairs_at_a_time, pairs.size() - begin);
    parallel_for(workers, count, 1, [&](std::size_t i) {
      const auto [a, b] = pairs[begin + i];
      results[i] = distance(parts[a].shape, parts[a].pose, parts[b].shape, parts[b].pose);
      regions[i].clear();
      if (results[i].distance < -tolerance_of(a, b) && has_regions(parts[a].shape, parts[b].shape))
        regions[i] = regions_of(parts[a], parts[b]);
    });
    for (std::size_t i = 0; i < count; ++i) {
      const auto [a, b] = pairs[begin + i];
      const QueryResult& result = results[i];
      const double tolerance = tolerance_of(a, b);
      if (result.distance > std::max(tolerance, options.clearance)) continue;
      clashes.push_back({.kind = result.distance < -tolerance   ? ClashKind::overlap
                                 : result.distance <= tolerance ? ClashKind::touch
                                                                : ClashKind::close,
                         .a = static_cast<Index>(a),
                         .b = static_cast<Index>(b),
                         .distance = result.distance,
                         .point_a = result.point_a,
                         .point_b = result.point_b,
                         .normal = result.normal,
                         .regions = std::move(regions[i])});
    }
  }
  if (options.progress && !ended) options.progress(pairs.size(), pairs.size(), clashes.size());
  std::sort(clashes.begin(), clashes.end(), [](const Clash& left, const Clash& right) {
    return std::tie(left.distance, left.a, left.b) < std::tie(right.distance, right.a, right.b);
  });
  return clashes;
}

}  // namespace carom
