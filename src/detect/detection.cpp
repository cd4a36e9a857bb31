#include "detect/detection.hpp"

#include <algorithm>

namespace carom::detection {

namespace {

/// Adds what the narrow phase found last to what there is; both are in canonical order.
void merge_hits(Scratch& scratch) {
  std::vector<narrow::Hit>& more = scratch.narrow.hits;
  if (scratch.hits.empty()) {
    scratch.hits.swap(more);
    return;
  }
  scratch.merged.resize(scratch.hits.size() + more.size());
  std::merge(scratch.hits.begin(), scratch.hits.end(), more.begin(), more.end(), scratch.merged.begin());
  scratch.hits.swap(scratch.merged);
}

}  // namespace

/// Pairs within objects and pairs between them are watched apart: bodies that fly past each other may barely deform.
void find_near(Context& context, const bounds::In& in, CandidateOptions options, bool coherent, Scratch& scratch,
               PipelineStats& stats) {
  Candidates& candidates = scratch.candidates;
  candidates.bvh.follow(in.surface);
  const narrow::In narrow{.surface = in.surface, .positions = in.positions, .bvh = &candidates.bvh};
  StageStats& narrow_stats = stats[Stage::narrow];
  const auto has_pair = [&](const auto& condition) {
    return std::any_of(candidates.broad.pairs.begin(), candidates.broad.pairs.end(), condition);
  };
  bool self =
      options.pairs != PairScope::between && has_pair([](const broad::ObjectPair& pair) { return pair.a == pair.b; });
  bool between =
      options.pairs != PairScope::self && has_pair([](const broad::ObjectPair& pair) { return pair.a != pair.b; });
  scratch.hits.clear();
  if (coherent) {
    for (const PairScope scope : {PairScope::self, PairScope::between}) {
      bool& wanted = scope == PairScope::self ? self : between;
      PairCache& pair_cache = scope == PairScope::self ? scratch.self : scratch.between;
      if (!wanted || !pair_cache.follow(context, in, options, candidates, scratch.narrow, stats)) continue;
      narrow::select(context, narrow, pair_cache.pairs(), options.distance, scratch.narrow, narrow_stats);
      merge_hits(scratch);
      wanted = false;
    }
  }
  if (self || between) {
    options.pairs = self && between ? PairScope::all : self ? PairScope::self : PairScope::between;
    find_clusters(context, in, options, candidates, stats);
    narrow::find(context, narrow, options.distance, scratch.narrow, narrow_stats);
    merge_hits(scratch);
  }
  scratch.narrow.hits.swap(scratch.hits);
}

void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
         std::vector<Contact>& contacts, PipelineStats& stats) {
  scratch.excludes.set(options.filters, in.surface, options.distance, options.choice);
  const CandidateOptions wanted{.distance = options.distance,
                                .pairs = options.pairs,
                                .method = options.method,
                                .filter = scratch.excludes.objects()};
  if (mid::is_tree(options.method)) {
    bounds::run(context, in, {.distance = options.distance, .triangles = false}, scratch.candidates.bounds,
                stats[Stage::bounds]);
    find_object_pairs(context, wanted, scratch.candidates, stats);
    find_near(context, in, wanted, options.coherent, scratch, stats);
  } else {
    find_candidates(context, in, wanted, scratch.candidates, stats);
    narrow::find(context, {.surface = in.surface, .positions = in.positions, .pairs = scratch.candidates.mid.pairs},
                 options.distance, scratch.narrow, stats[Stage::narrow]);
  }
  narrow::report(context, {.surface = in.surface, .positions = in.positions}, &scratch.excludes, scratch.narrow,
                 contacts, stats[Stage::narrow]);
}

}  // namespace carom::detection
