#include "bodies/free_motion.hpp"

#include <algorithm>
#include <cmath>

namespace carom::rigid {
namespace {

using kernels::largest_turn;

/// A turn of the body about its own axis k, with the momentum in the frame of the body.
template <int k>
void turn_about(double time, const Vec3& inverse_inertia, Quat& q, Vec3& m) {
  double Vec3::*const along = k == 0 ? &Vec3::x : k == 1 ? &Vec3::y : &Vec3::z;
  double Vec3::*const next = k == 0 ? &Vec3::y : k == 1 ? &Vec3::z : &Vec3::x;
  double Vec3::*const last = k == 0 ? &Vec3::z : k == 1 ? &Vec3::x : &Vec3::y;
  const double angle = time * (m.*along) * (inverse_inertia.*along);
  Vec3 axis;
  axis.*along = angle;
  const Quat turn = detail::rotation_by(axis);
  q = q * turn;
  const double half_sine = k == 0 ? turn.x : k == 1 ? turn.y : turn.z;
  const double c = 1 - 2 * half_sine * half_sine;
  const double s = 2 * half_sine * turn.w;
  const double n = m.*next;
  const double l = m.*last;
  m.*next = c * n + s * l;
  m.*last = c * l - s * n;
}

Vec3 scaled(const Vec3& by, const Vec3& v) {
  return {by.x * v.x, by.y * v.y, by.z * v.z};
}

/// How a body turns in the time h while its axis hardly moves, as a rotation vector in its own frame: the expansion of
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

/// `m` is the momentum in the frame of the body at the beginning.
Quat spun(Quat q, Vec3 m, const Vec3& inverse, double speed, double dt) {
  const Vec3 spin = scaled(inverse, m);
  const double energy = 0.5 * dot(m, spin);
  const Vec3 change = cross(m, spin);
  const Vec3 faster = scaled(inverse, change);
  // The spin of a solid changes by no more than its own square in a second. That of an inertia that was given may.
  const double most = largest_turn * largest_turn;
  if (speed * dt <= largest_turn && dot(faster, faster) * dt * dt * dt * dt <= most * most) {
    const Quat turn = detail::rotation_by(little_turn(dt, inverse, m, spin, change));
    q = q * turn;
    m = detail::matrix(turn).back(m);
  } else {
    const int pieces = static_cast<int>(std::clamp(std::ceil(speed * dt / largest_turn), 1.0, 1000.0));
    const double h = dt / pieces;
    for (int i = 0; i < pieces; ++i) {
      turn_about<0>(0.5 * h, inverse, q, m);
      turn_about<1>(0.5 * h, inverse, q, m);
      turn_about<2>(h, inverse, q, m);
      turn_about<1>(0.5 * h, inverse, q, m);
      turn_about<0>(0.5 * h, inverse, q, m);
    }
  }
  // These turns keep the momentum but not quite the energy. The least turn that gives it back, to first order.
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
    const Quat turn = detail::rotation_by(back);
    q = q * turn;
    m = detail::matrix(turn).back(m);
  }
  return detail::normalized(q);
}

/// What damping leaves of a velocity.
double left_by(double damping, double dt) {
  return damping > 0 ? 1 / (1 + dt * damping) : 1.0;
}

Vec3 free_velocity(const Motion& motion, const Mass& mass, const Info& info, const Vec3& gravity, const Vec3& force,
                   double dt) {
  return left_by(info.linear_damping, dt) * (motion.v + dt * (gravity + mass.inverse * force));
}

}  // namespace

Quat turn_freely(const Quat& q, const Vec3& momentum, const Mass& mass, double dt) {
  const Mat3 r = detail::matrix(q);
  const Vec3 w = turned(r, mass.inverse_inertia, momentum);
  const double speed = length(w);
  if (mass.round || speed * dt < kernels::least_turn) return detail::normalized(detail::rotation_by(dt * w) * q);
  return spun(q, r.back(momentum), mass.inverse_inertia, speed, dt);
}

Free free_motion(const Motion& motion, const Mat3& r, const Mass& mass, const Info& info, const Vec3& gravity,
                 const Vec3& force, const Vec3& torque, double dt) {
  Free free;
  if (mass.inverse == 0) {
    free.v = motion.v;
    free.w = motion.w;
    free.q = detail::normalized(detail::rotation_by(dt * motion.w) * motion.q);
    return free;
  }
  free.v = free_velocity(motion, mass, info, gravity, force, dt);
  free.momentum = left_by(info.angular_damping, dt) * (turned(r, mass.inertia, motion.w) + dt * torque);
  const Vec3 w = turned(r, mass.inverse_inertia, free.momentum);
  if (mass.locked) {
    // What is locked is held by whatever torque it takes; the rest turns without the gyroscopic one.
    free.v = unlocked(free.v, info.locked_translation);
    free.w = unlocked(w, info.locked_rotation);
    free.q = detail::normalized(detail::rotation_by(0.5 * dt * (motion.w + free.w)) * motion.q);
    return free;
  }
  const double speed = std::sqrt(dot(w, w));
  if (mass.round || speed * dt < kernels::least_turn) {
    free.w = w;
    free.q = detail::normalized(detail::rotation_by(0.5 * dt * (motion.w + w)) * motion.q);
    return free;
  }
  free.spins = true;
  free.q = spun(motion.q, r.back(free.momentum), mass.inverse_inertia, speed, dt);
  free.w = turned(detail::matrix(free.q), mass.inverse_inertia, free.momentum);
  return free;
}

namespace {

void put(const Vec3& v, kernels::SpinLane* rows, std::size_t lane) {
  rows[0][lane] = v.x;
  rows[1][lane] = v.y;
  rows[2][lane] = v.z;
}
Vec3 at(const kernels::SpinLane* rows, std::size_t lane) {
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
  free.momentum = at(rows_.momentum, lane);
  free.w = at(rows_.w, lane);
  const Vec3 q = at(rows_.q + 1, lane);
  free.q = {rows_.q[0][lane], q.x, q.y, q.z};
  free.spins = true;
  return free;
}

}  // namespace carom::rigid
