#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "response/contact_system.hpp"

// Moving apart what overlaps, without a trace in momentum or energy.
namespace carom::contacts {
namespace {

std::size_t at(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

bool none(const Vec3& v) {
  return v.x == 0 && v.y == 0 && v.z == 0;
}

}  // namespace

void separate(System& s, Island& island, double slop, double fastest, double dt) {
  constexpr double share = 0.2;  // of an overlap, in one step: what pushes from several sides must not overshoot
  constexpr int rounds = 10;
  bool any = false;
  for (std::uint32_t i = island.first_point; i < island.end_point && !any; ++i) any = s.points[i].gap < -slop;
  if (!any) return;
  island.pushed = true;
  for (int round = 0; round < rounds; ++round) {
    for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
      Point& p = s.points[i];
      if (!(p.normal.stiff > 0)) continue;
      Body& a = s.bodies[at(p.a)];
      Body& b = s.bodies[at(p.b)];
      const auto apart = [](const Row& row, const Body& of_a, const Body& of_b) {
        return dot(row.along, of_b.push_v - of_a.push_v) + dot(row.turn_b, of_b.push_w) - dot(row.turn_a, of_a.push_w);
      };
      const double wanted = p.gap < -slop ? std::min(share * (-slop - p.gap) / dt, fastest)
                                          : -std::max(0.0, p.gap / dt + speed_along(p.normal, a, b));
      const double before = p.push_out;
      p.push_out = std::max(0.0, before + (wanted - apart(p.normal, a, b)) / p.normal.stiff);
      const double j = p.push_out - before;
      if (a.moves) {
        a.push_v = a.push_v - j * scaled(a.inverse_mass, p.normal.along);
        a.push_w = a.push_w - j * p.normal.spin_a;
      }
      if (b.moves) {
        b.push_v = b.push_v + j * scaled(b.inverse_mass, p.normal.along);
        b.push_w = b.push_w + j * p.normal.spin_b;
      }
    }
  }
}

rigid::Motion moved(const response::In& in, const Body& body, std::size_t i) {
  const rigid::Motion& m = in.bodies.motion[i];
  const rigid::Mass& mass = in.bodies.mass[i];
  rigid::Motion next;
  next.v = in.free[i].v + scaled(body.inverse_mass, body.impulse);
  next.x = m.x + in.dt * (next.v + body.push_v);
  if (mass.locked) {
    next.w = in.free[i].w + body.inverse_inertia * body.moment;
    next.q = detail::normalized(detail::rotation_by(in.dt * (next.w + body.push_w)) * m.q);
    return next;
  }
  const Vec3 momentum = in.free[i].momentum + body.moment;
  next.q = rigid::turn_freely(m.q, momentum, mass, in.dt);
  next.w = rigid::turned(detail::matrix(next.q), mass.inverse_inertia, momentum);
  if (!none(body.push_w)) {
    // The spin turns along, so that its energy stays.
    const detail::Quat turn = detail::rotation_by(in.dt * body.push_w);
    next.q = detail::normalized(turn * next.q);
    next.w = detail::matrix(detail::normalized(turn)) * next.w;
  }
  return next;
}

void keep_momentum(const response::In& in, System& s, const Island& island, const response::Out& out) {
  using detail::to_eigen;
  using Eigen::Matrix3d;
  using Eigen::Vector3d;
  const auto inertia = [&](std::size_t i) {
    const Mat3 r = detail::matrix(out.next[i].q);
    Matrix3d result;
    result << to_eigen(rigid::turned(r, in.bodies.mass[i].inertia, {1, 0, 0})),
        to_eigen(rigid::turned(r, in.bodies.mass[i].inertia, {0, 1, 0})),
        to_eigen(rigid::turned(r, in.bodies.mass[i].inertia, {0, 0, 1}));
    return result;
  };
  const auto each = [&](auto&& visit) {
    for (std::uint32_t k = island.first_body; k < island.end_body; ++k) {
      const std::size_t i = at(s.members[k]);
      // What has no answer has neither been moved nor will it be.
      if (out.answered[i] != 0) visit(i, in.bodies.info[i].mass, out.next[i]);
    }
  };
  double mass = 0;
  Vector3d centre = Vector3d::Zero();
  Vector3d drift = Vector3d::Zero();
  Vector3d gained = Vector3d::Zero();
  each([&](std::size_t i, double m, const rigid::Motion& next) {
    mass += m;
    centre += m * to_eigen(next.x);
    drift += m * to_eigen(next.v);
    gained += m * in.dt * to_eigen(cross(s.bodies[i].push_v, next.v));
    gained += inertia(i) * to_eigen(next.w) - to_eigen(in.free[i].momentum + s.bodies[i].moment);
  });
  if (!(mass > 0)) return;
  centre /= mass;
  drift /= mass;
  Matrix3d turning = Matrix3d::Zero();
  Vector3d momentum = Vector3d::Zero();
  each([&](std::size_t i, double m, const rigid::Motion& next) {
    const Vector3d r = to_eigen(next.x) - centre;
    const Matrix3d j = inertia(i);
    turning += m * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose()) + j;
    momentum += m * r.cross(to_eigen(next.v) - drift) + j * to_eigen(next.w);
  });
  const Eigen::LLT<Matrix3d> solve(turning);
  const Vector3d back = solve.solve(Vector3d(-gained));
  const Vector3d whole = solve.solve(Vector3d(momentum - gained));
  const double more = back.dot(momentum) + 0.5 * back.dot(turning * back);
  double inner = 0;  // energy of the motion within, which has no momentum of its own
  each([&](std::size_t i, double m, const rigid::Motion& next) {
    const Vector3d r = to_eigen(next.x) - centre;
    const Vector3d v = to_eigen(next.v) + back.cross(r) - drift - whole.cross(r);
    const Vector3d w = to_eigen(next.w) + back - whole;
    inner += 0.5 * m * v.squaredNorm() + 0.5 * w.dot(inertia(i) * w);
  });
  if (more > inner) {
    // Too little to take it from: the overlap stays for now.
    each([&](std::size_t i, double, const rigid::Motion&) {
      s.bodies[i].push_v = s.bodies[i].push_w = {};
      out.next[i] = moved(in, s.bodies[i], i);
    });
    return;
  }
  const double keep = more > 0 ? std::sqrt(1 - more / inner) : 1;
  each([&](std::size_t, double, rigid::Motion& next) {
    const Vector3d r = to_eigen(next.x) - centre;
    const Vector3d v = drift + whole.cross(r);
    next.v = detail::to_vec3(v + keep * (to_eigen(next.v) + back.cross(r) - v));
    next.w = detail::to_vec3(whole + keep * (to_eigen(next.w) + back - whole));
  });
}

}  // namespace carom::contacts
