#pragma once

#include <span>

#include "carom/detect/contact.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom::narrow {

/// The contact of a vertex and a triangle, or of two edges (each with the smaller index first),
/// whatever their distance. Where the closest points coincide the direction between them is
/// undefined; the normal is then the triangle's, taking the vertex to be outside, or that of the
/// plane of the two edges, and for what has none of these an axis.
Contact vertex_face(std::span<const Eigen::Vector3d> positions, Index vertex, Index triangle, const Triangle& corners);
Contact edge_edge(std::span<const Eigen::Vector3d> positions, const Edge& a, const Edge& b);

}  // namespace carom::narrow
