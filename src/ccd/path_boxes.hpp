#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/surface_clusters.hpp"

/// Boxes of the paths of features over a step, seen from what moves in common, and the pairs of features of two
/// clusters whose boxes overlap. Boxes are in single precision, rounded outward, so no pair that collides is left out.
namespace carom::ccd {

/// Fraction by which bounds on motion are taken larger.
inline constexpr double motion_slack = 1e-9;
/// Fraction of a number that its rounding to single precision is less than.
inline constexpr double box_rounding = 1.2e-7;

/// Boxes in rows: one box is compared with many at a time.
template <std::size_t rows>
struct BoxRows {
  float low[3][rows];
  float high[3][rows];
};

inline float rounded_down(double x) {
  return static_cast<float>(x - box_rounding * std::abs(x));
}

/// Calls visit(k) for rows k in [first, count) of `others` that overlap a row of `boxes`.
template <std::size_t rows, std::size_t other_rows, class Visit>
void each_overlap(const BoxRows<rows>& boxes, std::size_t row, const BoxRows<other_rows>& others, std::size_t first,
                  std::size_t count, const Visit& visit) {
  std::uint8_t hit[other_rows];
  for (std::size_t k = 0; k < other_rows; ++k) {
    bool all = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      all = all & (boxes.low[axis][row] <= others.high[axis][k]) & (others.low[axis][k] <= boxes.high[axis][row]);
    hit[k] = static_cast<std::uint8_t>(all);
  }
  for (std::size_t k = first; k < count; ++k) {
    if (hit[k] != 0) visit(k);
  }
}

/// Positions of vertices at the start and at the end of a step, m; between them on straight lines.
struct StepPositions {
  std::span<const Eigen::Vector3d> start;
  std::span<const Eigen::Vector3d> end;
};

/// Appends pairs of features of two clusters, or of one with itself, whose boxes overlap and that have no vertex in
/// common. `shift`: m, motion that the two have in common.
void list_path_features(const StepPositions& step, const kernels::SurfaceCluster& one,
                        const kernels::SurfaceCluster& other, const Eigen::Vector3d& shift,
                        std::vector<std::array<Index, 4>>& vertex_face, std::vector<std::array<Index, 4>>& edge_edge);

}  // namespace carom::ccd
