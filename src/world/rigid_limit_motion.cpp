#include <algorithm>
#include <cmath>
#include <utility>

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
using Meeting = LimitScratch::Meeting;

constexpr int most_rounds = 8;
constexpr std::size_t entry_grain = 256;
constexpr std::uint8_t left_box = 2;

class Limiter {
 public:
  Limiter(World& world, double dt) : world_(world), s_(world.limit), bodies_(world.state.bodies), dt_(dt) {}

  std::size_t run(Context& context) {
    find_fast(context);
    if (s_.fast.empty()) return 0;
    find_meetings(context);
    s_.way_number.assign(bodies_.size(), -1);
    s_.on_way.clear();
    s_.ways.clear();
    make_ready(context, 0);
    for (int round = 0; look(context, round); ++round) {
      const std::size_t known = s_.meetings.size();
      meet_what_stopped();
      make_ready(context, known);
    }
    return apply_stops(world_, dt_);
  }

 private:
  bool dynamic(std::int32_t body) const { return info(body).kind == RigidKind::dynamic; }
  const Info& info(std::int32_t body) const { return bodies_.info[static_cast<std::size_t>(body)]; }
  const Collider& collider(std::int32_t c) const { return bodies_.colliders[static_cast<std::size_t>(c)]; }
  Fast* fast(std::int32_t body) const {
    const std::int32_t n = s_.number[static_cast<std::size_t>(body)];
    return n < 0 ? nullptr : &s_.fast[static_cast<std::size_t>(n)];
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
    f.changed = false;
  }

