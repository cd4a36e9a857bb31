#include <algorithm>
#include <utility>

#include "carom/cast.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

using Along = LimitScratch::Along;
using Fast = LimitScratch::Fast;

/// Of the energy of the spin of a body that is stopped: up to this its angular momentum is kept instead.
constexpr double most_growth = 1.001;

/// Of the square of the normal of a body that is pushed: what its free axes have of it, or else it does not give way.
constexpr double least_ease = 0.01;

/// rad; what turns farther in a step is kept from its whole approach when it is stopped, not only that of the point
/// where it touches.
constexpr double most_turn = 1;

/// Of what does not turn by itself between two places.
Motion without_spin(Motion m) {
  m.w = {};
  return m;
}

class Stopper {
 public:
  Stopper(World& world, double dt) : world_(world), s_(world.limit), bodies_(world.state.bodies), dt_(dt) {}

  void apply(const Fast& f) {
    const auto i = static_cast<std::size_t>(f.body);
    const Motion m = way_of(s_, f.body).at(f.stop.time);
    if (bodies_.asleep[i] != 0) wake(world_.state, f.body);
    Motion& next = world_.next[i];
    // The spin of the end is that of another turn: with the momentum kept the energy may grow, and then it is the spin
    // as the body sees it that is kept.
    const Mass& mass = bodies_.mass[i];
    if (mass.turn_locked) {
      const Info& own = bodies_.info[i];
      const Vec3 momentum = unlocked(turned(detail::matrix(next.q), mass.inertia, next.w), own.locked_rotation);
      next.w = spin_within(m.q, momentum, mass, own, 0.5 * dot(next.w, momentum));
    } else if (!mass.round) {
      const Mat3 then = detail::matrix(next.q);
      const Mat3 now = detail::matrix(m.q);
      const Vec3 momentum = turned(then, mass.inertia, next.w);
      const Vec3 spin = turned(now, mass.inverse_inertia, momentum);
      next.w = dot(spin, momentum) <= most_growth * dot(next.w, momentum) ? spin : now * then.back(next.w);
    }
    next.x = m.x;
    next.q = m.q;
    if (f.stop.inside) end_approach(f);
  }

  /// What kinematic bodies met, or meet where something else has stopped it, they take along to the end of the step, in
  /// the order of times; and whatever dynamic body is in the way of these: with one carrier they do not move against
  /// each other. All others have ended their ways.
  void take_along() {
    s_.carrier.assign(bodies_.size(), -1);
    s_.waiting.clear();
    for (const Fast& f : s_.fast) {
      if (f.stop.time < 1 && f.stop.other >= 0 && info(f.stop.other).kind == RigidKind::kinematic)
        wait({f.body, f.stop, world_.next[static_cast<std::size_t>(f.body)]});
    }
    for (const LimitScratch::Meeting& m : s_.meetings) find_caught(m);
    while (!s_.waiting.empty()) {
      std::pop_heap(s_.waiting.begin(), s_.waiting.end());
      Along next = s_.waiting.back();
      s_.waiting.pop_back();
      const auto i = static_cast<std::size_t>(next.body);
      if (s_.carrier[i] == next.stop.other) continue;
      if (s_.carrier[i] >= 0) next.from = world_.next[i];
      s_.carrier[i] = next.stop.other;
      if (bodies_.asleep[i] != 0) wake(world_.state, next.body);
      const Motion there = carried(next);
      world_.next[i].x = there.x;
      world_.next[i].q = there.q;
    }
  }

 private:
  void wait(const Along& along) {
    s_.waiting.push_back(along);
    std::push_heap(s_.waiting.begin(), s_.waiting.end());
  }

