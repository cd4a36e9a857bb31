#pragma once

#include "narrow/convex/convex.hpp"

/// Two boxes by their 15 axes (Zara, course on collisions of rigid objects): the faces' normals of each, and the cross
/// products of their edges.
///
/// The cross product of edges at an angle phi is known to eps / phi only. But the gap along it is that of two boxes
/// whose edges differ from the given ones by rounding, and so is the largest gap.
namespace carom::convex {

struct BoxAxes {
  double gap = -INFINITY;  ///< the largest along any axis: positive if apart, minus the depth if not
  Vec3 n;                  ///< unit, from a to b, of that axis, in the frame of a
  int axis = 0;            ///< 0..2 faces of a, 3..5 of b, 6 + 3 i + j edge i of a with edge j of b
};

/// Stops at the first axis with a gap of more than `enough`.
BoxAxes box_axes(const Core& a, const Core& b, const RelativePose& pose, double enough);

/// Points of two boxes that overlap, for the axis of least depth. Without radii.
void box_depth(const Core& a, const Core& b, const RelativePose& pose, const BoxAxes& axes, LocalResult& result);

}  // namespace carom::convex
