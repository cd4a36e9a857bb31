#pragma once

#include "narrow/convex/pair.hpp"

/// How deep two solid hulls overlap, from the faces of their difference: the faces of a, those of b, and an edge of
/// each where their arcs of normals cross. The closest of these to the origin is the answer.
///
/// Faces and edges that cannot be closest are left out by bounds. A ball inside b bounds what is behind a face of a
/// from below, for all faces at once; each corner of b found as a support bounds it for the faces that are left.
/// Along the arc of an edge of a, two corners of b bound it where they are equally far: where that is too small, the
/// support there is the crossing, or cuts the arc in two.
namespace carom::convex {

struct HullDepth {
  Vec3 n;            ///< unit, from a to b
  double depth = 0;  ///< more than 0
  Vec3 on_a;         ///< its partner is on_a - depth n
  /// Corners that carry the points, as in LocalResult.
  std::array<std::uint32_t, 3> corners_a;
  std::array<std::uint32_t, 3> corners_b;
  int corners = 0;
  /// False where faces are parallel, and the points are somewhere else on them: then there are no points, no corners.
  bool has_points = false;
  int supports = 0;
};

/// True if the hulls overlap for sure: balls inside them do.
inline bool balls_overlap(const shapes::HullData& a, const shapes::HullData& b, const RelativePose& pose) {
  const double r = (1 - 1e-9) * (a.fan.radius + b.fan.radius);
  const Vec3 d = pose.rotate(b.fan.centre) + pose.t - a.fan.centre;
  return a.fan.usable() && b.fan.usable() && dot(d, d) < r * r;
}

/// The hulls overlap. False if this way is not sound for them: thin hulls, or a touch. `guess` is a direction that may
/// be near the answer, or zero; it does not change the answer but for rounding.
bool hull_depth(const shapes::HullData& a, const shapes::HullData& b, const RelativePose& pose, double scale,
                const Vec3& guess, HullDepth& result);

}  // namespace carom::convex
