#include "response/impulse.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/stage_timer.hpp"

namespace carom::impulse {
namespace {

using contacts::Body;
using contacts::Contact;
using contacts::Island;
using contacts::Point;
using contacts::System;
using math::Vec3;

constexpr int impact_rounds = 50;    ///< over the pairs of an island: a blow runs through some fifty bodies in a step
constexpr int points_rounds = 100;   ///< over the points of one pair; four points of a box need some twenty
constexpr int friction_rounds = 10;  ///< over the same
constexpr std::size_t max_points = convex::max_manifold_points;

/// The least kinetic energy that friction of at most `limit` can leave, or a step towards it. Returns the largest
/// change of a speed.
double solve_friction(Point& p, double* friction_impulse, double limit, Body& a, Body& b) {
  const double k0 = p.tangent[0].inverse_effective_mass;
  const double k1 = p.tangent[1].inverse_effective_mass;
  const double c = p.tangent_cross;
  const double v0 = contacts::speed_along(p.tangent[0], a, b);
  const double v1 = contacts::speed_along(p.tangent[1], a, b);
  const double determinant = k0 * k1 - c * c;
  if (!(k0 + k1 > 0)) return 0;
  double r0 = friction_impulse[0];
  double r1 = friction_impulse[1];
  if (determinant > 1e-12 * k0 * k1) {
    r0 -= (k1 * v0 - c * v1) / determinant;
    r1 -= (k0 * v1 - c * v0) / determinant;
  }
  if (!(determinant > 1e-12 * k0 * k1) || r0 * r0 + r1 * r1 > limit * limit) {
    // Slips: a step down the slope that cannot overshoot, and back into the disc.
    const double step = 0.5 * (k0 + k1 + std::sqrt((k0 - k1) * (k0 - k1) + 4 * c * c));
    r0 = friction_impulse[0] - v0 / step;
    r1 = friction_impulse[1] - v1 / step;
    const double size = std::sqrt(r0 * r0 + r1 * r1);
    if (size > limit) {
      r0 *= limit / size;
      r1 *= limit / size;
    }
  }
  const double d0 = r0 - friction_impulse[0];
  const double d1 = r1 - friction_impulse[1];
  friction_impulse[0] = r0;
  friction_impulse[1] = r1;
  contacts::apply_impulse(p.tangent[0], d0, a, b);
  contacts::apply_impulse(p.tangent[1], d1, a, b);
  return std::max(std::abs(d0) * k0, std::abs(d1) * k1);
}

void turn_along(const Vec3& axis, double impulse, Body& a, Body& b) {
  if (a.moves) a.w = a.w - impulse * (a.inverse_inertia * axis);
  if (b.moves) b.w = b.w + impulse * (b.inverse_inertia * axis);
}

double turn_stiffness(const Vec3& axis, const Body& a, const Body& b) {
  return dot(axis, a.inverse_inertia * axis) + dot(axis, b.inverse_inertia * axis);
}

void twist_and_roll(Point& p, Body& a, Body& b) {
  if (p.torsion > 0) {
    const Vec3& axis = p.normal.along;
    const double k = turn_stiffness(axis, a, b);
    const double limit = p.torsion * p.normal_impulse;
    if (k > 0) {
      const double next = std::clamp(p.torsion_impulse - dot(axis, b.w - a.w) / k, -limit, limit);
      turn_along(axis, next - p.torsion_impulse, a, b);
      p.torsion_impulse = next;
    }
  }
  if (p.rolling > 0) {
    const Vec3& t0 = p.tangent[0].along;
    const Vec3& t1 = p.tangent[1].along;
    // No eigenvalue of the two by two matrix is larger than its trace.
    const double k = turn_stiffness(t0, a, b) + turn_stiffness(t1, a, b);
    if (!(k > 0)) return;
    const Vec3 w = b.w - a.w;
    double r0 = p.rolling_impulse[0] - dot(t0, w) / k;
    double r1 = p.rolling_impulse[1] - dot(t1, w) / k;
    const double limit = p.rolling * p.normal_impulse;
    const double size = std::sqrt(r0 * r0 + r1 * r1);
    if (size > limit) {
      r0 *= limit / size;
      r1 *= limit / size;
    }
    turn_along(t0, r0 - p.rolling_impulse[0], a, b);
    turn_along(t1, r1 - p.rolling_impulse[1], a, b);
    p.rolling_impulse[0] = r0;
    p.rolling_impulse[1] = r1;
  }
}

/// All points of a pair bounce at once. Returns whether any met fast enough.
bool bounce(System& s, const Contact& contact, const SolverOptions& options, double dt) {
  Point* points = s.points.data() + contact.first;
  if (points[0].restitution == 0) return false;
  Body& a = s.bodies[points[0].a];
  Body& b = s.bodies[points[0].b];
  std::array<double, max_points> before{};
  std::array<double, max_points> wanted{};
  std::array<double, max_points> normal_impulse{};
  bool any = false;
  for (std::size_t k = 0; k < contact.count; ++k) {
    before[k] = contacts::speed_along(points[k].normal, a, b);
    const double gap = std::max(points[k].gap, 0.0);
    wanted[k] = -gap / dt;
    if (!(before[k] < -options.bounce_speed) || gap + dt * before[k] > 0) continue;
    const double leave = rebound(points[k], before[k]);
    if (leave == 0) continue;
    wanted[k] = leave;
    any = true;
  }
  if (!any) return false;
  for (int round = 0; round < points_rounds; ++round) {
    double largest = 0;
    for (std::size_t k = 0; k < contact.count; ++k) {
      const contacts::Row& row = points[k].normal;
      if (!(row.inverse_effective_mass > 0)) continue;
      const double next = std::max(
          0.0, normal_impulse[k] + (wanted[k] - contacts::speed_along(row, a, b)) / row.inverse_effective_mass);
      contacts::apply_impulse(row, next - normal_impulse[k], a, b);
      largest = std::max(largest, std::abs(next - normal_impulse[k]) * row.inverse_effective_mass);
      normal_impulse[k] = next;
    }
    if (largest < 1e-3 * options.impulse.tolerance) break;
  }
  // Points that leave with different shares of their speed could gain energy: push.(before + after) / 2.
  double met = 0;
  double change = 0;
  for (std::size_t k = 0; k < contact.count; ++k) {
    met += normal_impulse[k] * before[k];
    change += normal_impulse[k] * (contacts::speed_along(points[k].normal, a, b) - before[k]);
  }
  if (met + 0.5 * change > 0 && change > 0) {
    const double keep = std::max(0.0, -2 * met / change);
    for (std::size_t k = 0; k < contact.count; ++k) {
      contacts::apply_impulse(points[k].normal, (keep - 1) * normal_impulse[k], a, b);
      normal_impulse[k] *= keep;
    }
  }
  std::array<std::array<double, 2>, max_points> friction_change{};
  for (int round = 0; round < friction_rounds; ++round) {
    for (std::size_t k = 0; k < contact.count; ++k)
      solve_friction(points[k], friction_change[k].data(), points[k].friction * normal_impulse[k], a, b);
  }
  for (std::size_t k = 0; k < contact.count; ++k) {
    Point& p = points[k];
    p.impact_normal_impulse += normal_impulse[k];
    p.impact = p.impact + normal_impulse[k] * p.normal.along + friction_change[k][0] * p.tangent[0].along +
               friction_change[k][1] * p.tangent[1].along;
  }
  return true;
}

void collide(System& s, Island& island, const SolverOptions& options, double dt) {
  for (int round = 0; round < impact_rounds; ++round) {
    bool any = false;
    for (std::uint32_t c = island.first_contact; c < island.end_contact; ++c) {
      if (!bounce(s, s.contacts[c], options, dt)) continue;
      any = true;
      ++island.impacts;
    }
    if (!any) return;
  }
  ++island.limited;
}

void warm_start(System& s, const Island& island) {
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    const Point& p = s.points[i];
    Body& a = s.bodies[p.a];
    Body& b = s.bodies[p.b];
    contacts::apply_impulse(p.normal, p.normal_impulse, a, b);
    contacts::apply_impulse(p.tangent[0], p.friction_impulse[0], a, b);
    contacts::apply_impulse(p.tangent[1], p.friction_impulse[1], a, b);
  }
}

/// Largest changes of a round over the points of an island.
struct Change {
  bool steady = true;  ///< no point has torsional or rolling friction, which have no trend
  double speed = 0;    ///< m/s, the largest
  double energy = 0;   ///< J, of the changes of the impulses as if each acted alone
};

/// One round over the pairs of an island: the normal impulses of a pair at once, then friction at its points.
Change sweep(System& s, const Island& island, double dt) {
  Change change;
  for (std::uint32_t c = island.first_contact; c < island.end_contact; ++c) {
    const Contact& contact = s.contacts[c];
    Point* const points = s.points.data() + contact.first;
    Body& a = s.bodies[points[0].a];
    Body& b = s.bodies[points[0].b];
    std::array<double, max_points> speed{};
    std::array<double, max_points> normal_impulse{};
    for (std::size_t k = 0; k < contact.count; ++k) {
      Point& p = points[k];
      p.before[0] = normal_impulse[k] = p.normal_impulse;
      p.before[1] = p.friction_impulse[0];
      p.before[2] = p.friction_impulse[1];
      speed[k] = contacts::speed_along(p.normal, a, b) + std::max(p.gap, 0.0) / dt;
    }
    contacts::settle_points(contact, speed.data(), normal_impulse.data());
    for (std::size_t k = 0; k < contact.count; ++k) {
      Point& p = points[k];
      const double pushed = normal_impulse[k] - p.normal_impulse;
      contacts::apply_impulse(p.normal, pushed, a, b);
      change.speed = std::max(change.speed, std::abs(pushed) * p.normal.inverse_effective_mass);
      change.energy += pushed * pushed * p.normal.inverse_effective_mass;
      p.normal_impulse = normal_impulse[k];
    }
    for (std::size_t k = 0; k < contact.count; ++k) {
      Point& p = points[k];
      change.speed = std::max(change.speed, solve_friction(p, p.friction_impulse, p.friction * p.normal_impulse, a, b));
      for (int i = 0; i < 2; ++i) {
        const double friction_change = p.friction_impulse[i] - p.before[1 + i];
        change.energy += friction_change * friction_change * p.tangent[i].inverse_effective_mass;
      }
      if (p.torsion > 0 || p.rolling > 0) {
        twist_and_roll(p, a, b);
        change.steady = false;
      }
    }
  }
  return change;
}

/// Conjugate gradients over rounds (Silcowitz, Niebe and Erleben 2010): impulses go on by a part of what the rounds
/// before changed, so that long stacks and uneven masses settle in tens of rounds instead of thousands. `ratio` is that
/// of the last two changes in energy; above one the trend leads astray and is forgotten.
void follow_trend(System& s, const Island& island, double ratio) {
  const double part = ratio <= 1 ? ratio : 0;
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    Point& p = s.points[i];
    Body& a = s.bodies[p.a];
    Body& b = s.bodies[p.b];
    double* const now[3] = {&p.normal_impulse, &p.friction_impulse[0], &p.friction_impulse[1]};
    const contacts::Row* const rows[3] = {&p.normal, &p.tangent[0], &p.tangent[1]};
    for (int k = 0; k < 3; ++k) {
      const double changed = *now[k] - p.before[k];
      const double onward = part * p.trend[k];
      if (onward != 0) {
        *now[k] += onward;
        contacts::apply_impulse(*rows[k], onward, a, b);
      }
      p.trend[k] = onward + changed;
    }
  }
}

}  // namespace

