#include "response/lcp.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/stage_timer.hpp"
#include "response/impulse.hpp"

namespace carom::lcp {
namespace {

using contacts::Body;
using contacts::Island;
using contacts::Point;
using contacts::Row;
using contacts::System;
using math::Vec3;

constexpr std::size_t max_chunks = 8;
/// A residual above this is no solution, whatever the pivots say.
constexpr double solved_to = 1e-9;

Row combined(double c, const Row& p, double s, const Row& q, const Body& a, const Body& b) {
  return contacts::make_row(c * p.along + s * q.along, c * p.turn_a + s * q.turn_a, c * p.turn_b + s * q.turn_b, a, b);
}

/// Turns the tangents so that the first one is along the slip: what slides straight on then has all its friction
/// whatever the number of directions.
void align(System& s, const Island& island) {
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    Point& p = s.points[i];
    const Body& a = s.bodies[p.a];
    const Body& b = s.bodies[p.b];
    const double v0 = contacts::speed_along(p.tangent[0], a, b);
    const double v1 = contacts::speed_along(p.tangent[1], a, b);
    const double size = std::sqrt(v0 * v0 + v1 * v1);
    if (!(size > 1e-12)) continue;
    const Row first = combined(v0 / size, p.tangent[0], v1 / size, p.tangent[1], a, b);
    p.tangent[1] = combined(-v1 / size, p.tangent[0], v0 / size, p.tangent[1], a, b);
    p.tangent[0] = first;
    p.tangent_cross = contacts::coupling(p.tangent[0], p.tangent[1], a, b);
  }
}

const Row& row_of(const Point& p, std::size_t k) {
  return k == 0 ? p.normal : p.tangent[k - 1];
}

/// Change of the speed along p at one point by a unit of impulse along q at another.
double across(const System& s, const Point& i, const Row& p, const Point& j, const Row& q) {
  double sum = 0;
  const auto share = [&](BodySlot body, double sign, const Vec3& turn, const Vec3& spin) {
    const Body& b = s.bodies[body];
    if (b.moves) sum += sign * (dot(p.along, contacts::scaled(b.inverse_mass, q.along)) + dot(turn, spin));
  };
  if (i.a == j.a) share(i.a, 1, p.turn_a, q.spin_a);
  if (i.a == j.b) share(i.a, -1, p.turn_a, q.spin_b);
  if (i.b == j.a) share(i.b, -1, p.turn_b, q.spin_a);
  if (i.b == j.b) share(i.b, 1, p.turn_b, q.spin_b);
  return sum;
}

void make_delassus(const System& s, const Island& island, Work& work) {
  const std::size_t count = island.end_point - island.first_point;
  const std::size_t n = 3 * count;
  work.delassus.resize(n * n);
  for (std::size_t i = 0; i < count; ++i) {
    const Point& p = s.points[island.first_point + i];
    for (std::size_t j = 0; j < count; ++j) {
      const Point& q = s.points[island.first_point + j];
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t l = 0; l < 3; ++l)
          work.delassus[(3 * i + k) * n + 3 * j + l] = across(s, p, row_of(p, k), q, row_of(q, l));
      }
    }
  }
}

/// Unknown e of a point: 0 the push, 1 to `directions` friction, the last one the slip. As a mix of normal and
/// tangents; the slip is none.
void make_mixes(std::size_t directions, std::vector<Work::Mix>& mixes) {
  if (mixes.size() == directions + 2) return;
  mixes.assign(directions + 2, {});
  mixes[0] = {{1, 0, 0}};
  const std::size_t half = directions / 2;
  for (std::size_t k = 0; k < half; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(half);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    mixes[1 + k] = {{0, c, s}};
    mixes[1 + half + k] = {{0, -c, -s}};  // opposite to the last bit
  }
}

