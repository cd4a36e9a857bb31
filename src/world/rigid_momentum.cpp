#include <Eigen/Dense>

#include "core/stage_timer.hpp"
#include "world/rigid_world.hpp"

// Contacts act at points that stand still over a step while bodies move, so what one body gives another in angular
// momentum differs from what it loses by the square of the step. Where bodies that touch each other touch nothing that
// is held from outside, this is taken back: the island as a whole turns by what is missing, which no contact notices.
// The energy of such an island does not grow: where contacts or this gave any, bodies move less against each other.
namespace carom::rigid {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t island_grain = 32;

struct Island {
  double mass = 0;
  Vector3d center_before = Vector3d::Zero();
  Vector3d center = Vector3d::Zero();
  Vector3d free_way = Vector3d::Zero();  ///< of the centre
  Vector3d momentum = Vector3d::Zero();
  Vector3d angular = Vector3d::Zero();  ///< about the centre
  Vector3d missing = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();
  double energy = 0;
  double free_energy = 0;  ///< if nothing had touched
  bool stopped = false;    ///< one of it, on its way
};

/// N m s per rad/s in the world.
Matrix3d inertia_of(const Mass& mass, const Motion& motion) {
  const Mat3 turn = detail::matrix(motion.q);
  Matrix3d inertia;
  for (Eigen::Index k = 0; k < 3; ++k)
    inertia.col(k) = detail::to_eigen(turned(turn, mass.inertia, detail::to_vec3(Vector3d::Unit(k))));
  return inertia;
}

double half_square(const Vector3d& v) {
  return 0.5 * v.squaredNorm();
}

/// m/s, of the centre of mass of all dynamic bodies at the end of the step. Under gravity no angular momentum about a
/// fixed point is kept, but that about this centre is: a cluster in which a body is stopped must not be spun by what it
/// has of its fall.
Vector3d common_velocity(const World& world) {
  const Bodies& bodies = world.state.bodies;
  double mass = 0;
  Vector3d momentum = Vector3d::Zero();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!(bodies.mass[i].inverse > 0)) continue;
    mass += bodies.info[i].mass;
    momentum += bodies.info[i].mass * detail::to_eigen(world.next[i].v);
  }
  return momentum / mass;
}

bool is_free(const World& world, std::int32_t body) {
  const auto i = static_cast<std::size_t>(body);
  const Bodies& bodies = world.state.bodies;
  if (!world.coupled.empty() && world.coupled[i] != 0) return false;
  return bodies.mass[i].inverse > 0 && !bodies.mass[i].locked && bodies.asleep[i] == 0;
}

}  // namespace

