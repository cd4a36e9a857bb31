#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "carom/cast.hpp"
#include "core/stage_timer.hpp"
#include "world/rigid_world.hpp"

// A body is fast if it goes farther than a ball inside of it is wide: only then can its middle be on the other side of
// a thin wall at the end of the step. What is slower is held by contacts that are made ahead of time.
//
// The way of each fast body is cut where it first meets another one, all of them going their ways. One that is cut may
// now be in the way of a third, so this is done again until nothing changes, or, after some rounds, with the ways of
// all that are left cut to nothing: at the beginning of the step nothing has passed through anything.
namespace carom::rigid {
namespace {

using Fast = LimitScratch::Fast;

constexpr int most_rounds = 8;
/// A cast moves the origin of a shape straight, which goes in an arc if it is not the centre of mass: the way is cut
/// into pieces so that these differ by this part of the size, and none is as much as half a turn (rad).
constexpr double largest_sagitta = 0.01;
constexpr double largest_turn = 2.5;
constexpr double most_pieces = 256;

double pieces(double turn, const Collider& c) {
  if (turn == 0) return 1;
  const double arm = length(c.place);
  const double most = arm > 0 ? std::min(largest_turn, std::sqrt(8 * largest_sagitta * c.size / arm)) : largest_turn;
  return std::min(std::ceil(turn / most), most_pieces);
}

/// Of the smaller of two sizes, m of it at least: how far from the other a body stops. Less than the distance at which
/// contacts are made, so that there is one in the next step.
constexpr double stop_share = 0.002;

/// A body on its way.
struct Way {
  const Motion& from;
  const Motion& to;
  double stop = 1;
  Vec3 turn;  ///< rotation vector from the beginning to the end; more than half a turn if the spin says so

  Way(const Motion& begin, const Motion& end, double dt, double stop_at) : from(begin), to(end), stop(stop_at) {
    turn = detail::rotation_vector(to.q * detail::conjugate(from.q));
    const double angle = length(turn);
    const double spun = angle > 0 ? 0.5 * dt * dot(from.w + to.w, turn) / angle : 0;
    const double rounds = std::round((spun - angle) / (2 * std::numbers::pi));
    if (angle > 0 && rounds != 0) turn = ((angle + 2 * std::numbers::pi * rounds) / angle) * turn;
  }

  Motion at(double time) const {
    const double t = std::min(time, stop);
    if (t <= 0) return from;
    if (t >= 1) return to;
    Motion m = to;
    m.x = from.x + t * (to.x - from.x);
    m.q = detail::normalized(detail::rotation_by(t * turn) * from.q);
    return m;
  }
};

Eigen::Isometry3d pose(const Motion& m, const Mat3& local, const Vec3& place) {
  const Mat3 r = detail::matrix(m.q);
  const Mat3 turn = r * local;
  Eigen::Isometry3d p = Eigen::Isometry3d::Identity();
  p.linear().col(0) = detail::to_eigen(turn.x);
  p.linear().col(1) = detail::to_eigen(turn.y);
  p.linear().col(2) = detail::to_eigen(turn.z);
  p.translation() = detail::to_eigen(r * place + m.x);
  return p;
}

/// Of the energy of the spin of a body that is stopped: up to this its angular momentum is kept instead.
constexpr double most_growth = 1.001;

/// Of a body that touches another: this much of it, about its middle, does not go in; or, if it is in already, this
/// much of a ball inside of it.
constexpr double inside_share = 0.75;
constexpr double inner_shares[] = {0.5, 0.1};

/// The collider, smaller, about its middle.
Shape make_inside(const Collider& c) {
  const shapes::Core& core = *c.core;
  const double k = inside_share;
  const Eigen::Vector3d size = k * detail::to_eigen(core.size);
  const double radius = k * core.radius;
  switch (core.kind) {
    case shapes::CoreKind::box:
      return Shape::box(size).with_margin(radius);
    case shapes::CoreKind::segment:
      return Shape::capsule(radius, size.z());
    case shapes::CoreKind::cylinder:
      return Shape::cylinder(size.x(), size.z()).with_margin(radius);
    case shapes::CoreKind::ellipsoid:
      return Shape::ellipsoid(size).with_margin(radius);
    case shapes::CoreKind::hull: {
      if (c.size < 3 * c.inner) break;
      std::vector<Eigen::Vector3d> points;
      for (const Eigen::Vector3d& p : core.hull->points) points.emplace_back(k * (p - detail::to_eigen(c.middle)));
      return Shape::hull(points).with_margin(radius);
    }
    default:
      break;
  }
  return Shape::sphere(k * c.inner);
}

class Limiter {
 public:
  Limiter(World& world, double dt) : world_(world), s_(world.limit), bodies_(world.state.bodies), dt_(dt) {}

