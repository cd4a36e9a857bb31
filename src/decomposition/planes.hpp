#pragma once

#include "decomposition/piece.hpp"
#include "shapes/mesh_data.hpp"

namespace carom::decomposition {

/// An edge at which the solid is concave, with the planes of its two triangles.
struct ConcaveEdge {
  Vector3d from;
  Vector3d to;
  Plane first;
  Plane second;
};

/// The longest first. `facing` is 1 for a mesh whose triangles face outward, -1 for one whose triangles face inward.
std::vector<ConcaveEdge> concave_edges(const shapes::MeshData& mesh, double facing);

/// Planes worth trying for cutting a piece with these extreme points: across the axes at equal distances and through
/// `where`, and those of the triangles at the longest concave edges.
std::vector<Plane> candidate_planes(const std::vector<Vector3d>& points, const Vector3d& where,
                                    const std::vector<ConcaveEdge>& edges);

}  // namespace carom::decomposition
