#include "world/contact_list.hpp"

#include "contact/motion.hpp"

namespace carom {

namespace {

/// Anchor at `count` of the four vertices of a contact, from `first` on.
ContactAnchor anchor(const Contact& contact, std::array<Index, 2> feature, std::size_t first, std::size_t count) {
  ContactAnchor result;
  result.feature = count == 1 ? FeatureKind::vertex : count == 2 ? FeatureKind::edge : FeatureKind::face;
  if (count != 2) result.index = feature[0];
  for (std::size_t k = 0; k < count; ++k) {
    result.vertices[k] = contact.vertices[first + k];
    result.weights[k] = contact.weights[first + k];
  }
  return result;
}

void add_contacts(const contact::Identified& surfaces, double resting_speed, std::vector<WorldContact>& list) {
  for (const contact::SurfaceContact& from : surfaces.contacts) {
    const auto split = static_cast<std::size_t>(side_a_size(from.contact.kind));
    WorldContact& to = list.emplace_back();
    to.id = from.id;
    to.age = from.age;
    to.body_a = from.body_a;
    to.body_b = from.body_b;
    to.anchor_a = anchor(from.contact, from.contact.a, 0, split);
    to.anchor_b = anchor(from.contact, from.contact.b, split, 4 - split);
    to.point_a = from.contact.point_a;
    to.point_b = from.contact.point_b;
    to.normal = from.contact.normal;
    to.distance = from.contact.distance;
    to.normal_speed = from.normal_speed;
    to.motion = contact::motion_of(from.normal_speed, resting_speed);
    to.impulse = from.impulse;
  }
}

}  // namespace

std::span<const WorldContact> ContactList::of(const contact::Identified& surfaces, const rigid::WorldState& rigid,
                                              const RigidOptions& options) {
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
