#include "detect/continuous_detection.hpp"

#include <algorithm>

#include "core/stage_timer.hpp"
#include "narrow/cluster_pairs.hpp"

namespace carom::detection {

namespace {

using narrow::MovingIn;

bounds::In over_step(const MovingIn& in) {
  return {in.surface, in.start, in.end};
}

/// Pairs of features that count and may come within the distance over the step, by clusters.
StepPairs find_by_clusters(Context& context, const MovingIn& in, const CandidateOptions& options, bool coherent,
                           Scratch& scratch, PipelineStats& stats) {
  ClusterSearch& search = scratch.candidates.search;
  search.find(context, over_step(in),
              {.distance = options.distance,
               .pairs = options.pairs,
               .object_pairs = scratch.candidates.broad.pairs,
               .marks = options.marks(),
               .coherent = coherent},
              stats[Stage::mid], stats[Stage::narrow]);
  const StageTimer timer(stats[Stage::narrow]);
  const std::span<const Edge> edges = in.surface.clusters().edges;
  narrow::NumberedPairs* const found[] = {&search.pairs(), &search.later()};
  exclude(context, {in.surface, in.start}, scratch.excludes, scratch.narrow.exclude, edges, found,
          stats[Stage::narrow]);
  return {narrow::feature_pairs(search.pairs(), edges), narrow::feature_pairs(search.later(), edges)};
}

/// The same by trees.
StepPairs find_by_trees(Context& context, const MovingIn& in, const CandidateOptions& options, Scratch& scratch,
                        ContinuousScratch& continuous, PipelineStats& stats) {
  Candidates& candidates = scratch.candidates;
  find_clusters_of_step(context, over_step(in), options, candidates, stats);
  const StageTimer timer(stats[Stage::narrow]);
  narrow::find_moving_in_clusters(context, in, candidates.bvh, options.distance, scratch.narrow);
  continuous.hits.assign(scratch.narrow.hits.begin(), scratch.narrow.hits.end());
  for (const narrow::Scratch::Counts& counts : scratch.narrow.counts) {
    stats[Stage::narrow].in += counts.tests;
    stats[Stage::narrow].add_culled("adjacent", counts.adjacent);
    stats[Stage::narrow].add_culled("box", counts.box);
    stats[Stage::narrow].add_culled("moving box", counts.distance);
  }
  exclude(context, {in.surface, in.start}, scratch.excludes, scratch.narrow.exclude, continuous.hits,
          stats[Stage::narrow]);
  narrow::sort_hits(context, continuous.hits, scratch.narrow);
  split_at_start(context, in, continuous.hits, options.distance, scratch.narrow, continuous.at_start, continuous.later);
  const std::span<const Edge> edges = in.surface.edges();
  return {narrow::feature_pairs(continuous.at_start, edges), narrow::feature_pairs(continuous.later, edges)};
}

}  // namespace

void run_continuous(Context& context, const MovingIn& in, const DetectContinuousOptions& options, mid::Method method,
                    Scratch& scratch, ContinuousScratch& continuous, std::vector<MovingContact>& contacts,
                    PipelineStats& stats, const broad::ObjectChoice& choice) {
  scratch.excludes.set(options.filters, in.surface, options.distance, choice);
  const CandidateOptions wanted{
      .distance = options.distance, .pairs = options.pairs, .method = method, .filter = scratch.excludes.objects()};
  bounds::run(context, over_step(in), {.distance = options.distance, .triangles = false}, scratch.candidates.bounds,
              stats[Stage::bounds]);
  find_object_pairs(context, wanted, scratch.candidates, stats);
  const StepPairs pairs = method == mid::Method::clusters
                              ? find_by_clusters(context, in, wanted, options.coherent, scratch, stats)
                              : find_by_trees(context, in, wanted, scratch, continuous, stats);
  StageStats& narrow_stats = stats[Stage::narrow];
  const StageTimer timer(narrow_stats);
  find_impacts(context, in, pairs,
               {.separation = options.distance, .tolerance = options.tolerance, .exact = options.exact},
               continuous.impacts, contacts);
  narrow_stats.add_culled("motion", pairs.at_start.size() + pairs.later.size() - contacts.size());
  narrow_stats.out += contacts.size();
  narrow_stats.set_units("pairs of features", "contacts");
}

}  // namespace carom::detection
