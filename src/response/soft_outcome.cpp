#include "response/soft_outcome.hpp"

#include <algorithm>
#include <cmath>

#include "response/soft_batches.hpp"

namespace carom::soft {

namespace {

using contact::CachedManifold;
using kernels::SoftBatch;
using kernels::SoftBody;
using math::Mat3;
using math::Vec3;

/// Energy error of a free rotation in one step, as a fraction of the rotational energy.
constexpr double max_growth = 1.05;

/// Overlaps beyond this share of a body's size are none that a stack at rest has. Something is wedged there: a small
/// body under the load of many, which its springs, made for its own mass, give way to by centimetres.
constexpr double deep_fraction = 0.004;
/// For each such share more a load is learned faster by so many times, so that one of 1% is opened within a second.
constexpr double deep_hurry = 10;

/// s; an overlap that comes or goes within this time is that of an impact, or of a stack that still swings up and down.
/// Loads that were learned in a hurry there would keep it swinging.
constexpr double deep_lasts = 1;

/// Mass ratio of two bodies in contact from which on loads are learned `uneven_hurry` times
/// faster: the light one gives way by as much more.
constexpr double uneven_ratio = 20;
constexpr double uneven_hurry = 5;

double hurry_of_masses(double inverse_a, double inverse_b) {
  const double heavy = std::min(inverse_a, inverse_b);
  if (!(heavy > 0)) return 1;
  return std::max(inverse_a, inverse_b) > uneven_ratio * heavy ? uneven_hurry : 1;
}

/// How much of the difference between a load and what is remembered of it is learned in a step.
double learning_rate(const contact::CachedPoint& point, double size, double uneven, double dt, double memory) {
  if (!(point.distance < 0)) return std::min(1.0, dt / memory);
  const double lasting = std::max(0.0, 1 + deep_lasts * std::abs(point.speed) / point.distance);
  const double beyond = std::max(0.0, -point.distance / (deep_fraction * size) - 1);
  return std::min(1.0, dt / memory * (1 + lasting * (uneven - 1 + deep_hurry * beyond)));
}

}  // namespace

void finish_batch(const In& in, const SolverOptions& options, ManifoldSpan<CachedManifold> pairs, Scratch& s,
                  std::uint32_t index) {
  prefetch_batch(in, pairs, s, index + 2);
  const SoftBatch& batch = s.batches[index];
  for (std::size_t lane = 0; lane < kernels::soft_lanes; ++lane) {
    const std::int32_t contact = s.lanes[index].pair[lane];
    if (contact < 0) continue;
    CachedManifold& pair = pairs[in.active_indices[static_cast<std::size_t>(contact)]];
    const Vec3& xa = in.bodies.motion[pair.body_a].x;
    const Vec3& xb = in.bodies.motion[pair.body_b].x;
    const auto tangent = [&](const kernels::SoftLane* t) { return Vec3{t[0][lane], t[1][lane], t[2][lane]}; };
    const Vec3 t1 = tangent(batch.first_tangent);
    const Vec3 t2 = tangent(batch.second_tangent);
    pair.friction_impulse = static_cast<double>(batch.friction_impulse[0][lane]) * t1 +
                            static_cast<double>(batch.friction_impulse[1][lane]) * t2;
    pair.torsion_impulse = batch.torsion_impulse[lane];
    Vec3 impulse = pair.friction_impulse + static_cast<double>(batch.friction_total[0][lane]) * t1 +
                   static_cast<double>(batch.friction_total[1][lane]) * t2;
    const Vec3 centre = centre_of(pair);
    const Vec3 torsion =
        (static_cast<double>(batch.torsion_total[lane]) + static_cast<double>(pair.torsion_impulse)) * pair.normal;
    Vec3 moment_a = cross(centre - xa, impulse) + torsion;
    Vec3 moment_b = cross(centre - xb, impulse) + torsion;
    const double size = 2.0 * static_cast<double>(std::min(s.masses[static_cast<std::size_t>(batch.a[lane])].reach,
                                                           s.masses[static_cast<std::size_t>(batch.b[lane])].reach));
    const double uneven = hurry_of_masses(in.bodies.mass[pair.body_a].inverse, in.bodies.mass[pair.body_b].inverse);
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
      contact::CachedPoint& point = pair.points[i];
      point.impulse = batch.points[i].impulse[lane];
      point.total = static_cast<double>(batch.points[i].total[lane]) + static_cast<double>(point.impulse);
      const double rate = learning_rate(point, size, uneven, in.dt, options.soft.load_time_constant);
      point.learned_load = batch.points[i].learned_load[lane];
      point.learned_load += static_cast<float>(rate) * (point.impulse - point.learned_load);
      const Vec3 along = point.total * pair.normal;
      impulse = impulse + along;
      moment_a = moment_a + cross(point.middle - xa, along);
      moment_b = moment_b + cross(point.middle - xb, along);
    }
    if (const std::int32_t row = batch.write_a[lane]; row >= 0) {
      Outcome& o = s.outcome[static_cast<std::size_t>(row)];
      o.impulse = o.impulse - impulse;
      o.moment = o.moment - moment_a;
    }
    if (const std::int32_t row = batch.write_b[lane]; row >= 0) {
      Outcome& o = s.outcome[static_cast<std::size_t>(row)];
      o.impulse = o.impulse + impulse;
      o.moment = o.moment + moment_b;
    }
  }
}

rigid::Motion solved_motion(const In& in, BodySlot body, const Outcome& outcome, const SoftBody& solved, int substeps) {
  const rigid::Motion& m = in.bodies.motion[body];
  const rigid::Mass& mass = in.bodies.mass[body];
  const rigid::Info& info = in.bodies.info[body];
  const rigid::Free& free = in.free[body];
  rigid::Motion next;
  const float* d = solved.displacement;
  next.x = m.x + Vec3{d[0], d[1], d[2]};
  Vec3 turn{d[3], d[4], d[5]};
  if (free.spins) {
    // The substeps turned with a spin that changes evenly; the free turn knows better.
    const Vec3 even = in.dt * (m.w + (substeps + 1) / (2.0 * substeps) * (free.w - m.w));
    turn = turn + (math::rotation_vector(free.q * math::conjugate(m.q)) - even);
  }
  next.q = math::normalized(math::rotation_by(turn) * m.q);
  next.v = rigid::unlocked(free.v + mass.inverse * outcome.impulse, info.locked_translation);
  const Vec3 momentum = free.momentum + rigid::unlocked(outcome.moment, info.locked_rotation);
  // Where contacts hold a body that would turn far, its turn and its momentum do not go together: with the momentum
  // kept a thin body could get any spin. Then it is the spin as the body sees it that is kept, and its energy; about
  // axes of the world that are locked, the energy alone.
  const Vec3 spin = rigid::spin_of(in.rotation[body], momentum, mass, info);
  const double energy = 0.5 * dot(spin, momentum);
  if (mass.turn_locked) {
    next.w = rigid::spin_within(next.q, momentum, mass, info, energy);
    return next;
  }
  const Mat3 turned_by = math::matrix(next.q);
  next.w = rigid::turned(turned_by, mass.inverse_inertia, momentum);
  if (dot(next.w, momentum) > max_growth * 2 * energy) next.w = turned_by * in.rotation[body].back(spin);
  return next;
}

}  // namespace carom::soft
