#include "detect/continuous_detection.hpp"

#include <algorithm>
#include <cmath>

#include "core/stage_timer.hpp"
#include "narrow/cluster_pairs.hpp"

namespace carom::detection {

namespace {

using narrow::Hit;
using narrow::MovingIn;

/// Of the typical altitude: while everything stays that near, looking around the start of the step finds few pairs too
/// many, and the pairs can be watched. Beyond, boxes that hold the step are better.
constexpr double max_reach = 3;

/// How near two features must be at the start to come within the distance: those that share a motion of `common`.
///
/// A vertex goes from s to e = R s + c + r, with a rotation R by an angle theta and a rest r. At time t it is at
/// A s + t c + t r with A = (1 - t) 1 + t R, and |A v| >= cos(theta / 2) |v| for every v. So a distance d becomes no
/// less than cos(theta / 2) d - 2 u over the step, where no rest is longer than u.
double reach_at_start(Context& context, const MovingIn& in, std::span<const bounds::Out::Piece> pieces,
                      CommonMotion& common, double distance, ContinuousScratch& scratch) {
  common.sample(in.start, scratch.start_sample);
  common.sample(in.end, scratch.end_sample);
  common.fit(scratch.start_sample, scratch.end_sample);
  return parallel_reduce(
      context.workers, pieces.size(), 1, distance,
      [&](std::size_t begin, std::size_t end) {
        double reach = distance;
        for (std::size_t i = begin; i < end; ++i) {
          if (pieces[i].object == none) continue;
          const RigidMotion& motion = common.motion(pieces[i].object);
          double largest = 0;
          for (std::size_t v = pieces[i].begin; v < pieces[i].end; ++v)
            largest = std::max(largest, (in.end[v] - motion(in.start[v])).squaredNorm());
          const double shrink = 0.5 * std::sqrt(std::max(0.0, motion.rotation.trace() + 1));
          reach = std::max(reach, (distance + 2 * std::sqrt(largest)) / shrink);
        }
        return reach;
      },
      [](double a, double b) { return std::max(a, b); }, scratch.partial);
}

/// Pairs of features that may come within the distance over the step, into `continuous.hits`, in no useful order.
void find_candidates_of_step(Context& context, const MovingIn& in, CandidateOptions options, bool coherent,
                             Scratch& scratch, ContinuousScratch& continuous, PipelineStats& stats) {
  Candidates& candidates = scratch.candidates;
  const bounds::In over_step{in.surface, in.start, in.end};
  const double distance = options.distance;
  bounds::run(context, over_step, {.distance = distance, .triangles = false}, candidates.bounds, stats[Stage::bounds]);
  find_object_pairs(context, options, candidates, stats);
  if (continuous.revision != in.surface.revision()) {
    continuous.revision = 0;  // of none, should memory run out on the way
    continuous.self.choose(candidates.bounds.pieces, in.surface.objects().size(), true);
    continuous.between.choose(candidates.bounds.pieces, in.surface.objects().size(), false);
    continuous.revision = in.surface.revision();
  }

  // Slow parts first: around where they are at the start, by pairs that are kept from call to call.
  continuous.hits.clear();
  bool self = options.pairs != PairScope::between;
  bool between = std::any_of(candidates.broad.pairs.begin(), candidates.broad.pairs.end(),
                             [](const broad::ObjectPair& pair) { return pair.a != pair.b; });
  const double widest = max_reach * typical_altitude(over_step);
  const double rounding = 1e-12 * largest_coordinate(candidates.bounds.objects) + 1e-100;
  for (const PairScope scope : {PairScope::self, PairScope::between}) {
    bool& wanted = scope == PairScope::self ? self : between;
    if (!wanted) continue;
    CommonMotion& common = scope == PairScope::self ? continuous.self : continuous.between;
    const double reach =
        reach_at_start(context, in, candidates.bounds.pieces, common, distance, continuous) * (1 + 1e-9) + rounding;
    if (!(reach <= widest)) continue;
    options.distance = reach;
    options.pairs = scope;
    if (options.method == mid::Method::clusters) {
      PairCache& cache = scope == PairScope::self ? scratch.self : scratch.between;
      if (!coherent || !cache.follow(context, {in.surface, in.start}, options, candidates, scratch.narrow, stats))
        continue;
      narrow::select(context, {.surface = in.surface, .positions = in.start}, cache.pairs(), reach, scratch.narrow,
                     stats[Stage::narrow]);
    } else {
      find_near(context, {in.surface, in.start}, options, coherent, scratch, stats);
    }
    continuous.hits.insert(continuous.hits.end(), scratch.narrow.hits.begin(), scratch.narrow.hits.end());
    wanted = false;
  }
  if (!self && !between) return;

  options.distance = distance;
  options.pairs = self && between ? PairScope::all : self ? PairScope::self : PairScope::between;
  if (options.method == mid::Method::clusters) {
    candidates.search.find(context, over_step,
                           {.distance = distance,
                            .pairs = options.pairs,
                            .object_pairs = candidates.broad.pairs,
                            .marks = options.marks()},
                           stats[Stage::mid], stats[Stage::narrow]);
    candidates.search.hits(context, in.surface.clusters(), scratch.narrow.hits);
    continuous.hits.insert(continuous.hits.end(), scratch.narrow.hits.begin(), scratch.narrow.hits.end());
    return;
  }
  find_clusters_of_step(context, over_step, options, candidates, stats);
  const StageTimer timer(stats[Stage::narrow]);
  narrow::find_moving_in_clusters(context, in, candidates.bvh, distance, scratch.narrow);
  continuous.hits.insert(continuous.hits.end(), scratch.narrow.hits.begin(), scratch.narrow.hits.end());
  for (const narrow::Scratch::Counts& counts : scratch.narrow.counts) {
    stats[Stage::narrow].in += counts.tests;
    stats[Stage::narrow].add_culled("adjacent", counts.adjacent);
    stats[Stage::narrow].add_culled("box", counts.box);
    stats[Stage::narrow].add_culled("moving box", counts.distance);
  }
}

}  // namespace

void run_continuous(Context& context, const MovingIn& in, const DetectContinuousOptions& options, mid::Method method,
                    Scratch& scratch, ContinuousScratch& continuous, std::vector<MovingContact>& contacts,
                    PipelineStats& stats, const broad::ObjectChoice& choice) {
  scratch.excludes.set(options.filters, in.surface, options.distance, choice);
  find_candidates_of_step(
      context, in,
      {.distance = options.distance, .pairs = options.pairs, .method = method, .filter = scratch.excludes.objects()},
      options.coherent, scratch, continuous, stats);
  StageStats& narrow_stats = stats[Stage::narrow];
  const StageTimer timer(narrow_stats);
  exclude(context, {in.surface, in.start}, scratch.excludes, scratch.narrow.exclude, continuous.hits, narrow_stats);

  if (!std::is_sorted(continuous.hits.begin(), continuous.hits.end()))
    narrow::sort_hits(context, continuous.hits, scratch.narrow);
  find_impacts(context, in, continuous.hits,
               {.separation = options.distance, .tolerance = options.tolerance, .exact = options.exact}, scratch.narrow,
               continuous.impacts, contacts);
  narrow_stats.add_culled("motion", continuous.hits.size() - contacts.size());
  narrow_stats.out += contacts.size();
  narrow_stats.set_units("pairs of features", "contacts");
}

}  // namespace carom::detection