double rebound(const Point& p, double speed) {
  const double fraction = p.restitution * p.restitution;
  const double fall = 2 * p.pull * std::max(p.gap, 0.0);
  const double square = fraction * (speed * speed + fall) - fall;
  return square > 0 ? std::sqrt(square) : 0;
}

namespace {

/// Rounds over the pairs of an island, until no speed changes or there were so many.
void solve_rounds(System& s, Island& island, int rounds, double tolerance, double dt) {
  double last_change = 0;
  for (int round = 0; round < rounds; ++round) {
    const Change change = sweep(s, island, dt);
    ++island.rounds;
    if (change.speed < tolerance) break;
    if (round + 1 == rounds) break;
    if (change.steady) follow_trend(s, island, last_change > 0 ? change.energy / last_change : INFINITY);
    last_change = change.energy;
  }
}

/// Passes over rigid and deforming contacts in turn, and sweeps of the latter in each.
constexpr int coupling_passes = 12;
constexpr int coupling_sweeps = 5;

/// Islands and contacts with anchors in turn, until both agree. The last word is with the anchors.
void solve_coupled(Context& context, System& s, response::Coupling& coupling, const SolverOptions& options, double dt) {
  const auto each_island = [&](auto&& visit) {
    parallel_for(context.workers, s.islands.size(), 1, [&](std::size_t i) { visit(s.islands[i]); });
  };
  each_island([&](Island& island) {
    collide(s, island, options, dt);
    contacts::add_forces(s, island);
    warm_start(s, island);
  });
  for (const BodySlot body : s.alone) {
    Body& b = s.bodies[body];
    b.v = b.v + b.free_v;
    b.w = b.w + b.free_w;
  }
  coupling.add_forces(dt);
  response::prepare(coupling.contacts, coupling.state);
  const auto load = [&] {
    for (contact::CoupledBody& c : coupling.state.bodies) {
      c.v = s.bodies[c.body].v;
      c.w = s.bodies[c.body].w;
    }
  };
  const auto store = [&] {
    for (const contact::CoupledBody& c : coupling.state.bodies) {
      s.bodies[c.body].v = c.v;
      s.bodies[c.body].w = c.w;
    }
  };
  load();
  response::warm_start(coupling.contacts, coupling.state);
  store();
  const int passes = s.islands.empty() ? 1 : coupling_passes;
  const int sweeps = s.islands.empty() ? coupling_passes * coupling_sweeps : coupling_sweeps;
  for (int pass = 0; pass < passes; ++pass) {
    each_island([&](Island& island) {
      solve_rounds(s, island, std::max(1, options.impulse.rounds / passes), options.impulse.tolerance, dt);
    });
    load();
    double change = 0;
    for (int k = 0; k < sweeps; ++k) {
      change = response::sweep(coupling.contacts, coupling.state, coupling.options, dt, false);
      if (change < options.impulse.tolerance) break;
    }
    store();
    if (pass > 0 && change < options.impulse.tolerance) break;
  }
  load();
  response::add_to_totals(coupling.contacts);
  response::bounce(coupling.contacts, coupling.state, coupling.options);
  store();
  response::move(*coupling.workers, coupling.state, dt);
  response::separate_vertices(coupling, dt);
}

}  // namespace