  /// A kinematic body goes on where another one was stopped by something else.
  void find_caught(const LimitScratch::Meeting& meeting) {
    for (const auto& [c, k] : {std::pair(meeting.a, meeting.b), std::pair(meeting.b, meeting.a)}) {
      const Collider& own = collider(c);
      const Collider& carrier = collider(k);
      const Fast* f = fast_of(s_, own.body);
      if (f == nullptr || !(f->stop.time < 1) || info(own.body).kind != RigidKind::dynamic) continue;
      if (info(carrier.body).kind != RigidKind::kinematic || f->stop.other == carrier.body) continue;
      const Motion& at = world_.next[static_cast<std::size_t>(own.body)];
      const ShapeMotion goes = motion(way_of(s_, carrier.body), carrier.rotation, carrier.place, f->stop.time, 1);
      const Shape& shape = collider_shape(bodies_, static_cast<std::size_t>(k));
      const auto meets = [&](const Shape& part, const Vec3& place) {
        const Eigen::Isometry3d here = pose(at, own.rotation, place);
        return cast(part, {here, here}, shape, goes);
      };
      CastResult r = meets(collider_shape(bodies_, static_cast<std::size_t>(c)), own.place);
      const std::optional<Inside>& inside = s_.inside[static_cast<std::size_t>(c)];
      if (r.hit && r.time == 0 && inside) r = meets(inside->shape, inside->place);
      if (!r.hit) continue;
      Along met{own.body, f->stop, at};
      met.stop.time += r.time * (1 - f->stop.time);
      met.stop.other = carrier.body;
      met.stop.point = detail::to_vec3(r.closest.point_b);
      met.stop.normal = detail::to_vec3(r.closest.normal);
      wait(met);
    }
  }

  /// Where a body gets to if it rests against a kinematic one.
  Motion pushed(const Along& f) const {
    const Motion& stopped = f.from;
    const Way& carrier = way_of(s_, f.stop.other);
    const Motion from = carrier.at(f.stop.time);
    const Motion to = carrier.at(1);
    const Quat turn = to.q * detail::conjugate(from.q);
    const auto taken = [&](const Vec3& p) { return to.x + detail::matrix(turn) * (p - from.x); };
    Motion m = stopped;
    const auto i = static_cast<std::size_t>(f.body);
    if (!bodies_.mass[i].locked) {
      m.x = taken(stopped.x);
      m.q = detail::normalized(turn * stopped.q);
      return m;
    }
    // It gives way where it can, until it is as far before the side of the other as it was.
    const Vec3& n = f.stop.normal;
    const Vec3 then = detail::matrix(turn) * n;
    const Vec3 aside = unlocked(then, bodies_.info[i].locked_translation);
    const double ease = dot(aside, aside);
    const double in = dot(then, stopped.x - taken(f.stop.point)) - dot(n, stopped.x - f.stop.point);
    if (in > 0 && ease > least_ease) m.x = stopped.x - (in / ease) * aside;
    return m;
  }

  /// From where it stopped on it rests against a kinematic body, as far as nothing is in the way that does not move.
  /// What moves and is in the way is added to those that go along.
  Motion carried(const Along& f) {
    const Motion stopped = without_spin(f.from);
    const Motion m = without_spin(pushed(f));
    const Way along(stopped, m, dt_);
    double free = 1;
    double reach = 0;
    for_colliders(info(f.body), [&](std::int32_t c) { reach = std::max(reach, collider(c).reach); });
    const Vec3 grow{reach, reach, reach};
    world_.broad.overlapping({detail::lower(stopped.x, m.x) - grow, detail::higher(stopped.x, m.x) + grow}, s_.near);
    for_colliders(info(f.body), [&](std::int32_t c) {
      for (const std::int32_t other : s_.near) {
        const Collider& met = collider(other);
        if (met.surface || met.body == f.stop.other || !may_touch(world_.state, c, other)) continue;
        const auto i = static_cast<std::size_t>(met.body);
        if (info(met.body).kind == RigidKind::dynamic) {
          // What goes along already does so with the same carrier, or is squeezed between two and would be handed to
          // and fro without end.
          if (s_.carrier[i] < 0) follow_if_met(f, along, c, other);
          continue;
        }
        const Way way(bodies_.motion[i], world_.next[i], dt_);
        const CastResult r = cast_between(along, c, way, other, f.stop.time, 1);
        if (r.hit && r.time > 0) free = std::min(free, r.time);
      }
    });
    return along.at(free);
  }

  /// Of two colliders, one on all of its way and one from `from` to `to` on its.
  CastResult cast_between(const Way& along, std::int32_t c, const Way& way, std::int32_t other, double from,
                          double to) const {
    const Collider& own = collider(c);
    const Collider& met = collider(other);
    return cast(collider_shape(bodies_, static_cast<std::size_t>(c)), motion(along, own.rotation, own.place, 0, 1),
                collider_shape(bodies_, static_cast<std::size_t>(other)),
                motion(way, met.rotation, met.place, from, to));
  }

