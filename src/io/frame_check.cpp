#include "io/frame_check.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace carom::io {

namespace {

bool within(Index index, std::size_t count) {
  return index >= 0 && static_cast<std::size_t>(index) < count;
}

const BodySize* find(std::span<const BodySize> bodies, std::uint32_t body) {
  const auto at = std::lower_bound(bodies.begin(), bodies.end(), body,
                                   [](const BodySize& entry, std::uint32_t number) { return entry.body < number; });
  return at != bodies.end() && at->body == body ? &*at : nullptr;
}

bool side_fits(const RecordedContact& contact, const BodySize& a, const BodySize& b) {
  if (contact.kind == ContactKind::vertex_face) {
    return within(contact.a[0], a.vertices) && contact.a[1] == none && within(contact.b[0], b.triangles) &&
           contact.b[1] == none;
  }
  return within(contact.a[0], a.vertices) && within(contact.a[1], a.vertices) && within(contact.b[0], b.vertices) &&
         within(contact.b[1], b.vertices);
}

template <class Contact>
void check_bodies(const Contact& contact, const BodySize* a, const BodySize* b, std::size_t i, std::string_view where) {
  if (a != nullptr && b != nullptr) return;
  fail(ErrorCode::bad_index, "{}: contact {} is of body {}, which is not in the frame", where, i,
       a == nullptr ? contact.body_a : contact.body_b);
}

}  // namespace

void check_triangles(std::span<const Triangle> triangles, std::size_t vertex_count, std::string_view where) {
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (const Index corner : triangles[i]) {
      if (!within(corner, vertex_count)) {
        fail(ErrorCode::bad_index, "{}: triangle {} uses vertex {}, but there are {} vertices", where, i, corner,
             vertex_count);
      }
    }
  }
}

void check_positions(std::span<const Eigen::Vector3d> positions, std::string_view where) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!is_finite(positions[i])) {
      fail(ErrorCode::not_finite, "{}: vertex {} is at ({}, {}, {})", where, i, positions[i].x(), positions[i].y(),
           positions[i].z());
    }
  }
}

void check_contacts(std::span<const RecordedContact> contacts, std::span<const BodySize> bodies,
                    std::string_view where) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const RecordedContact& contact = contacts[i];
    const BodySize* a = find(bodies, contact.body_a);
    const BodySize* b = find(bodies, contact.body_b);
    check_bodies(contact, a, b, i, where);
    if (!side_fits(contact, *a, *b)) {
      fail(ErrorCode::bad_index,
           "{}: contact {} names features ({}, {}) and ({}, {}) that bodies {} and {} do not have", where, i,
           contact.a[0], contact.a[1], contact.b[0], contact.b[1], contact.body_a, contact.body_b);
    }
    if (!std::isfinite(contact.distance) || !contact.point_a.allFinite() || !contact.point_b.allFinite()) {
      fail(ErrorCode::not_finite, "{}: contact {} has a distance or a point that is not a finite number", where, i);
    }
    if (i > 0 && contacts[i - 1].kind > contact.kind) {
      fail(ErrorCode::invalid_argument, "{}: contact {} is vertex-face but comes after an edge-edge one", where, i);
    }
  }
}

void check_rigid_contacts(std::span<const RecordedRigidContact> contacts, std::span<const BodySize> bodies,
                          std::string_view where) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const RecordedRigidContact& c = contacts[i];
    check_bodies(c, find(bodies, c.body_a), find(bodies, c.body_b), i, where);
    if (!std::isfinite(c.distance) || !std::isfinite(c.normal_speed) || !std::isfinite(c.impulse) ||
        !c.point_a.allFinite() || !c.point_b.allFinite() || !c.normal.allFinite()) {
      fail(ErrorCode::not_finite, "{}: contact {} of rigid bodies has a number that is not finite", where, i);
    }
    if (c.motion > ContactMotion::separating) {
      fail(ErrorCode::bad_format, "{}: contact {} of rigid bodies is of kind {}, which this version does not know",
           where, i, static_cast<int>(c.motion));
    }
  }
}

}  // namespace carom::io
