#pragma once

#include <span>
#include <utility>

#include "contact/anchor_contacts.hpp"

/// Which deforming bodies need their inner steps first, where a time budget does not suffice for all.
namespace carom::contact {

/// Urgency of a body, ascending.
enum Urgency : std::uint8_t {
  undisturbed,  ///< nothing new touches it
  met,          ///< a contact begins to push in this step
  handled,      ///< a hand pulls it, or it touches or hangs on a rigid or scripted body that moves or has a blade
};

struct UrgencyIn {
  const AnchorList& contacts;
  const BodyMap& bodies;
  const rigid::Bodies& table;
  const bodies::Vertices& vertices;
  std::span<const BodySlot> blades;                         ///< bodies with blades
  std::span<const std::pair<BodySlot, BodySlot>> attached;  ///< bodies of which vertices are held, and what holds them
  double slow = 0;                                          ///< m/s; what is slower counts as at rest
  double dt = 0;                                            ///< s
};

/// Urgency of each body with vertices, by its slot.
void find_urgency(const UrgencyIn& in, BySlot<std::uint8_t>& urgency);

}  // namespace carom::contact
