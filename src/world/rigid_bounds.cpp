#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "core/fetch.hpp"
#include "core/stage_timer.hpp"
#include "kernels/hull_support.hpp"
#include "shapes/support.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

constexpr std::size_t body_grain = 256;

/// Of the size of a body: how much larger its box is than it.
constexpr double box_share = 0.1;

/// What would be out of such a box within two steps gets one for a longer way, straight ahead and turning, of no more
/// steps than this and of no more than such a share of its size. Not in a crowd, of so many pairs for each body: there
/// nothing goes straight, and larger boxes make more pairs than they save searches.
constexpr double most_steps = 8;
constexpr double way_share = 0.5;
constexpr std::size_t crowd = 2;

/// If more than one in so many left their boxes, pairs are looked for anew among all (see BroadPhase). Then those that
/// would leave theirs within a few steps get new ones, too, so that there is nothing to do in these.
constexpr std::size_t rebuild_share = 8;
constexpr double soon = 4;

Box box_of(const Collider& collider, const Eigen::Isometry3d& pose, double margin) {
  if (collider.mesh != nullptr) {
    const shapes::BoxVolume& root = collider.mesh->tree.boxes[0];
    const Eigen::Vector3d middle = pose * detail::to_eigen(root.center);
    const Eigen::Vector3d half =
        pose.linear().cwiseAbs() * detail::to_eigen(root.half) + Eigen::Vector3d::Constant(collider.margin + margin);
    return {detail::to_vec3(middle - half), detail::to_vec3(middle + half)};
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

Box swept(const Box& box, const Vec3& way) {
  const Vec3 zero;
  return {box.low + detail::lower(way, zero), box.high + detail::higher(way, zero)};
}

}  // namespace

bool WorldState::Boxed::holds(const Vec3& place, const Quat& turn, double reach, double least) const {
  const double along = std::clamp(dot(place - x, sweep) * per_square, 0.0, 1.0);
  const Vec3 aside = place - x - along * sweep;
  const Quat t = detail::conjugate(q) * turn;
  const double chord = 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
  return length(aside) + chord * reach + least <= margin;
}

namespace {

/// What the boxes of a body must hold in a step.
struct Asked {
  Vec3 way;          ///< m, of its centre, if nothing touches it
  double least = 0;  ///< m; no pair looks farther ahead than this, see look()
  double turning = 0;
  bool far = false;  ///< it goes farther than that: its whole way must be in the box, see limit_motion()
  bool crowded = false;

  Asked(const World& world, const StepOptions& options, std::size_t i) {
    const Bodies& bodies = world.state.bodies;
    const Info& info = bodies.info[i];
    const double ahead = std::min(fastest(bodies, i, info.reach) * options.dt, ahead_share * info.size);
    least = 0.5 * options.solver.speculative_distance + ahead;
    way = options.dt * world.free[i].v;
    turning = info.reach < INFINITY ? options.dt * length(bodies.motion[i].w) * info.reach : 0.0;
    far = length(way) > ahead_share * info.size;
    crowded = world.state.entries.size() > crowd * bodies.size();
  }
  bool held_by(const WorldState::Boxed& boxed, const Motion& m, double reach) const {
    return boxed.holds(m.x, m.q, reach, least) && (!far || boxed.holds(m.x + way, m.q, reach, least));
  }
  bool held_for(double steps, const WorldState::Boxed& boxed, const Motion& m, double reach) const {
    return boxed.holds(m.x + steps * way, m.q, reach, least + steps * turning);
  }
  /// Boxes to last.
  WorldState::Boxed boxed(const Motion& m, const Info& info) const {
    const double slack = box_share * info.size;
    if (info.kind == RigidKind::static_body) return {m.x, m.q, {}, least};
    const double square = dot(way, way);
    const double step = std::sqrt(square) + turning;
    if (!far && (crowded || 2 * step < slack)) return {m.x, m.q, {}, least + slack};
    const double steps = far ? 1 : std::clamp(way_share * info.size / step, 1.0, most_steps);
    return {m.x, m.q, steps * way, least + (far ? slack : std::max(slack, steps * turning)),
            square > 0 ? 1 / (steps * steps * square) : 0};
  }
};

/// Of bodies whose `boxed` says how.
void make_boxes(World& world, std::size_t i) {
  WorldState& s = world.state;
  const WorldState::Boxed& boxed = s.boxed[i];
  const Info& info = s.bodies.info[i];
  for (std::int32_t k = 0; k < info.collider_count; ++k) {
    const auto c = static_cast<std::size_t>(info.first_collider) + static_cast<std::size_t>(k);
    s.boxes[c] = swept(box_of(s.bodies.colliders[c], world.poses.shape(s.bodies, c), boxed.margin), boxed.sweep);
    world.left_box[c] = 1;
  }
}

/// The same of many. Shapes are found over three pointers: each is fetched some bodies before it is read.
void make_boxes(World& world, std::span<const std::uint32_t> list) {
  constexpr std::size_t early = 4;
  const Bodies& bodies = world.state.bodies;
  const auto core = [&](std::size_t k) {
    return bodies.colliders[static_cast<std::size_t>(bodies.info[list[k]].first_collider)].core;
  };
  const auto hull = [&](std::size_t k) { return core(k) != nullptr ? core(k)->hull : nullptr; };
  for (std::size_t k = 0; k < list.size() + 3 * early; ++k) {
    if (k < list.size() && core(k) != nullptr) fetch(core(k), core(k) + 1);
    if (k >= early && k - early < list.size() && hull(k - early) != nullptr)
      fetch(hull(k - early), hull(k - early) + 1);
    if (k >= 2 * early && k - 2 * early < list.size() && hull(k - 2 * early) != nullptr)
      shapes::ask_for_corners(*hull(k - 2 * early));
    if (k >= 3 * early) make_boxes(world, list[k - 3 * early]);
  }
}

bool may_leave(const World& world, std::size_t i) {
  const WorldState& s = world.state;
  if (s.bodies.colliders[static_cast<std::size_t>(s.bodies.info[i].first_collider)].surface) return false;
  return s.boxed[i].margin < 0 || !(still_or_static(s.bodies, i) || s.bodies.info[i].reach == INFINITY);
}

}  // namespace

void bound_surface(World& world, std::size_t body, const Box& sweep) {
  WorldState& s = world.state;
  const auto c = static_cast<std::size_t>(s.bodies.info[body].first_collider);
  Box& box = s.boxes[c];
  const auto inside = [](const Vec3& a, const Vec3& b) { return a.x <= b.x && a.y <= b.y && a.z <= b.z; };
  if (s.boxed[body].margin >= 0 && inside(box.low, sweep.low) && inside(sweep.high, box.high)) return;
  const Vec3 margin = 0.5 * box_share * (sweep.high - sweep.low);
  box = {sweep.low - margin, sweep.high + margin};
  s.boxed[body].margin = 0;
  world.left_box[c] = 1;
}

void bound(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  world.left_box.assign(bodies.colliders.size(), 0);
  /// Boxes anew for those of a chunk for which leaves(i, asked) is true; returns how many.
  const auto renew_if = [&](std::size_t begin, std::size_t end, const auto& leaves) {
    std::array<std::uint32_t, body_grain> list;
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (!may_leave(world, i)) continue;
      const Asked asked(world, options, i);
      if (!leaves(i, asked)) continue;
      s.boxed[i] = asked.boxed(bodies.motion[i], bodies.info[i]);
      list[count++] = static_cast<std::uint32_t>(i);
    }
    make_boxes(world, {list.data(), count});
    return count;
  };
  const auto renew = [&](std::size_t begin, std::size_t end) {
    return renew_if(begin, end, [&](std::size_t i, const Asked& asked) {
      return s.boxed[i].margin < 0 || !asked.held_by(s.boxed[i], bodies.motion[i], bodies.info[i].reach);
    });
  };
  std::size_t left =
      parallel_reduce(context.workers, bodies.size(), body_grain, std::size_t{0}, renew, std::plus<>(), world.counts);
  if (rebuild_share * left > bodies.size()) {
    const auto renew_early = [&](std::size_t begin, std::size_t end) {
      return renew_if(begin, end, [&](std::size_t i, const Asked& asked) {
        return world.left_box[static_cast<std::size_t>(bodies.info[i].first_collider)] == 0 &&
               !asked.held_for(soon, s.boxed[i], bodies.motion[i], bodies.info[i].reach);
      });
    };
    left += parallel_reduce(context.workers, bodies.size(), body_grain, std::size_t{0}, renew_early, std::plus<>(),
                            world.counts);
  }
  stats.set_unit("bodies");
  stats.in += bodies.size();
  stats.out += bodies.size();
  stats.add_counted("new boxes", left);
}

}  // namespace carom::rigid
