#include "response/soft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.hpp"
#include "core/stage_timer.hpp"
#include "response/colours.hpp"

namespace carom::soft {
namespace {

using detail::Mat3;
using detail::Vec3;
using kernels::soft_no_gap;
using kernels::soft_points;
using kernels::SoftBatch;
using kernels::SoftBody;
using kernels::SoftMass;
using rigid::Pair;

constexpr auto soft_lanes = static_cast<std::uint32_t>(kernels::soft_lanes);

/// Work of a block: large against taking it, small against waiting for the last.
constexpr std::uint32_t batches_of_block = 8;
constexpr std::uint32_t bodies_of_block = 256;

/// Best for a chain of some thirty bodies (Young's formula); shorter ones take it as well, longer ones need more
/// rounds.
constexpr float settle_over = 1.8F;

enum What { prepare, warm_start, settle, learn, push, push_again, relax, bounce, finish, next_velocity, move };

/// A spring with a damper as a constraint with the implicit step h built in (Catto 2011): the impulse is
/// -mass_scale m (v + bias_rate gap) - impulse_scale (impulse so far).
struct Softness {
  float bias_rate;
  float mass_scale;
  float impulse_scale;

  Softness(double hertz, double damping, double h) {
    const double omega = 2 * std::numbers::pi * hertz;
    const double a1 = 2 * damping + h * omega;
    const double a2 = h * omega * a1;
    const double a3 = 1 / (1 + a2);
    bias_rate = static_cast<float>(omega / a1);
    mass_scale = static_cast<float>(a2 * a3);
    impulse_scale = static_cast<float>(a3);
  }
};

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

/// Inverse inertia in the world, without what is locked.
void inverse_inertia(const Mat3& r, const Vec3& diagonal, const std::array<bool, 3>& locked, float* to) {
  const auto entry = [&](double Vec3::*i, double Vec3::*j) {
    return r.x.*i * diagonal.x * (r.x.*j) + r.y.*i * diagonal.y * (r.y.*j) + r.z.*i * diagonal.z * (r.z.*j);
  };
  double Vec3::*const axis[3] = {&Vec3::x, &Vec3::y, &Vec3::z};
  int k = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const bool held = locked[static_cast<std::size_t>(i)] || locked[static_cast<std::size_t>(j)];
      to[k++] = held ? 0.0F : static_cast<float>(entry(axis[i], axis[j]));
    }
  }
  to[6] = 0;
  to[7] = 0;
}

/// Rows for the bodies in contact; the last row is for lanes without a contact.
void make_rows(Context& context, const In& in, double h, Scratch& s) {
  const std::size_t count = in.bodies.size();
  s.row.assign(count, -1);
  s.rows.clear();
  s.body_a.resize(in.touching.size());
  s.body_b.resize(in.touching.size());
  const auto row_of = [&](std::int32_t body) {
    std::int32_t& row = s.row[static_cast<std::size_t>(body)];
    if (row < 0) {
      row = static_cast<std::int32_t>(s.rows.size());
      s.rows.push_back(body);
    }
  };
  const auto movable = [&](std::int32_t body) {
    return in.bodies.mass[static_cast<std::size_t>(body)].inverse > 0 &&
                   in.bodies.asleep[static_cast<std::size_t>(body)] == 0
               ? s.row[static_cast<std::size_t>(body)]
               : -1;
  };
  for (std::size_t i = 0; i < in.touching.size(); ++i) {
    const response::Touch& touch = in.touches[i];
    row_of(touch.body_a);
    row_of(touch.body_b);
    s.body_a[i] = movable(touch.body_a);
    s.body_b[i] = movable(touch.body_b);
  }
  const std::size_t rows = s.rows.size() + 1;
  s.bodies.resize(rows);
  s.begin.resize(rows);
  s.masses.resize(rows);
  s.outcome.assign(rows, {});
  parallel_for(context.workers, rows - 1, bodies_of_block, [&](std::size_t r) {
    const auto body = static_cast<std::size_t>(s.rows[r]);
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
    if (mass.inverse == 0 || asleep) return;
    const rigid::Info& info = in.bodies.info[body];
    for (std::size_t k = 0; k < 3; ++k)
      out.inverse_mass[k] = info.locked_translation[k] ? 0.0F : static_cast<float>(mass.inverse);
    inverse_inertia(in.rotation[body], mass.inverse_inertia, info.locked_rotation, out.inverse_inertia);
  });
  put(s.begin.back().velocity, {}, {});
  put(s.bodies.back().velocity, {}, {});
  put(s.bodies.back().displacement, {}, {});
  s.masses.back() = {};
}

