#pragma once

#include <vector>

#include "bodies/vertices.hpp"
#include "contact/anchor.hpp"

/// What contacts have to know of the shape at rest, and of the lattices that their vertices are embedded in.
namespace carom::response {

using contact::AnchorContact;

/// Parts of one soft body that are nearer to each other at rest than the thickness (the sides of a slot, faces of a
/// cut, above all at the corners of their steps) have the distance that they have at rest as their thickness, also
/// where the body went to pieces, and so have pieces of cloth, which would fly apart where they are narrower than the
/// thickness; within one sheet of cloth, which may be thicker than its edges are long, half of it. They carry what
/// presses them together, and do not push each other apart from nothing. Points that slide along each other are those
/// of another distance at rest, so the thickness comes back as they go.
void keep_rest_distances(const BodyMap& bodies, const bodies::Vertices& vertices, std::span<AnchorContact> contacts);

/// Free bodies with blades are let into what they cut at touch, and so overlap it: contacts of the two, which are
/// `unpushed` in the vertices, let them come no closer, and do not push them apart. The work of that would come from
/// nothing.
void keep_cut_overlaps(const bodies::Vertices& vertices, std::span<const contact::CoupledBody> coupled,
                       std::span<AnchorContact> contacts);

/// Numbers of contacts between parts that fixed nodes hold. Vertices next to these have a small share of free nodes, by
/// which an impulse can move them: to open a gap these would go many times as far, against forces that grow without
/// bound. Empty if no soft body is fixed.
std::vector<std::size_t> held_contacts(const BodyMap& bodies, const bodies::Vertices& vertices,
                                       std::span<const contact::CoupledBody> coupled,
                                       std::span<const AnchorContact> contacts);

}  // namespace carom::response
