#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <span>

#include "core/stage_timer.hpp"
#include "world/rigid_pipeline.hpp"

// Contacts act at points that stand still over a step while bodies move, so what one body gives another in angular
// momentum differs from what it loses by the square of the step. Where bodies that touch each other touch nothing that
// is held from outside, this is taken back: the island as a whole turns by what is missing, which no contact notices.
// The energy of such an island does not grow: where contacts or this gave any, bodies move less against each other. And
// where that is not enough, the energy counts more than the angular momentum.
namespace carom::rigid {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t island_grain = 32;

struct Island {
  double mass = 0;
  Vector3d center_before = Vector3d::Zero();
  Vector3d center = Vector3d::Zero();
  Vector3d free_travel = Vector3d::Zero();  ///< of the centre
  Vector3d momentum = Vector3d::Zero();
  Vector3d angular = Vector3d::Zero();  ///< about the centre
  Vector3d missing = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();
  double energy = 0;
  double free_energy = 0;  ///< if nothing had touched
  bool stopped = false;    ///< one of its bodies, by the continuous stage
};

/// N m s per rad/s in the world.
Matrix3d inertia_of(const Mass& mass, const Motion& motion) {
  const Mat3 turn = math::matrix(motion.q);
  Matrix3d inertia;
  for (Eigen::Index k = 0; k < 3; ++k)
    inertia.col(k) = math::to_eigen(turned(turn, mass.inertia, math::to_vec3(Vector3d::Unit(k))));
  return inertia;
}

double half_square(const Vector3d& v) {
  return 0.5 * v.squaredNorm();
}

/// m/s, of the centre of mass of all rigid bodies at the end of the step. Under gravity no angular momentum about a
/// fixed point is kept, but that about this centre is: a cluster in which a body is stopped must not be spun by what it
/// has of its fall.
Vector3d common_velocity(const RigidPipeline& world) {
  const Bodies& bodies = world.state.bodies;
  double mass = 0;
  Vector3d momentum = Vector3d::Zero();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!(bodies.mass[i].inverse > 0)) continue;
    mass += bodies.info[i].mass;
    momentum += bodies.info[i].mass * math::to_eigen(world.next[i].v);
  }
  return momentum / mass;
}

bool is_free(const RigidPipeline& world, std::int32_t body) {
  const auto i = static_cast<std::size_t>(body);
  const Bodies& bodies = world.state.bodies;
  if (!world.coupled.empty() && world.coupled[i] != 0) return false;
  return bodies.mass[i].inverse > 0 && !bodies.mass[i].locked && bodies.asleep[i] == 0;
}

/// Islands of free bodies that touch or, after the continuous stage, were stopped by each other: their bodies, sorted
/// by island, and where each island begins.
void find_free_islands(RigidPipeline& world, bool after_stops) {
  const Bodies& bodies = world.state.bodies;
  const auto held = static_cast<std::int32_t>(bodies.size());  // stands for all that is held
  world.parent.resize(bodies.size() + 1);
  for (std::size_t i = 0; i < world.parent.size(); ++i) world.parent[i] = static_cast<std::int32_t>(i);
  const auto join = [&](std::int32_t body_a, std::int32_t body_b) {
    const std::int32_t a = root(world.parent, is_free(world, body_a) ? body_a : held);
    const std::int32_t b = root(world.parent, is_free(world, body_b) ? body_b : held);
    // The larger number is the root, so that whatever is held is.
    world.parent[static_cast<std::size_t>(std::min(a, b))] = std::max(a, b);
  };
  for (const response::ActivePair& touch : world.active_pairs) join(touch.body_a, touch.body_b);
  if (after_stops) {
    for (const ccd::Scratch::Stop& stop : world.ccd.stops) join(stop.a, stop.b);
  }
  world.members.clear();
  for (std::int32_t i = 0; i < held; ++i) {
    if (world.solved[static_cast<std::size_t>(i)] == 0 || !is_free(world, i)) continue;
    const std::int32_t r = root(world.parent, i);
    if (r != root(world.parent, held)) world.members.push_back({r, i});
  }
  std::sort(world.members.begin(), world.members.end());
  world.island_begin.clear();
  for (std::size_t k = 0; k < world.members.size(); ++k) {
    if (k == 0 || world.members[k][0] != world.members[k - 1][0]) world.island_begin.push_back(k);
  }
  world.island_begin.push_back(world.members.size());
}

/// J, by the root of an island: what springs gave in the step.
void sum_released_energy(RigidPipeline& world) {
  world.island_gain.assign(world.state.bodies.size() + 1, 0);
  for (std::size_t k = 0; k < world.active_pairs.size(); ++k) {
    const response::ActivePair& touch = world.active_pairs[k];
    const CachedManifold& pair = world.state.pairs[static_cast<std::size_t>(touch.pair)];
    world.island_gain[static_cast<std::size_t>(root(world.parent, touch.body_a))] +=
        world.stored[k] - static_cast<double>(pair.stored);
  }
}