  std::size_t run(Context& context) {
    find_fast(context);
    if (s_.fast.empty()) return 0;
    find_meetings();
    make_insides();
    bool changed = true;
    for (int round = 0; changed; ++round) {
      parallel_for(context.workers, s_.fast.size(), 4, [&](std::size_t i) { look(s_.fast[i], round == 0); });
      changed = false;
      for (Fast& f : s_.fast) f.changed = f.next_stop.time < f.stop.time - 1e-9;
      for (Fast& f : s_.fast) {
        if (!f.changed) continue;
        f.stop = f.next_stop;
        // It ends sooner or later: nobody stops earlier than here.
        if (round >= most_rounds) f.stop.time = 0;
        changed = true;
      }
    }
    std::size_t stopped = 0;
    for (Fast& f : s_.fast) {
      if (!(f.stop.time < 1)) continue;
      apply(f);
      ++stopped;
    }
    return stopped;
  }

 private:
  bool dynamic(std::int32_t body) const { return info(body).kind == RigidKind::dynamic; }
  const Info& info(std::int32_t body) const { return bodies_.info[static_cast<std::size_t>(body)]; }
  const Collider& collider(std::int32_t c) const { return bodies_.colliders[static_cast<std::size_t>(c)]; }
  Fast* fast(std::int32_t body) const {
    const std::int32_t n = s_.number[static_cast<std::size_t>(body)];
    return n < 0 ? nullptr : &s_.fast[static_cast<std::size_t>(n)];
  }

  Way way(std::int32_t body) const {
    const auto i = static_cast<std::size_t>(body);
    const Fast* f = fast(body);
    return {bodies_.motion[i], world_.next[i], dt_, f == nullptr ? 1 : f->stop.time};
  }

  template <class Visit>
  static void for_colliders(const Info& info, Visit&& visit) {
    for (std::int32_t k = 0; k < info.collider_count; ++k) visit(info.first_collider + k);
  }

  void add_fast(std::int32_t body) {
    s_.number[static_cast<std::size_t>(body)] = static_cast<std::int32_t>(count_);
    if (count_ == s_.fast.size()) s_.fast.emplace_back();
    Fast& f = s_.fast[count_++];
    f.body = body;
    f.stop = {};
    f.changed = true;
    f.meets.clear();
  }

  void find_fast(Context& context) {
    s_.number.assign(bodies_.size(), -1);
    s_.way.assign(bodies_.size(), {});
    s_.is_fast.assign(bodies_.size(), 0);
    // A large body that is slow for itself is fast for a small one.
    double smallest = INFINITY;
    for (const Collider& c : bodies_.colliders) {
      if (dynamic(c.body)) smallest = std::min(smallest, hold(c));
    }
    parallel_for(context.workers, bodies_.size(), 256, [&](std::size_t i) {
      if (still_or_static(bodies_, i)) return;
      const Motion& from = bodies_.motion[i];
      const Motion& to = world_.next[i];
      double reach = 0;
      double inner = smallest;
      for_colliders(bodies_.info[i], [&](std::int32_t c) {
        reach = std::max(reach, collider(c).reach);
        inner = std::min(inner, collider(c).inner);
      });
      const Quat t = to.q * detail::conjugate(from.q);
      // Of a turn by half and more, beginning and end say nothing.
      const bool far_round = 0.5 * dt_ * length(from.w + to.w) > 3;
      const double turning = (far_round ? 2 : 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z)) * reach;
      s_.way[i] = {turning, length(to.x - from.x) + turning};
      s_.is_fast[i] = s_.way[i].all > inner || !world_.state.boxed[i].holds(to.x, to.q, reach, 0) ? 1 : 0;
    });
    count_ = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (s_.is_fast[i] != 0) add_fast(static_cast<std::int32_t>(i));
    }
    s_.fast.resize(count_);
  }

  /// m; no point of one moves farther against the other.
  double against(std::size_t a, std::size_t b) const {
    const Vec3 way_a = world_.next[a].x - bodies_.motion[a].x;
    const Vec3 way_b = world_.next[b].x - bodies_.motion[b].x;
    return length(way_a - way_b) + s_.way[a].turning + s_.way[b].turning;
  }

