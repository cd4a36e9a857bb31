#include "response/inner_groups.hpp"

#include <algorithm>
#include <map>

#include "contact/anchor_contacts.hpp"

namespace carom::response {
namespace {

VertexRange range_of(const bodies::SurfacePart& part) {
  const auto first = static_cast<std::size_t>(part.first_vertex);
  return {first, first + static_cast<std::size_t>(part.vertex_count)};
}

}  // namespace

InnerGroups::InnerGroups(const InnerPlan& plan, std::span<const AnchorJoint> joints, bodies::Vertices& vertices,
                         const island::Islands& islands, std::deque<VertexContacts>& batches)
    : plan_(plan),
      vertices_(vertices),
      islands_(islands),
      batches_(batches),
      group_of_part_(vertices.parts.size(), -1),
      groups_(plan.groups.size()) {
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    groups_[g].parts = plan.groups[g].parts;
    for (std::size_t i = 0; i < group_of_part_.size(); ++i) {
      if (groups_[g].parts[i] != 0) group_of_part_[i] = static_cast<std::int32_t>(g);
    }
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const std::int32_t g = group_of(joints[i].a, joints[i].b);
    if (g < 0) continue;
    groups_[static_cast<std::size_t>(g)].joints.push_back(joints[i]);
    groups_[static_cast<std::size_t>(g)].joint_numbers.push_back(i);
  }
  while (batches_.size() < groups_.size()) batches_.emplace_back();
}

std::int32_t InnerGroups::group_of(const Anchor& anchor) const {
  if (anchor.count == 0) return -1;
  const bodies::SurfacePart& part = contact::part_of_vertex(vertices_.parts, anchor.vertices[0]);
  return group_of_part_[static_cast<std::size_t>(&part - vertices_.parts.data())];
}

std::int32_t InnerGroups::group_of(const Anchor& a, const Anchor& b) const {
  return std::max(group_of(a), group_of(b));
}

void InnerGroups::couple(Coupling& c, double dt, const GroupForces& forces) {
  std::map<BodySlot, std::int32_t> group_of_island;
  c.shared.clear();
  for (std::size_t i = 0; i < vertices_.parts.size(); ++i) {
    const bodies::SurfacePart& part = vertices_.parts[i];
    if (group_of_part_[i] >= 0) {
      group_of_island[islands_.root(part.body)] = group_of_part_[i];
    } else {
      c.shared.push_back(range_of(part));
    }
  }
  c.owner.clear();
  for (const CoupledBody& body : c.state.bodies) {
    const bool moved =
        dot(body.inverse_mass, body.inverse_mass) > 0 || dot(body.inverse_inertia.x, body.inverse_inertia.x) +
                                                                 dot(body.inverse_inertia.y, body.inverse_inertia.y) +
                                                                 dot(body.inverse_inertia.z, body.inverse_inertia.z) >
                                                             0;
    const auto found = group_of_island.find(islands_.root(body.body));
    // What has no deforming body in its island, such as a ball on a scripted surface, is in the first group.
    c.owner.push_back(!moved ? -1 : found != group_of_island.end() ? found->second : 0);
  }
  const auto owner_of = [&](const Anchor& anchor) {
    return anchor.rigid >= 0 ? c.owner[static_cast<std::size_t>(anchor.rigid)] : group_of(anchor);
  };
  for (std::size_t i = 0; i < c.contacts.size(); ++i) {
    // Contacts between what nothing moves may be in any group.
    const auto g = static_cast<std::size_t>(std::max({0, owner_of(c.contacts[i].a), owner_of(c.contacts[i].b)}));
    groups_[g].contacts.push_back(c.contacts[i]);
    groups_[g].contact_numbers.push_back(i);
  }
  std::vector<Coupling> list;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& own = groups_[g];
    Coupling& group = list.emplace_back(c);
    group.contacts = own.contacts;
    group.inner_steps = plan_.groups[g].count;
    group.batches = &batches_[g];
    group.moved = c.shared;
    for (std::size_t i = 0; i < own.parts.size(); ++i) {
      if (own.parts[i] != 0) group.moved.push_back(range_of(vertices_.parts[i]));
    }
    group.add_forces = [this, &own, dt, forces](double interval) {
      vertices_.chosen = own.parts;
      own.elapsed += interval;
      forces(own.joints, interval, std::min(1.0, own.elapsed / dt));
    };
    if (!c.spread) continue;
    group.spread = [this, &own, spread = c.spread] {
      vertices_.chosen = own.parts;
      spread();
    };
    group.move_nodes = [this, &own, move_nodes = c.move_nodes](double interval) {
      vertices_.chosen = own.parts;
      move_nodes(interval);
    };
  }
  c.groups = std::move(list);
}

void InnerGroups::put_back(std::span<AnchorContact> contacts, std::span<AnchorJoint> joints,
                           bodies::Vertices& vertices) const {
  vertices.chosen = {};
  for (const Group& group : groups_) {
    for (std::size_t k = 0; k < group.contacts.size(); ++k) contacts[group.contact_numbers[k]] = group.contacts[k];
    for (std::size_t k = 0; k < group.joints.size(); ++k) joints[group.joint_numbers[k]] = group.joints[k];
  }
}

}  // namespace carom::response
