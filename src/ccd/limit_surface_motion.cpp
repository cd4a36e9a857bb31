#include "ccd/limit_surface_motion.hpp"

#include <algorithm>
#include <cassert>

#include "carom/mesh/closest.hpp"
#include "core/stage_timer.hpp"

namespace carom::ccd::limit {

namespace {

/// Fraction of the motion to an impact that is left out, so that a gap stays.
constexpr double kept_fraction = 0.1;

/// Remedies for the impacts of a round; each is tried a few times, the last one until it helps.
enum class Measure {
  earliest,  ///< shorten the ways that lead to an impact, if no earlier one has changed them
  each,      ///< shorten the way of every vertex that has an impact
  stop,      ///< leave these vertices where they start
  stop_all,  ///< leave the whole bodies there
};
constexpr int tries = 6;  ///< of each measure

class Limiter {
 public:
  Limiter(Context& context, const In& in, const Options& options, Scratch& scratch, std::span<Eigen::Vector3d> end)
      : context_(context), in_(in), options_(options), scratch_(scratch), end_(end) {
    scratch.pushers.assign(in.parts.size(), {});
    scratch.pusher.assign(in.start.size(), none);
    scratch.limited.assign(in.start.size(), 0);
    scratch.done_in_round.resize(in.start.size());
    scratch.kept.assign(in.start.size(), 1.0);
    scratch.share.assign(in.start.size(), 1.0);
  }

  /// Into `impacts`: those that can be avoided, the earliest first.
  void find() {
    PipelineStats stats;
    detection::run_continuous(context_, {in_.surface, in_.start, end_},
                              {.distance = 0, .pairs = options_.pairs, .filters = options_.filters, .exact = true},
                              options_.method, scratch_.detection, scratch_.continuous, scratch_.impacts, stats,
                              in_.choice);
    std::erase_if(scratch_.impacts, [&](const MovingContact& impact) {
      return std::none_of(impact.vertices.begin(), impact.vertices.end(), [&](Index v) { return movable(v); }) ||
             touches_from_the_start(impact);
    });
    scratch_.stops.insert(scratch_.stops.end(), scratch_.impacts.begin(), scratch_.impacts.end());
  }

  /// Whether anything changed.
  bool apply(Measure measure) {
    bool changed = false;
    std::fill(scratch_.done_in_round.begin(), scratch_.done_in_round.end(), 0);
    scratch_.front.clear();
    for (const MovingContact& impact : scratch_.impacts) {
      const auto done = [&](Index v) { return scratch_.done_in_round[at(v)] != 0; };
      if (measure == Measure::earliest && std::any_of(impact.vertices.begin(), impact.vertices.end(), done)) continue;
      const Index pusher = pusher_of(impact);
      const double fraction = measure < Measure::stop ? fraction_before(impact) : 0;
      for (const Index v : impact.vertices) {
        if (measure != Measure::stop_all) {
          changed |= shorten(v, pusher, fraction);
        } else if (movable(v)) {
          const Part& part = in_.parts[at(object_of(v))];
          for (Index other = 0; other < part.vertex_count; ++other)
            changed |= shorten(part.first_vertex + other, pusher, 0);
        }
        if (pusher == none && in_.parts[at(object_of(v))].stress_speed > 0) scratch_.front.push_back(v);
      }
    }
    stop_along();
    return changed;
  }

 private:
  static std::size_t at(Index index) { return static_cast<std::size_t>(index); }
  bool movable(Index vertex) const {
    return in_.inverse_mass[at(vertex)] > 0 || (!in_.pins.empty() && in_.pins[at(vertex)] != 0);
  }
  Index object_of(Index vertex) const {
    return in_.surface.object_index_of_triangle()[at(in_.surface.first_corner(vertex)) / 3];
  }

  /// Which side of each other such features are on, nobody can tell, so there is nothing to keep.
  bool touches_from_the_start(const MovingContact& impact) const {
    if (lies_flush(impact)) return true;
    if (impact.impact.time > 0) return false;  // times are never late
    FeatureMotion rest;
    for (std::size_t k = 0; k < 4; ++k) rest.start[k] = in_.start[at(impact.vertices[k])];
    rest.end = rest.start;
    return first_impact(impact.kind, rest, {.exact = true}).collides;
  }

  /// Whether these are parts of one sheet that lie flush: blades part it in one plane, and where parts slide over each
  /// other in it, rounding says which is above, here the one and there the other. Woven like that they could not part
  /// without being stopped, and what is stopped strains the rest.
  bool lies_flush(const MovingContact& impact) const {
    const Part& a = in_.parts[at(object_of(impact.vertices[0]))];
    const Part& b = in_.parts[at(object_of(impact.vertices[3]))];
    return a.whole && a.whole == b.whole && gap_at_start(impact) <= options_.flush;
  }

  double gap_at_start(const MovingContact& impact) const {
    std::array<Eigen::Vector3d, 4> p;
    for (std::size_t k = 0; k < 4; ++k) p[k] = in_.start[at(impact.vertices[k])];
    return impact.kind == ContactKind::vertex_face ? closest_vertex_triangle(p[0], p[1], p[2], p[3]).distance
                                                   : closest_edge_edge(p[0], p[1], p[2], p[3]).distance;
  }

