#include "bodies/free_motion.hpp"

#include <algorithm>
#include <cmath>

#include "bodies/torque_free.hpp"

namespace carom::rigid {
namespace {

using kernels::largest_turn;

Vec3 scaled(const Vec3& by, const Vec3& v) {
  return {by.x * v.x, by.y * v.y, by.z * v.z};
}

/// How a body turns in the time h while its axis barely moves, as a rotation vector in its own frame: the expansion of
/// Magnus with the derivatives of the spin, which are those of m' = m x w. The first term left out is of the fifth
/// order in h. `w` is the spin of the momentum m, `m1` is m x w.
Vec3 little_turn(double h, const Vec3& inverse, const Vec3& m, const Vec3& w, const Vec3& m1) {
  const Vec3 w1 = scaled(inverse, m1);
  const Vec3 m2 = cross(m1, w) + cross(m, w1);
  const Vec3 w2 = scaled(inverse, m2);
  const Vec3 m3 = cross(m2, w) + 2.0 * cross(m1, w1) + cross(m, w2);
  const Vec3 third = 2.0 * w2 + cross(w, w1);
  const Vec3 fourth = scaled(inverse, m3) + cross(w, w2);
  return h * (w + (h / 2) * (w1 + (h / 6) * (third + (h / 2) * fourth)));
}

/// Turns q, and the momentum m seen from it, by the least that gives the energy back, to first order, twice.
Quat with_energy(Quat q, Vec3 m, const Vec3& inverse, double energy) {
  for (int i = 0; i < 2; ++i) {
    const Vec3 w = scaled(inverse, m);
    const Vec3 lever = cross(m, w);
    const double square = dot(lever, lever);
    if (!(square > 1e-12 * dot(m, m) * dot(w, w))) break;  // about an axis of the body: nothing to give back
    const Vec3 back = ((0.5 * dot(m, w) - energy) / square) * lever;
    const double angle = dot(back, back);
    if (!(angle < 0.01)) break;
    if (angle < 1e-16) {  // the second order is below rounding
      q = q * Quat{1, 0.5 * back.x, 0.5 * back.y, 0.5 * back.z};
      break;
    }
    const Quat turn = math::rotation_by(back);
    q = q * turn;
    m = math::matrix(turn).back(m);
  }
  return math::normalized(q);
}

/// A body that is turned by q, with the matrix r, and has the spin `speed` (rad/s).
Turned spun(const Quat& q, const Mat3& r, const Vec3& momentum, const Vec3& inverse, double speed, double dt) {
  const Vec3 m = r.back(momentum);
  const Vec3 spin = scaled(inverse, m);
  const double energy = 0.5 * dot(m, spin);
  const Vec3 change = cross(m, spin);
  const Vec3 faster = scaled(inverse, change);
  const auto end = [&](const Quat& turn) {
    const Quat to = with_energy(q * turn, math::matrix(turn).back(m), inverse, energy);
    return Turned{to, turned(math::matrix(to), inverse, momentum)};
  };
  // The spin of a solid changes by no more than its own square in a second. That of an inertia that was given may.
  const double largest = largest_turn * largest_turn;
  if (speed * dt <= largest_turn && dot(faster, faster) * dt * dt * dt * dt <= largest * largest) {
    const Turned one = end(math::rotation_by(little_turn(dt, inverse, m, spin, change)));
    if (std::abs(0.5 * dot(one.w, momentum) - energy) <= kernels::energy_error * energy) return one;
  }
  return end(math::normalized(torque_free_rotation(m, inverse, dt)));
}

/// What damping leaves of a velocity.
double left_by(double damping, double dt) {
  return damping > 0 ? 1 / (1 + dt * damping) : 1.0;
}

Vec3 free_velocity(const Motion& motion, const Mass& mass, const Info& info, const Vec3& gravity, const Vec3& force,
                   double dt) {
  return left_by(info.linear_damping, dt) * (motion.v + dt * (gravity + mass.inverse * force));
}

/// A locked axis leaves two others, and the inertia about these changes as the body turns.
bool turns_about_two_axes(const Mass& mass, const Info& info) {
  const std::array<bool, 3>& locked = info.locked_rotation;
  return mass.turn_locked && !mass.round && std::count(locked.begin(), locked.end(), false) == 2;
}

/// rad, by which a body with a locked axis turns at most in one piece of a step.
constexpr double locked_piece = 0.1;
constexpr double max_pieces = 1000;

/// Of a body with one locked axis. What holds that axis applies a torque about it alone, so the momentum about the
/// other two stays, and as it does no work so does the energy. Pieces of the method of Runge and Kutta, of the fourth
/// order.
Turned turn_about_two_axes(Quat q, const Vec3& momentum, const Mass& mass, const Info& info, double dt) {
  const auto spin = [&](const Quat& at) { return spin_of(math::matrix(at), momentum, mass, info); };
  const auto moved = [](const Quat& at, double h, const Quat& rate) {
    return math::normalized({at.w + h * rate.w, at.x + h * rate.x, at.y + h * rate.y, at.z + h * rate.z});
  };
  const auto rate = [&](const Quat& at) {
    const Vec3 w = 0.5 * spin(at);
    return Quat{0, w.x, w.y, w.z} * at;
  };
  const double energy = 0.5 * dot(spin(q), momentum);
  const Vec3& inverse = mass.inverse_inertia;
  const double fastest = std::sqrt(2 * energy * std::max({inverse.x, inverse.y, inverse.z}));
  const int pieces = static_cast<int>(std::clamp(std::ceil(fastest * dt / locked_piece), 1.0, max_pieces));
  const double h = dt / pieces;
  for (int i = 0; i < pieces; ++i) {
    const Quat a = rate(q);
    const Quat b = rate(moved(q, 0.5 * h, a));
    const Quat c = rate(moved(q, 0.5 * h, b));
    const Quat d = rate(moved(q, h, c));
    q = moved(q, h / 6,
              {a.w + 2 * (b.w + c.w) + d.w, a.x + 2 * (b.x + c.x) + d.x, a.y + 2 * (b.y + c.y) + d.y,
               a.z + 2 * (b.z + c.z) + d.z});
    // The least turn about the free axes that gives the energy back, to first order.
    for (int k = 0; k < 3; ++k) {
      const Mat3 r = math::matrix(q);
      const Vec3 w = spin_of(r, momentum, mass, info);
      const double gained = 0.5 * dot(w, momentum) - energy;
      const Vec3 lever = unlocked(cross(w, turned(r, mass.inertia, w)), info.locked_rotation);
      const double square = dot(lever, lever);
      if (std::abs(gained) <= 1e-15 * energy || !(gained * gained < 0.01 * square)) break;
      q = math::normalized(math::rotation_by((-gained / square) * lever) * q);
    }
  }
  return {q, spin_within(q, momentum, mass, info, energy)};
}

}  // namespace

Vec3 spin_of(const Mat3& r, const Vec3& momentum, const Mass& mass, const Info& info) {
  if (!mass.turn_locked) return turned(r, mass.inverse_inertia, momentum);
  return inverse_inertia(r, mass, info) * momentum;
}

Vec3 spin_within(const Quat& q, const Vec3& momentum, const Mass& mass, const Info& info, double energy) {
  const Vec3 w = spin_of(math::matrix(q), momentum, mass, info);
  const double own = 0.5 * dot(w, momentum);
  return own > energy ? std::sqrt(energy / own) * w : w;
}

void turn_without_velocity(const Quat& turn, const Mass& mass, const Info& info, Quat& q, Vec3& w) {
  const Vec3 momentum = unlocked(turned(math::matrix(q), mass.inertia, w), info.locked_rotation);
  q = math::normalized(turn * q);
  w = mass.turn_locked ? spin_within(q, momentum, mass, info, 0.5 * dot(w, momentum)) : math::matrix(turn) * w;
}

Turned turn_freely(const Quat& q, const Vec3& momentum, const Mass& mass, const Info& info, double dt) {
  if (turns_about_two_axes(mass, info)) return turn_about_two_axes(q, momentum, mass, info, dt);
  const Mat3 r = math::matrix(q);
  const Vec3 w = spin_of(r, momentum, mass, info);
  const double speed = length(w);
  if (mass.turn_locked || mass.round || speed * dt < kernels::min_turn)
    return {math::normalized(math::rotation_by(dt * w) * q), w};
  return spun(q, r, momentum, mass.inverse_inertia, speed, dt);
}

Free free_motion(const Motion& motion, const Mat3& r, const Mass& mass, const Info& info, const Vec3& gravity,
                 const Vec3& force, const Vec3& torque, double dt) {
  Free free;
  if (mass.inverse == 0) {
    free.v = motion.v;
    free.w = motion.w;
    free.q = math::normalized(math::rotation_by(dt * motion.w) * motion.q);
    return free;
  }
  free.v = unlocked(free_velocity(motion, mass, info, gravity, force, dt), info.locked_translation);
  free.momentum = left_by(info.angular_damping, dt) * (turned(r, mass.inertia, motion.w) + dt * torque);
  // What is locked is held by whatever torque it takes.
  if (mass.turn_locked) free.momentum = unlocked(free.momentum, info.locked_rotation);
  const Vec3 w = spin_of(r, free.momentum, mass, info);
  const double speed = std::sqrt(dot(w, w));
  const bool changes = mass.turn_locked ? turns_about_two_axes(mass, info) : !mass.round;
  free.spins = changes && speed * dt >= kernels::min_turn;
  if (!free.spins) {
    free.w = w;
    free.q = math::normalized(math::rotation_by(0.5 * dt * (motion.w + w)) * motion.q);
    return free;
  }
  const Turned end = mass.turn_locked ? turn_about_two_axes(motion.q, free.momentum, mass, info, dt)
                                      : spun(motion.q, r, free.momentum, mass.inverse_inertia, speed, dt);
  free.q = end.q;
  free.w = end.w;
  return free;
}

namespace {

void put(const Vec3& v, kernels::SpinLane* rows, std::size_t lane) {
  rows[0][lane] = v.x;
  rows[1][lane] = v.y;
  rows[2][lane] = v.z;
}
Vec3 lane_of(const kernels::SpinLane* rows, std::size_t lane) {
  return {rows[0][lane], rows[1][lane], rows[2][lane]};
}

}  // namespace

void FreeMotions::take(const Body& body) {
  const std::size_t lane = count_++;
  bodies_[lane] = body;
  const Motion& m = *body.motion;
  rows_.q[0][lane] = m.q.w;
  put({m.q.x, m.q.y, m.q.z}, rows_.q + 1, lane);
  put(m.w, rows_.w, lane);
  put(body.mass->inertia, rows_.inertia, lane);
  put(body.mass->inverse_inertia, rows_.inverse, lane);
  rows_.calmer[lane] = left_by(body.info->angular_damping, dt_);
  put(dt_ * body.torque, rows_.push, lane);
}

Free FreeMotions::outcome(std::size_t lane) const {
  const Body& body = bodies_[lane];
  if (rows_.done[lane] == 0) return alone(body);
  Free free;
  free.v = free_velocity(*body.motion, *body.mass, *body.info, gravity_, body.force, dt_);
  if (body.mass->locked) free.v = unlocked(free.v, body.info->locked_translation);
  free.momentum = lane_of(rows_.momentum, lane);
  free.w = lane_of(rows_.w, lane);
  const Vec3 q = lane_of(rows_.q + 1, lane);
  free.q = {rows_.q[0][lane], q.x, q.y, q.z};
  free.spins = true;
  return free;
}

}  // namespace carom::rigid
