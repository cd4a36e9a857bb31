#include "carom/detect/compact_contacts.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "core/at.hpp"
#include "core/check.hpp"
#include "core/large_memory.hpp"
#include "narrow/build_contacts.hpp"
#include "narrow/proximity.hpp"

namespace carom {

static_assert(std::is_trivially_copyable_v<CompactContact>);

void CompactContacts::Free::operator()(CompactContact* memory) const {
  std::free(memory);
}

void CompactContacts::resize(std::size_t vertex_face, std::size_t edge_edge) {
  const std::size_t size = vertex_face + edge_edge;
  if (size > capacity_) {
    // Half as many again as there ever were: contacts come and go by a few from call to call.
    const std::size_t wanted = std::max(size, capacity_ + capacity_ / 2);
    if (wanted > PTRDIFF_MAX / sizeof(CompactContact)) throw std::bad_alloc();
    memory_.reset();
    capacity_ = size_ = faces_ = 0;
    memory_.reset(static_cast<CompactContact*>(grow_memory(nullptr, 0, wanted * sizeof(CompactContact))));
    if (memory_ == nullptr) throw std::bad_alloc();
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
  // Some milliseconds of one thread: fewer contacts are not worth waking others.
  constexpr std::size_t for_one_thread = 50'000;
  const std::size_t faces = compact.vertex_face().size();
  narrow::NumberedPairs pairs;
  pairs.vertex_triangle.resize(faces);
  pairs.edge_edge.resize(compact.size() - faces);
  for (std::size_t i = 0; i < compact.size(); ++i) {
    std::uint64_t& number = i < faces ? pairs.vertex_triangle.data()[i] : pairs.edge_edge.data()[i - faces];
    number = narrow::hit_bits::pack(compact[i].a, compact[i].b);
  }
  Workers workers(compact.size() > for_one_thread ? 0 : 1);
  Arena arena;
  Context context{workers, arena};
  narrow::build_contacts(context, narrow::feature_pairs(pairs, surface.edges()), surface.triangles(), positions,
                         contacts);
}

}  // namespace carom
