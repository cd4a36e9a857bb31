#include "carom/detect/compact_contacts.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "core/check.hpp"
#include "narrow/proximity.hpp"

namespace carom {

void CompactContacts::resize(std::size_t vertex_face, std::size_t edge_edge) {
  const std::size_t size = vertex_face + edge_edge;
  if (size > capacity_) {
    // Half as many again as there ever were: contacts come and go by a few from call to call.
    const std::size_t wanted = std::max(size, capacity_ + capacity_ / 2);
    memory_.reset();
    capacity_ = size_ = faces_ = 0;
    memory_ = std::make_unique_for_overwrite<CompactContact[]>(wanted);
    capacity_ = wanted;
  }
  faces_ = vertex_face;
  size_ = size;
}

Contact make_contact(const Surface& surface, std::span<const Eigen::Vector3d> positions,
                     const CompactContacts& contacts, std::size_t i) {
  require(i < contacts.size(), ErrorCode::invalid_argument, "contact {} of {}", i, contacts.size());
  const CompactContact& compact = contacts[i];
  if (contacts.kind(i) == ContactKind::vertex_face)
    return narrow::vertex_face(positions, compact.a, compact.b, surface.triangles()[at(compact.b)]);
  return narrow::edge_edge(positions, surface.edges()[at(compact.a)], surface.edges()[at(compact.b)]);
}

void make_contacts(const Surface& surface, std::span<const Eigen::Vector3d> positions, const CompactContacts& compact,
                   std::vector<Contact>& contacts) {
  contacts.resize(compact.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i] = make_contact(surface, positions, compact, i);
}

}  // namespace carom
