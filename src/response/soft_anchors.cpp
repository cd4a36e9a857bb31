#include "response/soft_anchors.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "bodies/sheet_cut.hpp"
#include "bodies/soft_cut.hpp"
#include "contact/anchor_contacts.hpp"
#include "core/at.hpp"

namespace carom::response {
namespace {

using bodies::SurfacePart;
using contact::Anchor;
using Eigen::Vector3d;

/// Motion of both sides of a contact together, as a fraction of that of the free nodes, below which they are held.
constexpr double min_motion = 0.25;
/// Thickness of contacts within a sheet, as a fraction of the distance of the two sides at rest, at most: where a sheet
/// is bent they are nearer than that.
constexpr double sheet_fraction = 0.5;

Vector3d rest_point(const Anchor& anchor, const Body& body, const SurfacePart& part) {
  Vector3d sum = Vector3d::Zero();
  for (std::size_t k = 0; k < anchor.count; ++k)
    sum += anchor.weights[k] * body.rest_positions[at(anchor.vertices[k] - part.first_vertex)];
  return sum;
}

/// Whether positions at rest of two surfaces are those of one body: of a soft body itself, of pieces of one, or of what
/// is left of a sheet that was cut.
bool same_at_rest(BodyId id_a, const Body& a, BodyId id_b, const Body& b) {
  if (a.whole) return a.whole == b.whole;
  if (!a.is_soft() || !b.is_soft()) return false;
  return id_a == id_b || (a.soft.lattice && b.soft.lattice && a.soft.lattice->recipe == b.soft.lattice->recipe);
}

/// How far a vertex goes when all free nodes that it is embedded in go by one.
double free_motion(const solid::BodyModel& model, std::size_t vertex) {
  const solid::Embedding& e = model.surface;
  const std::span<const double> inverse = model.elements.inverse_mass();
  double sum = 0;
  for (std::uint32_t i = e.ranges[vertex].begin; i < e.ranges[vertex].end(); ++i) {
    if (inverse[at(e.nodes[i])] > 0) sum += e.weights[i];
  }
  return std::max(0.0, sum);
}

/// Likewise, of a side of a contact; 1 of what is free.
double free_motion(const BodyMap& bodies, const bodies::Vertices& vertices,
                   std::span<const contact::CoupledBody> coupled, const Anchor& anchor) {
  if (anchor.rigid >= 0) {
    const contact::CoupledBody& body = coupled[static_cast<std::size_t>(anchor.rigid)];
    const math::Mat3& i = body.inverse_inertia;
    const double turns = dot(i.x, i.x) + dot(i.y, i.y) + dot(i.z, i.z);
    return dot(body.inverse_mass, body.inverse_mass) + turns > 0 ? 1 : 0;
  }
  double sum = 0;
  for (std::size_t k = 0; k < anchor.count; ++k) {
    const Index v = anchor.vertices[k];
    if (!(vertices.awake_inverse_mass[at(v)] > 0)) continue;
    const SurfacePart& part = contact::part_of_vertex(vertices.parts, v);
    const Body& body = bodies[part.id];
    const bool partly = body.is_soft() && body.pinned;
    sum += anchor.weights[k] * (partly ? free_motion(*body.soft.model, at(v - part.first_vertex)) : 1);
  }
  return sum;
}

}  // namespace

void keep_rest_distances(const BodyMap& bodies, const bodies::Vertices& vertices, std::span<AnchorContact> contacts) {
  const bool any = std::ranges::any_of(vertices.parts, [&](const SurfacePart& part) {
    const Body& body = bodies[part.id];
    return body.is_soft() || sheet::collides_as_cloth(body);
  });
  if (!any) return;
  for (AnchorContact& c : contacts) {
    if (c.a.rigid >= 0 || c.b.rigid >= 0) continue;
    const SurfacePart& part_a = contact::part_of_vertex(vertices.parts, c.a.vertices[0]);
    const SurfacePart& part_b = contact::part_of_vertex(vertices.parts, c.b.vertices[0]);
    const Body& a = bodies[part_a.id];
    const Body& b = bodies[part_b.id];
    const bool one_sheet = &part_a == &part_b && sheet::collides_as_cloth(a);
    if (!one_sheet && !same_at_rest(part_a.id, a, part_b.id, b)) continue;
    const double at_rest =
        (one_sheet ? sheet_fraction : 1) * (rest_point(c.b, b, part_b) - rest_point(c.a, a, part_a)).norm();
    const double thickness = c.distance - c.gap;
    if (at_rest < thickness) c.gap = c.distance - at_rest;
  }
}

void keep_cut_overlaps(const bodies::Vertices& vertices, std::span<const contact::CoupledBody> coupled,
                       std::span<AnchorContact> contacts) {
  const auto& pairs = vertices.unpushed;
  if (pairs.empty()) return;
  const auto body_of = [&](const contact::Anchor& side) {
    return side.rigid >= 0 ? coupled[static_cast<std::size_t>(side.rigid)].body
                           : contact::part_of_vertex(vertices.parts, side.vertices[0]).body;
  };
  for (AnchorContact& c : contacts) {
    if (!(c.gap < 0)) continue;
    const BodySlot a = body_of(c.a);
    const BodySlot b = body_of(c.b);
    for (const auto& pair : {std::pair(a, b), std::pair(b, a)}) {
      if (std::binary_search(pairs.begin(), pairs.end(), pair)) c.gap = 0;
    }
  }
}

std::vector<std::size_t> held_contacts(const BodyMap& bodies, const bodies::Vertices& vertices,
                                       std::span<const contact::CoupledBody> coupled,
                                       std::span<const AnchorContact> contacts) {
  std::vector<std::size_t> held;
  const bool any = std::ranges::any_of(
      vertices.parts, [&](const SurfacePart& part) { return bodies[part.id].is_soft() && bodies[part.id].pinned; });
  if (!any) return held;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const double share =
        free_motion(bodies, vertices, coupled, contacts[i].a) + free_motion(bodies, vertices, coupled, contacts[i].b);
    if (share < min_motion) held.push_back(i);
  }
  return held;
}

}  // namespace carom::response