/// Places contacts in batches: colour by colour, those with more points first. `begins` of each colour is in `counts`
/// afterwards, as batches.
void place_contacts(const In& in, Scratch& s, std::vector<Scratch::Loop>& colour_loops) {
  colours::assign(s.body_a, s.body_b, s.rows.size() + 1, s.used, s.colour);
  constexpr std::size_t classes = soft_points + 1;
  s.counts.assign((colours::most + 1) * classes, 0);
  const auto class_of = [&](std::size_t i) {
    return static_cast<std::size_t>(s.colour[i]) * classes +
           (soft_points - static_cast<std::size_t>(in.touches[i].count));
  };
  for (std::size_t i = 0; i < in.touching.size(); ++i) ++s.counts[class_of(i)];
  std::uint32_t lane = 0;
  colour_loops.clear();
  for (std::size_t c = 0; c < colours::most; ++c) {
    const std::uint32_t first = lane;
    for (std::size_t k = 0; k < classes; ++k) {
      const std::uint32_t n = s.counts[c * classes + k];
      s.counts[c * classes + k] = lane;
      lane += n;
    }
    if (lane == first) continue;
    lane = (lane + soft_lanes - 1) / soft_lanes * soft_lanes;
    colour_loops.push_back({0, first / soft_lanes, lane / soft_lanes});
  }
  // What has no colour gets a batch of its own each, one after the other.
  const std::uint32_t first_single = lane / soft_lanes;
  std::uint32_t singles = 0;
  s.place.resize(in.touching.size());
  for (std::size_t i = 0; i < in.touching.size(); ++i) {
    if (s.colour[i] == colours::leftover) {
      s.place[i] = (first_single + singles++) * soft_lanes;
    } else {
      s.place[i] = s.counts[class_of(i)]++;
    }
  }
  if (singles > 0) colour_loops.push_back({1, first_single, first_single + singles});
  const std::size_t batches = first_single + singles;
  s.batches.resize(batches);
  s.lanes.resize(batches);
  for (auto& lanes : s.lanes) std::fill(std::begin(lanes.pair), std::end(lanes.pair), -1);
  for (std::size_t i = 0; i < in.touching.size(); ++i) {
    s.lanes[s.place[i] / soft_lanes].pair[s.place[i] % soft_lanes] = static_cast<std::int32_t>(i);
  }
}

Vec3 centre_of(const Pair& pair) {
  Vec3 sum;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) sum = sum + pair.points[i].middle;
  return 1.0 / pair.count * sum;
}

void fill_unused(SoftBatch& batch, std::size_t lane, std::int32_t no_row) {
  batch.a[lane] = no_row;
  batch.b[lane] = no_row;
  batch.write_a[lane] = -1;
  batch.write_b[lane] = -1;
  for (auto* v : {batch.normal, batch.arm_a, batch.arm_b, batch.rub}) put_lane(v, lane, {});
  batch.friction[lane] = 0;
  batch.restitution[lane] = 0;
  batch.bias_rate[lane] = 0;
  batch.mass_scale[lane] = 0;
  batch.impulse_scale[lane] = 0;
  batch.twist_impulse[lane] = 0;
}

void fill_no_point(kernels::SoftPoint& p, std::size_t lane) {
  put_lane(p.arm_a, lane, {});
  put_lane(p.arm_b, lane, {});
  p.gap[lane] = soft_no_gap;
  p.lever[lane] = 0;
  p.impulse[lane] = 0;
  p.reference[lane] = 0;
  p.approach[lane] = 0;
}

/// The pairs of a batch that is next.
void ask_for_batch(const In& in, std::span<const Pair> pairs, const Scratch& s, std::size_t index) {
  if (index >= s.lanes.size()) return;
  for (const std::int32_t contact : s.lanes[index].pair) {
    if (contact < 0) continue;
    const response::Touch& touch = in.touches[static_cast<std::size_t>(contact)];
    ask_for(pairs[static_cast<std::size_t>(touch.pair)], touch.count);
  }
}

struct Fill {
  const In& in;
  std::span<Pair> pairs;
  Scratch& s;
  Softness moving;  ///< between two bodies that move
  Softness still;   ///< against one that does not
  float bounce_speed = 0;

