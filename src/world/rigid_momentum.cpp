#include <Eigen/Dense>

#include "core/stage_timer.hpp"
#include "world/rigid_world.hpp"

// Contacts act at points that stand still over a step while bodies move, so what one body gives another in angular
// momentum differs from what it loses by the square of the step. Where bodies that touch each other touch nothing that
// is held from outside, this is taken back: the island as a whole turns by what is missing, which no contact notices.
//
// A body that was stopped on its way has lost a part of it, and its island some angular momentum: that is not mended.
namespace carom::rigid {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Island {
  double mass = 0;
  Vector3d center_before = Vector3d::Zero();
  Vector3d center = Vector3d::Zero();
  Vector3d free_way = Vector3d::Zero();  ///< of the centre
  Vector3d missing = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();
};

bool is_free(const Bodies& bodies, std::int32_t body) {
  const auto i = static_cast<std::size_t>(body);
  return bodies.mass[i].inverse > 0 && !bodies.mass[i].locked && bodies.asleep[i] == 0;
}

}  // namespace

void keep_angular_momentum(World& world, double dt, StageStats& stats) {
  const StageTimer timer(stats);
  const WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  const auto held = static_cast<std::int32_t>(bodies.size());  // stands for all that is held
  world.parent.resize(bodies.size() + 1);
  for (std::size_t i = 0; i < world.parent.size(); ++i) world.parent[i] = static_cast<std::int32_t>(i);
  world.members.clear();
  for (const std::int32_t p : s.touching) {
    const Pair& pair = s.pairs[static_cast<std::size_t>(p)];
    const std::int32_t a = root(world.parent, is_free(bodies, pair.body_a) ? pair.body_a : held);
    const std::int32_t b = root(world.parent, is_free(bodies, pair.body_b) ? pair.body_b : held);
    // The larger number is the root, so that whatever is held is.
    world.parent[static_cast<std::size_t>(std::min(a, b))] = std::max(a, b);
  }
  // What was stopped on its way was held, too.
  for (const LimitScratch::Fast& f : world.limit.fast) {
    if (!(f.stop.time < 1)) continue;
    const std::int32_t a = root(world.parent, f.body);
    world.parent[static_cast<std::size_t>(std::min(a, held))] = held;
  }
  for (std::int32_t i = 0; i < held; ++i) {
    if (!is_free(bodies, i) || world.answered[static_cast<std::size_t>(i)] == 0) continue;
    const std::int32_t r = root(world.parent, i);
    if (r != root(world.parent, held)) world.members.push_back({r, i});
  }
  std::sort(world.members.begin(), world.members.end());
  for (std::size_t begin = 0; begin < world.members.size();) {
    std::size_t end = begin;
    while (end < world.members.size() && world.members[end][0] == world.members[begin][0]) ++end;
    Island island;
    const auto each = [&](auto&& visit) {
      for (std::size_t k = begin; k < end; ++k) visit(static_cast<std::size_t>(world.members[k][1]));
    };
    each([&](std::size_t i) {
      const double m = bodies.info[i].mass;
      island.mass += m;
      island.center_before += m * detail::to_eigen(bodies.motion[i].x);
      island.center += m * detail::to_eigen(world.next[i].x);
      island.free_way += 0.5 * dt * m * detail::to_eigen(bodies.motion[i].v + world.free[i].v);
    });
    island.center_before /= island.mass;
    island.center /= island.mass;
    island.free_way /= island.mass;
    each([&](std::size_t i) {
      const double m = bodies.info[i].mass;
      const Motion& next = world.next[i];
      const Vector3d before = detail::to_eigen(bodies.motion[i].x) - island.center_before;
      const Vector3d r = detail::to_eigen(next.x) - island.center;
      const Mat3 turn = detail::matrix(next.q);
      Matrix3d own;
      for (Eigen::Index k = 0; k < 3; ++k)
        own.col(k) = detail::to_eigen(turned(turn, bodies.mass[i].inertia, detail::to_vec3(Vector3d::Unit(k))));
      island.missing += before.cross(m * detail::to_eigen(world.free[i].v)) + detail::to_eigen(world.free[i].momentum) -
                        r.cross(m * detail::to_eigen(next.v)) - own * detail::to_eigen(next.w);
      island.inertia += own + m * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
    });
    const Vector3d spin = island.inertia.ldlt().solve(island.missing);
    if (spin.allFinite()) {
      each([&](std::size_t i) {
        Motion& next = world.next[i];
        const Vector3d r = detail::to_eigen(next.x) - island.center;
        next.v = next.v + detail::to_vec3(spin.cross(r));
        // As a whole it goes as if nothing touched: exactly, and not by a sum of substeps.
        next.x = next.x + detail::to_vec3(island.center_before + island.free_way - island.center);
        next.w = next.w + detail::to_vec3(spin);
      });
    }
    begin = end;
  }
}

}  // namespace carom::rigid
