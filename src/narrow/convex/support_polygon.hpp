#pragma once

#include <array>

#include "shapes/core.hpp"

namespace carom::convex {

using math::Vec3;

/// A polygon of few corners, each with a number that stays with it when it is cut.
struct SupportPolygon {
  static constexpr int max_points = 64;
  int count = 0;
  /// Number of points after these that are not of the polygon, but corners of other faces that lie across the direction
  /// as nearly: what rests on the fold between two faces rests on the corners of both. Cutting drops them.
  int others = 0;
  // Not set to zero: there are four of these in each call.
  union {
    std::array<Vec3, max_points> points;
  };
  std::array<std::uint32_t, max_points> features;

  SupportPolygon() { points[0] = {}; }

  /// Points, with the others.
  std::size_t all() const { return static_cast<std::size_t>(count) + static_cast<std::size_t>(others); }

  void push(const Vec3& p, std::uint32_t feature) {
    if (count == max_points) return;  // cutting a convex polygon of 32 with one of 32 gives 64
    points[static_cast<std::size_t>(count)] = p;
    features[static_cast<std::size_t>(count++)] = feature;
  }
};

/// The part of a core that lies farthest along a unit direction, in its own frame: a point, the two ends of a
/// segment, or the corners of a face, counter-clockwise seen from outside. What is tilted by less than `tilt` (a sine)
/// counts as lying across the direction; of several faces and edges it is the least tilted one, and the corners of the
/// rest are the `others`. Round rims become polygons of 8 corners; of faces with more than 32 corners every second,
/// third... one is taken.
void support_polygon(const shapes::Core& core, const Vec3& direction, double tilt, SupportPolygon& result);
/// Support polygon of a hull whose farthest corner is known.
void support_polygon_at(const shapes::HullData& hull, std::uint32_t corner, const Vec3& direction, double tilt,
                        SupportPolygon& result);

}  // namespace carom::convex