  void operator()(std::uint32_t index) const {
    ask_for_batch(in, pairs, s, index + 1);
    SoftBatch& batch = s.batches[index];
    batch.point_count = 0;
    batch.bounces = 0;
    for (std::size_t lane = 0; lane < soft_lanes; ++lane) {
      const std::int32_t contact = s.lanes[index].pair[lane];
      if (contact >= 0) {
        batch.point_count = std::max(batch.point_count, in.touches[static_cast<std::size_t>(contact)].count);
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
      fill_contact(batch, lane, static_cast<std::size_t>(contact));
    }
  }

  void fill_contact(SoftBatch& batch, std::size_t lane, std::size_t contact) const {
    Pair& pair = pairs[static_cast<std::size_t>(in.touching[contact])];
    const auto a = static_cast<std::size_t>(pair.body_a);
    const auto b = static_cast<std::size_t>(pair.body_b);
    const rigid::Motion& ma = in.bodies.motion[a];
    const rigid::Motion& mb = in.bodies.motion[b];
    batch.a[lane] = s.row[a];
    batch.b[lane] = s.row[b];
    batch.write_a[lane] = s.body_a[contact];
    batch.write_b[lane] = s.body_b[contact];
    const Softness& softness = s.body_a[contact] < 0 || s.body_b[contact] < 0 ? still : moving;
    batch.bias_rate[lane] = softness.bias_rate;
    batch.mass_scale[lane] = softness.mass_scale;
    batch.impulse_scale[lane] = softness.impulse_scale;
    batch.friction[lane] = pair.friction;
    batch.restitution[lane] = pair.restitution;
    put_lane(batch.normal, lane, pair.normal);
    const Vec3 centre = centre_of(pair);
    put_lane(batch.arm_a, lane, centre - ma.x);
    put_lane(batch.arm_b, lane, centre - mb.x);
    put_lane(batch.rub, lane, pair.rub);
    batch.twist_impulse[lane] = pair.twist;
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch.point_count); ++i) {
      kernels::SoftPoint& p = batch.points[i];
      if (i >= static_cast<std::size_t>(pair.count)) {
        fill_no_point(p, lane);
        continue;
      }
      rigid::PairPoint& point = pair.points[i];
      const Vec3 arm_a = point.middle - ma.x;
      const Vec3 arm_b = point.middle - mb.x;
      put_lane(p.arm_a, lane, arm_a);
      put_lane(p.arm_b, lane, arm_b);
      p.gap[lane] = static_cast<float>(point.distance);
      const Vec3 from_centre = point.middle - centre;
      p.lever[lane] = static_cast<float>(std::sqrt(dot(from_centre, from_centre)));
      p.impulse[lane] = point.impulse;
      p.reference[lane] = point.reference;
      point.speed = dot(pair.normal, mb.v + cross(mb.w, arm_b) - ma.v - cross(ma.w, arm_a));
      p.approach[lane] = static_cast<float>(point.speed);
      if (pair.restitution > 0 && p.approach[lane] < -bounce_speed) batch.bounces = 1;
    }
  }
};

/// Impulses back to the pairs, and their sums to the bodies.
void finish_batch(const In& in, const RigidOptions& options, std::span<Pair> pairs, Scratch& s, std::uint32_t index) {
  ask_for_batch(in, pairs, s, index + 1);
  const SoftBatch& batch = s.batches[index];
  for (std::size_t lane = 0; lane < soft_lanes; ++lane) {
    const std::int32_t contact = s.lanes[index].pair[lane];
    if (contact < 0) continue;
    Pair& pair = pairs[static_cast<std::size_t>(in.touching[static_cast<std::size_t>(contact)])];
    const Vec3& xa = in.bodies.motion[static_cast<std::size_t>(pair.body_a)].x;
    const Vec3& xb = in.bodies.motion[static_cast<std::size_t>(pair.body_b)].x;
    const auto tangent = [&](const kernels::SoftLane* t) { return Vec3{t[0][lane], t[1][lane], t[2][lane]}; };
    const Vec3 t1 = tangent(batch.rub);
    const Vec3 t2 = tangent(batch.tangent);
    pair.rub =
        static_cast<double>(batch.rub_impulse[0][lane]) * t1 + static_cast<double>(batch.rub_impulse[1][lane]) * t2;
    pair.twist = batch.twist_impulse[lane];
    Vec3 impulse = pair.rub + static_cast<double>(batch.rub_total[0][lane]) * t1 +
                   static_cast<double>(batch.rub_total[1][lane]) * t2;
    const Vec3 centre = centre_of(pair);
    const Vec3 twist = (static_cast<double>(batch.twist_total[lane]) + static_cast<double>(pair.twist)) * pair.normal;
    Vec3 moment_a = cross(centre - xa, impulse) + twist;
    Vec3 moment_b = cross(centre - xb, impulse) + twist;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
      rigid::PairPoint& point = pair.points[i];
      point.impulse = batch.points[i].impulse[lane];
      point.total = static_cast<double>(batch.points[i].total[lane]) + static_cast<double>(point.impulse);
      const double rate = std::min(1.0, in.dt / options.load_memory);
      point.reference = batch.points[i].reference[lane];
      point.reference += static_cast<float>(rate) * (point.impulse - point.reference);
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

/// The impulses of the last substep, once more: what contacts did to a body is the change of its velocity over that
/// substep, so no contact need be looked at.
void continue_velocity(SoftBody& body, SoftBody& begin) {
  for (int k = 0; k < 8; ++k) {
    const float now = body.velocity[k];
    body.velocity[k] = now + (now - begin.velocity[k]);
    begin.velocity[k] = now;
  }
}

/// What settling found is the load to begin with.
void learn_load(SoftBatch& batch) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.point_count); ++i) {
    std::copy(std::begin(batch.points[i].impulse), std::end(batch.points[i].impulse), batch.points[i].reference);
  }
}

