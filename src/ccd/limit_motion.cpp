#include "ccd/limit_motion.hpp"

#include <algorithm>

#include "ccd/candidates.hpp"
#include "ccd/outcome.hpp"
#include "ccd/time_of_impact.hpp"
#include "core/stage_timer.hpp"

namespace carom::ccd {
namespace {

using State = Path::State;

/// rad; a body that turns farther in a step.
constexpr double many_turns = 1;

class Events {
 public:
  Events(const In& in, Scratch& scratch, Candidates& candidates, const Paths& paths)
      : s_(scratch), bodies_(in.bodies), candidates_(candidates), paths_(paths), times_(in, scratch) {}

  void run(Context& context) {
    s_.events.clear();
    s_.stops.clear();
    parallel_for(context.workers, s_.candidates.size(), 4,
                 [&](std::size_t i) { times_.find(s_.candidates[CandidateIndex(i)], 0); });
    for (const CandidateIndex i : s_.candidates.indices()) push(i);
    while (!s_.events.empty()) {
      std::pop_heap(s_.events.begin(), s_.events.end());
      const Scratch::Event event = s_.events.back();
      s_.events.pop_back();
      const Candidate& c = s_.candidates[event.candidate];
      if (paths_.of_collider(c.a).version != event.version_a || paths_.of_collider(c.b).version != event.version_b)
        continue;
      resolve(c);
    }
  }

 private:
  void push(CandidateIndex i) {
    const Candidate& c = s_.candidates[i];
    if (!(c.impact.time < 1)) return;
    s_.events.push_back({.time = c.impact.time,
                         .candidate = i,
                         .key = {c.a, c.b},
                         .version_a = paths_.of_collider(c.a).version,
                         .version_b = paths_.of_collider(c.b).version});
    std::push_heap(s_.events.begin(), s_.events.end());
  }

  /// The paths of two bodies that come together change, of one of them at least.
  void resolve(const Candidate& c) {
    Path& a = paths_.of_collider(c.a);
    Path& b = paths_.of_collider(c.b);
    const Impact impact = c.impact;
    s_.changed_bodies.clear();
    const auto turns = [](const Path& p) { return p.state == State::sweeping && p.swept_pose.angle > many_turns; };
    Scratch::Stop stop{.a = a.body,
                       .b = b.body,
                       .touching = c.touching,
                       .arm_a = impact.point - Paths::at(a, impact.time).x,
                       .arm_b = impact.point - Paths::at(b, impact.time).x,
                       .normal = impact.normal,
                       .many_turns = turns(a) || turns(b)};
    const Impact from_b{impact.time, impact.point, -impact.normal};
    if (a.state == State::held || b.state == State::held) {
      a.state == State::held ? meet_held(b, a, from_b) : meet_held(a, b, impact);
    } else if (a.state == State::carried || b.state == State::carried) {
      carried_by_first(a, b, impact) ? paths_.advance_points(b, a, from_b) : paths_.advance_points(a, b, impact);
    } else if (Paths::weak(a) && Paths::weak(b)) {
      paths_.join(a, b, impact.time, s_.changed_bodies);
    } else {
      // One has been stopped.
      paths_.stop(Paths::weak(a) ? a : b, impact.time);
    }
    s_.stops.push_back(stop);
    if (s_.changed_bodies.empty()) {
      for (const Path* path : {&a, &b}) {
        if (path->since == impact.time && path->version > 0) s_.changed_bodies.push_back(path->body);
      }
    }
    // References end here: paths are added.
    for (const BodySlot body : s_.changed_bodies) update(body, impact.time);
  }

  /// `held` cannot be held back.
  void meet_held(Path& path, const Path& held, const Impact& impact) {
    path.by_held |= Paths::weak(path);
    if (held.scripted) return paths_.advance_points(path, held, impact);
    path.state == State::carried ? paths_.squeeze(path, impact.time) : paths_.stop(path, impact.time);
  }

  /// Of two bodies of which one at least is carried: the one that pushes takes the other along.
  static bool carried_by_first(const Path& a, const Path& b, const Impact& impact) {
    if (a.state != b.state) return a.state == State::carried;
    const double toward_b = dot(impact.normal, Paths::velocity(a, impact.point, impact.time));
    const double toward_a = -dot(impact.normal, Paths::velocity(b, impact.point, impact.time));
    return toward_b >= toward_a;
  }

  /// Times of impact of a body whose path has changed.
  void update(BodySlot body, double time) {
    for (CandidateIndex k = paths_.of(body).first; k.valid();) {
      Candidate& c = s_.candidates[k];
      times_.find(c, time);
      push(k);
      k = bodies_.colliders[c.a].body == body ? c.next_a : c.next_b;
    }
    const std::size_t known = s_.candidates.size();
    const State state = paths_.of(body).state;
    candidates_.find_of(paths_, body, state == State::carried || state == State::joined);
    for (const CandidateIndex i : IndexRange<CandidateIndex>(known, s_.candidates.size())) {
      times_.find(s_.candidates[i], time);
      push(i);
    }
  }

  Scratch& s_;
  const rigid::Bodies& bodies_;
  Candidates& candidates_;
  const Paths& paths_;
  TimeOfImpact times_;
};

}  // namespace

void limit_motion(Context& context, const In& in, Scratch& scratch, const Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  Candidates candidates(in, scratch, out.next);
  candidates.find_fast(context);
  scratch.stops.clear();
  scratch.candidates.clear();
  Outcome outcome;
  if (!scratch.fast.empty() || in.some_deep) {
    const Paths paths(in, scratch, out.next);
    candidates.find(context, paths);
    Events(in, scratch, candidates, paths).run(context);
    outcome = apply(in, scratch, out);
  }
  stats.add_counted("fast", scratch.fast.size());
  stats.add_counted("stopped", outcome.stopped);
  stats.add_counted("carried", outcome.carried);
  stats.add_counted("squeezed", outcome.squeezed);
}

}  // namespace carom::ccd