  /// A dynamic body that one which is taken along runs into, or that runs into it, goes along from there on.
  void follow_if_met(const Along& f, const Way& along, std::int32_t c, std::int32_t other) {
    const std::int32_t body = collider(other).body;
    const auto i = static_cast<std::size_t>(body);
    // Where it is if it has been stopped; before that it is still on its way.
    const double end = stop_of(s_, body);
    const Motion there = without_spin(world_.next[i]);
    const Way rest = end < 1 ? Way(there, there, dt_) : Way(bodies_.motion[i], world_.next[i], dt_);
    const auto meets = [&](const Way& way, double from, double to) {
      // As much of the way along as it takes from one time to the other.
      const double length = 1 - f.stop.time;
      const double first = (from - f.stop.time) / length;
      const double last = (to - f.stop.time) / length;
      const Way part(along.at(first), along.at(last), dt_);
      const CastResult r = cast_between(part, c, way, other, from, to);
      if (!r.hit) return false;
      const Vec3 against = part.to.x - part.from.x - (way.at(to).x - way.at(from).x);
      if (!(r.time > 0) && !(dot(detail::to_vec3(r.closest.normal), against) > 0)) return false;
      Along next{body, f.stop, {}};
      next.stop.time = from + r.time * (to - from);
      next.from = way.at(next.stop.time);
      wait(next);
      return true;
    };
    if (!(f.stop.time < 1)) return;
    if (end < 1 && end > f.stop.time && meets(way_of(s_, body), f.stop.time, end)) return;
    const double from = end < 1 ? std::max(end, f.stop.time) : f.stop.time;
    if (from < 1) meets(rest, from, 1);
  }

  /// Contacts did not hold it back, as they are straight and it turns: what is left of the approach is taken away here.
  void end_approach(const Fast& f) {
    const auto a = static_cast<std::size_t>(f.body);
    const auto b = static_cast<std::size_t>(f.stop.other);
    const Vec3& n = f.stop.normal;
    const auto arm = [&](std::size_t i) { return f.stop.point - world_.next[i].x; };
    const auto speed = [&](std::size_t i) { return dot(n, world_.next[i].v + cross(world_.next[i].w, arm(i))); };
    const auto turning = [&](std::size_t i) {
      const Mat3 r = detail::matrix(world_.next[i].q);
      const Vec3 moment = cross(arm(i), n);
      const Mass& mass = bodies_.mass[i];
      return spin_of(r, moment, mass, bodies_.info[i]);
    };
    const auto shifting = [&](std::size_t i) {
      return unlocked(bodies_.mass[i].inverse * n, bodies_.info[i].locked_translation);
    };
    const auto movable = [&](std::size_t i) { return bodies_.mass[i].inverse > 0 && bodies_.asleep[i] == 0; };
    // An impulse along the normal that makes `approach` nothing, at the touch or, without a torque, at the centres.
    const auto end = [&](double approach, bool at_touch) {
      double ease = 0;
      for (const std::size_t i : {a, b}) {
        if (movable(i)) ease += dot(n, shifting(i)) + (at_touch ? dot(n, cross(turning(i), arm(i))) : 0.0);
      }
      if (!(approach > 0) || !(ease > 0)) return;
      for (const std::size_t i : {a, b}) {
        if (!movable(i)) continue;
        const double impulse = (i == a ? -1 : 1) * approach / ease;
        const Vec3 turn = turning(i);
        world_.next[i].v = world_.next[i].v + impulse * shifting(i);
        if (at_touch) world_.next[i].w = world_.next[i].w + impulse * turn;
      }
    };
    end(speed(a) - speed(b), true);
    // The next point that comes round would touch at once, and the one after that. (Of bodies that move only the
    // centres count: that takes energy away, whatever they do.)
    if (length(way_of(s_, f.body).turn) > most_turn)
      end(dot(n, world_.next[a].v) - (movable(b) ? dot(n, world_.next[b].v) : speed(b)), false);
  }

  const Info& info(std::int32_t body) const { return bodies_.info[static_cast<std::size_t>(body)]; }
  const Collider& collider(std::int32_t c) const { return bodies_.colliders[static_cast<std::size_t>(c)]; }

  template <class Visit>
  static void for_colliders(const Info& info, Visit&& visit) {
    for (std::int32_t k = 0; k < info.collider_count; ++k) visit(info.first_collider + k);
  }

  World& world_;
  LimitScratch& s_;
  const Bodies& bodies_;
  double dt_;
};

}  // namespace

std::size_t apply_stops(World& world, double dt) {
  Stopper stopper(world, dt);
  std::size_t stopped = 0;
  for (const Fast& f : world.limit.fast) {
    if (!(f.stop.time < 1)) continue;
    stopper.apply(f);
    ++stopped;
  }
  stopper.take_along();
  return stopped;
}

}  // namespace carom::rigid
