#pragma once

#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "carom/detect/contact.hpp"

namespace carom::contact {

/// Leaves, in their order, contacts that are the nearest of a feature with the surface of one body: of a vertex all but
/// the nearest triangle go, and of two edges those that are the nearest of neither. Of several at one distance the
/// first stays. Returns how many are gone.
std::size_t keep_nearest(std::span<const bodies::SurfacePart> parts, std::vector<Contact>& contacts);

}  // namespace carom::contact
