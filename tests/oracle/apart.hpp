#pragma once

#include <cstddef>

#include "carom/world/world.hpp"

namespace carom::oracle {

/// How many pairs of triangles intersect, at least one of which is of particles or cloth, by the exact test; and
/// triangles of these that overlap a solid, each by a query of its own.
std::size_t count_intersections(const World& world);

}  // namespace carom::oracle
