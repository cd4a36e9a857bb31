#include "contact/urgency.hpp"

#include <algorithm>

namespace carom::contact {
namespace {

/// Whether a body is a tool: it is no deforming one, and moves or has a blade.
bool is_tool(const UrgencyIn& in, BodySlot slot) {
  const rigid::Info& info = in.table.info[slot];
  if (info.deforms) return false;
  if (std::ranges::find(in.blades, slot) != in.blades.end()) return true;
  if (in.bodies[info.id].has_vertices()) {
    if (in.bodies[info.id].motion != MotionModel::scripted) return false;
    const auto part = std::ranges::find(in.vertices.parts, slot, &SurfacePart::body);
    return part != in.vertices.parts.end() && bodies::fastest_vertex(in.vertices, *part) > in.slow;
  }
  return info.motion != MotionModel::fixed && in.table.asleep[slot] == 0 &&
         rigid::fastest(in.table, slot, info.reach) > in.slow;
}

/// Whether a contact that did not push in the last step closes in this one.
bool begins_to_push(const AnchorContact& c, double dt) {
  return !(c.normal_impulse > 0) && c.gap + dt * std::min(0.0, c.normal_speed) <= 0;
}

}  // namespace

void find_urgency(const UrgencyIn& in, BySlot<std::uint8_t>& urgency) {
  urgency.assign(in.table.size(), undisturbed);
  BySlot<std::uint8_t> tools;
  tools.assign(in.table.size(), 0);
  for (const BodySlot slot : in.table.slots())
    tools[slot] = in.table.info[slot].collider_count > 0 && is_tool(in, slot) ? 1 : 0;
  for (const SurfacePart& part : in.vertices.parts) {
    if (!in.bodies[part.id].pulls.empty()) urgency[part.body] = handled;
  }
  const auto raise = [&](BodySlot slot, std::uint8_t to) { urgency[slot] = std::max(urgency[slot], to); };
  for (const auto& [body, to] : in.attached) {
    if (tools[to] != 0) raise(body, handled);
  }
  for (std::size_t i = 0; i < in.contacts.contacts.size(); ++i) {
    const AnchorContact& contact = in.contacts.contacts[i];
    const bool begins = begins_to_push(contact, in.dt);
    if (!begins && !(contact.normal_impulse > 0)) continue;
    const AnchorIdentity& identity = in.contacts.identities[i];
    const BodySlot a = slot_of(identity.body_a);
    const BodySlot b = slot_of(identity.body_b);
    if (tools[a] != 0) raise(b, handled);
    if (tools[b] != 0) raise(a, handled);
    if (!begins) continue;
    raise(a, met);
    raise(b, met);
  }
}

}  // namespace carom::contact
