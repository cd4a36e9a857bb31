#pragma once

#include <array>

#include "carom/detect/contact.hpp"

namespace carom::contact {

/// Two features that are near each other at the start of a step, and how near: what is kept of pairs of which most
/// carry no force. A contact is seven times as large.
struct NearPair {
  std::array<Index, 4> vertices{};  ///< those of one side, then those of the other, as in Contact
  float distance = 0;               ///< m, rounded
  ContactKind kind = ContactKind::vertex_face;
};

inline NearPair near_pair_of(const Contact& c) {
  return {.vertices = c.vertices, .distance = static_cast<float>(c.distance), .kind = c.kind};
}

}  // namespace carom::contact
