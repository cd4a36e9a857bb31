#pragma once

#include <limits>

#include "bounds/bounds.hpp"
#include "broad/broad.hpp"
#include "carom/detect/detect.hpp"
#include "detect/cluster_search.hpp"
#include "mid/mid.hpp"

namespace carom::detection {

/// What the stages bounds to mid leave behind.
struct Candidates {
  bounds::Out bounds;
  broad::Out broad;
  mid::Out mid;          ///< pairs of triangles, for methods that go by triangles
  mid::Bvh bvh;          ///< pairs of clusters, for trees
  ClusterSearch search;  ///< pairs of features, for the method clusters
  std::vector<std::uint8_t> object_wanted;
};

struct CandidateOptions {
  double distance = 0;  ///< m
  PairScope pairs = PairScope::all;
  mid::Method method = mid::Method::clusters;
  const broad::ObjectFilter* filter = nullptr;
  int sphere_depth = mid::SphereTreeOptions{}.depth;
  bool triangles_only = false;         ///< a tree is asked for pairs of triangles and nothing else
  const FlatClusters* flat = nullptr;  ///< pairs that are left out by the method clusters
  double self_distance = std::numeric_limits<double>::infinity();  ///< m, likewise, as in ClusterSearch::Options

  /// As in mid::Bvh::In.
  std::span<const std::uint8_t> marks() const {
    return filter == nullptr ? std::span<const std::uint8_t>{} : filter->marks();
  }
};

/// The stage broad, after `candidates.bounds`.
void find_object_pairs(Context& context, const CandidateOptions& options, Candidates& candidates, PipelineStats& stats);

/// The stage mid of a tree, after `candidates.broad`.
void find_clusters(Context& context, const bounds::In& in, const CandidateOptions& options, Candidates& candidates,
                   PipelineStats& stats);

/// The same over a step, to `in.end`.
void find_clusters_of_step(Context& context, const bounds::In& in, const CandidateOptions& options,
                           Candidates& candidates, PipelineStats& stats);

/// The stages bounds, broad and mid. Throws Error(not_finite) that names the vertex.
void find_candidates(Context& context, const bounds::In& in, const CandidateOptions& options, Candidates& candidates,
                     PipelineStats& stats);

/// The same, with pairs of triangles in `candidates.mid.pairs` whatever the method: those whose boxes overlap. Trees
/// and the method clusters leave out some that are apart all the same, and clusters have few whose boxes just do not
/// overlap.
void find_triangle_pairs(Context& context, const bounds::In& in, const CandidateOptions& options,
                         Candidates& candidates, PipelineStats& stats);

}  // namespace carom::detection
