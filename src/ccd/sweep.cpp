#include "ccd/sweep.hpp"

#include <cmath>
#include <numbers>

namespace carom::ccd {
namespace {

Vec3 turn_between(const Motion& from, const Motion& to, double dt) {
  const Vec3 turn = math::rotation_vector(to.q * math::conjugate(from.q));
  const double angle = length(turn);
  const double spun = angle > 0 ? 0.5 * dt * dot(from.w + to.w, turn) / angle : 0;
  const double rounds = std::round((spun - angle) / (2 * std::numbers::pi));
  return angle > 0 && rounds != 0 ? ((angle + 2 * std::numbers::pi * rounds) / angle) * turn : turn;
}

}  // namespace

Sweep::Sweep(const Motion& begin, const Motion& end, double dt)
    : from(begin),
      to(end),
      turn(turn_between(begin, end, dt)),
      swept_pose(pose(begin), math::to_eigen(turn), math::to_eigen(end.x - begin.x)) {}

Motion Sweep::at(double time) const {
  if (time <= 0) return from;
  if (time >= 1) return to;
  Motion m = to;
  m.x = from.x + time * (to.x - from.x);
  m.q = math::normalized(math::rotation_by(time * turn) * from.q);
  return m;
}

Eigen::Isometry3d pose(const Motion& m, const Mat3& local, const Vec3& place) {
  const Mat3 r = math::matrix(m.q);
  const Mat3 turn = r * local;
  Eigen::Isometry3d p = Eigen::Isometry3d::Identity();
  p.linear().col(0) = math::to_eigen(turn.x);
  p.linear().col(1) = math::to_eigen(turn.y);
  p.linear().col(2) = math::to_eigen(turn.z);
  p.translation() = math::to_eigen(r * place + m.x);
  return p;
}

Eigen::Isometry3d pose(const Motion& m) {
  return pose(m, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {});
}

}  // namespace carom::ccd
