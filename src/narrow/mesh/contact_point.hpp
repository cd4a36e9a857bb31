#pragma once

#include <span>

#include "narrow/mesh/regions.hpp"

namespace carom::mesh {

using math::Vec3;

/// A region without depth, where surfaces touch: one point of it that is on both. In the frame of a.
struct ContactPoint {
  Vec3 point;
  Vec3 normal;  ///< from a to b; zero if no direction takes the two apart here
  Index triangle_a = none;
  Index triangle_b = none;
};

/// Contact point of a region: of its crossings, an area before a segment before a point, and of these the one nearest
/// to their middle. The normal is the direction along which a small motion of b opens the widest gap: those of
/// `directions`, of the features that touch, and of the mean of the faces are compared. The region must have crossings.
ContactPoint contact_point(const MeshData& a, const MeshData& b, const RelativePose& pose, const Region& region,
                           std::span<const Vec3> directions);

}  // namespace carom::mesh