/// More than half of the points have just begun, and not by an impact.
bool mostly_new(const In& in, std::span<const Pair> pairs, double resting_speed) {
  std::size_t fresh = 0;
  std::size_t all = 0;
  for (const response::Touch& touch : in.touches) all += static_cast<std::size_t>(touch.count);
  if (2 * in.fresh_points <= all) return false;
  for (const std::int32_t t : in.touching) {
    const Pair& pair = pairs[static_cast<std::size_t>(t)];
    const rigid::Motion& a = in.bodies.motion[static_cast<std::size_t>(pair.body_a)];
    const rigid::Motion& b = in.bodies.motion[static_cast<std::size_t>(pair.body_b)];
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
      if (pair.points[i].age > 0) continue;
      const Vec3& p = pair.points[i].middle;
      const double speed = dot(pair.normal, b.v + cross(b.w, p - b.x) - a.v - cross(a.w, p - a.x));
      fresh += std::abs(speed) < resting_speed ? 1 : 0;
    }
  }
  return 2 * fresh > all;
}

void add_loop(Scratch& s, int what, std::uint32_t begin, std::uint32_t end, std::uint32_t grain) {
  if (begin == end) return;
  s.loops.push_back({what, begin, end});
  s.blocks.push_back(static_cast<std::uint32_t>(chunk_count(end - begin, grain)));
}

void add_colours(Scratch& s, int what, std::span<const Scratch::Loop> colour_loops) {
  for (const Scratch::Loop& c : colour_loops) {
    // What has no colour is one block: its batches may share bodies.
    add_loop(s, what, c.begin, c.end, c.what == 0 ? batches_of_block : c.end - c.begin);
  }
}

/// Of the energy of the spin in a step without impulses: less is the error of a turn, more is none.
constexpr double most_growth = 1.05;

/// The new motion of a body that has contacts.
rigid::Motion solved_motion(const In& in, std::size_t body, const Outcome& outcome, const SoftBody& solved,
                            int substeps) {
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
    turn = turn + (detail::rotation_vector(free.q * detail::conjugate(m.q)) - even);
  }
  next.q = detail::normalized(detail::rotation_by(turn) * m.q);
  next.v = rigid::unlocked(free.v + mass.inverse * outcome.impulse, info.locked_translation);
  if (mass.locked) {
    const float* w = solved.velocity;
    next.w = rigid::unlocked({w[3], w[4], w[5]}, info.locked_rotation);
  } else {
    const Vec3 momentum = free.momentum + outcome.moment;
    const Mat3 turned_by = detail::matrix(next.q);
    next.w = rigid::turned(turned_by, mass.inverse_inertia, momentum);
    // Where contacts hold a body that would turn far, its turn and its momentum do not go together: with the momentum
    // kept a thin body could get any spin. Then it is the spin as the body sees it that is kept, and its energy.
    const Vec3 spin = rigid::turned(in.rotation[body], mass.inverse_inertia, momentum);
    if (dot(next.w, momentum) > most_growth * dot(spin, momentum)) next.w = turned_by * in.rotation[body].back(spin);
  }
  return next;
}

}  // namespace

