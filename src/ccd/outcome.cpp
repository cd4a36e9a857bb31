#include "ccd/outcome.hpp"

#include <algorithm>

namespace carom::ccd {
namespace {

class Applier {
 public:
  Applier(const In& in, const Out& out) : in_(in), bodies_(in.bodies), out_(out) {}

  void end_path(const Path& path) {
    const BodySlot i = path.body;
    if (bodies_.asleep[i] != 0) out_.woken.push_back(path.body);
    const Motion end = Paths::at(path, 1);
    Motion& next = out_.next[i];
    next.w = spin_at(i, next, end.q);
    if (path.by_held) next.v = next.v - missed_fall(i, next.v, path.moving);
    next.x = end.x;
    next.q = end.q;
  }

  /// Contacts did not hold the two apart, as they are straight and bodies turn: the approach that is left is taken away
  /// by an impulse without restitution.
  void end_approach(const Scratch::Stop& stop) {
    const BodySlot a = stop.a;
    const BodySlot b = stop.b;
    const auto arm = [&](BodySlot i) { return i == a ? stop.arm_a : stop.arm_b; };
    const auto speed = [&](BodySlot i) { return dot(stop.normal, out_.next[i].v + cross(out_.next[i].w, arm(i))); };
    // An impulse along the normal that ends `approach`, at the point of contact or, without a torque, at the centres.
    const auto end = [&](double approach, bool at_contact) {
      double inverse_mass = 0;
      for (const BodySlot i : {a, b}) {
        if (!movable(i)) continue;
        inverse_mass += dot(stop.normal, shift(i, stop.normal));
        if (at_contact) inverse_mass += dot(stop.normal, cross(spin(i, cross(arm(i), stop.normal)), arm(i)));
      }
      if (!(approach > 0) || !(inverse_mass > 0)) return;
      for (const BodySlot i : {a, b}) {
        if (!movable(i)) continue;
        const double impulse = (i == a ? -1 : 1) * approach / inverse_mass;
        out_.next[i].v = out_.next[i].v + impulse * shift(i, stop.normal);
        if (at_contact) out_.next[i].w = out_.next[i].w + impulse * spin(i, cross(arm(i), stop.normal));
      }
    };
    end(speed(a) - speed(b), true);
    // The next point that comes round would touch at once, and the one after that. (Of bodies that move only the
    // centres count: that takes energy away, whatever they do.)
    if (!stop.many_turns) return;
    const auto at_center = [&](BodySlot i) { return movable(i) ? dot(stop.normal, out_.next[i].v) : speed(i); };
    end(at_center(a) - at_center(b), false);
  }

 private:
  /// The spin of the end is that of another attitude: the angular momentum is kept, as far as that gives no energy.
  Vec3 spin_at(BodySlot i, const Motion& next, const Quat& q) const {
    const rigid::Mass& mass = bodies_.mass[i];
    if (mass.round && !mass.turn_locked) return next.w;
    const rigid::Info& info = bodies_.info[i];
    const Vec3 momentum =
        rigid::unlocked(rigid::turned(math::matrix(next.q), mass.inertia, next.w), info.locked_rotation);
    return rigid::spin_within(q, momentum, mass, info, 0.5 * dot(next.w, momentum));
  }

  /// m/s; what gravity and other forces gave a body after its sweep had ended: a body would have the speed of a fall
  /// that it did not make. (Bodies that stop each other keep it, as it is part of their momentum.) A body that
  /// something holds against these forces has not got it.
  Vec3 missed_fall(BodySlot i, const Vec3& v, double moving) const {
    if (bodies_.asleep[i] != 0) return {};
    const Vec3 gained = in_.free[i].v - bodies_.motion[i].v;
    const double square = dot(gained, gained);
    if (!(square > 0)) return {};
    const double had = std::clamp(dot(v, gained) / square, 0.0, 1 - moving);
    return had * gained;
  }

  bool movable(BodySlot i) const { return bodies_.mass[i].inverse > 0 && bodies_.asleep[i] == 0; }
  Vec3 shift(BodySlot i, const Vec3& impulse) const {
    return rigid::unlocked(bodies_.mass[i].inverse * impulse, bodies_.info[i].locked_translation);
  }
  Vec3 spin(BodySlot i, const Vec3& moment) const {
    return rigid::spin_of(math::matrix(out_.next[i].q), moment, bodies_.mass[i], bodies_.info[i]);
  }

  const In& in_;
  const rigid::Bodies& bodies_;
  const Out& out_;
};

}  // namespace

Outcome apply(const In& in, const Scratch& scratch, const Out& out) {
  Applier applier(in, out);
  Outcome outcome;
  for (const Path& path : scratch.paths) {
    if (path.version == 0) continue;
    applier.end_path(path);
    if (path.squeezed) {
      ++outcome.squeezed;
    } else {
      ++(path.state == Path::State::carried ? outcome.carried : outcome.stopped);
    }
  }
  for (const Scratch::Stop& stop : scratch.stops) {
    if (stop.touching) applier.end_approach(stop);
  }
  return outcome;
}

}  // namespace carom::ccd
