#include "contact/resting_contacts.hpp"

#include <algorithm>

#include "bodies/sleeping.hpp"

namespace carom::contact {
namespace {

bool asleep(const Bodies& table, BodyId id) {
  return table.asleep[slot_of(id)] != 0;
}

void append(AnchorList& to, const AnchorList& from, std::size_t i) {
  to.contacts.push_back(from.contacts[i]);
  to.identities.push_back(from.identities[i]);
}

/// Moves the contacts for which leaves(identity) is true into another list; both ascend by key.
template <class Leaves>
void move_if(AnchorList& from, AnchorList& to, const Leaves& leaves) {
  if (std::none_of(from.identities.begin(), from.identities.end(), leaves)) return;
  AnchorList stay;
  AnchorList merged;
  std::size_t k = 0;
  for (std::size_t i = 0; i < from.contacts.size(); ++i) {
    if (!leaves(from.identities[i])) {
      append(stay, from, i);
      continue;
    }
    while (k < to.contacts.size() && to.identities[k].key < from.identities[i].key) append(merged, to, k++);
    append(merged, from, i);
  }
  while (k < to.contacts.size()) append(merged, to, k++);
  from = std::move(stay);
  to = std::move(merged);
}

void renumber_side(Index& first, Index now, Anchor& anchor) {
  for (std::size_t k = 0; k < anchor.count; ++k) anchor.vertices[k] += now - first;
  first = now;
}

}  // namespace

bool rests(const Bodies& table, SlotSpan<const std::uint8_t> still, const AnchorIdentity& identity) {
  return still[slot_of(identity.body_a)] != 0 && still[slot_of(identity.body_b)] != 0 &&
         (asleep(table, identity.body_a) || asleep(table, identity.body_b));
}

void sort_resting(const Bodies& table, SlotSpan<const std::uint8_t> still, AnchorList& contacts, AnchorList& resting) {
  const auto resting_now = [&](const AnchorIdentity& identity) { return rests(table, still, identity); };
  move_if(resting, contacts, [&](const AnchorIdentity& identity) { return !resting_now(identity); });
  move_if(contacts, resting, resting_now);
}

bool wake_touched(const AnchorIn& in, double sleep_speed, double dt, const AnchorList& contacts, Bodies& table) {
  bool woken = false;
  for (std::size_t i = 0; i < contacts.contacts.size(); ++i) {
    const AnchorContact& c = contacts.contacts[i];
    const AnchorIdentity& identity = contacts.identities[i];
    if (!asleep(table, identity.body_a) && !asleep(table, identity.body_b)) continue;
    // Contacts that close within this step count as well: the response stops them before they overlap.
    if (!(c.gap + std::min(dt * c.normal_speed, 0.0) < 0 || c.normal_impulse > 0)) continue;
    // A scripted body keeps moving, however slowly.
    const auto scripted = [&](BodyId id) { return in.scripted[slot_of(id)] != 0; };
    const double slow = scripted(identity.body_a) || scripted(identity.body_b) ? 0 : sleep_speed;
    if (identity.age != 0 && !(length(relative_velocity(c, in)) > slow)) continue;
    for (const BodyId id : {identity.body_a, identity.body_b}) {
      if (asleep(table, id)) rigid::wake(table, slot_of(id));
    }
    woken = true;
  }
  return woken;
}

void take_up_woken(const Bodies& table, CoupledBodies& coupled, AnchorList& resting, AnchorList& contacts) {
  const auto woken = [&](const AnchorIdentity& identity) {
    const auto moves = [&](BodyId id) {
      return table.asleep[slot_of(id)] == 0 && (table.mass[slot_of(id)].inverse > 0 || table.info[slot_of(id)].deforms);
    };
    return moves(identity.body_a) || moves(identity.body_b);
  };
  for (std::size_t i = 0; i < resting.contacts.size(); ++i) {
    AnchorContact& c = resting.contacts[i];
    if (c.a.rigid >= 0 && woken(resting.identities[i]))
      c.a.rigid = coupled.couple(table, slot_of(resting.identities[i].body_a));
  }
  move_if(resting, contacts, woken);
}

void renumber(std::span<const SurfacePart> parts, AnchorList& resting) {
  const auto first_of = [&](BodyId id) {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const SurfacePart& p) { return p.id == id; });
    return part == parts.end() ? Index{0} : part->first_vertex;
  };
  for (std::size_t i = 0; i < resting.contacts.size(); ++i) {
    AnchorIdentity& identity = resting.identities[i];
    AnchorContact& c = resting.contacts[i];
    if (c.a.rigid < 0) renumber_side(identity.first_a, first_of(identity.body_a), c.a);
    if (c.b.rigid < 0) renumber_side(identity.first_b, first_of(identity.body_b), c.b);
  }
}

void drop_contacts(BodyId body, AnchorList& list) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.contacts.size(); ++i) {
    if (list.identities[i].body_a == body || list.identities[i].body_b == body) continue;
    list.contacts[kept] = list.contacts[i];
    list.identities[kept++] = list.identities[i];
  }
  list.contacts.resize(kept);
  list.identities.resize(kept);
}

}  // namespace carom::contact
