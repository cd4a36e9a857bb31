#include "world/contact_list.hpp"

#include "contact/motion.hpp"

namespace carom {

namespace {

/// Anchor as users see it. `first` is the first vertex of its body in the joined surface, `index` that of the feature.
ContactAnchor anchor(const response::Anchor& from, Index first, Index index) {
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

void add_contacts(const contact::AnchorList& surfaces, double resting_speed, std::vector<WorldContact>& list) {
  for (std::size_t i = 0; i < surfaces.contacts.size(); ++i) {
    const response::AnchorContact& from = surfaces.contacts[i];
    const contact::AnchorIdentity& identity = surfaces.identities[i];
    WorldContact& to = list.emplace_back();
    to.id = identity.id;
    to.age = identity.age;
    to.body_a = identity.body_a;
    to.body_b = identity.body_b;
    to.anchor_a = anchor(from.a, identity.first_a, identity.key.a[0]);
    to.anchor_b = anchor(from.b, identity.first_b, identity.key.b[0]);
    to.point_a = math::to_eigen(from.point_a);
    to.point_b = math::to_eigen(from.point_b);
    to.normal = math::to_eigen(from.normal);
    to.distance = from.distance;
    to.normal_speed = from.normal_speed;
    to.motion = contact::motion_of(from.normal_speed, resting_speed);
    to.impulse = from.total;
  }
}

}  // namespace

std::span<const WorldContact> ContactList::of(const contact::AnchorList& surfaces, const rigid::WorldState& rigid,
                                              const SolverOptions& options) {
  const std::scoped_lock lock(mutex_);
  if (!made_) {
    contacts_.clear();
    add_contacts(surfaces, options.resting_speed, contacts_);
    rigid::add_contacts(rigid, options, contacts_);
    made_ = true;
  }
  return contacts_;
}

}  // namespace carom
