#include "conservation/island_invariants.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <span>

#include "core/stage_timer.hpp"

// Contacts act at points that stand still over a step while bodies move, so what one body gives another in angular
// momentum differs from what it loses by the square of the step. Where bodies that touch each other touch nothing that
// is held from outside, this is taken back: the island as a whole turns by what is missing, which no contact notices.
// The energy of such an island does not grow: where contacts or this gave any, bodies move less against each other. And
// where that is not enough, the energy counts more than the angular momentum.
namespace carom::conservation {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using rigid::Bodies;
using rigid::Motion;

constexpr std::size_t island_grain = 32;

struct IslandMotion {
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
Matrix3d inertia_of(const rigid::Mass& mass, const Motion& motion) {
  const math::Mat3 turn = math::matrix(motion.q);
  Matrix3d inertia;
  for (Eigen::Index k = 0; k < 3; ++k)
    inertia.col(k) = math::to_eigen(rigid::turned(turn, mass.inertia, math::to_vec3(Vector3d::Unit(k))));
  return inertia;
}

double half_square(const Vector3d& v) {
  return 0.5 * v.squaredNorm();
}

/// m/s, of the centre of mass of all rigid bodies at the end of the step. Under gravity no angular momentum about a
/// fixed point is kept, but that about this centre is: a cluster in which a body is stopped must not be spun by what it
/// has of its fall.
Vector3d common_velocity(const Bodies& bodies, SlotSpan<const Motion> next) {
  double mass = 0;
  Vector3d momentum = Vector3d::Zero();
  for (const BodySlot i : bodies.slots()) {
    if (!(bodies.mass[i].inverse > 0)) continue;
    mass += bodies.info[i].mass;
    momentum += bodies.info[i].mass * math::to_eigen(next[i].v);
  }
  return momentum / mass;
}

/// J, in the springs of a pair. What explicit substeps keep is below zero for springs that have just been reached: that
/// is no energy that others may have.
double spring_energy(const contact::CachedManifold& pair) {
  return std::max(0.0, static_cast<double>(pair.stored));
}

/// J, by the root of an island: what springs gave in the step.
void sum_released_energy(const IslandIn& in, BySlot<double>& gain) {
  gain.assign(in.bodies.size(), 0);
  for (std::size_t k = 0; k < in.active.size(); ++k) {
    const contact::ActivePair& pair = in.active[k];
    const BodySlot body = island::movable(in.bodies, pair.body_a) ? pair.body_a : pair.body_b;
    gain[in.islands.root(body)] += in.stored[k] - spring_energy(in.manifolds[pair.pair]);
  }
}

/// Turns the velocities of an island by the angular momentum that is missing, within an energy.
class Correction {
 public:
  Correction(const IslandMotion& island, double max_energy) : drift_(island.momentum / island.mass) {
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

void keep_island(const IslandIn& in, std::span<const BodySlot> members, double released, bool after_stops,
                 const Vector3d& common, SlotSpan<Motion> motions) {
  const Bodies& bodies = in.bodies;
  IslandMotion island;
  const auto each = [&](auto&& visit) {
    for (const BodySlot body : members) visit(body);
  };
  each([&](BodySlot i) {
    const double m = bodies.info[i].mass;
    island.mass += m;
    island.center_before += m * math::to_eigen(bodies.motion[i].x);
    island.center += m * math::to_eigen(motions[i].x);
    island.free_travel += 0.5 * in.dt * m * math::to_eigen(bodies.motion[i].v + in.free[i].v);
    island.stopped |= after_stops && in.ccd.changed(i);
  });
  if (after_stops && !island.stopped) return;
  island.center_before /= island.mass;
  island.center /= island.mass;
  island.free_travel /= island.mass;
  each([&](BodySlot i) {
    const double m = bodies.info[i].mass;
    const Motion& next = motions[i];
    const Vector3d v = math::to_eigen(next.v);
    const Vector3d w = math::to_eigen(next.w);
    const Vector3d before = math::to_eigen(bodies.motion[i].x) - island.center_before;
    const Vector3d r = math::to_eigen(next.x) - island.center;
    const Matrix3d own = inertia_of(bodies.mass[i], next);
    const Vector3d angular = r.cross(m * v) + own * w;
    island.momentum += m * v;
    island.angular += angular;
    island.missing += before.cross(m * math::to_eigen(in.free[i].v)) + math::to_eigen(in.free[i].momentum) - angular;
    island.inertia += own + m * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
    island.energy += m * half_square(v) + 0.5 * w.dot(own * w);
    island.free_energy += m * half_square(math::to_eigen(in.free[i].v)) + 0.5 * dot(in.free[i].w, in.free[i].momentum);
  });
  // As a whole it goes as if nothing touched: exactly, and not by a sum of substeps. After the continuous stage no pose
  // changes any more, as there may be somebody in the way: the lag counts as angular momentum.
  const Vector3d lag = island.center_before + island.free_travel - island.center;
  if (after_stops) island.missing += lag.cross(island.momentum - island.mass * common);
  island.free_energy += released;
  const Correction correction(island, std::min(island.energy, island.free_energy));
  if (!correction.finite()) return;
  each([&](BodySlot i) {
    Motion& next = motions[i];
    correction.apply(math::to_eigen(next.x) - island.center, next);
    if (!after_stops) next.x = next.x + math::to_vec3(lag);
  });
}

}  // namespace

void store_spring_energy(std::span<const contact::ActivePair> active,
                         ManifoldSpan<const contact::CachedManifold> manifolds, std::vector<double>& stored) {
  stored.resize(active.size());
  for (std::size_t k = 0; k < active.size(); ++k) stored[k] = spring_energy(manifolds[active[k].pair]);
}

void restore_island_invariants(Context& context, const IslandIn& in, bool after_stops, BySlot<double>& gain,
                               SlotSpan<rigid::Motion> next, StageStats& stats) {
  const StageTimer timer(stats);
  if (after_stops && in.ccd.stops.empty()) return;
  const std::span<const island::Island> islands = in.islands.islands();
  if (!in.stored.empty()) sum_released_energy(in, gain);
  const bool falls = length(in.gravity) > 0;
  const Vector3d common = falls && after_stops ? common_velocity(in.bodies, next) : Vector3d::Zero();
  parallel_for(context.workers, islands.size(), island_grain, [&](std::size_t n) {
    const island::Island& island = islands[n];
    if (island.held || island.deforms) return;
    const std::span<const BodySlot> members = in.islands.members(island);
    const double released = in.stored.empty() ? 0 : gain[in.islands.root(members[0])];
    keep_island(in, members, released, after_stops, common, next);
  });
}

}  // namespace carom::conservation
