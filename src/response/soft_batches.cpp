#include "response/soft_batches.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.hpp"
#include "response/colours.hpp"

namespace carom::soft {
namespace {

using contact::CachedManifold;
using kernels::soft_no_gap;
using kernels::soft_points;
using kernels::SoftBatch;
using kernels::SoftMass;
using math::Mat3;
using math::Vec3;

/// Mass ratio up to which a contact is as stiff as between equal bodies. Beyond it the light body alone sets the
/// stiffness, while what the heavy one hits passes through it into bodies as light: a stiff spring squeezes it out.
constexpr double even_ratio = 40;
/// Lowest frequency of a contact between bodies of uneven mass, as a fraction of that between even ones.
constexpr double softest = 0.5;

constexpr auto soft_lanes = static_cast<std::uint32_t>(kernels::soft_lanes);

void put(float* to, const Vec3& linear, const Vec3& angular) {
  to[0] = static_cast<float>(linear.x);
  to[1] = static_cast<float>(linear.y);
  to[2] = static_cast<float>(linear.z);
  to[3] = static_cast<float>(angular.x);
  to[4] = static_cast<float>(angular.y);
  to[5] = static_cast<float>(angular.z);
  to[6] = 0;
  to[7] = 0;
}

void put_lane(kernels::SoftLane* to, std::size_t lane, const Vec3& v) {
  to[0][lane] = static_cast<float>(v.x);
  to[1][lane] = static_cast<float>(v.y);
  to[2][lane] = static_cast<float>(v.z);
}

/// Inverse inertia in the world, about the free axes.
void put_inverse_inertia(const Mat3& r, const rigid::Mass& mass, const rigid::Info& info, float* to) {
  const Vec3& diagonal = mass.inverse_inertia;
  const Mat3 about_free = mass.turn_locked ? rigid::inverse_inertia(r, mass, info) : Mat3{};
  const Vec3* const column[3] = {&about_free.x, &about_free.y, &about_free.z};
  const auto entry = [&](double Vec3::*i, double Vec3::*j) {
    return r.x.*i * diagonal.x * (r.x.*j) + r.y.*i * diagonal.y * (r.y.*j) + r.z.*i * diagonal.z * (r.z.*j);
  };
  double Vec3::*const axis[3] = {&Vec3::x, &Vec3::y, &Vec3::z};
  int k = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j)
      to[k++] = static_cast<float>(mass.turn_locked ? column[j]->*axis[i] : entry(axis[i], axis[j]));
  }
  to[6] = 0;
  to[7] = 0;
}

}  // namespace

Softness::Softness(double hertz, double damping, double h) {
  const double omega = 2 * std::numbers::pi * hertz;
  const double a1 = 2 * damping + h * omega;
  const double a2 = h * omega * a1;
  const double a3 = 1 / (1 + a2);
  bias_rate = static_cast<float>(omega / a1);
  mass_scale = static_cast<float>(a2 * a3);
  impulse_scale = static_cast<float>(a3);
}

