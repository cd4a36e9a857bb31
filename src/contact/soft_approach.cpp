#include "contact/soft_approach.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace carom::contact {
namespace {

using Box = Eigen::AlignedBox3d;
using Eigen::Vector3d;

/// Velocities within `half` along each axis, and `spread` in any direction, of their mean; m/s.
struct VelocityRange {
  Vector3d mean = Vector3d::Zero();
  Vector3d half = Vector3d::Zero();
  double spread = 0;
};

VelocityRange range_of(const Box& velocities) {
  return {.mean = velocities.center(), .half = 0.5 * velocities.sizes()};
}

/// Triangles that are near each other.
struct Patch {
  Box box;
  VelocityRange velocities;
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
  Box velocities;
  for (std::size_t v = 0; v < body.positions.size(); ++v) {
    if (box.contains(body.positions[v])) velocities.extend(body.velocities[v]);
  }
  if (velocities.isEmpty()) return false;
  range = range_of(velocities);
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
  found.velocities = {.mean = math::to_eigen(motion.v), .spread = length(motion.w) * reach};
  return found;
}

/// m/s along each axis, at most.
Vector3d closing_speeds(const VelocityRange& a, const VelocityRange& b) {
  return (a.mean - b.mean).cwiseAbs() + a.half + b.half;
}

double closing_motion(const VelocityRange& a, const VelocityRange& b, const ApproachIn& in) {
  return in.dt * (closing_speeds(a, b).norm() + a.spread + b.spread + in.dt * in.gravity);
}

/// Whether two patches may come within the thickness of each other in the step.
bool may_meet(const Patch& a, const Patch& b, const ApproachIn& in) {
  const Vector3d mean = in.dt * (b.velocities.mean - a.velocities.mean);
  const double any = a.velocities.spread + b.velocities.spread + in.dt * in.gravity;
  const Vector3d either_way = in.dt * (a.velocities.half + b.velocities.half + Vector3d::Constant(any));
  const Vector3d back = (mean - either_way).cwiseMin(0.0) - Vector3d::Constant(in.thickness);
  const Vector3d forth = (mean + either_way).cwiseMax(0.0) + Vector3d::Constant(in.thickness);
  return Box(b.box.min() + back, b.box.max() + forth).intersects(a.box);
}

/// Cells of a patch along the longest side of what is cut into patches.
constexpr double patch_cells = 24;

/// The triangles of a body that meet a box, in patches.
std::vector<Patch> patches_in(const Body& body, const Box& region) {
  const auto of = [](const std::vector<Vector3d>& list, Index v) { return list[static_cast<std::size_t>(v)]; };
  std::vector<std::array<Index, 3>> triangles;
  Box all;
  for (const Triangle& t : body.triangles) {
    Box box(of(body.positions, t[0]));
    box.extend(of(body.positions, t[1])).extend(of(body.positions, t[2]));
    if (!box.intersects(region)) continue;
    triangles.push_back({t[0], t[1], t[2]});
    all.extend(box);
  }
  if (triangles.empty()) return {};
  const double cell = std::max(all.sizes().maxCoeff() / patch_cells, std::numeric_limits<double>::min());
  const Eigen::Array3i counts = (all.sizes() / cell).array().floor().cast<int>() + 1;
  std::vector<int> patch_of_cell(static_cast<std::size_t>(counts.prod()), -1);
  std::vector<Patch> patches;
  std::vector<Box> velocities;
  for (const std::array<Index, 3>& t : triangles) {
    const Vector3d middle = (of(body.positions, t[0]) + of(body.positions, t[1]) + of(body.positions, t[2])) / 3;
    const Eigen::Array3i at = ((middle - all.min()) / cell).array().floor().cast<int>().max(0).min(counts - 1);
    const Eigen::Index cell_number = (Eigen::Index{at.z()} * counts.y() + at.y()) * counts.x() + at.x();
    int& patch = patch_of_cell[static_cast<std::size_t>(cell_number)];
    if (patch < 0) {
      patch = static_cast<int>(patches.size());
      patches.emplace_back();
      velocities.emplace_back();
    }
    for (const Index v : t) {
      patches[static_cast<std::size_t>(patch)].box.extend(of(body.positions, v));
      velocities[static_cast<std::size_t>(patch)].extend(of(body.velocities, v));
    }
  }
  for (std::size_t i = 0; i < patches.size(); ++i) patches[i].velocities = range_of(velocities[i]);
  return patches;
}

std::vector<Patch> patches_of(const ApproachingBody& a, const Box& region) {
  if (a.body->has_vertices()) return patches_in(*a.body, region);
  return {{.box = a.box, .velocities = a.velocities}};
}

/// Motion of patches of two bodies that may meet, m at most.
double approach_of_patches(const ApproachingBody& a, const ApproachingBody& b, double reach, const ApproachIn& in) {
  const std::vector<Patch> of_a = patches_of(a, widened(b.box, reach));
  const std::vector<Patch> of_b = patches_of(b, widened(a.box, reach));
  double largest = 0;
  for (const Patch& one : of_a) {
    for (const Patch& other : of_b) {
      const double motion = closing_motion(one.velocities, other.velocities, in);
      if (motion > largest && may_meet(one, other, in)) largest = motion;
    }
  }
  return largest;
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
      const double most = closing_motion(of_a, of_b, in);
      if (most <= largest) continue;
      largest = std::max(largest, std::min(most, approach_of_patches(a, b, reach, in)));
    }
  }
  return largest;
}

}  // namespace carom::contact
