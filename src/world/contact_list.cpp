#include "world/contact_list.hpp"

#include "contact/match_contacts.hpp"
#include "contact/motion.hpp"

namespace carom {

namespace {

/// Anchor as users see it. `first` is the first vertex of its body in the joined surface, `index` that of the feature.
ContactAnchor anchor(const contact::Anchor& from, Index first, Index index) {
  ContactAnchor to;
  if (from.rigid >= 0) return to;
  to.feature = from.count == 1 ? FeatureKind::vertex : from.count == 2 ? FeatureKind::edge : FeatureKind::face;
  if (from.count != 2) to.index = index;
  for (std::size_t k = 0; k < from.count; ++k) {
    to.vertices[k] = from.vertices[k] - first;
    to.weights[k] = from.weights[k];
  }
  return to;
}

void add_contact(const contact::AnchorList& surfaces, std::size_t i, double resting_speed,
                 std::vector<WorldContact>& list) {
  const contact::AnchorContact& from = surfaces.contacts[i];
  const contact::AnchorIdentity& identity = surfaces.identities[i];
  WorldContact& to = list.emplace_back();
  to.id = identity.id;
  to.age = identity.age;
  to.body_a = identity.body_a;
  to.body_b = identity.body_b;
  to.anchor_a = anchor(from.a, identity.first_a, identity.key.a[0]);
  to.anchor_b = anchor(from.b, identity.first_b, identity.triangle_b == none ? identity.key.b[0] : identity.triangle_b);
  to.point_a = math::to_eigen(from.point_a);
  to.point_b = math::to_eigen(from.point_b);
  to.normal = math::to_eigen(from.normal);
  to.distance = from.distance;
  to.normal_speed = from.normal_speed;
  to.motion = contact::motion_of(from.normal_speed, resting_speed);
  to.impulse = from.total;
}

}  // namespace

std::span<const WorldContact> ContactList::of(const Sources& sources) {
  const std::scoped_lock lock(mutex_);
  if (made_) return contacts_;
  contacts_.clear();
  const contact::AnchorList& awake = sources.surfaces;
  const contact::AnchorList& resting = sources.resting;
  std::size_t k = 0;
  for (std::size_t i = 0; i < awake.contacts.size(); ++i) {
    while (k < resting.contacts.size() && resting.identities[k].key < awake.identities[i].key)
      add_contact(resting, k++, sources.resting_speed, contacts_);
    add_contact(awake, i, sources.resting_speed, contacts_);
  }
  while (k < resting.contacts.size()) add_contact(resting, k++, sources.resting_speed, contacts_);
  contact::add_contacts(sources.bodies, sources.pairs, sources.resting_speed, contacts_);
  made_ = true;
  return contacts_;
}

}  // namespace carom
