#pragma once

#include <span>

#include "bodies/vertices.hpp"
#include "contact/anchor.hpp"

namespace carom::contact {

/// Marks the vertices around which cloth with levels wants to be fine, in `vertices.fine`: those with a contact. Within
/// a body neighbors along the surface make contacts, too, where its edges are shorter than the contact distance; these
/// count only if the surface has folded there, so that they are much closer than at rest.
void mark_fine(std::span<const AnchorContact> contacts, const BodyMap& bodies, bodies::Vertices& vertices);

}  // namespace carom::contact
