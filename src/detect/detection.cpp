#include "detect/detection.hpp"

#include <algorithm>

#include "core/stage_timer.hpp"
#include "narrow/build_contacts.hpp"

namespace carom::detection {

namespace {

ClusterSearch::Options search_options(const CandidateOptions& options, const Candidates& candidates, bool coherent) {
  return {.distance = options.distance,
          .pairs = options.pairs,
          .object_pairs = candidates.broad.pairs,
          .marks = options.marks(),
          .self_distance = options.self_distance,
          .flat = options.flat,
          .coherent = coherent};
}

CandidateOptions prepare(const bounds::In& in, const Options& options, Scratch& scratch) {
  scratch.excludes.set(options.filters, in.surface, options.distance, options.choice);
  scratch.excludes.follow_stretch(options.follow_stretch);
  return {.distance = options.distance,
          .pairs = options.pairs,
          .method = options.method,
          .filter = scratch.excludes.objects(),
          .sphere_depth = options.sphere_depth,
          .flat = options.flat,
          .self_distance = options.self_distance};
}

/// Pairs of objects and, by trees and clusters, boxes of objects alone.
void find_objects(Context& context, const bounds::In& in, const CandidateOptions& wanted, Scratch& scratch,
                  PipelineStats& stats) {
  bounds::run(context, in, {.distance = wanted.distance, .triangles = false}, scratch.candidates.bounds,
              stats[Stage::bounds]);
  find_object_pairs(context, wanted, scratch.candidates, stats);
}

/// Every pair of features within the distance that counts, by number, into those of the search.
void find_numbers(Context& context, const bounds::In& in, const CandidateOptions& wanted, bool coherent,
                  Scratch& scratch, PipelineStats& stats) {
  ClusterSearch& search = scratch.candidates.search;
  find_objects(context, in, wanted, scratch, stats);
  search.find(context, in, search_options(wanted, scratch.candidates, coherent), stats[Stage::mid],
              stats[Stage::narrow]);
  const StageTimer timer(stats[Stage::narrow]);
  narrow::NumberedPairs* const found[] = {&search.pairs()};
  exclude(context, {in.surface, in.positions}, scratch.excludes, scratch.narrow.exclude, in.surface.clusters().edges,
          found, stats[Stage::narrow]);
  stats[Stage::narrow].out += search.pairs().size();
  stats[Stage::narrow].set_units("pairs of features", "contacts");
}

/// Every pair of features within the distance, by the other methods, into `scratch.narrow.hits`.
void find_hits(Context& context, const bounds::In& in, const CandidateOptions& wanted, Scratch& scratch,
               PipelineStats& stats) {
  Candidates& candidates = scratch.candidates;
  find_candidates(context, in, wanted, candidates, stats);
  narrow::In narrow_in{.surface = in.surface, .positions = in.positions, .pairs = candidates.mid.pairs};
  if (mid::is_tree(wanted.method)) narrow_in.bvh = &candidates.bvh;
  narrow::find(context, narrow_in, wanted.distance, scratch.narrow, stats[Stage::narrow]);
}

template <class Contacts>
void run_into(Context& context, const bounds::In& in, const Options& options, Scratch& scratch, Contacts& contacts,
              PipelineStats& stats) {
  const CandidateOptions wanted = prepare(in, options, scratch);
  if (wanted.method == mid::Method::clusters) {
    find_numbers(context, in, wanted, options.coherent, scratch, stats);
    const StageTimer timer(stats[Stage::narrow]);
    narrow::build_contacts(context,
                           narrow::feature_pairs(scratch.candidates.search.pairs(), in.surface.clusters().edges),
                           in.surface.triangles(), in.positions, contacts);
    return;
  }
  find_hits(context, in, wanted, scratch, stats);
  narrow::report(context, {.surface = in.surface, .positions = in.positions}, &scratch.excludes, scratch.narrow,
                 contacts, stats[Stage::narrow]);
}

}  // namespace

void find_pairs(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
                PipelineStats& stats) {
  const CandidateOptions wanted = prepare(in, options, scratch);
  if (wanted.method == mid::Method::clusters) {
    find_numbers(context, in, wanted, options.coherent, scratch, stats);
    const StageTimer timer(stats[Stage::narrow]);
    scratch.candidates.search.hits(context, in.surface.clusters(), scratch.narrow.hits);
    return;
  }
  find_hits(context, in, wanted, scratch, stats);
  narrow::sift(context, {.surface = in.surface, .positions = in.positions}, scratch.excludes, scratch.narrow,
               stats[Stage::narrow]);
}

void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
         std::vector<Contact>& contacts, PipelineStats& stats) {
  run_into(context, in, options, scratch, contacts, stats);
}

void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch, CompactContacts& contacts,
         PipelineStats& stats) {
  run_into(context, in, options, scratch, contacts, stats);
}

}  // namespace carom::detection