void run(Context& context, const In& in, const RigidOptions& options, std::span<Pair> pairs, Scratch& s,
         const response::Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  const double h = in.dt / options.substeps;
  make_rows(context, in, h, s);
  place_contacts(in, s, s.colour_loops);
  const double hertz = std::min(options.contact_hertz, 0.25 / h);
  const Fill fill{in,
                  pairs,
                  s,
                  Softness(hertz, options.contact_damping, h),
                  Softness(2 * hertz, options.contact_damping, h),
                  static_cast<float>(options.bounce_speed)};
  const kernels::SoftStep step{.h = static_cast<float>(h),
                               .push_speed = static_cast<float>(options.push_speed),
                               .bounce_speed = static_cast<float>(options.bounce_speed),
                               .zone = static_cast<float>(options.contact_zone),
                               .add = 0};
  kernels::SoftStep later = step;  // the first push finds the impulses of the step before
  later.add = 1;
  kernels::SoftStep hurried = step;
  hurried.over = settle_over;

  const int settle_sweeps = mostly_new(in, pairs, options.resting_speed) ? options.settle_sweeps : 0;
  const auto batches = static_cast<std::uint32_t>(s.batches.size());
  const auto rows = static_cast<std::uint32_t>(s.rows.size());
  s.loops.clear();
  s.blocks.clear();
  add_loop(s, prepare, 0, batches, batches_of_block);
  add_colours(s, warm_start, s.colour_loops);
  for (int i = 0; i < settle_sweeps; ++i) add_colours(s, settle, s.colour_loops);
  for (int i = 0; i < options.substeps; ++i) {
    if (i == 0 && settle_sweeps > 0) add_loop(s, learn, 0, batches, batches_of_block);
    if (i > 0) add_loop(s, next_velocity, 0, rows, bodies_of_block);
    add_colours(s, i == 0 ? push : push_again, s.colour_loops);
    add_loop(s, move, 0, rows, bodies_of_block);
    add_colours(s, relax, s.colour_loops);
  }
  add_colours(s, bounce, s.colour_loops);
  add_colours(s, finish, s.colour_loops);

  s.runner.run(context.workers, s.blocks, [&](std::size_t stage, std::uint32_t block) {
    const Scratch::Loop& loop = s.loops[stage];
    const bool of_bodies = loop.what >= next_velocity;
    const std::uint32_t span = s.blocks[stage] == 1 ? loop.end - loop.begin
                               : of_bodies          ? bodies_of_block
                                                    : batches_of_block;
    const std::uint32_t begin = loop.begin + block * span;
    const std::uint32_t end = std::min(begin + span, loop.end);
    SoftBatch* first = s.batches.data() + begin;
    switch (loop.what) {
      case prepare:
        for (std::uint32_t i = begin; i < end; ++i) fill(i);
        return kernels::soft_prepare(first, end - begin, s.masses.data());
      case warm_start:
        return kernels::soft_warm_start(first, end - begin, s.bodies.data());
      case settle:
        return kernels::soft_solve(first, end - begin, s.bodies.data(), hurried, false);
      case learn:
        for (std::uint32_t i = begin; i < end; ++i) learn_load(s.batches[i]);
        return;
      case push:
        return kernels::soft_solve(first, end - begin, s.bodies.data(), step, true);
      case push_again:
        return kernels::soft_solve(first, end - begin, s.bodies.data(), later, true);
      case relax:
        return kernels::soft_solve(first, end - begin, s.bodies.data(), step, false);
      case bounce:
        return kernels::soft_bounce(first, end - begin, s.bodies.data(), step);
      case finish:
        for (std::uint32_t i = begin; i < end; ++i) finish_batch(in, options, pairs, s, i);
        return;
      case next_velocity:
        for (std::uint32_t i = begin; i < end; ++i) continue_velocity(s.bodies[i], s.begin[i]);
        return;
      case move:
        for (std::uint32_t i = begin; i < end; ++i) {
          for (int k = 0; k < 8; ++k) s.bodies[i].displacement[k] += step.h * s.bodies[i].velocity[k];
        }
        return;
      default:
        return;
    }
  });
  parallel_for(context.workers, s.rows.size(), bodies_of_block, [&](std::size_t r) {
    const auto body = static_cast<std::size_t>(s.rows[r]);
    if (in.bodies.mass[body].inverse == 0 || in.bodies.asleep[body] != 0) return;
    out.next[body] = solved_motion(in, body, s.outcome[r], s.bodies[r], options.substeps);
    out.answered[body] = 1;
  });
  stats.in += in.touching.size();
  stats.out += in.touching.size();
  stats.add_counted("colours", s.colour_loops.size());
  stats.add_counted("batches", batches);
}

}  // namespace carom::soft
