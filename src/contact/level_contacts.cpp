#include "contact/level_contacts.hpp"

#include <algorithm>

#include "contact/anchor_contacts.hpp"
#include "core/at.hpp"

namespace carom::contact {

namespace {

/// Distance over that at rest below which features of one body count as folded onto each other.
constexpr double fold_ratio = 0.5;

Eigen::Vector3d anchor_at_rest(const Anchor& anchor, const bodies::SurfacePart& part, const Body& body) {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  for (std::size_t k = 0; k < anchor.count; ++k)
    point += anchor.weights[k] * body.rest_positions[at(anchor.vertices[k] - part.first_vertex)];
  return point;
}

}  // namespace

void mark_fine(std::span<const AnchorContact> contacts, const BodyMap& bodies, bodies::Vertices& vertices) {
  vertices.fine.clear();
  const bool any = std::any_of(vertices.parts.begin(), vertices.parts.end(), [&](const bodies::SurfacePart& part) {
    return bodies[part.id].levels.model != nullptr;
  });
  if (!any) return;
  vertices.fine.assign(vertices.start.size(), 0);
  for (const AnchorContact& c : contacts) {
    if (c.a.rigid < 0 && c.b.rigid < 0) {
      const bodies::SurfacePart& a = part_of_vertex(vertices.parts, c.a.vertices[0]);
      const bodies::SurfacePart& b = part_of_vertex(vertices.parts, c.b.vertices[0]);
      if (a.body == b.body) {
        const Body& body = bodies[a.id];
        const double rest = (anchor_at_rest(c.a, a, body) - anchor_at_rest(c.b, b, body)).norm();
        if (c.distance > fold_ratio * rest) continue;
      }
    }
    for (const Anchor* side : {&c.a, &c.b}) {
      for (std::size_t k = 0; k < side->count; ++k) vertices.fine[at(side->vertices[k])] = 1;
    }
  }
}

}  // namespace carom::contact
