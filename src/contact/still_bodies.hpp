#pragma once

#include <cstdint>
#include <vector>

#include "bodies/vertices.hpp"

/// Bodies of which nothing moves in a step: two of them make no contacts with each other.
namespace carom::contact {

struct StillBodies {
  BySlot<std::uint8_t> still;       ///< 1 if nothing of the body moves in this step
  BySlot<std::uint8_t> scripted;    ///< 1 if the body moves by a script in this step
  std::vector<std::uint8_t> marks;  ///< pairs of parts that make contacts, see broad::ObjectChoice; empty: all do
};

/// With `immovable` contacts of bodies that nothing can move are asked for as well. A contact needs a body that it can
/// move otherwise, or one that sleeps and that a scripted body may wake.
void mark_still(const rigid::Bodies& table, const BodyMap& bodies, const bodies::Vertices& vertices, bool immovable,
                StillBodies& out);

}  // namespace carom::contact
