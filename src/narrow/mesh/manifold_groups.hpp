#pragma once

#include <vector>

#include "narrow/mesh/manifolds.hpp"

namespace carom::mesh {

using math::Vec3;

/// One of the points of a group of triangles.
struct GroupPoint {
  convex::ConvexManifoldPoint point;
  Vec3 normal;   ///< of its triangle
  double u = 0;  ///< where it is across the normal of the group, m
  double v = 0;
};

/// Working memory.
struct GroupScratch {
  std::vector<std::uint32_t> order;  ///< of the triangles, the nearest first
  std::vector<GroupPoint> points;
  std::vector<GroupPoint> kept;
};

/// Contacts with single triangles as few patches. Triangles that face nearly the same way are a group, and of its
/// points only those are left that can carry: a point is left out if three that are kept hold the shape as far away
/// from it as it is, but for `tolerance` (m). `triangles` are used up.
///
/// Why this loses nothing: seen along one normal, the gap under a rigid body that moves a little changes by a function
/// that is linear in the place. So where three points are at their gaps or above, every point between them is at least
/// at the gap that is interpolated between theirs, and needs no contact if its own is not smaller.
///
/// Points of one patch have nearly the normal of their triangle: one that is a few degrees off would see other gaps
/// while the body rolls than the next look finds, and a body that rocks would be kept going by the difference.
void gather(std::vector<mesh::FaceManifold>& triangles, double tolerance, GroupScratch& scratch,
            std::vector<convex::ConvexManifold>& patches);

}  // namespace carom::mesh
