#pragma once

#include <map>
#include <vector>

#include "carom/detect/filters.hpp"
#include "oracle/live.hpp"

/// The twin of the filters: straight from their definition in carom/detect/filters.hpp.
namespace carom::oracle {

/// Lengths of the shortest paths along edges between all pairs of vertices (Floyd and Warshall).
std::vector<std::vector<double>> path_lengths(const Surface& surface, std::span<const Eigen::Vector3d> positions);

/// What the filters leave of pairs that are closer than the distance.
std::vector<Pair> filtered(const std::vector<Pair>& pairs, const Surface& surface,
                           std::span<const Eigen::Vector3d> positions, double distance, const ContactFilters& filters);

}  // namespace carom::oracle
