#pragma once

#include <span>

#include "bodies/sheet_cut.hpp"

/// Springs of particles that follow a cut.
namespace carom::particles {

/// Springs along and across the edges of triangles that a cut changed become those of the triangles as they are now.
/// An edge that was split has two springs in series, as stiff together as the one before. One that was cut has half of
/// it on either side, and no spring across it. Edges that the cut put into a triangle have springs without force, of
/// the length that they have now, so a cut adds no energy. `before`: triangles before the cut.
void follow_cut(std::span<const Triangle> before, const sheet::CutOutcome& cut, Body& body);

/// Springs with both ends among some vertices, by the numbers that these get. `number`: of each vertex of the body;
/// none of those that are left out.
void select_springs(std::span<const Index> number, Body& body);

}  // namespace carom::particles
