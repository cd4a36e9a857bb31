#pragma once

#include "narrow/convex/epa.hpp"

/// GJK and EPA with twice the digits, for polytopes whose difference is too thin for doubles: needles and plates that
/// are nearly parallel, small shapes against large ones, touches.
///
/// Distance and depth change by no more than the corners of the difference move, so corners and support points in
/// doubles are good enough, to 1e-16 of the sizes. What needs the digits is the plane through three corners that are
/// nearly in line.
namespace carom::convex {

/// Overlapping cores, as epa().
Epa wide_epa(const Core& a, const Core& b, const RelativePose& pose, const Gjk& g);

}  // namespace carom::convex