/// Into work.found: the impulses with which each point ends at least as fast as `wanted`. Unknowns are measured in
/// units that make every diagonal entry one: impulses times the root of their stiffness, speeds over it.
lemke::Result solve(const System& s, const Island& island, const SolverOptions& options, Work& work) {
  const std::size_t count = island.end_point - island.first_point;
  const auto directions = static_cast<std::size_t>(options.lcp.directions);
  make_mixes(directions, work.mixes);
  work.offset.resize(count + 1);
  work.offset[0] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Point& p = s.points[island.first_point + i];
    const std::size_t unknowns = !(p.normal.inverse_effective_mass > 0) ? 0 : p.friction > 0 ? directions + 2 : 1;
    work.offset[i + 1] = work.offset[i] + static_cast<std::uint32_t>(unknowns);
  }
  const std::size_t n = work.offset[count];
  work.matrix.assign(n * n, 0);
  work.right.resize(n);
  work.unit.resize(n);
  work.z.resize(n);
  const auto unknowns = [&](std::size_t i) { return work.offset[i + 1] - work.offset[i]; };
  const auto entry = [&](std::size_t i, std::size_t e, std::size_t j, std::size_t f) {
    const Work::Mix& p = work.mixes[e];
    const Work::Mix& q = work.mixes[f];
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t l = 0; l < 3; ++l) {
        if (p.part[k] != 0 && q.part[l] != 0)
          sum += p.part[k] * q.part[l] * work.delassus[(3 * i + k) * 3 * count + 3 * j + l];
      }
    }
    return sum;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Point& p = s.points[island.first_point + i];
    const double unit = std::sqrt(p.normal.inverse_effective_mass);
    for (std::size_t e = 0; e < unknowns(i); ++e) {
      const std::size_t at_e = work.offset[i] + e;
      const bool slip = e > directions;
      const double inverse_effective_mass = slip ? 0 : entry(i, e, i, e);
      work.unit[at_e] = slip ? 1 / unit : inverse_effective_mass > 0 ? std::sqrt(inverse_effective_mass) : unit;
      const Work::Mix& mix = work.mixes[e];
      double q = e == 0 ? -work.wanted[i] : 0;
      for (std::size_t k = 0; k < 3; ++k) q += mix.part[k] * work.before[3 * i + k];
      work.right[at_e] = q;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t e = 0; e < unknowns(i); ++e) {
        for (std::size_t f = 0; f < unknowns(j); ++f)
          work.matrix[(work.offset[i] + e) * n + work.offset[j] + f] = entry(i, e, j, f);
      }
    }
    if (unknowns(i) < 2) continue;
    const std::size_t first = work.offset[i];
    const std::size_t slip = first + directions + 1;
    work.matrix[slip * n + first] = s.points[island.first_point + i].friction;
    for (std::size_t e = 1; e <= directions; ++e) {
      work.matrix[slip * n + first + e] = -1;
      work.matrix[(first + e) * n + slip] = 1;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) work.matrix[i * n + j] /= work.unit[i] * work.unit[j];
    work.right[i] /= work.unit[i];
  }
  // Some two pivots an unknown are usual.
  const lemke::Result result = lemke::solve(work.matrix, work.right, 50 * n + 100, work.lemke, work.z);
  work.found.assign(3 * count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t e = 0; e < unknowns(i); ++e) {
      const Work::Mix& mix = work.mixes[e];
      const double z = work.z[work.offset[i] + e] / work.unit[work.offset[i] + e];
      for (std::size_t k = 0; k < 3; ++k) work.found[3 * i + k] += mix.part[k] * z;
    }
  }
  return result;
}

void measure(const System& s, const Island& island, Work& work) {
  const std::size_t count = island.end_point - island.first_point;
  work.before.resize(3 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const Point& p = s.points[island.first_point + i];
    for (std::size_t k = 0; k < 3; ++k)
      work.before[3 * i + k] = contacts::speed_along(row_of(p, k), s.bodies[p.a], s.bodies[p.b]);
  }
}

void apply(System& s, const Island& island, const Work& work, double factor) {
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    const Point& p = s.points[i];
    for (std::size_t k = 0; k < 3; ++k)
      contacts::apply_impulse(row_of(p, k), factor * work.found[3 * (i - island.first_point) + k], s.bodies[p.a],
                              s.bodies[p.b]);
  }
}

bool good(const lemke::Result& result) {
  return result.outcome == lemke::Outcome::solved && result.residual <= solved_to;
}