  /// How far a body goes, and whether that is far for itself.
  void find_way(std::size_t i, LimitScratch::Extremes& extremes) {
    const Info& of = bodies_.info[i];
    double inner = INFINITY;
    for_colliders(of, [&](std::int32_t c) {
      inner = std::min(inner, collider(c).inner);
      if (of.kind == RigidKind::dynamic) extremes.smallest = std::min(extremes.smallest, rigid::hold(collider(c)));
    });
    if (still_or_static(bodies_, i)) return;
    const Motion& from = bodies_.motion[i];
    const Motion& to = world_.next[i];
    const Quat t = to.q * detail::conjugate(from.q);
    // Of a turn by half and more, beginning and end say nothing.
    const bool far_round = 0.5 * dt_ * length(from.w + to.w) > 3;
    const double turning = (far_round ? 2 : 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z)) * of.reach;
    s_.way[i] = {turning, length(to.x - from.x) + turning};
    extremes.longest = std::max(extremes.longest, s_.way[i].all);
    std::uint8_t fast = s_.way[i].all > inner ? 1 : 0;
    if (far_round || !world_.state.boxed[i].holds(to.x, to.q, of.reach, 0)) fast = left_box;
    s_.is_fast[i] = fast;
  }

  void find_fast(Context& context) {
    s_.number.assign(bodies_.size(), -1);
    s_.way.assign(bodies_.size(), {});
    s_.is_fast.assign(bodies_.size(), 0);
    const LimitScratch::Extremes extremes = parallel_reduce(
        context.workers, bodies_.size(), 256, LimitScratch::Extremes{},
        [&](std::size_t begin, std::size_t end) {
          LimitScratch::Extremes e;
          for (std::size_t i = begin; i < end; ++i) find_way(i, e);
          return e;
        },
        [](const LimitScratch::Extremes& a, const LimitScratch::Extremes& b) {
          return LimitScratch::Extremes{std::min(a.smallest, b.smallest), std::max(a.longest, b.longest)};
        },
        s_.extremes);
    // A large body that is slow for itself is fast for a small one.
    if (extremes.longest > extremes.smallest) {
      for (std::size_t i = 0; i < bodies_.size(); ++i) {
        if (s_.is_fast[i] == 0 && s_.way[i].all > extremes.smallest) s_.is_fast[i] = 1;
      }
    }
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
    const auto body_a = static_cast<std::size_t>(a.body);
    const auto body_b = static_cast<std::size_t>(b.body);
    const double least = hold(a, b);
    return s_.way[body_a].all + s_.way[body_b].all > least && against(body_a, body_b) > least;
  }
  static double hold(const Collider& a, const Collider& b) {
    const double own = rigid::hold(a);
    const double other = rigid::hold(b);
    const double least = std::min(own, other);
    // What has no inside is through the other as soon as it is through the middle of it.
    if (std::max(own, other) == INFINITY) return least < INFINITY ? 0.5 * least : 0;
    return least;
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

  void add_meeting(std::int32_t a, std::int32_t b, std::int32_t pair) {
    if (collider(a).surface || collider(b).surface) return;
    const std::int32_t body_a = collider(a).body;
    const std::int32_t body_b = collider(b).body;
    if (fast(body_a) == nullptr && fast(body_b) == nullptr) return;
    // What stands in the way of a kinematic body is as fast as it, seen from there.
    if (fast(body_a) == nullptr && dynamic(body_a) && !dynamic(body_b)) add_fast(body_a);
    if (fast(body_b) == nullptr && dynamic(body_b) && !dynamic(body_a)) add_fast(body_b);
    if ((fast(body_a) != nullptr && dynamic(body_a)) || (fast(body_b) != nullptr && dynamic(body_b)))
      s_.meetings.push_back({.a = a, .b = b, .pair = pair});
  }

  void find_meetings(Context& context) {
    const std::vector<WorldState::Entry>& entries = world_.state.entries;
    s_.meetings.clear();
    s_.may_meet.resize(entries.size());
    parallel_for(context.workers, entries.size(), entry_grain, [&](std::size_t i) {
      const ColliderPair& key = entries[i].key;
      s_.may_meet[i] = might_pass(collider(key.a), collider(key.b)) && !surely_apart(entries[i]) ? 1 : 0;
    });
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (s_.may_meet[i] != 0) add_meeting(entries[i].key.a, entries[i].key.b, entries[i].pair);
    }
    const std::vector<MeshPair>& mesh_pairs = world_.state.mesh_pairs;
    for (std::size_t i = 0; i < mesh_pairs.size(); ++i) {
      const ColliderPair& key = mesh_pairs[i].key;
      if (might_pass(collider(key.a), collider(key.b))) add_meeting(key.a, key.b, static_cast<std::int32_t>(i));
    }
    const std::size_t known = s_.meetings.size();
    meet_out_of_boxes();
    if (s_.meetings.size() == known) return;
    const auto key = [](const Meeting& m) { return std::pair(m.a, m.b); };
    std::stable_sort(s_.meetings.begin(), s_.meetings.end(),
                     [&](const Meeting& m, const Meeting& n) { return key(m) < key(n); });
    const auto same = [&](const Meeting& m, const Meeting& n) { return key(m) == key(n); };
    s_.meetings.erase(std::unique(s_.meetings.begin(), s_.meetings.end(), same), s_.meetings.end());
  }

  /// Contacts that hold two bodies apart, and ways that do not cross, are those of bodies that go all their way. What
  /// goes on when the other has stopped may run into it.
  void meet_what_stopped() {
    const auto run_into = [&](const ColliderPair& key) {
      const Collider& a = collider(key.a);
      const Collider& b = collider(key.b);
      const auto runs_into = [&](const Collider& goes, const Collider& stays) {
        const Fast* f = fast(stays.body);
        return f != nullptr && f->changed && s_.way[static_cast<std::size_t>(goes.body)].all > hold(a, b);
      };
      return runs_into(a, b) || runs_into(b, a);
    };
    const std::vector<WorldState::Entry>& entries = world_.state.entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (s_.may_meet[i] != 0 || !run_into(entries[i].key)) continue;
      s_.may_meet[i] = 1;
      add_meeting(entries[i].key.a, entries[i].key.b, entries[i].pair);
    }
    // Nothing stops a mesh, but it may take along what was stopped.
    const std::vector<MeshPair>& mesh_pairs = world_.state.mesh_pairs;
    for (std::size_t i = 0; i < mesh_pairs.size(); ++i) {
      const ColliderPair& key = mesh_pairs[i].key;
      if (!might_pass(collider(key.a), collider(key.b)) && run_into(key))
        add_meeting(key.a, key.b, static_cast<std::int32_t>(i));
    }
  }

  void meet_unknown(std::int32_t a, std::int32_t b) {
    const auto way = [&](std::int32_t c) { return s_.way[static_cast<std::size_t>(collider(c).body)].all; };
    if (way(a) + way(b) > hold(collider(a), collider(b))) add_meeting(std::min(a, b), std::max(a, b), -1);
  }

  void meet_out_of_boxes() {
    // A response that made a body faster than it was may have sent it out of its box, and two of them to one place.
    s_.left.clear();
    for (std::size_t k = 0; k < s_.fast.size(); ++k) {
      const std::int32_t body = s_.fast[k].body;
      const auto i = static_cast<std::size_t>(body);
      if (s_.is_fast[i] != left_box) continue;
      const double reach = info(body).reach;
      const Vec3 grow{reach, reach, reach};
      const Vec3& from = bodies_.motion[i].x;
      const Motion& to = world_.next[i];
      const Box way{detail::lower(from, to.x) - grow, detail::higher(from, to.x) + grow};
      for (const LimitScratch::Left& other : s_.left) {
        if (!way.overlaps(other.way) ||
            !may_touch(world_.state, info(body).first_collider, info(other.body).first_collider))
          continue;
        for_colliders(info(body), [&](std::int32_t c) {
          for_colliders(info(other.body), [&](std::int32_t d) { meet_unknown(c, d); });
        });
      }
      s_.left.push_back({body, way});
      world_.broad.overlapping(way, s_.near);
      for_colliders(info(body), [&](std::int32_t c) {
        for (const std::int32_t other : s_.near) {
          if (may_touch(world_.state, c, other)) meet_unknown(c, other);
        }
      });
    }
  }

  /// What looks at meetings from this one on need.
  void make_ready(Context& context, std::size_t first) {
    s_.inside.resize(bodies_.colliders.size());
    const std::size_t begin = s_.ways.size();
    for (std::size_t i = first; i < s_.meetings.size(); ++i) {
      for (const std::int32_t c : {s_.meetings[i].a, s_.meetings[i].b}) {
        const std::int32_t body = collider(c).body;
        std::int32_t& n = s_.way_number[static_cast<std::size_t>(body)];
        if (n < 0) {
          n = static_cast<std::int32_t>(s_.on_way.size());
          s_.on_way.push_back(body);
        }
        std::optional<Inside>& inside = s_.inside[static_cast<std::size_t>(c)];
        if (!inside && dynamic(body) && fast(body) != nullptr)
          inside = make_inside(collider(c), collider_shape(bodies_, static_cast<std::size_t>(c)));
      }
    }
    s_.ways.resize(s_.on_way.size(), Way({}, {}, 0));
    parallel_for(context.workers, s_.ways.size() - begin, 64, [&](std::size_t k) {
      const auto i = static_cast<std::size_t>(s_.on_way[begin + k]);
      s_.ways[begin + k] = Way(bodies_.motion[i], world_.next[i], dt_);
    });
  }

  /// Whether there is something new: the one that ends its way first has not done so there before.
  bool concerned(const Meeting& m) const {
    const Fast* a = fast(collider(m.a).body);
    const Fast* b = fast(collider(m.b).body);
    const double end_a = a == nullptr ? 1 : a->stop.time;
    const double end_b = b == nullptr ? 1 : b->stop.time;
    return (end_a < end_b && a->changed) || (end_b < end_a && b->changed);
  }

  /// One round; whether a way has become shorter.
  bool look(Context& context, int round) {
    parallel_for(context.workers, s_.meetings.size(), 4, [&](std::size_t i) {
      Meeting& m = s_.meetings[i];
      m.looked = round == 0 || concerned(m);
      if (m.looked) look_at_meeting(world_, round == 0, m);
    });
    for (Fast& f : s_.fast) f.next_stop = f.stop;
    const auto take = [&](std::int32_t c, const LimitScratch::Stop& stop) {
      Fast* f = fast(collider(c).body);
      if (f != nullptr && stop.time < f->next_stop.time) f->next_stop = stop;
    };
    for (const Meeting& m : s_.meetings) {
      if (!m.looked) continue;
      take(m.a, m.stop_a);
      take(m.b, m.stop_b);
    }
    bool changed = false;
    for (Fast& f : s_.fast) {
      f.changed = f.next_stop.time < f.stop.time - 1e-9;
      if (!f.changed) continue;
      f.stop = f.next_stop;
      // It ends sooner or later: nobody stops earlier than here.
      if (round >= most_rounds) f.stop.time = 0;
      changed = true;
    }
    return changed;
  }

  World& world_;
  LimitScratch& s_;
  const Bodies& bodies_;
  double dt_;
  std::size_t count_ = 0;  ///< of fast bodies
};

}  // namespace

double hold(const Collider& c) {
  return c.inner > 0 && c.inner < INFINITY ? std::min(c.inner, ahead_share * c.size) : INFINITY;
}

void limit_motion(Context& context, World& world, double dt, StageStats& stats) {
  const StageTimer timer(stats);
  Limiter limiter(world, dt);
  const std::size_t stopped = limiter.run(context);
  stats.add_counted("fast", world.limit.fast.size());
  stats.add_counted("stopped", stopped);
}

}  // namespace carom::rigid
