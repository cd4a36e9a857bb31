#include "bounds/collider_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "bounds/contact_margin.hpp"
#include "core/prefetch.hpp"
#include "core/stage_timer.hpp"
#include "kernels/hull_support.hpp"
#include "shapes/support.hpp"

namespace carom::bounds {
namespace {

using rigid::Bodies;
using rigid::Collider;
using rigid::Info;
using rigid::Motion;

constexpr std::size_t body_grain = 256;

/// AABB margin, as a fraction of the size of the body.
constexpr double box_fraction = 0.1;

/// A body that would leave its bounds within two steps gets bounds for a longer motion, straight ahead and turning, of
/// at most so many steps and such a fraction of its size. Not in a crowd, of so many pairs for each body: there nothing
/// goes straight, and larger boxes make more pairs than they save searches.
constexpr double max_steps = 8;
constexpr double travel_fraction = 0.5;
constexpr std::size_t crowd = 2;

/// If more than one in so many left their boxes, pairs are searched again among all (see BroadPhase). Then those that
/// would leave theirs within a few steps get new ones, too, so that there is nothing to do in these.
constexpr std::size_t rebuild_fraction = 8;
constexpr double soon = 4;

ColliderBox box_of(const Collider& collider, const Eigen::Isometry3d& pose, double margin) {
  if (collider.mesh != nullptr) {
    const shapes::BoxVolume& root = collider.mesh->tree.boxes[0];
    const Eigen::Vector3d middle = pose * math::to_eigen(root.center);
    const Eigen::Vector3d half =
        pose.linear().cwiseAbs() * math::to_eigen(root.half) + Eigen::Vector3d::Constant(collider.margin + margin);
    return {math::to_vec3(middle - half), math::to_vec3(middle + half)};
  }
  if (collider.core->kind == shapes::CoreKind::half_space)
    return {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  const double* m = pose.matrix().data();
  const double grow = collider.core->radius + margin;
  if (collider.core->kind == shapes::CoreKind::box) {
    const Vec3& s = collider.core->size;
    const auto half = [&](int k) {
      return std::abs(m[k]) * s.x + std::abs(m[4 + k]) * s.y + std::abs(m[8 + k]) * s.z + grow;
    };
    const Vec3 middle{m[12], m[13], m[14]};
    const Vec3 to_side{half(0), half(1), half(2)};
    return {middle - to_side, middle + to_side};
  }
  double low[3];
  double high[3];
  if (const shapes::HullData* hull = collider.core->hull; hull != nullptr && hull->starts.empty()) {
    const double axes[9] = {m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]};
    kernels::extents({hull->rows.data(), hull->stride}, axes, low, high);
  } else {
    for (int k = 0; k < 3; ++k) {
      const Vec3 d{m[k], m[4 + k], m[8 + k]};
      low[k] = dot(d, shapes::support(*collider.core, -d).p);
      high[k] = dot(d, shapes::support(*collider.core, d).p);
    }
  }
  return {{m[12] + low[0] - grow, m[13] + low[1] - grow, m[14] + low[2] - grow},
          {m[12] + high[0] + grow, m[13] + high[1] + grow, m[14] + high[2] + grow}};
}

ColliderBox swept(const ColliderBox& box, const Vec3& travel) {
  const Vec3 zero;
  return {box.low + math::lower(travel, zero), box.high + math::higher(travel, zero)};
}

}  // namespace

bool FatBounds::holds(const Vec3& place, const Quat& turn, double reach, double smallest) const {
  const double along = std::clamp(dot(place - x, sweep) * per_square, 0.0, 1.0);
  const Vec3 aside = place - x - along * sweep;
  const Quat t = math::conjugate(q) * turn;
  const double chord = 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
  return length(aside) + chord * reach + smallest <= margin;
}

namespace {

/// Motion that the bounds of a body must hold in a step.
struct Asked {
  Vec3 travel;          ///< m, of its centre, if nothing touches it
  double smallest = 0;  ///< m; no pair looks farther ahead than this, see update_manifolds()
  double turning = 0;
  bool far = false;  ///< it goes farther than that: its whole way must be in the box, see limit_motion()
  bool crowded = false;

