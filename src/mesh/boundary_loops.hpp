#pragma once

#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom::mesh {

/// Strings edges together, each exactly once. `directed` holds edges as {from, to}, no two over the same
/// two vertices; they are walked in that direction wherever a vertex has one that leaves it.
///
/// A loop visits no vertex twice and leaves out the closing repeat of its first vertex. Where an odd
/// number of edges meets, something must end: such a chain stands in the result with `none` as its last item.
/// So, read in a circle, every two neighbours that are both vertices are one edge.
std::vector<std::vector<Index>> string_together(std::size_t vertex_count, std::span<const Edge> directed);

}  // namespace carom::mesh