  /// Whether one might go through the other, by how far they move against each other.
  bool might_pass(const Collider& a, const Collider& b) const {
    return against(static_cast<std::size_t>(a.body), static_cast<std::size_t>(b.body)) > hold(a, b);
  }
  /// m; how far a collider may move against any other, and still be held by contacts that are made ahead of time.
  /// Infinite for what has no inside: there it is the other one that counts.
  static double hold(const Collider& c) {
    return c.inner > 0 && c.inner < INFINITY ? std::min(c.inner, ahead_share * c.size) : INFINITY;
  }
  static double hold(const Collider& a, const Collider& b) {
    const double least = std::min(hold(a), hold(b));
    return least < INFINITY ? least : 0;
  }

  /// Balls about the centres of mass that hold the colliders go past each other.
  bool balls_pass(const Collider& a, const Collider& b) const {
    const auto i = static_cast<std::size_t>(a.body);
    const auto k = static_cast<std::size_t>(b.body);
    const Vec3 from = bodies_.motion[k].x - bodies_.motion[i].x;
    const Vec3 way = world_.next[k].x - world_.next[i].x - from;
    const double squared = dot(way, way);
    const double t = squared > 0 ? std::clamp(-dot(from, way) / squared, 0.0, 1.0) : 0;
    return length(from + t * way) > a.reach + b.reach;
  }

