#pragma once

#include <cstddef>

#include "kernels/cloth_constraints.hpp"

/// Batches of constraints of cloth, for those who fill them.
namespace carom::cloth {

/// No lane has a constraint: all are at a point that is no vertex.
kernels::StretchBatch empty_stretch_batch(std::size_t point);
kernels::BendBatch empty_bend_batch(std::size_t point);
/// Empty batches behind the `count` batches of a color, of `all` of all colors, for constraints that cuts add.
std::uint32_t batch_room(std::size_t count, std::size_t all);
/// Number of this point: vertices that cuts add come before it.
std::size_t spare_point_of(std::size_t vertex_count);

}  // namespace carom::cloth