void make_rows(Context& context, const In& in, double h, Scratch& s) {
  const std::size_t count = in.bodies.size();
  s.row.assign(count, -1);
  s.rows.clear();
  s.row_a.resize(in.active_indices.size());
  s.row_b.resize(in.active_indices.size());
  const auto row_of = [&](BodySlot body) {
    std::int32_t& row = s.row[body];
    if (row < 0) {
      row = static_cast<std::int32_t>(s.rows.size());
      s.rows.push_back(body);
    }
  };
  const auto movable = [&](BodySlot body) {
    return in.bodies.mass[body].inverse > 0 && in.bodies.asleep[body] == 0 ? s.row[body] : -1;
  };
  for (std::size_t i = 0; i < in.active_indices.size(); ++i) {
    const contact::ActivePair& touch = in.active_pairs[i];
    row_of(touch.body_a);
    row_of(touch.body_b);
    s.row_a[i] = movable(touch.body_a);
    s.row_b[i] = movable(touch.body_b);
  }
  if (in.coupling != nullptr) {
    for (const contact::CoupledBody& coupled : in.coupling->state.bodies) row_of(coupled.body);
  }
  const std::size_t rows = s.rows.size() + 1;
  s.bodies.resize(rows);
  s.begin.resize(rows);
  s.masses.resize(rows);
  s.outcome.assign(rows, {});
  parallel_for(context.workers, rows - 1, bodies_of_block, [&](std::size_t r) {
    const BodySlot body = s.rows[r];
    const rigid::Motion& m = in.bodies.motion[body];
    const rigid::Free& free = in.free[body];
    const rigid::Mass& mass = in.bodies.mass[body];
    const bool asleep = in.bodies.asleep[body] != 0;
    const double part = h / in.dt;
    put(s.begin[r].velocity, m.v, m.w);
    put(s.bodies[r].velocity, m.v + part * (free.v - m.v), m.w + part * (free.w - m.w));
    if (mass.inverse == 0 || asleep) put(s.bodies[r].velocity, m.v, m.w);
    put(s.bodies[r].displacement, {}, {});
    SoftMass& out = s.masses[r];
    out = {};
    const rigid::Info& info = in.bodies.info[body];
    out.reach = static_cast<float>(info.reach);
    if (mass.inverse == 0 || asleep) return;
    for (std::size_t k = 0; k < 3; ++k)
      out.inverse_mass[k] = info.locked_translation[k] ? 0.0F : static_cast<float>(mass.inverse);
    put_inverse_inertia(in.rotation[body], mass, info, out.inverse_inertia);
  });
  put(s.begin.back().velocity, {}, {});
  put(s.bodies.back().velocity, {}, {});
  put(s.bodies.back().displacement, {}, {});
  s.masses.back() = {};
}

void place_contacts(const In& in, Scratch& s) {
  colours::assign(s.row_a, s.row_b, s.rows.size() + 1, s.used, s.colour);
  constexpr std::size_t classes = soft_points + 1;
  s.counts.assign((colours::max_colours + 1) * classes, 0);
  const auto class_of = [&](std::size_t i) {
    return static_cast<std::size_t>(s.colour[i]) * classes +
           (soft_points - static_cast<std::size_t>(in.active_pairs[i].count));
  };
  for (std::size_t i = 0; i < in.active_indices.size(); ++i) ++s.counts[class_of(i)];
  std::uint32_t lane = 0;
  s.runs.clear();
  s.colours = 0;
  // Colours of few batches are one block together, in their order: threads that wait for each other after each of them
  // would take longer than the work.
  const auto add_run = [&](std::uint32_t begin, std::uint32_t end, bool one_block) {
    if (one_block && !s.runs.empty() && s.runs.back().one_block) {
      s.runs.back().end = end;
    } else {
      s.runs.push_back({begin, end, one_block});
    }
  };
  for (std::size_t c = 0; c < colours::max_colours; ++c) {
    const std::uint32_t first = lane;
    for (std::size_t k = 0; k < classes; ++k) {
      const std::uint32_t n = s.counts[c * classes + k];
      s.counts[c * classes + k] = lane;
      lane += n;
    }
    if (lane == first) continue;
    lane = (lane + soft_lanes - 1) / soft_lanes * soft_lanes;
    ++s.colours;
    add_run(first / soft_lanes, lane / soft_lanes, lane - first <= batches_of_block * soft_lanes);
  }
  // A contact without a colour gets a batch of its own.
  const std::uint32_t first_single = lane / soft_lanes;
  std::uint32_t singles = 0;
  s.place.resize(in.active_indices.size());
  for (std::size_t i = 0; i < in.active_indices.size(); ++i) {
    if (s.colour[i] == colours::leftover) {
      s.place[i] = (first_single + singles++) * soft_lanes;
    } else {
      s.place[i] = s.counts[class_of(i)]++;
    }
  }
  if (singles > 0) add_run(first_single, first_single + singles, true);
  const std::size_t batches = first_single + singles;
  s.batches.resize(batches);
  s.lanes.resize(batches);
  s.bounces.resize(batches);
  for (auto& lanes : s.lanes) std::fill(std::begin(lanes.pair), std::end(lanes.pair), -1);
  for (std::size_t i = 0; i < in.active_indices.size(); ++i) {
    s.lanes[s.place[i] / soft_lanes].pair[s.place[i] % soft_lanes] = static_cast<std::int32_t>(i);
  }
}

