#pragma once

#include <vector>

#include "carom/detect/intersect.hpp"
#include "oracle/exact_distance.hpp"

/// What two triangles have in common, by linear programming in rational arithmetic and straight from
/// the definition: all weights l, m >= 0 with sum l = sum m = 1 and sum l a = sum m b. The set of
/// weights is a polytope; what the triangles have in common is the hull of the images of its vertices, found
/// by solving for every choice of weights that are not zero. No orientation, no case of a degenerate triangle.
namespace carom::oracle {

/// Points whose hull is the intersection, each once; none if there is no intersection.
std::vector<ExactVector> exact_intersection(const TrianglePoints& a, const TrianglePoints& b);

/// Whether the triangles have a point in common outside the hull of `shared` (none, one or two points).
bool exactly_meet_beyond(const TrianglePoints& a, const TrianglePoints& b, std::span<const Eigen::Vector3d> shared);

struct SurfacePair {
  Index a = none;
  Index b = none;
  friend bool operator==(const SurfacePair&, const SurfacePair&) = default;
};

/// The slow twin of intersections(): all pairs of triangles, boxes apart excepted.
std::vector<SurfacePair> brute_force_intersections(std::span<const Triangle> triangles,
                                                   std::span<const Index> object_of_triangle,
                                                   std::span<const Eigen::Vector3d> positions, PairScope scope);

}  // namespace carom::oracle