  Asked(const ColliderIn& in, BodySlot i) {
    const Info& info = in.bodies.info[i];
    const double ahead = std::min(rigid::fastest(in.bodies, i, info.reach) * in.dt, ahead_fraction * info.size);
    smallest = 0.5 * in.speculative_distance + ahead;
    travel = in.dt * in.motion.free[i].v;
    turning = info.reach < INFINITY ? in.dt * length(in.bodies.motion[i].w) * info.reach : 0.0;
    far = length(travel) > ahead_fraction * info.size;
    crowded = in.pair_count > crowd * in.bodies.size();
  }
  bool held_by(const FatBounds& fat_bounds, const Motion& m, double reach) const {
    return fat_bounds.holds(m.x, m.q, reach, smallest) &&
           (!far || fat_bounds.holds(m.x + travel, m.q, reach, smallest));
  }
  bool held_for(double steps, const FatBounds& fat_bounds, const Motion& m, double reach) const {
    return fat_bounds.holds(m.x + steps * travel, m.q, reach, smallest + steps * turning);
  }
  /// Boxes to last.
  FatBounds fat_bounds(const Motion& m, const Info& info) const {
    const double slack = box_fraction * info.size;
    if (info.motion == MotionModel::fixed) return {m.x, m.q, {}, smallest};
    const double square = dot(travel, travel);
    const double step = std::sqrt(square) + turning;
    if (!far && (crowded || 2 * step < slack)) return {m.x, m.q, {}, smallest + slack};
    const double steps = far ? 1 : std::clamp(travel_fraction * info.size / step, 1.0, max_steps);
    return {m.x, m.q, steps * travel, smallest + (far ? slack : std::max(slack, steps * turning)),
            square > 0 ? 1 / (steps * steps * square) : 0};
  }
};

/// Makes the bounds of the colliders of a body from its `fat_bounds`.
void make_boxes(const ColliderIn& in, BodySlot i, ColliderBounds& bounds) {
  const FatBounds& fat_bounds = bounds.fat[i];
  const Info& info = in.bodies.info[i];
  for (const ColliderIndex c : info.colliders()) {
    const Eigen::Isometry3d pose = in.motion.poses.shape(in.bodies, c);
    bounds.boxes[c] = swept(box_of(in.bodies.colliders[c], pose, fat_bounds.margin), fat_bounds.sweep);
    bounds.changed[c] = 1;
  }
}

/// Makes the bounds of many bodies. Shapes are behind three pointers: each is prefetched some bodies ahead.
void make_boxes(const ColliderIn& in, std::span<const BodySlot> list, ColliderBounds& bounds) {
  constexpr std::size_t early = 4;
  const Bodies& bodies = in.bodies;
  const auto core = [&](std::size_t k) { return bodies.colliders[bodies.info[list[k]].first_collider].core; };
  const auto hull = [&](std::size_t k) { return core(k) != nullptr ? core(k)->hull : nullptr; };
  for (std::size_t k = 0; k < list.size() + 3 * early; ++k) {
    if (k < list.size() && core(k) != nullptr) prefetch(core(k), core(k) + 1);
    if (k >= early && k - early < list.size() && hull(k - early) != nullptr)
      prefetch(hull(k - early), hull(k - early) + 1);
    if (k >= 2 * early && k - 2 * early < list.size() && hull(k - 2 * early) != nullptr)
      shapes::prefetch_corners(*hull(k - 2 * early));
    if (k >= 3 * early) make_boxes(in, list[k - 3 * early], bounds);
  }
}

bool may_leave(const Bodies& bodies, const ColliderBounds& bounds, BodySlot i) {
  if (bodies.info[i].collider_count == 0) return false;  // vacant
  if (bodies.colliders[bodies.info[i].first_collider].surface) return false;
  return bounds.fat[i].margin < 0 || !(rigid::asleep_or_fixed(bodies, i) || bodies.info[i].reach == INFINITY);
}

/// Box of a surface collider that holds its sweep, made only if the one there is does not.
void update_surface(const Bodies& bodies, BodySlot body, const ColliderBox& sweep, ColliderBounds& bounds) {
  const ColliderIndex c = bodies.info[body].first_collider;
  ColliderBox& box = bounds.boxes[c];
  const auto inside = [](const Vec3& a, const Vec3& b) { return a.x <= b.x && a.y <= b.y && a.z <= b.z; };
  if (bounds.fat[body].margin >= 0 && inside(box.low, sweep.low) && inside(sweep.high, box.high)) return;
  const Vec3 margin = 0.5 * box_fraction * (sweep.high - sweep.low);
  box = {sweep.low - margin, sweep.high + margin};
  bounds.fat[body].margin = 0;
  bounds.changed[c] = 1;
}

}  // namespace

void update_surfaces(const Bodies& table, const bodies::Vertices& vertices, double reach, ColliderBounds& bounds,
                     StageStats& stats) {
  const StageTimer timer(stats);
  for (const bodies::SurfacePart& part : vertices.parts) {
    const BodySlot slot = part.body;
    if (!table.colliders[table.info[slot].first_collider].surface) continue;
    ColliderBox box{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const auto add = [&](std::span<const Eigen::Vector3d> list) {
      for (const Eigen::Vector3d& p : list) {
        box.low = math::lower(box.low, math::to_vec3(p));
        box.high = math::higher(box.high, math::to_vec3(p));
      }
    };
    add(part.of(vertices.start));
    add(part.of(vertices.positions));
    const Vec3 margin{reach, reach, reach};
    update_surface(table, slot, {box.low - margin, box.high + margin}, bounds);
  }
}

void update(Context& context, const ColliderIn& in, ColliderBounds& bounds, StageStats& stats) {
  const StageTimer timer(stats);
  const Bodies& bodies = in.bodies;
  bounds.changed.assign(bodies.colliders.size(), 0);
  /// Boxes again for those of a chunk for which leaves(i, asked) is true; returns how many.
  const auto renew_if = [&](std::size_t begin, std::size_t end, const auto& leaves) {
    std::array<BodySlot, body_grain> list;
    std::size_t count = 0;
    for (const BodySlot i : IndexRange<BodySlot>(begin, end)) {
      if (!may_leave(bodies, bounds, i)) continue;
      const Asked asked(in, i);
      if (!leaves(i, asked)) continue;
      bounds.fat[i] = asked.fat_bounds(bodies.motion[i], bodies.info[i]);
      list[count++] = i;
    }
    make_boxes(in, {list.data(), count}, bounds);
    return count;
  };
  const auto renew = [&](std::size_t begin, std::size_t end) {
    return renew_if(begin, end, [&](BodySlot i, const Asked& asked) {
      return bounds.fat[i].margin < 0 || !asked.held_by(bounds.fat[i], bodies.motion[i], bodies.info[i].reach);
    });
  };
  std::size_t left =
      parallel_reduce(context.workers, bodies.size(), body_grain, std::size_t{0}, renew, std::plus<>(), bounds.counts);
  if (rebuild_fraction * left > bodies.size()) {
    const auto renew_early = [&](std::size_t begin, std::size_t end) {
      return renew_if(begin, end, [&](BodySlot i, const Asked& asked) {
        return bounds.changed[bodies.info[i].first_collider] == 0 &&
               !asked.held_for(soon, bounds.fat[i], bodies.motion[i], bodies.info[i].reach);
      });
    };
    left += parallel_reduce(context.workers, bodies.size(), body_grain, std::size_t{0}, renew_early, std::plus<>(),
                            bounds.counts);
  }
  stats.set_unit("bodies");
  stats.in += bodies.count;
  stats.out += bodies.count;
  stats.add_counted("new boxes", left);
}

}  // namespace carom::bounds