Vec3 centre_of(const CachedManifold& pair) {
  Vec3 sum;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) sum = sum + pair.points[i].middle;
  return 1.0 / pair.count * sum;
}

namespace {

void fill_unused(SoftBatch& batch, std::size_t lane, std::int32_t no_row) {
  batch.a[lane] = no_row;
  batch.b[lane] = no_row;
  batch.write_a[lane] = -1;
  batch.write_b[lane] = -1;
  for (auto* v : {batch.normal, batch.arm_a, batch.arm_b, batch.first_tangent}) put_lane(v, lane, {});
  batch.friction[lane] = 0;
  batch.restitution[lane] = 0;
  batch.pull[lane] = 0;
  batch.bias_rate[lane] = 0;
  batch.mass_scale[lane] = 0;
  batch.impulse_scale[lane] = 0;
  batch.torsion_impulse[lane] = 0;
}

void fill_no_point(kernels::SoftPoint& p, std::size_t lane) {
  put_lane(p.arm_a, lane, {});
  put_lane(p.arm_b, lane, {});
  p.gap[lane] = soft_no_gap;
  p.lever[lane] = 0;
  p.impulse[lane] = 0;
  p.learned_load[lane] = 0;
  p.approach[lane] = 0;
}

}  // namespace

void prefetch_batch(const In& in, ManifoldSpan<const CachedManifold> pairs, const Scratch& s, std::size_t index) {
  if (index >= s.lanes.size()) return;
  for (const std::int32_t contact : s.lanes[index].pair) {
    if (contact < 0) continue;
    const contact::ActivePair& touch = in.active_pairs[static_cast<std::size_t>(contact)];
    prefetch_pair(pairs[touch.pair], touch.count);
  }
}

void Fill::operator()(std::uint32_t index) const {
  prefetch_batch(in, pairs, s, index + 2);
  SoftBatch& batch = s.batches[index];
  batch.point_count = 0;
  s.bounces[index] = 0;
  for (std::size_t lane = 0; lane < soft_lanes; ++lane) {
    const std::int32_t contact = s.lanes[index].pair[lane];
    if (contact >= 0) {
      batch.point_count = std::max(batch.point_count, in.active_pairs[static_cast<std::size_t>(contact)].count);
    }
  }
  for (std::size_t lane = 0; lane < soft_lanes; ++lane) {
    const std::int32_t contact = s.lanes[index].pair[lane];
    const auto points = static_cast<std::size_t>(batch.point_count);
    if (contact < 0) {
      fill_unused(batch, lane, static_cast<std::int32_t>(s.rows.size()));
      for (std::size_t i = 0; i < points; ++i) fill_no_point(batch.points[i], lane);
      continue;
    }
    if (fill_contact(batch, lane, static_cast<std::size_t>(contact))) s.bounces[index] = 1;
  }
}

Softness Fill::softness_of(std::size_t contact, const CachedManifold& pair) const {
  if (s.row_a[contact] < 0 || s.row_b[contact] < 0) return still;
  const double a = in.bodies.mass[pair.body_a].inverse;
  const double b = in.bodies.mass[pair.body_b].inverse;
  const double light = std::max(a, b);
  const double heavy = std::min(a, b);
  if (light <= even_ratio * heavy) return moving;
  return {std::max(softest, even_ratio * heavy / light) * hertz, damping, h};
}

