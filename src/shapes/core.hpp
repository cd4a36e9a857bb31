#pragma once

#include <cstdint>

#include "math/vec3.hpp"

/// Convex shapes as queries see them: a core, and a radius by which it is rounded. A sphere is a rounded point,
/// a capsule a rounded segment; a triangle is a hull of three vertices.
namespace carom::shapes {

using math::Vec3;

struct HullData;

/// In this order queries put their two shapes, so that each pair of kinds has one way to be computed.
enum class CoreKind : std::uint8_t { point, segment, box, cylinder, cone, ellipsoid, hull, half_space };

struct Core {
  CoreKind kind = CoreKind::point;
  double radius = 0;
  /// box: half extents; segment: z is half the length; cylinder, cone: x is the radius, z half the length;
  /// ellipsoid: radii; half-space: unit normal.
  Vec3 size;
  double offset = 0;  ///< of the half-space
  /// Half the diagonal of a box around the core, about its origin: how large coordinates get.
  double reach = 0;
  const HullData* hull = nullptr;

  /// Vertices with numbers, so that a vertex that comes again is recognised.
  bool polytope() const { return kind <= CoreKind::box || kind == CoreKind::hull; }
};

}  // namespace carom::shapes