  /// Of two convex colliders: they are too far apart to meet, or the response has held them at their contacts.
  bool surely_apart(const WorldState::Entry& entry) const {
    const Collider& a = collider(entry.key.a);
    const Collider& b = collider(entry.key.b);
    const auto body_a = static_cast<std::size_t>(a.body);
    const auto body_b = static_cast<std::size_t>(b.body);
    if (entry.count == 0) {
      const double travels = world_.watch[static_cast<std::size_t>(entry.key.a)].travel +
                             world_.watch[static_cast<std::size_t>(entry.key.b)].travel;
      return entry.apart_until - travels > against(body_a, body_b) || balls_pass(a, b);
    }
    if (s_.way[body_a].turning + s_.way[body_b].turning > hold(a, b)) return false;
    const Pair& pair = world_.state.pairs[static_cast<std::size_t>(entry.pair)];
    const Mat3 turn_a = detail::matrix(world_.next[body_a].q);
    const Mat3 turn_b = detail::matrix(world_.next[body_b].q);
    double least = INFINITY;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
      const Vec3 on_a = world_.next[body_a].x + turn_a * pair.points[i].local_a;
      const Vec3 on_b = world_.next[body_b].x + turn_b * pair.points[i].local_b;
      least = std::min(least, dot(pair.normal, on_b - on_a));
    }
    return least > -0.5 * hold(a, b);
  }

  void add_meeting(std::int32_t a, std::int32_t b) {
    const std::int32_t body_a = collider(a).body;
    const std::int32_t body_b = collider(b).body;
    if ((fast(body_a) == nullptr && fast(body_b) == nullptr) || !might_pass(collider(a), collider(b))) return;
    // What stands in the way of a kinematic body is as fast as it, seen from there.
    if (fast(body_a) == nullptr && dynamic(body_a) && !dynamic(body_b)) add_fast(body_a);
    if (fast(body_b) == nullptr && dynamic(body_b) && !dynamic(body_a)) add_fast(body_b);
    if (Fast* f = fast(body_a); f != nullptr && dynamic(body_a)) f->meets.push_back({a, b});
    if (Fast* f = fast(body_b); f != nullptr && dynamic(body_b)) f->meets.push_back({b, a});
  }

  void find_meetings() {
    for (const WorldState::Entry& entry : world_.state.entries) {
      if (!surely_apart(entry)) add_meeting(entry.key.a, entry.key.b);
    }
    for (const MeshPair& entry : world_.state.mesh_pairs) add_meeting(entry.key.a, entry.key.b);
    // A response that made a body faster than it was may have sent it out of its box, and two of them to one place.
    s_.left.clear();
    for (std::size_t k = 0; k < s_.fast.size(); ++k) {
      const std::int32_t body = s_.fast[k].body;
      const auto i = static_cast<std::size_t>(body);
      const Motion& to = world_.next[i];
      double reach = 0;
      for_colliders(info(body), [&](std::int32_t c) { reach = std::max(reach, collider(c).reach); });
      if (world_.state.boxed[i].holds(to.x, to.q, reach, 0)) continue;
      const Vec3 grow{reach, reach, reach};
      const Vec3& from = bodies_.motion[i].x;
      const Box way{detail::lower(from, to.x) - grow, detail::higher(from, to.x) + grow};
      for (const LimitScratch::Left& other : s_.left) {
        if (!way.overlaps(other.way) ||
            !may_touch(world_.state, info(body).first_collider, info(other.body).first_collider))
          continue;
        for_colliders(info(body), [&](std::int32_t c) {
          for_colliders(info(other.body), [&](std::int32_t d) { add_meeting(c, d); });
        });
      }
      s_.left.push_back({body, way});
      world_.broad.overlapping(way, s_.near);
      for_colliders(info(body), [&](std::int32_t c) {
        for (const std::int32_t other : s_.near) {
          if (may_touch(world_.state, c, other)) add_meeting(c, other);
        }
      });
    }
    for (Fast& f : s_.fast) {
      std::sort(f.meets.begin(), f.meets.end());
      f.meets.erase(std::unique(f.meets.begin(), f.meets.end()), f.meets.end());
    }
  }

  void make_insides() {
    s_.inside.resize(bodies_.colliders.size());
    for (const Fast& f : s_.fast) {
      for (const ColliderPair& meet : f.meets) {
        std::optional<Shape>& inside = s_.inside[static_cast<std::size_t>(meet.a)];
        if (!inside && collider(meet.a).inner > 0) inside = make_inside(collider(meet.a));
      }
    }
  }

  /// Where the way of a body first ends. After the first round only those count whose ways have changed.
  void look(Fast& f, bool first) {
    f.next_stop = f.stop;
    for (const ColliderPair& meet : f.meets) {
      const Fast* other = fast(collider(meet.b).body);
      if (first || (other != nullptr && other->changed)) look(meet.a, meet.b, f.next_stop);
    }
  }

  /// Makes `stop` the place where two colliders meet, if they do before.
  void look(std::int32_t a, std::int32_t b, LimitScratch::Stop& stop) const {
    const double before = stop.time;
    const Collider& ca = collider(a);
    const Collider& cb = collider(b);
    const Way wa = way(ca.body);
    const Way wb = way(cb.body);
    const double apart = stop_share * std::min(ca.size, cb.size);
    // Whoever stops on the way stays there: two pieces, and more of them if they turn.
    const int count = static_cast<int>(std::max(pieces(length(wa.turn), ca), pieces(length(wb.turn), cb)));
    // A cast is good to a part of the way: to less than they are kept apart.
    const double way = length(wa.to.x - wa.from.x - (wb.to.x - wb.from.x));
    const double tolerance = way > 0 ? std::min(1e-5, 0.25 * apart / way) : 1e-5;
    double begin = 0;
    for (const double end : {std::min(wb.stop, before), before}) {
      const double start = begin;
      for (int i = 0; i < count && end > start; ++i) {
        const double next = i + 1 == count ? end : start + (end - start) * (i + 1) / count;
        const ShapeMotion other = motion(wb, cb.rotation, cb.place, begin, next);
        const Shape& shape = collider_shape(bodies_, static_cast<std::size_t>(a));
        const Shape& other_shape = collider_shape(bodies_, static_cast<std::size_t>(b));
        const auto hits = [&](const Shape& part, const Vec3& place, double separation) {
          return cast(part, motion(wa, ca.rotation, place, begin, next), other_shape, other,
                      {.separation = separation, .tolerance = tolerance});
        };
        CastResult r = hits(shape, ca.place, apart);
        const bool touching = r.hit && r.time == 0;
        // They touch: contacts hold them. What must not go in is the inside of the body.
        const Vec3 middle = ca.place + ca.rotation * ca.middle;
        const std::optional<Shape>& inside = s_.inside[static_cast<std::size_t>(a)];
        if (r.hit && r.time == 0 && inside) r = hits(*inside, middle, 0);
        for (const double share : inner_shares) {
          if (r.hit && r.time == 0 && inside) r = hits(Shape::sphere(share * ca.inner), middle, 0);
        }
        if (r.hit && r.time > 0) {
          stop = {.time = begin + r.time * (next - begin),
                  .other = cb.body,
                  .inside = touching,
                  .point = detail::to_vec3(r.closest.point_b),
                  .normal = detail::to_vec3(r.closest.normal)};
          return;
        }
        begin = next;
      }
      begin = std::max(begin, end);
    }
  }

  static ShapeMotion motion(const Way& way, const Mat3& turn, const Vec3& place, double begin, double end) {
    return {pose(way.at(begin), turn, place), pose(way.at(end), turn, place)};
  }

  void apply(const Fast& f) {
    const auto i = static_cast<std::size_t>(f.body);
    Motion m = way(f.body).at(1);
    if (f.stop.other >= 0 && info(f.stop.other).kind == RigidKind::kinematic) m = carried(f, m);
    if (bodies_.asleep[i] != 0) wake(world_.state, f.body);
    Motion& next = world_.next[i];
    // The spin of the end is that of another turn: with the momentum kept the energy may grow, and then it is the spin
    // as the body sees it that is kept.
    const Mass& mass = bodies_.mass[i];
    if (!mass.locked && !mass.round) {
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

  /// From where it stopped on it rests against a kinematic body, as far as nothing else is in the way.
  Motion carried(const Fast& f, const Motion& stopped) {
    const Way carrier = way(f.stop.other);
    const Motion from = carrier.at(f.stop.time);
    const Motion to = carrier.at(1);
    const Quat turn = to.q * detail::conjugate(from.q);
    Motion m = stopped;
    m.x = to.x + detail::matrix(turn) * (stopped.x - from.x);
    m.q = detail::normalized(turn * stopped.q);
    const Way along(stopped, m, dt_, 1);
    double free = 1;
    double reach = 0;
    for_colliders(info(f.body), [&](std::int32_t c) { reach = std::max(reach, collider(c).reach); });
    const Vec3 grow{reach, reach, reach};
    world_.broad.overlapping({detail::lower(stopped.x, m.x) - grow, detail::higher(stopped.x, m.x) + grow}, s_.near);
    for_colliders(info(f.body), [&](std::int32_t c) {
      const Collider& own = collider(c);
      for (const std::int32_t other : s_.near) {
        const Collider& met = collider(other);
        if (met.body == f.stop.other || !may_touch(world_.state, c, other)) continue;
        const Eigen::Isometry3d there = pose(world_.next[static_cast<std::size_t>(met.body)], met.rotation, met.place);
        const CastResult r =
            cast(collider_shape(bodies_, static_cast<std::size_t>(c)), motion(along, own.rotation, own.place, 0, 1),
                 collider_shape(bodies_, static_cast<std::size_t>(other)), {there, there});
        if (r.hit && r.time > 0) free = std::min(free, r.time);
      }
    });
    return along.at(free);
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
      if (!mass.locked) return turned(r, mass.inverse_inertia, moment);
      const Mat3 inertia{turned(r, mass.inertia, {1, 0, 0}), turned(r, mass.inertia, {0, 1, 0}),
                         turned(r, mass.inertia, {0, 0, 1})};
      return inverse_about_free_axes(inertia, bodies_.info[i].locked_rotation) * moment;
    };
    const auto shifting = [&](std::size_t i) {
      return unlocked(bodies_.mass[i].inverse * n, bodies_.info[i].locked_translation);
    };
    const double approach = speed(a) - speed(b);
    const auto movable = [&](std::size_t i) { return bodies_.mass[i].inverse > 0 && bodies_.asleep[i] == 0; };
    double ease = 0;
    for (const std::size_t i : {a, b}) {
      if (movable(i)) ease += dot(n, shifting(i) + cross(turning(i), arm(i)));
    }
    if (!(approach > 0) || !(ease > 0)) return;
    for (const std::size_t i : {a, b}) {
      if (!movable(i)) continue;
      const double impulse = (i == a ? -1 : 1) * approach / ease;
      const Vec3 turn = turning(i);
      world_.next[i].v = world_.next[i].v + impulse * shifting(i);
      world_.next[i].w = world_.next[i].w + impulse * turn;
    }
  }

  World& world_;
  LimitScratch& s_;
  const Bodies& bodies_;
  double dt_;
  std::size_t count_ = 0;  ///< of fast bodies
};

}  // namespace

void limit_motion(Context& context, World& world, double dt, StageStats& stats) {
  const StageTimer timer(stats);
  Limiter limiter(world, dt);
  const std::size_t stopped = limiter.run(context);
  stats.add_counted("fast", world.limit.fast.size());
  stats.add_counted("stopped", stopped);
}

}  // namespace carom::rigid
