#include "detect/continuous_detection.hpp"

#include <algorithm>
#include <cmath>

#include "core/stage_timer.hpp"
#include "narrow/cluster_pairs.hpp"

namespace carom::detection {

namespace {

using narrow::Hit;
using narrow::MovingIn;

constexpr std::size_t vertex_grain = 4096;
constexpr std::size_t hit_grain = 2048;

/// Of the mean altitude: while everything stays that near, looking around the start of the step finds few pairs too
/// many, and the pairs can be watched. Beyond, boxes that hold the step are better.
constexpr double most_reach = 0.6;

/// How far a vertex moves at most beyond what all have in common.
double largest_motion(Context& context, const MovingIn& in, ContinuousScratch& scratch) {
  const std::size_t count = in.start.size();
  if (count == 0) return 0;
  Eigen::Vector3d shift = parallel_reduce(
      context.workers, count, vertex_grain, Eigen::Vector3d(0, 0, 0),
      [&](std::size_t begin, std::size_t end) {
        Eigen::Vector3d sum = Eigen::Vector3d::Zero();
        for (std::size_t v = begin; v < end; ++v) sum += in.end[v] - in.start[v];
        return sum;
      },
      [](const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return Eigen::Vector3d(a + b); }, scratch.partial_shift);
  shift /= static_cast<double>(count);
  const double squared = parallel_reduce(
      context.workers, count, vertex_grain, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double most = 0;
        for (std::size_t v = begin; v < end; ++v)
          most = std::max(most, ((in.end[v] - in.start[v]) - shift).squaredNorm());
        return most;
      },
      [](double a, double b) { return std::max(a, b); }, scratch.partial);
  return std::sqrt(squared);
}

double largest_coordinate(std::span<const Box> boxes) {
  float largest = 0;
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    for (std::size_t k = 0; k < 3; ++k) largest = std::max({largest, std::abs(box.min[k]), std::abs(box.max[k])});
  }
  return static_cast<double>(largest);
}

/// Pairs of features that may come within the distance over the step, into `scratch.narrow.hits`.
void find_candidates_of_step(Context& context, const MovingIn& in, CandidateOptions options, bool coherent,
                             Scratch& scratch, ContinuousScratch& continuous, PipelineStats& stats) {
  Candidates& candidates = scratch.candidates;
  const bounds::In at_start{in.surface, in.start, in.end};
  bounds::run(context, at_start, {.distance = options.distance, .triangles = false}, candidates.bounds,
              stats[Stage::bounds]);
  find_object_pairs(context, options, candidates, stats);

  // In a frame that moves with the scene every point of a feature moves by `motion` at most. So what comes within the
  // distance begins nearer than that and twice the motion; the rest is for rounding, of coordinates and of products.
  const double motion = largest_motion(context, in, continuous);
  const double coordinate = largest_coordinate(candidates.bounds.objects);
  const double reach = (options.distance + 2 * motion) * (1 + 1e-9) + 1e-12 * coordinate + 1e-100;
  if (reach <= most_reach * typical_altitude(at_start)) {
    options.distance = reach;
    find_near(context, {in.surface, in.start}, options, coherent, scratch, stats);
    return;
  }
  find_clusters_of_step(context, at_start, options, candidates, stats);
  const StageTimer timer(stats[Stage::narrow]);
  narrow::find_moving_in_clusters(context, in, candidates.bvh, options.distance, scratch.narrow);
  for (const narrow::Scratch::Counts& counts : scratch.narrow.counts) {
    stats[Stage::narrow].in += counts.tests;
    stats[Stage::narrow].add_culled("adjacent", counts.adjacent);
    stats[Stage::narrow].add_culled("box", counts.box);
    stats[Stage::narrow].add_culled("moving box", counts.distance);
  }
}

MovingContact describe(const Hit& hit, std::span<const Triangle> triangles) {
  MovingContact contact;
  contact.kind = kind_of(hit);
  if (contact.kind == ContactKind::vertex_face) {
    const Triangle& corners = triangles[static_cast<std::size_t>(triangle_of(hit))];
    contact.a = {vertex_of(hit), none};
    contact.b = {triangle_of(hit), none};
    contact.vertices = {vertex_of(hit), corners[0], corners[1], corners[2]};
  } else {
    contact.a = edge_a_of(hit);
    contact.b = edge_b_of(hit);
    contact.vertices = {contact.a[0], contact.a[1], contact.b[0], contact.b[1]};
  }
  return contact;
}

bool earlier(const MovingContact& left, const MovingContact& right) {
  if (left.impact.time != right.impact.time) return left.impact.time < right.impact.time;
  if (left.kind != right.kind) return left.kind < right.kind;
  return left.a != right.a ? left.a < right.a : left.b < right.b;
}

}  // namespace

void run_continuous(Context& context, const MovingIn& in, const DetectContinuousOptions& options, mid::Method method,
                    Scratch& scratch, ContinuousScratch& continuous, std::vector<MovingContact>& contacts,
                    PipelineStats& stats) {
  scratch.excludes.set(options.filters, in.surface, options.distance);
  find_candidates_of_step(
      context, in,
      {.distance = options.distance, .pairs = options.pairs, .method = method, .filter = scratch.excludes.objects()},
      options.coherent, scratch, continuous, stats);
  StageStats& narrow_stats = stats[Stage::narrow];
  const StageTimer timer(narrow_stats);
  exclude(context, {in.surface, in.start}, scratch.excludes, scratch.narrow.exclude, scratch.narrow.hits, narrow_stats);

  const std::span<const Hit> hits = scratch.narrow.hits;
  const std::span<const Triangle> triangles = in.surface.triangles();
  const ContinuousOptions each{.separation = options.distance, .tolerance = options.tolerance, .exact = options.exact};
  if (continuous.queries.size() < chunk_count(hits.size(), hit_grain))
    continuous.queries.resize(chunk_count(hits.size(), hit_grain));
  continuous.append.run(context.workers, hits.size(), hit_grain, contacts,
                        [&](std::size_t begin, std::size_t end, std::vector<MovingContact>& out, std::size_t chunk) {
                          ContinuousScratch::Queries& queries = continuous.queries[chunk];
                          for (const ContactKind kind : {ContactKind::vertex_face, ContactKind::edge_edge}) {
                            queries.vertices.clear();
                            queries.hits.clear();
                            queries.impacts.clear();
                            for (std::size_t i = begin; i < end; ++i) {
                              if (kind_of(hits[i]) != kind) continue;
                              queries.vertices.push_back(describe(hits[i], triangles).vertices);
                              queries.hits.push_back(i);
                            }
                            first_impacts(kind, in.start, in.end, queries.vertices, each, queries.impacts);
                            for (const IndexedImpact& found : queries.impacts) {
                              out.push_back(describe(hits[queries.hits[found.query]], triangles));
                              out.back().impact = found.impact;
                            }
                          }
                        });
  std::sort(contacts.begin(), contacts.end(), earlier);
  narrow_stats.add_culled("motion", hits.size() - contacts.size());
  narrow_stats.out += contacts.size();
}

}  // namespace carom::detection
