#include <algorithm>
#include <array>
#include <cmath>

#include "response/contact_system.hpp"

// Moving apart what overlaps, without a velocity. What that does to the angular momentum of a free island, the step
// takes back (world/rigid_momentum.cpp).
namespace carom::contacts {
namespace {

bool none(const Vec3& v) {
  return v.x == 0 && v.y == 0 && v.z == 0;
}

}  // namespace

void move_apart(System& s, const Island& island) {
  constexpr int rounds = 10;
  bool any = false;
  for (std::uint32_t i = island.first_point; i < island.end_point && !any; ++i) any = s.points[i].apart > 0;
  if (!any) return;
  for (int round = 0; round < rounds; ++round) {
    for (std::uint32_t c = island.first_contact; c < island.end_contact; ++c) {
      const Contact& contact = s.contacts[c];
      Point* const points = s.points.data() + contact.first;
      Body& a = s.bodies[points[0].a];
      Body& b = s.bodies[points[0].b];
      std::array<double, convex::max_manifold_points> speed{};
      std::array<double, convex::max_manifold_points> normal_impulse{};
      for (std::size_t k = 0; k < contact.count; ++k) {
        normal_impulse[k] = points[k].correction_impulse;
        speed[k] = moved_apart(points[k].normal, a, b) - points[k].apart;
      }
      settle_points(contact, speed.data(), normal_impulse.data());
      for (std::size_t k = 0; k < contact.count; ++k) {
        Point& p = points[k];
        const double j = normal_impulse[k] - p.correction_impulse;
        p.correction_impulse = normal_impulse[k];
        if (a.moves) {
          a.correction_v = a.correction_v - j * scaled(a.inverse_mass, p.normal.along);
          a.correction_w = a.correction_w - j * p.normal.spin_a;
        }
        if (b.moves) {
          b.correction_v = b.correction_v + j * scaled(b.inverse_mass, p.normal.along);
          b.correction_w = b.correction_w + j * p.normal.spin_b;
        }
      }
    }
  }
}

void separate(System& s, const Island& island, double slop, double fastest, double dt) {
  constexpr double fraction =
      0.2;  // fraction of an overlap that is opened in one step: pushes from several sides must not overshoot
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    Point& p = s.points[i];
    p.apart = p.gap < -slop ? std::min(fraction * (-slop - p.gap) / dt, fastest)
                            : -std::max(0.0, p.gap / dt + speed_along(p.normal, s.bodies[p.a], s.bodies[p.b]));
  }
  move_apart(s, island);
}

rigid::Motion moved(const response::In& in, const Body& body, BodySlot i) {
  const rigid::Motion& m = in.bodies.motion[i];
  const rigid::Mass& mass = in.bodies.mass[i];
  rigid::Motion next;
  next.v = in.free[i].v + scaled(body.inverse_mass, body.impulse);
  next.x = m.x + in.dt * (next.v + body.correction_v);
  const rigid::Info& info = in.bodies.info[i];
  const Vec3 momentum = in.free[i].momentum + rigid::unlocked(body.moment, info.locked_rotation);
  const rigid::Turned end = rigid::turn_freely(m.q, momentum, mass, info, in.dt);
  next.q = end.q;
  next.w = end.w;
  if (!none(body.correction_w)) {
    const math::Quat turn = math::normalized(math::rotation_by(in.dt * body.correction_w));
    rigid::turn_without_velocity(turn, mass, info, next.q, next.w);
  }
  return next;
}

}  // namespace carom::contacts
