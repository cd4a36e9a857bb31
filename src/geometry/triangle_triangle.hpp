#pragma once

#include <span>

#include "carom/intersect.hpp"

namespace carom::detail {

/// Whether two triangles have a point in common that is not in the hull of `shared`, corners of both
/// (none, one or two). Exact; the points must be finite.
bool meet_beyond(const TrianglePoints& a, const TrianglePoints& b, std::span<const Eigen::Vector3d> shared);

/// Where; the triangles must have a point in common.
TriangleIntersection meeting_of(const TrianglePoints& a, const TrianglePoints& b);

}  // namespace carom::detail
