#pragma once

#include <array>
#include <vector>

#include "bench/bench_scene.hpp"
#include "carom/detect/continuous.hpp"

namespace carom::bench {

/// Pairs of features of a surface that moves from one frame to another: those that share no vertex and whose boxes over
/// the whole step overlap, as a broad phase finds them.
struct MovingCandidates {
  std::vector<std::array<Index, 4>> pairs;
  std::vector<std::array<Index, 4>> colliding;
  std::vector<std::array<Index, 4>> missing;
};

/// At most about `limit` of them, evenly thinned out.
MovingCandidates moving_candidates(const BenchScene& scene, ContactKind kind, std::span<const Eigen::Vector3d> start,
                                   std::span<const Eigen::Vector3d> end, std::size_t limit);

/// Pairs whose boxes do not overlap.
std::vector<std::array<Index, 4>> far_pairs(const BenchScene& scene, ContactKind kind,
                                            std::span<const Eigen::Vector3d> start,
                                            std::span<const Eigen::Vector3d> end, std::size_t count);

}  // namespace carom::bench