  double fraction_before(const MovingContact& impact) const {
    return gap_at_start(impact) <= options_.gap ? 0 : (1 - kept_fraction) * impact.impact.time;
  }

  const Scratch::Pusher& motion_of(Index object) {
    Scratch::Pusher& pusher = scratch_.pushers[at(object)];
    if (pusher.known) return pusher;
    const Part& part = in_.parts[at(object)];
    const auto from = in_.start.subspan(at(part.first_vertex), at(part.vertex_count));
    const std::span<const Eigen::Vector3d> to = end_.subspan(at(part.first_vertex), at(part.vertex_count));
    pusher.known = true;
    pusher.moves = !std::equal(from.begin(), from.end(), to.begin());
    if (pusher.moves) pusher.motion = fit_rigid(from, to);
    return pusher;
  }

  /// The scripted object that the vertices of an impact have to go along with, directly or behind others that do; none
  /// if they can stay where they are, or have to.
  Index pusher_of(const MovingContact& impact) {
    Index pusher = none;
    for (const Index v : impact.vertices) {
      if (movable(v)) {
        if (pusher == none) pusher = scratch_.pusher[at(v)];
        continue;
      }
      const Index object = object_of(v);
      return in_.parts[at(object)].kinematic && motion_of(object).moves ? object : none;
    }
    return pusher;
  }

  /// A vertex then goes this share of its way, as seen from what carries it.
  bool shorten(Index vertex, Index pusher, double fraction) {
    if (!movable(vertex) || scratch_.done_in_round[at(vertex)] != 0) return false;
    scratch_.done_in_round[at(vertex)] = 1;
    const Eigen::Vector3d& start = in_.start[at(vertex)];
    const Eigen::Vector3d rest = pusher == none ? start : motion_of(pusher).motion(start);
    Eigen::Vector3d& end = end_[at(vertex)];
    const Eigen::Vector3d shorter = fraction == 0 ? rest : Eigen::Vector3d(rest + fraction * (end - rest));
    scratch_.pusher[at(vertex)] = pusher;
    if (shorter == end) return false;
    end = shorter;
    scratch_.limited[at(vertex)] = 1;
    scratch_.kept[at(vertex)] *= fraction;
    return true;
  }

  /// Where stress goes on from what was stopped: the way that is left grows with the distance from there, by all of it
  /// over what stress reaches in the step. So no edge is strained by more than its motion over the speed of stress.
  /// What these shares are does not depend on the order in which they are found: each is that of the best path.
  void stop_along() {
    std::vector<Index>& front = scratch_.front;
    std::vector<double>& share = scratch_.share;
    for (const Index vertex : front) share[at(vertex)] = scratch_.kept[at(vertex)];
    for (std::size_t i = 0; i < front.size(); ++i) {
      const Index vertex = front[i];
      const double reach = in_.parts[at(object_of(vertex))].stress_speed * options_.dt;
      for (Index c = in_.surface.first_corner(vertex); c != none; c = in_.surface.next_corner(c)) {
        for (const Index other : in_.surface.triangles()[at(c / 3)]) {
          const double left = share[at(vertex)] + (in_.start[at(other)] - in_.start[at(vertex)]).norm() / reach;
          if (!(left < share[at(other)]) || !movable(other) || scratch_.pusher[at(other)] != none) continue;
          share[at(other)] = left;
          front.push_back(other);
        }
      }
    }
    for (const Index vertex : front) {
      if (!(share[at(vertex)] < scratch_.kept[at(vertex)])) continue;
      scratch_.done_in_round[at(vertex)] = 0;
      shorten(vertex, none, share[at(vertex)] / scratch_.kept[at(vertex)]);
      scratch_.kept[at(vertex)] = share[at(vertex)];
    }
    front.clear();
  }

  Context& context_;
  const In& in_;
  const Options& options_;
  Scratch& scratch_;
  std::span<Eigen::Vector3d> end_;
};

}  // namespace

void run(Context& context, const In& in, const Options& options, Scratch& scratch, std::span<Eigen::Vector3d> end,
         StageStats& stats) {
  const StageTimer timer(stats);
  Limiter limiter(context, in, options, scratch, end);
  limiter.find();
  stats.add_counted("impacts", scratch.impacts.size());
  std::uint64_t rounds = 1;

  auto measure = Measure::earliest;
  int tried = 0;
  // Stopping whole bodies stops one more in every round but the last, so this bounds the rounds.
  const std::size_t last_tries = in.parts.size() + 1;
  while (!scratch.impacts.empty()) {
    const bool last = measure == Measure::stop_all;
    if (last && static_cast<std::size_t>(tried) == last_tries) break;
    const bool changed = limiter.apply(measure);
    if (changed) {
      limiter.find();
      ++rounds;
    } else if (last) {
      break;
    }
    if (!last && (++tried == tries || !changed)) {
      measure = static_cast<Measure>(static_cast<int>(measure) + 1);
      tried = 0;
    } else if (last) {
      ++tried;
    }
  }
  stats.add_counted("rounds", rounds);
  stats.add_counted("unresolved", scratch.impacts.size());

  for (std::size_t v = 0; v < end.size(); ++v) {
    if (scratch.limited[v] != 0) ++stats.limited;
  }
}

}  // namespace carom::ccd::limit
