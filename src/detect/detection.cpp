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

/// Pairs within objects, pairs between them.
struct PairScopes {
  bool self = false;
  bool between = false;
  bool none_followed = true;  ///< all that were asked for

  bool any() const { return self || between; }
  PairScope scope() const { return self && between ? PairScope::all : self ? PairScope::self : PairScope::between; }
};

/// Pairs within objects and pairs between them are watched apart: bodies that fly past each other may barely deform.
PairScopes follow_pairs(Context& context, const bounds::In& in, const CandidateOptions& options, bool coherent,
                        Scratch& scratch, PipelineStats& stats) {
  Candidates& candidates = scratch.candidates;
  if (options.method != mid::Method::clusters) candidates.bvh.follow(in.surface);
  const auto has_pair = [&](const auto& condition) {
    return std::any_of(candidates.broad.pairs.begin(), candidates.broad.pairs.end(), condition);
  };
  PairScopes left;
  left.self =
      options.pairs != PairScope::between && has_pair([](const broad::ObjectPair& pair) { return pair.a == pair.b; });
  left.between =
      options.pairs != PairScope::self && has_pair([](const broad::ObjectPair& pair) { return pair.a != pair.b; });
  scratch.hits.clear();
  if (!coherent) return left;
  for (const PairScope scope : {PairScope::self, PairScope::between}) {
    bool& wanted = scope == PairScope::self ? left.self : left.between;
    PairCache& pair_cache = scope == PairScope::self ? scratch.self : scratch.between;
    if (!wanted || !pair_cache.follow(context, in, options, candidates, scratch.narrow, stats)) continue;
    narrow::select(context, {.surface = in.surface, .positions = in.positions}, pair_cache.pairs(), options.distance,
                   scratch.narrow, stats[Stage::narrow]);
    merge_hits(scratch);
    wanted = false;
    left.none_followed = false;
  }
  return left;
}

/// Adds the pairs of the scopes that are left, and leaves all in `scratch.narrow.hits`.
void find_left(Context& context, const bounds::In& in, CandidateOptions options, PairScopes left, Scratch& scratch,
               PipelineStats& stats) {
  Candidates& candidates = scratch.candidates;
  if (left.any()) {
    options.pairs = left.scope();
    if (options.method == mid::Method::clusters) {
      candidates.search.find(context, in,
                             {.distance = options.distance,
                              .pairs = options.pairs,
                              .object_pairs = candidates.broad.pairs,
                              .marks = options.marks()},
                             stats[Stage::mid], stats[Stage::narrow]);
      candidates.search.hits(context, in.surface.clusters(), scratch.narrow.hits);
    } else {
      find_clusters(context, in, options, candidates, stats);
      narrow::find(context, {.surface = in.surface, .positions = in.positions, .bvh = &candidates.bvh},
                   options.distance, scratch.narrow, stats[Stage::narrow]);
    }
    merge_hits(scratch);
  }
  scratch.narrow.hits.swap(scratch.hits);
}

/// Where nothing was kept from the last call and nothing is left out, contacts follow from pairs without a detour.
template <class Contacts>
void find_and_report(Context& context, const bounds::In& in, const CandidateOptions& options, Scratch& scratch,
                     Contacts& contacts, PipelineStats& stats) {
  ClusterSearch& search = scratch.candidates.search;
  search.find(context, in,
              {.distance = options.distance, .pairs = options.pairs, .object_pairs = scratch.candidates.broad.pairs},
              stats[Stage::mid], stats[Stage::narrow]);
  const StageTimer timer(stats[Stage::narrow]);
  narrow::build_contacts(context, {search.vertex_triangle(), search.edge_edge(), in.surface.clusters().edges},
                         in.surface.triangles(), in.positions, contacts);
  stats[Stage::narrow].out += contacts.size();
  stats[Stage::narrow].set_units("pairs of features", "contacts");
}

}  // namespace

void find_near(Context& context, const bounds::In& in, const CandidateOptions& options, bool coherent, Scratch& scratch,
               PipelineStats& stats) {
  const PairScopes left = follow_pairs(context, in, options, coherent, scratch, stats);
  find_left(context, in, options, left, scratch, stats);
}

namespace {

CandidateOptions prepare(const bounds::In& in, const Options& options, Scratch& scratch) {
  scratch.excludes.set(options.filters, in.surface, options.distance, options.choice);
  return {.distance = options.distance,
          .pairs = options.pairs,
          .method = options.method,
          .filter = scratch.excludes.objects(),
          .sphere_depth = options.sphere_depth};
}

/// Pairs of objects, and those of their features that are followed; what is left to find.
PairScopes find_followed(Context& context, const bounds::In& in, const CandidateOptions& wanted, bool coherent,
                         Scratch& scratch, PipelineStats& stats) {
  bounds::run(context, in, {.distance = wanted.distance, .triangles = false}, scratch.candidates.bounds,
              stats[Stage::bounds]);
  find_object_pairs(context, wanted, scratch.candidates, stats);
  return follow_pairs(context, in, wanted, coherent, scratch, stats);
}

/// By methods that have no tree.
void find_by_triangles(Context& context, const bounds::In& in, const CandidateOptions& wanted, Scratch& scratch,
                       PipelineStats& stats) {
  find_candidates(context, in, wanted, scratch.candidates, stats);
  narrow::find(context, {.surface = in.surface, .positions = in.positions, .pairs = scratch.candidates.mid.pairs},
               wanted.distance, scratch.narrow, stats[Stage::narrow]);
}

template <class Contacts>
void run_into(Context& context, const bounds::In& in, const Options& options, Scratch& scratch, Contacts& contacts,
              PipelineStats& stats) {
  const CandidateOptions wanted = prepare(in, options, scratch);
  if (mid::is_tree(wanted.method)) {
    const PairScopes left = find_followed(context, in, wanted, options.coherent, scratch, stats);
    if (wanted.method == mid::Method::clusters && left.any() && left.none_followed && !scratch.excludes.active()) {
      find_and_report(context, in, wanted, scratch, contacts, stats);
      return;
    }
    find_left(context, in, wanted, left, scratch, stats);
  } else {
    find_by_triangles(context, in, wanted, scratch, stats);
  }
  narrow::report(context, {.surface = in.surface, .positions = in.positions}, &scratch.excludes, scratch.narrow,
                 contacts, stats[Stage::narrow]);
}

}  // namespace

void find_pairs(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
                PipelineStats& stats) {
  const CandidateOptions wanted = prepare(in, options, scratch);
  if (mid::is_tree(wanted.method)) {
    const PairScopes left = find_followed(context, in, wanted, options.coherent, scratch, stats);
    find_left(context, in, wanted, left, scratch, stats);
  } else {
    find_by_triangles(context, in, wanted, scratch, stats);
  }
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
