#include "contact/soft_approach.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace carom::contact {
namespace {

using Box = Eigen::AlignedBox3d;
using Eigen::Vector3d;

/// Velocities within `spread` (m/s) of their mean.
struct VelocityRange {
  Vector3d mean = Vector3d::Zero();
  double spread = 0;
};

struct ApproachingBody {
  BodyId id;
  const Body* body = nullptr;
  Box box;
  VelocityRange velocities;
  bool soft = false;  ///< and awake
};

Box widened(const Box& box, double by) {
  const Vector3d margin = Vector3d::Constant(by);
  return {box.min() - margin, box.max() + margin};
}

/// Velocities of the vertices of a body in a box; false if there are none.
bool velocities_within(const Body& body, const Box& box, VelocityRange& range) {
  Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity());
  Vector3d high = -low;
  for (std::size_t v = 0; v < body.positions.size(); ++v) {
    if (!box.contains(body.positions[v])) continue;
    low = low.cwiseMin(body.velocities[v]);
    high = high.cwiseMax(body.velocities[v]);
  }
  if (low.x() > high.x()) return false;
  range = {0.5 * (low + high), 0.5 * (high - low).norm()};
  return true;
}

ApproachingBody approaching_body(const ApproachIn& in, BodyId id) {
  const Body& body = in.bodies[id];
  ApproachingBody found{.id = id, .body = &body, .box = {}, .velocities = {}, .soft = false};
  const bool awake = in.table.asleep[body.slot] == 0;
  found.soft = body.is_soft() && awake;
  if (body.has_vertices()) {
    for (const Vector3d& p : body.positions) found.box.extend(p);
    velocities_within(body, found.box, found.velocities);
    return found;
  }
  const rigid::Motion& motion = in.table.motion[body.slot];
  const double reach = in.table.info[body.slot].reach;
  const Vector3d center = math::to_eigen(motion.x);
  found.box = widened(Box(center, center), reach);
  found.velocities = {math::to_eigen(motion.v), length(motion.w) * reach};
  return found;
}

double closing_motion(const VelocityRange& a, const VelocityRange& b, const ApproachIn& in) {
  return in.dt * ((a.mean - b.mean).norm() + a.spread + b.spread + in.dt * in.gravity);
}

using BodyPair = std::array<BodyId, 2>;

BodyPair ordered_pair(BodyId a, BodyId b) {
  return b < a ? BodyPair{b, a} : BodyPair{a, b};
}

/// Ascending.
std::vector<BodyPair> bodies_in_contact(const ApproachIn& in) {
  std::vector<BodyPair> pairs;
  for (const AnchorIdentity& identity : in.contacts.identities) {
    const BodyPair pair = ordered_pair(identity.body_a, identity.body_b);
    if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
  }
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace

double soft_approach(const ApproachIn& in) {
  const bool any_soft = std::ranges::any_of(in.order, [&](BodyId id) { return in.bodies[id].is_soft(); });
  if (!any_soft) return 0;
  std::vector<ApproachingBody> list;
  for (const BodyId id : in.order) {
    const Body& body = in.bodies[id];
    const rigid::Info& info = in.table.info[body.slot];
    if (!body.has_vertices() && in.table.colliders[info.first_collider].mesh == nullptr) continue;
    list.push_back(approaching_body(in, id));
  }
  const std::vector<BodyPair> touching = bodies_in_contact(in);
  double largest = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t k = i + 1; k < list.size(); ++k) {
      const ApproachingBody& a = list[i];
      const ApproachingBody& b = list[k];
      if (!a.soft && !b.soft) continue;
      if (std::ranges::binary_search(touching, ordered_pair(a.id, b.id))) continue;
      const double reach = in.thickness + closing_motion(a.velocities, b.velocities, in);
      if (reach - in.thickness <= largest || !widened(a.box, reach).intersects(b.box)) continue;
      // Vertices that may meet the other body, not those on its far side.
      VelocityRange of_a = a.velocities;
      VelocityRange of_b = b.velocities;
      if (a.body->has_vertices() && !velocities_within(*a.body, widened(b.box, reach), of_a)) continue;
      if (b.body->has_vertices() && !velocities_within(*b.body, widened(a.box, reach), of_b)) continue;
      largest = std::max(largest, closing_motion(of_a, of_b, in));
    }
  }
  return largest;
}

}  // namespace carom::contact