namespace {

/// m/s^2, by which forces bring the bodies of a pair together.
double pull_of(const response::In& in, const CachedManifold& pair) {
  const auto gained_by = [&](BodySlot body) {
    const BodySlot i = body;
    const bool moves = in.bodies.mass[i].inverse > 0 && in.bodies.asleep[i] == 0;
    return moves ? in.free[i].v - in.bodies.motion[i].v : Vec3{};
  };
  return -dot(pair.normal, gained_by(pair.body_b) - gained_by(pair.body_a)) / in.dt;
}

/// m^2/s^2, by which the square of the closing speed of a pair grows until it touches.
double fall_to_impact(const CachedManifold& pair, double pull) {
  double gap = INFINITY;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) gap = std::min(gap, pair.points[i].distance);
  return 2 * pull * std::max(gap, 0.0);
}

/// m/s along the normal at the impact, of a point that begins the step with `speed`; below 0 where it closes.
double impact_speed(double speed, double fall) {
  if (!(speed < 0)) return speed;
  return -std::sqrt(std::max(0.0, speed * speed + fall));
}

}  // namespace

bool Fill::fill_contact(SoftBatch& batch, std::size_t lane, std::size_t contact) const {
  CachedManifold& pair = pairs[in.active_indices[contact]];
  const BodySlot a = pair.body_a;
  const BodySlot b = pair.body_b;
  const rigid::Motion& ma = in.bodies.motion[a];
  const rigid::Motion& mb = in.bodies.motion[b];
  batch.a[lane] = s.row[a];
  batch.b[lane] = s.row[b];
  batch.write_a[lane] = s.row_a[contact];
  batch.write_b[lane] = s.row_b[contact];
  const Softness softness = softness_of(contact, pair);
  batch.bias_rate[lane] = softness.bias_rate;
  batch.mass_scale[lane] = softness.mass_scale;
  batch.impulse_scale[lane] = softness.impulse_scale;
  batch.friction[lane] = pair.friction;
  batch.restitution[lane] = pair.restitution;
  put_lane(batch.normal, lane, pair.normal);
  const Vec3 centre = centre_of(pair);
  put_lane(batch.arm_a, lane, centre - ma.x);
  put_lane(batch.arm_b, lane, centre - mb.x);
  put_lane(batch.first_tangent, lane, pair.friction_impulse);
  batch.torsion_impulse[lane] = pair.torsion_impulse;
  const double pull = pair.restitution > 0 ? pull_of(in, pair) : 0;
  const double fall = fall_to_impact(pair, pull);
  batch.pull[lane] = static_cast<float>(std::max(pull, 0.0));
  bool bounces = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.point_count); ++i) {
    kernels::SoftPoint& p = batch.points[i];
    if (i >= static_cast<std::size_t>(pair.count)) {
      fill_no_point(p, lane);
      continue;
    }
    contact::CachedPoint& point = pair.points[i];
    const Vec3 arm_a = point.middle - ma.x;
    const Vec3 arm_b = point.middle - mb.x;
    put_lane(p.arm_a, lane, arm_a);
    put_lane(p.arm_b, lane, arm_b);
    p.gap[lane] = static_cast<float>(point.distance);
    const Vec3 from_centre = point.middle - centre;
    p.lever[lane] = static_cast<float>(std::sqrt(dot(from_centre, from_centre)));
    p.impulse[lane] = point.impulse;
    p.learned_load[lane] = point.learned_load;
    point.speed = dot(pair.normal, mb.v + cross(mb.w, arm_b) - ma.v - cross(ma.w, arm_a));
    p.approach[lane] = static_cast<float>(impact_speed(point.speed, fall));
    bounces = bounces || (pair.restitution > 0 && p.approach[lane] < -bounce_speed);
  }
  return bounces;
}

}  // namespace carom::soft