void keep_momentum_and_energy(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  const Bodies& bodies = world.state.bodies;
  const auto held = static_cast<std::int32_t>(bodies.size());  // stands for all that is held
  world.parent.resize(bodies.size() + 1);
  for (std::size_t i = 0; i < world.parent.size(); ++i) world.parent[i] = static_cast<std::int32_t>(i);
  world.members.clear();
  for (const response::Touch& touch : world.touches) {
    const std::int32_t a = root(world.parent, is_free(world, touch.body_a) ? touch.body_a : held);
    const std::int32_t b = root(world.parent, is_free(world, touch.body_b) ? touch.body_b : held);
    // The larger number is the root, so that whatever is held is.
    world.parent[static_cast<std::size_t>(std::min(a, b))] = std::max(a, b);
  }
  // What was stopped on its way touched, too.
  bool any_stopped = false;
  for (const LimitScratch::Fast& f : world.limit.fast) {
    if (!(f.stop.time < 1)) continue;
    any_stopped = true;
    const bool by_free = f.stop.other >= 0 && is_free(world, f.stop.other);
    const std::int32_t a = root(world.parent, f.body);
    const std::int32_t b = root(world.parent, by_free ? f.stop.other : held);
    world.parent[static_cast<std::size_t>(std::min(a, b))] = std::max(a, b);
    for (const std::int32_t body : {f.body, by_free ? f.stop.other : f.body})
      world.answered[static_cast<std::size_t>(body)] = 1;
  }
  for (std::int32_t i = 0; i < held; ++i) {
    if (world.answered[static_cast<std::size_t>(i)] == 0 || !is_free(world, i)) continue;
    const std::int32_t r = root(world.parent, i);
    if (r != root(world.parent, held)) world.members.push_back({r, i});
  }
  std::sort(world.members.begin(), world.members.end());
  world.island_begin.clear();
  for (std::size_t k = 0; k < world.members.size(); ++k) {
    if (k == 0 || world.members[k][0] != world.members[k - 1][0]) world.island_begin.push_back(k);
  }
  const std::size_t islands = world.island_begin.size();
  const bool falls = length(options.gravity) > 0;
  const Vector3d common = falls && any_stopped && islands > 0 ? common_velocity(world) : Vector3d::Zero();
  world.island_begin.push_back(world.members.size());
  parallel_for(context.workers, islands, island_grain, [&](std::size_t n) {
    const std::size_t begin = world.island_begin[n];
    const std::size_t end = world.island_begin[n + 1];
    Island island;
    const auto each = [&](auto&& visit) {
      for (std::size_t k = begin; k < end; ++k) visit(static_cast<std::size_t>(world.members[k][1]));
    };
    each([&](std::size_t i) {
      const double m = bodies.info[i].mass;
      island.mass += m;
      island.center_before += m * detail::to_eigen(bodies.motion[i].x);
      island.center += m * detail::to_eigen(world.next[i].x);
      island.free_way += 0.5 * options.dt * m * detail::to_eigen(bodies.motion[i].v + world.free[i].v);
    });
    island.center_before /= island.mass;
    island.center /= island.mass;
    island.free_way /= island.mass;
    each([&](std::size_t i) {
      const double m = bodies.info[i].mass;
      const Motion& next = world.next[i];
      const Vector3d v = detail::to_eigen(next.v);
      const Vector3d w = detail::to_eigen(next.w);
      const Vector3d before = detail::to_eigen(bodies.motion[i].x) - island.center_before;
      const Vector3d r = detail::to_eigen(next.x) - island.center;
      const Matrix3d own = inertia_of(bodies.mass[i], next);
      const Vector3d angular = r.cross(m * v) + own * w;
      island.momentum += m * v;
      island.angular += angular;
      island.missing +=
          before.cross(m * detail::to_eigen(world.free[i].v)) + detail::to_eigen(world.free[i].momentum) - angular;
      island.inertia += own + m * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
      island.energy += m * half_square(v) + 0.5 * w.dot(own * w);
      island.free_energy +=
          m * half_square(detail::to_eigen(world.free[i].v)) + 0.5 * dot(world.free[i].w, world.free[i].momentum);
      island.stopped |= world.limit.stopped(i);
    });
    // As a whole it goes as if nothing touched: exactly, and not by a sum of substeps. Unless one was stopped: then
    // there may be somebody in the way of the whole, too.
    const Vector3d way = island.center_before + island.free_way - island.center;
    if (island.stopped) island.missing += way.cross(island.momentum - island.mass * common);
    const Matrix3d inverse = island.inertia.inverse();
    const Vector3d spin = inverse * island.missing;
    const Vector3d whole = inverse * (island.angular + island.missing);
    // Energy with the spin, and of it what bodies have from moving with the whole.
    const double now = island.energy + spin.dot(island.angular) + 0.5 * spin.dot(island.missing);
    const double rigid = half_square(island.momentum) / island.mass + 0.5 * whole.dot(island.angular + island.missing);
    const double most =
        response::stores_energy(options.response) ? island.energy : std::min(island.energy, island.free_energy);
    const double lose = now > most && now > rigid ? 1 - std::sqrt(std::max(0.0, (most - rigid) / (now - rigid))) : 0;
    if (spin.allFinite() && whole.allFinite()) {
      const Vector3d drift = island.momentum / island.mass;
      each([&](std::size_t i) {
        Motion& next = world.next[i];
        const Vector3d r = detail::to_eigen(next.x) - island.center;
        const Vector3d v = detail::to_eigen(next.v) + spin.cross(r);
        const Vector3d w = detail::to_eigen(next.w) + spin;
        next.v = detail::to_vec3(v + lose * (drift + whole.cross(r) - v));
        next.w = detail::to_vec3(w + lose * (whole - w));
        if (!island.stopped) next.x = next.x + detail::to_vec3(way);
      });
    }
  });
}

}  // namespace carom::rigid
