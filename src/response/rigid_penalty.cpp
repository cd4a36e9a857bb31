#include "response/rigid_penalty.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/stage_timer.hpp"
#include "response/penalty_springs.hpp"
#include "shapes/support.hpp"

namespace carom::rigid_penalty {
namespace {

using contacts::Contact;
using contacts::Island;
using contacts::Point;
using contacts::System;

constexpr std::size_t body_grain = 16;

/// N m s, angular, at the beginning of the step, about the free axes.
Vec3 momentum_of(const response::In& in, BodySlot i) {
  const Vec3 all = rigid::turned(in.rotation[i], in.bodies.mass[i].inertia, in.bodies.motion[i].w);
  return rigid::unlocked(all, in.bodies.info[i].locked_rotation);
}

void start_bodies(const response::In& in, const System& s, BySlot<Moving>& moving) {
  moving.resize(in.bodies.size());
  for (const Point& p : s.points) {
    for (const BodySlot body : {p.a, p.b}) {
      const BodySlot i = body;
      Moving& m = moving[i];
      m = {};
      m.start = m.x = in.bodies.motion[i].x;
      m.q = in.bodies.motion[i].q;
      m.measured = m.q;
      m.v = s.bodies[i].v;
      m.w = s.bodies[i].w;
      if (s.bodies[i].moves) m.momentum = momentum_of(in, i);
    }
  }
}

using Six = Eigen::Matrix<double, 6, 6>;

/// Largest eigenvalue of M^-1 sum, where both are symmetric and M^-1 is given by the body.
double largest(const contacts::Body& body, const Six& sum) {
  // M^-1/2 sum M^-1/2 has the same, and is symmetric.
  const auto columns = [](const Mat3& m) {
    Eigen::Matrix3d r;
    r << math::to_eigen(m.x), math::to_eigen(m.y), math::to_eigen(m.z);
    return r;
  };
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> turns(columns(body.inverse_inertia));
  Six root = Six::Zero();
  root.topLeftCorner<3, 3>().diagonal() = math::to_eigen(body.inverse_mass).cwiseSqrt();
  root.bottomRightCorner<3, 3>() = turns.eigenvectors() * turns.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
                                   turns.eigenvectors().transpose();
  const Six product = root * sum * root;
  return std::max(0.0, Eigen::SelfAdjointEigenSolver<Six>(product, Eigen::EigenvaluesOnly).eigenvalues()(5));
}

void add_point(Six& sum, const Vec3& along, const Vec3& arm) {
  Eigen::Matrix<double, 6, 1> j;
  j << math::to_eigen(along), math::to_eigen(cross(arm, along));
  sum += j * j.transpose();
}

/// How far each body gives way to its points.
void measure_bodies(const System& s, Scratch& scratch) {
  scratch.sums.resize(s.bodies.size());
  for (const BodySlot body : s.touched) {
    scratch.sums[body].all.setZero();
    scratch.sums[body].normals.setZero();
  }
  for (const Point& p : s.points) {
    const auto add = [&](BodySlot body, bool of_a) {
      if (!s.bodies[body].moves) return;
      const contacts::Row* const rows[3] = {&p.normal, &p.tangent[0], &p.tangent[1]};
      for (int k = 0; k < 3; ++k) {
        Eigen::Matrix<double, 6, 1> j;
        j << math::to_eigen(rows[k]->along), math::to_eigen(of_a ? rows[k]->turn_a : rows[k]->turn_b);
        scratch.sums[body].all += j * j.transpose();
        if (k == 0) scratch.sums[body].normals += j * j.transpose();
      }
    };
    add(p.a, true);
    add(p.b, false);
  }
}

/// Two bodies that meet, within the step.
struct TouchingBodies {
  Moving& a;
  Moving& b;
  bool a_moves;
  bool b_moves;
  Vec3 xa;  ///< m, centres of mass at the beginning of a substep
  Vec3 xb;
};

TouchingBodies touching_bodies(const System& s, const Contact& c, double time, Scratch& scratch) {
  const Point& first = s.points[c.first];
  Moving& a = scratch.moving[first.a];
  Moving& b = scratch.moving[first.b];
  const bool a_moves = s.bodies[first.a].moves;
  const bool b_moves = s.bodies[first.b].moves;
  // A body that no force moves is shared by islands: its pose is computed, not advanced.
  return {a, b, a_moves, b_moves, a_moves ? a.x : a.x + time * a.v, b_moves ? b.x : b.x + time * b.v};
}

/// m, from the centre of mass of a body that is turned like this: its point that is farthest along a direction.
Vec3 farthest(const rigid::Collider& collider, const math::Quat& q, const Vec3& along) {
  const Mat3 turn = math::matrix(q);
  const Vec3 own = shapes::support(*collider.core, collider.rotation.back(turn.back(along))).p;
  return turn * (collider.rotation * own + collider.place) + collider.core->radius * along;
}

/// The one of a pair along which its points go: the smaller one.
struct Follower {
  bool is_a;
  const rigid::Collider& collider;
  const math::Quat& begin;  ///< attitude of its body at the beginning of the step
};

Follower follower(const response::In& in, const contact::CachedManifold& pair) {
  const rigid::Collider& a = in.bodies.colliders[pair.collider_a];
  const rigid::Collider& b = in.bodies.colliders[pair.collider_b];
  if (a.size < b.size) return {true, a, in.bodies.motion[pair.body_a].q};
  return {false, b, in.bodies.motion[pair.body_b].q};
}

/// By how much the points of a pair have turned since the beginning of the step, about the centre of mass of the body
/// along which they go. Corners and edges turn with the body. What is round about an axis rolls over its points, which
/// turn with that axis only.
Mat3 turned_points(const Follower& f, const math::Quat& now) {
  const shapes::Core* const core = f.collider.core;
  const math::Quat turn = now * math::conjugate(f.begin);
  if (core == nullptr || core->kind == shapes::CoreKind::point || core->kind == shapes::CoreKind::ellipsoid)
    return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const bool round = core->kind == shapes::CoreKind::cylinder || core->kind == shapes::CoreKind::cone ||
                     (core->kind == shapes::CoreKind::segment && core->radius > 0);
  if (!round) return math::matrix(turn);
  const Vec3 axis = math::matrix(f.begin) * f.collider.rotation.z;
  const Vec3 to = math::matrix(turn) * axis;
  const Vec3 about = cross(axis, to);
  const double w = 1 + dot(axis, to);
  return w > 1e-6 ? math::matrix(math::normalized({w, about.x, about.y, about.z})) : math::matrix(turn);
}

/// Largest distance of a point from the farthest one of a body that touches there alone, as a fraction of its size.
constexpr double off_farthest = 0.01;

/// Finds out whether a pair touches at one point which is what one of its bodies has farthest out.
void begin_to_roll(const TouchingBodies& m, const contact::CachedManifold& pair, const Follower& f,
                   std::span<Spring> springs) {
  const shapes::Core* const core = f.collider.core;
  if (springs.size() != 1 || !(f.is_a ? m.a_moves : m.b_moves)) return;
  if (core == nullptr || core->kind == shapes::CoreKind::half_space) return;
  const Vec3 out = f.is_a ? pair.normal : -1.0 * pair.normal;
  const Moving& body = f.is_a ? m.a : m.b;
  Spring& spring = springs.front();
  spring.beside = pair.points[0].middle - body.start - farthest(f.collider, body.q, out);
  // The middle is half a gap from it.
  spring.rolls = length(spring.beside - (0.5 * spring.gap) * out) < off_farthest * f.collider.size;
}

/// Takes the points of a pair to where its bodies are now, having moved for `h` with the velocities that they have.
/// Where they touch goes along with the smaller one of the two: a ball that slides over a floor touches below its
/// centre. What touches at one point touches there with what it has farthest out as it is turned now; a top whose arm
/// stood still over the step would sink, by its spin times how far it leans over.
/// They are on its surface, and not between the two: a thin body far from the middle of a gap would turn about its own
/// axis with an arm that it does not have.
void follow(const TouchingBodies& m, const contact::CachedManifold& pair, const Follower& f, double h,
            std::span<Spring> springs) {
  const Moving& body = f.is_a ? m.a : m.b;
  const Vec3& x = f.is_a ? m.xa : m.xb;
  const Vec3 out = f.is_a ? pair.normal : -1.0 * pair.normal;
  const Mat3 turn = turned_points(f, body.q);
  for (std::size_t k = 0; k < springs.size(); ++k) {
    Spring& spring = springs[k];
    if (spring.rolls) {
      spring.place = x + farthest(f.collider, body.q, out) + spring.beside;
    } else {
      const Vec3 own = pair.points[k].middle - 0.5 * pair.points[k].distance * out;
      spring.place = x + turn * (own - body.start);
    }
    const Vec3 v = m.b.v + cross(m.b.w, spring.place - m.xb) - m.a.v - cross(m.a.w, spring.place - m.xa);
    spring.opening = dot(pair.normal, v);
    spring.slip = v - spring.opening * pair.normal;
    spring.gap += h * spring.opening;
  }
}

/// Forces of the points of a pair in a substep, onto its two bodies.
void press(const TouchingBodies& m, contact::CachedManifold& pair, double h, std::span<Spring> springs) {
  const Vec3& n = pair.normal;
  double pressed = 0;
  double stiffness = 0;
  Vec3 slip;
  int touching = 0;
  for (Spring& spring : springs) {
    spring.force = 0;
    if (!(spring.gap < spring.rest) || spring.stiffness == 0) continue;
    spring.force = spring_force(spring, h);
    pressed += spring.force;
    stiffness += spring.stiffness;
    slip = slip + spring.slip;
    ++touching;
  }
  if (!(pressed > 0)) {
    pair.friction_impulse = {};
    return;
  }
  // The spring along the surface, as the force that it gave last.
  const double limit = static_cast<double>(pair.friction) * pressed;
  Vec3 drawn = (1 / h) * pair.friction_impulse - (stiffness * h / touching) * slip;
  drawn = drawn - dot(n, drawn) * n;
  const double size = length(drawn);
  if (size > limit) drawn = (limit / size) * drawn;
  pair.friction_impulse = h * drawn;
  for (Spring& spring : springs) {
    if (spring.force == 0) continue;
    spring.total += h * spring.force;
    Vec3 along = (spring.force / pressed) * drawn - spring.drag * spring.slip;
    const double max_value = static_cast<double>(pair.friction) * spring.force;
    const double much = length(along);
    if (much > max_value) along = (max_value / much) * along;
    const Vec3 impulse = h * (spring.force * n + along);
    if (m.a_moves) {
      m.a.impulse = m.a.impulse - impulse;
      m.a.moment = m.a.moment - cross(spring.place - m.xa, impulse);
      m.a.pushed = true;
    }
    if (m.b_moves) {
      m.b.impulse = m.b.impulse + impulse;
      m.b.moment = m.b.moment + cross(spring.place - m.xb, impulse);
      m.b.pushed = true;
    }
  }
}

/// rad, by which a body may have turned since its give was measured: that of a needle a thousand times as long as it is
/// wide has then grown by as much again.
constexpr double turned_much = 1e-3;

bool has_turned(const Moving& m) {
  const math::Quat& p = m.q;
  const math::Quat& q = m.measured;
  const double same = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
  return 1 - same * same > 0.25 * turned_much * turned_much;
}

/// Where bodies of an island have turned, makes the springs softer that have become too stiff for how far bodies now
/// give way: a thin one does so little while it is pushed at its end, along it, and a thousand times as far when it has
/// turned. Never stiffer within a step, which would give energy.
void soften(const response::In& in, const Island& island, ManifoldSpan<contact::CachedManifold> pairs, double time,
            Scratch& scratch) {
  System& s = scratch.system;
  bool any = false;
  const auto members = std::span(s.members).subspan(island.first_body, island.end_body - island.first_body);
  for (const BodySlot body : members) {
    Moving& m = scratch.moving[body];
    m.remeasured = s.bodies[body].moves && has_turned(m);
    any = any || m.remeasured;
    if (m.remeasured) scratch.sums[body].all.setZero();
  }
  if (!any) return;
  const auto contacts = std::span(s.contacts).subspan(island.first_contact, island.end_contact - island.first_contact);
  for (const Contact& c : contacts) {
    const Point& first = s.points[c.first];
    const TouchingBodies m = touching_bodies(s, c, time, scratch);
    const Vec3 directions[3] = {first.normal.along, first.tangent[0].along, first.tangent[1].along};
    for (std::size_t k = 0; k < c.count; ++k) {
      const Vec3& place = scratch.springs[c.first + k].place;
      for (const Vec3& along : directions) {
        if (m.a_moves && m.a.remeasured) add_point(scratch.sums[first.a].all, along, place - m.xa);
        if (m.b_moves && m.b.remeasured) add_point(scratch.sums[first.b].all, along, place - m.xb);
      }
    }
  }
  for (const BodySlot body : members) {
    Moving& m = scratch.moving[body];
    if (!m.remeasured) continue;
    contacts::Body now = s.bodies[body];
    now.inverse_inertia = rigid::inverse_inertia(math::matrix(m.q), in.bodies.mass[body], in.bodies.info[body]);
    m.inverse_effective_mass = largest(now, scratch.sums[body].all);
    m.measured = m.q;
  }
  for (const Contact& c : contacts) {
    const Point& first = s.points[c.first];
    const double inverse_effective_mass =
        scratch.moving[first.a].inverse_effective_mass + scratch.moving[first.b].inverse_effective_mass;
    Spring* const springs = scratch.springs.data() + c.first;
    if (!(inverse_effective_mass > springs->bearable)) continue;
    const double fraction = springs->bearable / inverse_effective_mass;
    contact::CachedManifold& pair = pairs[c.pair];
    pair.friction_impulse = fraction * pair.friction_impulse;
    for (std::size_t k = 0; k < c.count; ++k) {
      springs[k].stiffness *= fraction;
      springs[k].damping *= fraction;
      springs[k].drag *= fraction;
      springs[k].bearable = inverse_effective_mass;
    }
  }
}

void move(const response::In& in, const System& s, BodySlot i, double h, double fraction, Moving& m) {
  const rigid::Mass& mass = in.bodies.mass[i];
  const rigid::Info& info = in.bodies.info[i];
  const contacts::Body& body = s.bodies[i];
  m.v = m.v + fraction * body.free_v + contacts::scaled(body.inverse_mass, m.impulse);
  m.x = m.x + h * m.v;
  const Vec3 moment = rigid::unlocked(m.moment, info.locked_rotation);
  m.momentum = m.momentum + fraction * (in.free[i].momentum - momentum_of(in, i)) + moment;
  const rigid::Turned end = rigid::turn_freely(m.q, m.momentum, mass, info, h);
  m.q = end.q;
  m.w = end.w;
  m.impulse = {};
  m.moment = {};
}

/// Out of what it overlaps, without a velocity.
void shift(const response::In& in, const contacts::Body& body, BodySlot i, Moving& m) {
  const auto none = [](const Vec3& v) { return v.x == 0 && v.y == 0 && v.z == 0; };
  if (none(body.correction_v) && none(body.correction_w)) return;
  m.pushed = true;
  m.x = m.x + in.dt * body.correction_v;
  const math::Quat turn = math::normalized(math::rotation_by(in.dt * body.correction_w));
  rigid::turn_without_velocity(turn, in.bodies.mass[i], in.bodies.info[i], m.q, m.w);
}

}  // namespace

void run(Context& context, const response::In& in, const SolverOptions& options,
         ManifoldSpan<contact::CachedManifold> pairs, Scratch& scratch, const response::Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  System& s = scratch.system;
  contacts::build(context, in, pairs, s);
  start_bodies(in, s, scratch.moving);
  measure_bodies(s, scratch);
  parallel_for(context.workers, s.touched.size(), body_grain, [&](std::size_t k) {
    const BodySlot i = s.touched[k];
    scratch.moving[i].inverse_effective_mass = largest(s.bodies[i], scratch.sums[i].all);
    scratch.moving[i].normal_inverse_effective_mass = largest(s.bodies[i], scratch.sums[i].normals);
  });
  stiffen(in, options, pairs, scratch);
  const int steps = options.penalty.substeps;
  const double h = in.dt / steps;
  parallel_for(context.workers, s.islands.size(), 1, [&](std::size_t k) {
    const Island& island = s.islands[k];
    const auto springs_of = [&](const Contact& c) { return std::span(scratch.springs).subspan(c.first, c.count); };
    const auto follow_to = [&](const Contact& c, int step) {
      const contact::CachedManifold& pair = pairs[c.pair];
      const TouchingBodies m = touching_bodies(s, c, step * h, scratch);
      const Follower f = follower(in, pair);
      if (step == 0) begin_to_roll(m, pair, f, springs_of(c));
      follow(m, pair, f, step == 0 ? 0 : h, springs_of(c));
      return m;
    };
    const auto contacts =
        std::span(s.contacts).subspan(island.first_contact, island.end_contact - island.first_contact);
    for (int step = 0; step < steps; ++step) {
      if (step > 0) soften(in, island, pairs, step * h, scratch);
      for (const Contact& c : contacts) press(follow_to(c, step), pairs[c.pair], h, springs_of(c));
      for (std::uint32_t m = island.first_body; m < island.end_body; ++m) {
        const BodySlot i = s.members[m];
        move(in, s, i, h, 1.0 / steps, scratch.moving[i]);
      }
    }
    const auto points_of = [&](const Contact& c) { return std::span(s.points).subspan(c.first, c.count); };
    for (const Contact& c : contacts) {
      follow_to(c, steps);
      ask_apart(pairs[c.pair], options.resting_speed, in.dt, springs_of(c), points_of(c));
    }
    contacts::move_apart(s, island);
    for (const Contact& c : contacts) {
      contact::CachedManifold& pair = pairs[c.pair];
      pair.opening = is_opening(s, options.resting_speed, in.dt, springs_of(c), points_of(c));
      pair.torsion_impulse = 0;
      pair.stored = static_cast<float>(energy(springs_of(c), h));
      for (std::size_t i = 0; i < c.count; ++i) {
        const Spring& spring = scratch.springs[c.first + i];
        pair.points[i].total = spring.total;
        pair.points[i].impulse = static_cast<float>(h * spring.force);
        pair.points[i].learned_load = pair.points[i].impulse;
      }
    }
    for (std::uint32_t m = island.first_body; m < island.end_body; ++m) {
      const BodySlot i = s.members[m];
      Moving& moved = scratch.moving[i];
      shift(in, s.bodies[i], i, moved);
      if (!moved.pushed) continue;  // its free way is exact
      out.next[i] = {moved.x, moved.q, moved.v, moved.w};
      out.solved[i] = 1;
    }
  });
  stats.set_unit("contacts");
  stats.in += in.points;
  stats.out += in.points;
  stats.add_counted("islands", s.islands.size());
}

}  // namespace carom::rigid_penalty