/// Turns the velocities of an island by the angular momentum that is missing, within an energy.
class Correction {
 public:
  Correction(const Island& island, double max_energy) : drift_(island.momentum / island.mass) {
    const Matrix3d inverse = island.inertia.inverse();
    const double linear = half_square(island.momentum) / island.mass;
    // Energy with so much of the spin, and of it what bodies have from moving with the whole.
    const auto rigid = [&](double fraction) {
      const Vector3d angular = island.angular + fraction * island.missing;
      return linear + 0.5 * angular.dot(inverse * angular);
    };
    double fraction = 1;
    if (rigid(1) > max_energy) {
      fraction = 0;
      for (double part = 0.5; part > 1e-3; part *= 0.5) fraction += rigid(fraction + part) <= max_energy ? part : 0;
    }
    const Vector3d missing = fraction * island.missing;
    spin_ = inverse * missing;
    whole_ = inverse * (island.angular + missing);
    const double now = island.energy + spin_.dot(island.angular) + 0.5 * spin_.dot(missing);
    const double smallest = rigid(fraction);
    if (now > max_energy && now > smallest)
      lose_ = 1 - std::sqrt(std::max(0.0, (max_energy - smallest) / (now - smallest)));
    // An island whose motion as a whole is too fast turns more slowly.
    if (smallest > max_energy && smallest > linear)
      slower_ = std::sqrt(std::max(0.0, (max_energy - linear) / (smallest - linear)));
  }

  bool finite() const { return spin_.allFinite() && whole_.allFinite(); }

  void apply(const Vector3d& arm, Motion& next) const {
    const Vector3d v = math::to_eigen(next.v) + spin_.cross(arm);
    const Vector3d w = math::to_eigen(next.w) + spin_;
    next.v = math::to_vec3(v + lose_ * (drift_ + slower_ * whole_.cross(arm) - v));
    next.w = math::to_vec3(w + lose_ * (slower_ * whole_ - w));
  }

 private:
  Vector3d drift_;
  Vector3d spin_;
  Vector3d whole_;
  double lose_ = 0;
  double slower_ = 1;
};

void keep_island(RigidPipeline& world, const StepOptions& options, std::span<const std::array<std::int32_t, 2>> members,
                 bool after_stops, const Vector3d& common) {
  const Bodies& bodies = world.state.bodies;
  Island island;
  const auto each = [&](auto&& visit) {
    for (const std::array<std::int32_t, 2>& member : members) visit(static_cast<std::size_t>(member[1]));
  };
  each([&](std::size_t i) {
    const double m = bodies.info[i].mass;
    island.mass += m;
    island.center_before += m * math::to_eigen(bodies.motion[i].x);
    island.center += m * math::to_eigen(world.next[i].x);
    island.free_travel += 0.5 * options.dt * m * math::to_eigen(bodies.motion[i].v + world.free[i].v);
    island.stopped |= after_stops && world.ccd.changed(i);
  });
  if (after_stops && !island.stopped) return;
  island.center_before /= island.mass;
  island.center /= island.mass;
  island.free_travel /= island.mass;
  each([&](std::size_t i) {
    const double m = bodies.info[i].mass;
    const Motion& next = world.next[i];
    const Vector3d v = math::to_eigen(next.v);
    const Vector3d w = math::to_eigen(next.w);
    const Vector3d before = math::to_eigen(bodies.motion[i].x) - island.center_before;
    const Vector3d r = math::to_eigen(next.x) - island.center;
    const Matrix3d own = inertia_of(bodies.mass[i], next);
    const Vector3d angular = r.cross(m * v) + own * w;
    island.momentum += m * v;
    island.angular += angular;
    island.missing +=
        before.cross(m * math::to_eigen(world.free[i].v)) + math::to_eigen(world.free[i].momentum) - angular;
    island.inertia += own + m * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
    island.energy += m * half_square(v) + 0.5 * w.dot(own * w);
    island.free_energy +=
        m * half_square(math::to_eigen(world.free[i].v)) + 0.5 * dot(world.free[i].w, world.free[i].momentum);
  });
  // As a whole it goes as if nothing touched: exactly, and not by a sum of substeps. After the continuous stage no pose
  // changes any more, as there may be somebody in the way: the lag counts as angular momentum.
  const Vector3d lag = island.center_before + island.free_travel - island.center;
  if (after_stops) island.missing += lag.cross(island.momentum - island.mass * common);
  if (response::stores_energy(options.response))
    island.free_energy += world.island_gain[static_cast<std::size_t>(members[0][0])];
  const Correction correction(island, std::min(island.energy, island.free_energy));
  if (!correction.finite()) return;
  each([&](std::size_t i) {
    Motion& next = world.next[i];
    correction.apply(math::to_eigen(next.x) - island.center, next);
    if (!after_stops) next.x = next.x + math::to_vec3(lag);
  });
}

}  // namespace

void restore_island_invariants(Context& context, RigidPipeline& world, const StepOptions& options, bool after_stops,
                               StageStats& stats) {
  const StageTimer timer(stats);
  if (after_stops && world.ccd.stops.empty()) return;
  find_free_islands(world, after_stops);
  const std::size_t islands = world.island_begin.size() - 1;
  if (islands > 0 && response::stores_energy(options.response)) sum_released_energy(world);
  const bool falls = length(options.gravity) > 0;
  const Vector3d common = falls && after_stops && islands > 0 ? common_velocity(world) : Vector3d::Zero();
  parallel_for(context.workers, islands, island_grain, [&](std::size_t n) {
    const std::size_t begin = world.island_begin[n];
    keep_island(world, options, std::span(world.members).subspan(begin, world.island_begin[n + 1] - begin), after_stops,
                common);
  });
}

}  // namespace carom::rigid