/// Solves the colliding contacts. Returns false if the solver failed.
bool collide(System& s, Island& island, const SolverOptions& options, double dt, Work& work) {
  const std::size_t count = island.end_point - island.first_point;
  align(s, island);
  measure(s, island, work);
  work.wanted.resize(count);
  std::uint64_t impacts = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Point& p = s.points[island.first_point + i];
    const double gap = std::max(p.gap, 0.0);
    const double speed = work.before[3 * i];
    work.wanted[i] = -gap / dt;
    if (p.restitution == 0 || !(speed < -options.bounce_speed) || gap + dt * speed > 0) continue;
    const double leave = impulse::rebound(p, speed);
    if (leave == 0) continue;
    work.wanted[i] = leave;
    ++impacts;
  }
  if (impacts == 0) return true;
  make_delassus(s, island, work);
  const lemke::Result result = solve(s, island, options, work);
  island.rounds += result.pivots;
  if (!good(result)) return false;
  island.impacts += impacts;
  island.residual = std::max(island.residual, result.residual);
  apply(s, island, work, 1);
  // Contacts with different restitution at once could gain energy: f.(before + after) / 2.
  double met = 0;
  double change = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Point& p = s.points[island.first_point + i];
    for (std::size_t k = 0; k < 3; ++k) {
      const double after = contacts::speed_along(row_of(p, k), s.bodies[p.a], s.bodies[p.b]);
      met += work.found[3 * i + k] * work.before[3 * i + k];
      change += work.found[3 * i + k] * (after - work.before[3 * i + k]);
    }
  }
  double keep = 1;
  if (met + 0.5 * change > 0 && change > 0) {
    keep = std::max(0.0, -2 * met / change);
    apply(s, island, work, keep - 1);
  }
  for (std::size_t i = 0; i < count; ++i) {
    Point& p = s.points[island.first_point + i];
    p.impact_normal_impulse += keep * work.found[3 * i];
    for (std::size_t k = 0; k < 3; ++k) p.impact = p.impact + (keep * work.found[3 * i + k]) * row_of(p, k).along;
  }
  return true;
}

bool rest(System& s, Island& island, const SolverOptions& options, double dt, Work& work) {
  const std::size_t count = island.end_point - island.first_point;
  align(s, island);
  measure(s, island, work);
  work.wanted.resize(count);
  for (std::size_t i = 0; i < count; ++i) work.wanted[i] = -std::max(s.points[island.first_point + i].gap, 0.0) / dt;
  make_delassus(s, island, work);
  const lemke::Result result = solve(s, island, options, work);
  island.rounds += result.pivots;
  if (!good(result)) return false;
  island.residual = std::max(island.residual, result.residual);
  for (std::size_t i = 0; i < count; ++i) {
    Point& p = s.points[island.first_point + i];
    p.normal_impulse = work.found[3 * i];
    p.friction_impulse[0] = work.found[3 * i + 1];
    p.friction_impulse[1] = work.found[3 * i + 2];
  }
  apply(s, island, work, 1);
  contacts::take_back(s, island);
  return true;
}

void solve_island(System& s, Island& island, const SolverOptions& options, double dt, Work& work) {
  const bool small = island.end_point - island.first_point <= static_cast<std::uint32_t>(options.lcp.max_points);
  if (!small || !collide(s, island, options, dt, work)) {
    ++island.limited;
    impulse::solve_island(s, island, options, dt);
    island.residual = std::max(island.residual, contacts::residual(s, island, dt));
    return;
  }
  contacts::add_forces(s, island);
  if (!rest(s, island, options, dt, work)) {
    ++island.limited;
    // The tangents have turned since what is remembered was shared out.
    for (std::uint32_t i = island.first_point; i < island.end_point; ++i)
      s.points[i].friction_impulse[0] = s.points[i].friction_impulse[1] = 0;
    impulse::solve_resting(s, island, options, dt);
    island.residual = std::max(island.residual, contacts::residual(s, island, dt));
  }
}

}  // namespace

void run(Context& context, const response::In& in, const SolverOptions& options,
         ManifoldSpan<contact::CachedManifold> pairs, Scratch& scratch, const response::Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  System& s = scratch.system;
  contacts::build(context, in, pairs, s);
  const std::size_t grain = std::max<std::size_t>(1, chunk_count(s.islands.size(), max_chunks));
  if (scratch.work.size() < max_chunks) scratch.work.resize(max_chunks);
  parallel_chunks(context.workers, s.islands.size(), grain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    for (std::size_t i = begin; i < end; ++i) {
      solve_island(s, s.islands[i], options, in.dt, scratch.work[chunk]);
      contacts::separate(s, s.islands[i], options.soft_zone, options.max_push_speed, in.dt);
    }
  });
  contacts::finish(context, in, pairs, s, out);
  scratch.residual = contacts::count(s, in.points, "pivots", stats);
}

}  // namespace carom::lcp