void solve_resting(System& s, Island& island, const SolverOptions& options, double dt) {
  warm_start(s, island);
  solve_rounds(s, island, options.impulse.rounds, options.impulse.tolerance, dt);
  contacts::take_back(s, island);
}

void solve_island(System& s, Island& island, const SolverOptions& options, double dt) {
  collide(s, island, options, dt);
  contacts::add_forces(s, island);
  solve_resting(s, island, options, dt);
}

void run(Context& context, const response::In& in, const SolverOptions& options,
         ManifoldSpan<contact::CachedManifold> pairs, Scratch& scratch, const response::Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  System& s = scratch.system;
  contacts::build(context, in, pairs, s);
  if (in.coupling != nullptr) solve_coupled(context, s, *in.coupling, options, in.dt);
  parallel_for(context.workers, s.islands.size(), 1, [&](std::size_t i) {
    Island& island = s.islands[i];
    if (in.coupling == nullptr) solve_island(s, island, options, in.dt);
    island.residual = contacts::residual(s, island, in.dt);
    contacts::separate(s, island, options.soft_zone, options.max_push_speed, in.dt);
  });
  contacts::finish(context, in, pairs, s, out);
  scratch.residual = contacts::count(s, in.points, "rounds", stats);
}

}  // namespace carom::impulse
