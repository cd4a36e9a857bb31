#include "detect/detection.hpp"

#include <algorithm>

#include "core/stage_timer.hpp"
#include "narrow/build_contacts.hpp"

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
  const bool by_clusters = options.method == mid::Method::clusters;
  if (!by_clusters) candidates.bvh.follow(in.surface);
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
    if (by_clusters) {
      candidates.search.find(context, in,
                             {.distance = options.distance,
                              .pairs = options.pairs,
                              .object_pairs = candidates.broad.pairs,
                              .marks = options.marks()},
                             false, stats[Stage::mid], narrow_stats);
      candidates.search.hits(context, in.surface.clusters(), scratch.narrow.hits);
    } else {
      find_clusters(context, in, options, candidates, stats);
      narrow::find(context, narrow, options.distance, scratch.narrow, narrow_stats);
    }
    merge_hits(scratch);
  }
  scratch.narrow.hits.swap(scratch.hits);
}

namespace {

/// Where nothing is kept from call to call and nothing left out, contacts follow from pairs without a detour.
void find_and_report(Context& context, const bounds::In& in, const CandidateOptions& options, Scratch& scratch,
                     std::vector<Contact>& contacts, PipelineStats& stats) {
  ClusterSearch& search = scratch.candidates.search;
  search.find(context, in,
              {.distance = options.distance, .pairs = options.pairs, .object_pairs = scratch.candidates.broad.pairs},
              true, stats[Stage::mid], stats[Stage::narrow]);
  const StageTimer timer(stats[Stage::narrow]);
  narrow::build_contacts(context, {search.vertex_triangle(), search.edge_edge(), in.surface.clusters().edges},
                         in.surface.triangles(), in.positions, contacts);
  stats[Stage::narrow].out += contacts.size();
  stats[Stage::narrow].set_units("pairs of features", "contacts");
}

}  // namespace

void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
         std::vector<Contact>& contacts, PipelineStats& stats) {
  scratch.excludes.set(options.filters, in.surface, options.distance, options.choice);
  const CandidateOptions wanted{.distance = options.distance,
                                .pairs = options.pairs,
                                .method = method_for(in.surface, options.method),
                                .filter = scratch.excludes.objects()};
  if (mid::is_tree(wanted.method)) {
    if (wanted.method == mid::Method::clusters) {
      scratch.candidates.search.bounds(context, in, options.distance, scratch.candidates.bounds, stats[Stage::bounds]);
    } else {
      bounds::run(context, in, {.distance = options.distance, .triangles = false}, scratch.candidates.bounds,
                  stats[Stage::bounds]);
    }
    find_object_pairs(context, wanted, scratch.candidates, stats);
    if (wanted.method == mid::Method::clusters && !options.coherent && !scratch.excludes.active()) {
      find_and_report(context, in, wanted, scratch, contacts, stats);
      return;
    }
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
