#include "detect/candidates.hpp"

namespace carom::detection {

namespace {

/// Objects that have a partner, which may be themselves.
void want_objects(std::span<const broad::ObjectPair> object_pairs, std::size_t objects,
                  std::vector<std::uint8_t>& wanted) {
  wanted.assign(objects, 0);
  for (const broad::ObjectPair& pair : object_pairs) {
    wanted[static_cast<std::size_t>(pair.a)] = 1;
    wanted[static_cast<std::size_t>(pair.b)] = 1;
  }
}

mid::Bvh::In tree_in(const bounds::In& in, const CandidateOptions& options, const Candidates& candidates) {
  return {.surface = in.surface,
          .positions = in.positions,
          .objects = candidates.bounds.objects,
          .object_wanted = candidates.object_wanted,
          .end = in.end,
          .marks = options.marks()};
}

mid::BvhOptions tree_options(const CandidateOptions& options) {
  return {.distance = options.distance,
          .pairs = options.pairs,
          .volume = mid::volume_of(options.method),
          .triangles_only = options.triangles_only};
}

}  // namespace

void find_object_pairs(Context& context, const CandidateOptions& options, Candidates& candidates,
                       PipelineStats& stats) {
  broad::run(context, {.objects = candidates.bounds.objects}, {.pairs = options.pairs, .filter = options.filter},
             candidates.broad, stats[Stage::broad]);
}

void find_clusters(Context& context, const bounds::In& in, const CandidateOptions& options, Candidates& candidates,
                   PipelineStats& stats) {
  want_objects(candidates.broad.pairs, candidates.bounds.objects.size(), candidates.object_wanted);
  candidates.bvh.run(context, tree_in(in, options, candidates), tree_options(options), stats[Stage::mid]);
}

void find_clusters_of_step(Context& context, const bounds::In& in, const CandidateOptions& options,
                           Candidates& candidates, PipelineStats& stats) {
  want_objects(candidates.broad.pairs, candidates.bounds.objects.size(), candidates.object_wanted);
  candidates.bvh.run_moving(context, tree_in(in, options, candidates), tree_options(options), stats[Stage::mid]);
}

void find_candidates(Context& context, const bounds::In& in, const CandidateOptions& options, Candidates& candidates,
                     PipelineStats& stats) {
  const bool tree = mid::is_tree(options.method);
  bounds::run(context, in, {.distance = options.distance, .triangles = !tree}, candidates.bounds, stats[Stage::bounds]);
  find_object_pairs(context, options, candidates, stats);
  if (tree) {
    find_clusters(context, in, options, candidates, stats);
    return;
  }
  mid::run(context,
           {.surface = in.surface,
            .triangles = candidates.bounds.triangles,
            .objects = candidates.bounds.objects,
            .object_pairs = candidates.broad.pairs,
            .positions = in.positions,
            .distance = options.distance},
           {.method = options.method,
            .pairs = options.pairs,
            .filter = options.filter,
            .sphere_depth = options.sphere_depth},
           candidates.mid, stats[Stage::mid]);
}

void find_triangle_pairs(Context& context, const bounds::In& in, const CandidateOptions& options,
                         Candidates& candidates, PipelineStats& stats) {
  if (options.method == mid::Method::clusters) {
    bounds::run(context, in, {.distance = options.distance, .triangles = false}, candidates.bounds,
                stats[Stage::bounds]);
    find_object_pairs(context, options, candidates, stats);
    candidates.search.find_triangles(context, in,
                                     {.distance = options.distance,
                                      .pairs = options.pairs,
                                      .object_pairs = candidates.broad.pairs,
                                      .marks = options.marks()},
                                     candidates.mid.pairs, stats[Stage::mid]);
    return;
  }
  CandidateOptions triangles = options;
  triangles.triangles_only = true;
  find_candidates(context, in, triangles, candidates, stats);
  if (mid::is_tree(options.method)) candidates.bvh.triangle_pairs(context, candidates.mid.pairs, stats[Stage::mid]);
}

}  // namespace carom::detection
