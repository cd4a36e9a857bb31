#pragma once

#include <span>
#include <vector>

#include "core/context.hpp"
#include "mid/bvh.hpp"
#include "narrow/moving_boxes.hpp"
#include "narrow/narrow.hpp"

namespace carom::narrow {

/// The hits of pairs of clusters, in an order that depends on the input alone. Boxes of features are
/// compared list against list; what overlaps and shares no vertex is measured.
void find_in_clusters(Context& context, std::span<const Eigen::Vector3d> positions, const Surface& surface,
                      const mid::Bvh& bvh, double distance, Scratch& scratch);

/// Over a step, after Bvh::run_moving: pairs whose boxes, as they move, meet in the part of the step in which those of
/// the clusters do. Whether the features themselves come closer than the distance is left open.
void find_moving_in_clusters(Context& context, const MovingIn& in, const mid::Bvh& bvh, double distance,
                             Scratch& scratch);

}  // namespace carom::narrow
