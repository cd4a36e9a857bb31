#include "detect/pair_cache.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"

namespace carom::detection {

namespace {

using narrow::Hit;

constexpr std::size_t cluster_grain = 256;
constexpr std::size_t hit_grain = 4096;

/// Calls that a skin should last, and those it must: finding all pairs with a skin costs up to twice as
/// much as without.
constexpr double wanted_calls = 20;
constexpr double min_calls = 1.5;
/// The same for the search by clusters, which is so fast that a list has to last longer.
constexpr double min_calls_of_clusters = 4;

/// Triangles: below, lists are kept as for trees, for neither they nor a search cost much.
constexpr std::size_t small_surface = 3000;

/// What measuring a pair of the list and comparing a vertex with its reference cost, over a pair of clusters in a
/// search. A list is worth keeping if it saves half of a search.
constexpr double pair_cost = 0.25;
constexpr double vertex_cost = 0.03;

/// Non-adjacent features of a smooth surface begin at about one altitude of its triangles: a reach beyond that fills
/// the list with them.
constexpr double max_altitude = 0.7;

/// Of half the skin, so that rounding in positions and distances is nothing beside the rest.
constexpr double used_fraction = 0.998;
constexpr double min_skin = 1e-6;        ///< over the largest coordinate and the distance, for the same reason
constexpr double tiniest_skin = 1e-140;  ///< m; squares of anything smaller vanish

/// Of the widest skin: with more, after a call for a larger distance, the list is full of pairs that nobody asks for.
constexpr double too_wide = 2;

/// A cluster, and a triangle: a list with more is slower than looking again. Sheets in layers that touch have 20 and
/// 20.
constexpr double max_cluster_pairs = 60;
constexpr double max_pairs = 40;
/// Calls after such a list before another is tried.
constexpr int calls_to_wait = 30;

/// Of all clusters: with more of them touched, starting again is cheaper.
constexpr double max_touched = 0.1;

/// Also of a vertex or a triangle that an edit has taken away: what it was is not known any more, but that it is gone
/// is.
bool has_touched_vertex(const Hit& hit, std::span<const Triangle> triangles, std::span<const std::uint8_t> touched) {
  const auto is_touched = [&](Index vertex) { return at(vertex) >= touched.size() || touched[at(vertex)] != 0; };
  if (kind_of(hit) == ContactKind::vertex_face) {
    const std::size_t triangle = at(triangle_of(hit));
    if (triangle >= triangles.size() || is_dead(triangles[triangle])) return true;
    const auto& [a, b, c] = triangles[triangle];
    return is_touched(vertex_of(hit)) || is_touched(a) || is_touched(b) || is_touched(c);
  }
  const Edge a = edge_a_of(hit);
  const Edge b = edge_b_of(hit);
  return is_touched(a[0]) || is_touched(a[1]) || is_touched(b[0]) || is_touched(b[1]);
}

/// Whether a list of so many pairs costs less than half of a search over so many pairs of clusters.
bool worth_keeping(std::size_t pairs, std::size_t vertices, std::uint64_t cluster_pairs) {
  return pair_cost * static_cast<double>(pairs) + vertex_cost * static_cast<double>(vertices) <=
         0.5 * static_cast<double>(cluster_pairs);
}

}  // namespace

bool PairCache::same_question(const CandidateOptions& options) const {
  return revision_ != 0 && method_ == options.method && std::ranges::equal(marks_, options.marks());
}

/// True if the list can be repaired around an edit of the surface.
bool PairCache::follow_edit(const bounds::In& in, const Candidates& candidates) {
  const AppliedEdit& edit = in.surface.last_edit();
  const std::uint64_t edited_from = !by_clusters()            ? candidates.bvh.edited_from()
                                    : edit.objects_renumbered ? 0
                                                              : edit.before;
  if (!watching_ || edited_from != revision_) return false;
  revision_ = 0;  // none, should memory run out on the way
  // A new vertex is where it is; that is as good as any place once it counts as touched.
  for (std::size_t v = references_.size(); v < in.positions.size(); ++v) references_.push_back(in.positions[v]);
  references_.resize(in.positions.size());
  common_.choose(candidates.bounds.pieces, in.surface.objects().size(), scope_ == PairScope::self);
  common_.sample(references_, reference_sample_);
  common_.sample(in.positions, last_sample_);
  revision_ = in.surface.revision();
  edited_ = true;
  return true;
}

bool PairCache::follow(Context& context, const bounds::In& in, const CandidateOptions& options, Candidates& candidates,
                       narrow::Scratch& narrow, PipelineStats& stats) {
  if (!same_question(options) || (revision_ != in.surface.revision() && !follow_edit(in, candidates))) {
    watching_ = false;
    edited_ = false;
    revision_ = 0;  // none, should memory run out on the way
    common_.choose(candidates.bounds.pieces, in.surface.objects().size(), scope_ == PairScope::self);
    common_.sample(in.positions, last_sample_);
    revision_ = in.surface.revision();
    method_ = options.method;
    const std::span<const std::uint8_t> marks = options.marks();
    marks_.assign(marks.begin(), marks.end());
    return false;
  }
  const double size = largest_coordinate(candidates.bounds.objects) + options.distance;
  const double smallest = std::max(min_skin * size, tiniest_skin);
  skin_ = reach_ - options.distance;
  const bool was_watching = watching_ && skin_ > smallest && skin_ <= too_wide * widest_skin(in, options.distance);
  watching_ = false;  // until all is done
  if (!was_watching && is_fast(in.surface) &&
      !worth_keeping(candidates.search.found(), in.positions.size(), candidates.search.cluster_pairs())) {
    edited_ = false;
    return false;  // by what the last search found, which is all that is known so far
  }
  common_.sample(in.positions, sample_);
  bool followed = false;
  if (was_watching) {
    common_.fit(reference_sample_, sample_);
    const bool far = mark_far(context, in, candidates.bounds.pieces) > 0;
    if (!far && !edited_) {
      stats[Stage::narrow].in += pairs_.size();
      stats[Stage::narrow].remembered += pairs_.size();
      followed = true;
    } else if ((by_clusters() || candidates.bvh.revision() == in.surface.revision()) &&
               (!far || touch_clusters(context, in, candidates))) {
      repair(context, in, candidates, narrow, stats);
      followed = true;
    }
  }
  edited_ = false;
  if (!followed) skin_ = skin_for(in, options.distance, common_.typical_rest(last_sample_, sample_));
  last_sample_.swap(sample_);
  if (!followed) {
    if (wait_ > 0) --wait_;
    if (!(skin_ > smallest) || wait_ > 0) return false;
    reach_ = options.distance + skin_;
    if (!start(context, in, candidates, narrow, stats)) {
      wait_ = calls_to_wait;
      return false;
    }
  }
  stats[Stage::mid].add_counted("cached pairs", pairs_.size());
  watching_ = true;
  return true;
}

/// Whether a search is so fast that few lists are faster.
bool PairCache::is_fast(const Surface& surface) const {
  return by_clusters() && surface.live_triangle_count() > small_surface;
}

double PairCache::widest_skin(const bounds::In& in, double distance) {
  return std::max(max_altitude * typical_altitude(in) - distance, 0.5 * distance);
}

/// 0 if none would last.
double PairCache::skin_for(const bounds::In& in, double distance, double motion) const {
  const double largest = widest_skin(in, distance);
  const double skin = std::min(largest, std::max(2 * wanted_calls * motion, 0.5 * largest));
  const double calls = is_fast(in.surface) ? min_calls_of_clusters : min_calls;
  return std::isfinite(skin) && skin >= 2 * calls * motion ? skin : 0;
}

/// Every pair of features within reach at the references, into `narrow.hits`; if vertices are touched, those near them
/// at least.
void PairCache::search(Context& context, const bounds::In& in, std::span<const std::uint8_t> touched,
                       Candidates& candidates, narrow::Scratch& narrow, PipelineStats& stats) const {
  candidates.search.find(context, {in.surface, references_},
                         {.distance = reach_, .pairs = scope_, .marks = marks_, .touched = touched}, stats[Stage::mid],
                         stats[Stage::narrow]);
  candidates.search.hits(context, in.surface.clusters(), narrow.hits);
}

/// Pairs of clusters within reach at the references; if vertices are touched, those near them at least.
void PairCache::find_clusters(Context& context, const bounds::In& in, std::span<const std::uint8_t> touched,
                              Candidates& candidates, StageStats& stats) const {
  // Where the references of objects are says nothing about which of them have partners.
  candidates.object_wanted.assign(in.surface.objects().size(), 1);
  candidates.bvh.run(context,
                     {.surface = in.surface,
                      .positions = references_,
                      .objects = candidates.bounds.objects,
                      .object_wanted = candidates.object_wanted,
                      .marks = marks_},
                     {.distance = reach_, .pairs = scope_, .volume = mid::volume_of(method_)}, stats, touched);
}

/// The same of features, in those pairs of clusters.
void PairCache::find_features(Context& context, const bounds::In& in, const Candidates& candidates,
                              narrow::Scratch& narrow, StageStats& stats) const {
  narrow::find(context, {.surface = in.surface, .positions = references_, .bvh = &candidates.bvh}, reach_, narrow,
               stats);
}

/// False if there are far more pairs than a list is good for, as with triangles of very different size.
bool PairCache::start(Context& context, const bounds::In& in, Candidates& candidates, narrow::Scratch& narrow,
                      PipelineStats& stats) {
  references_.assign(in.positions.begin(), in.positions.end());
  common_.sample(references_, reference_sample_);
  if (by_clusters()) {
    search(context, in, {}, candidates, narrow, stats);
    const bool good = is_fast(in.surface)
                          ? worth_keeping(narrow.hits.size(), in.positions.size(), candidates.search.cluster_pairs())
                          : static_cast<double>(narrow.hits.size()) <=
                                max_pairs * static_cast<double>(in.surface.live_triangle_count());
    if (!good) {
      stats[Stage::narrow].add_culled("pair cache overflow", narrow.hits.size());
      return false;
    }
    pairs_.swap(narrow.hits);
    return true;
  }
  find_clusters(context, in, {}, candidates, stats[Stage::mid]);
  const double clusters = static_cast<double>(candidates.bvh.clusters().size());
  if (static_cast<double>(candidates.bvh.pairs().size()) > max_cluster_pairs * clusters) {
    stats[Stage::mid].add_culled("pair cache overflow", candidates.bvh.pairs().size());
    stats[Stage::mid].out -= candidates.bvh.pairs().size();
    return false;
  }
  find_features(context, in, candidates, narrow, stats[Stage::narrow]);
  if (static_cast<double>(narrow.hits.size()) > max_pairs * clusters * mid::cluster_triangles) {
    stats[Stage::narrow].add_culled("pair cache overflow", narrow.hits.size());
    return false;
  }
  pairs_.swap(narrow.hits);
  return true;
}

/// Marks the vertices that are too far from their references, and returns how many these are.
std::uint64_t PairCache::mark_far(Context& context, const bounds::In& in, std::span<const bounds::Out::Piece> pieces) {
  const double half = used_fraction * 0.5 * skin_;
  const double limit = half * half;
  touched_.assign(in.positions.size(), 0);
  return parallel_reduce(
      context.workers, pieces.size(), 1, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t count = 0;
        for (std::size_t i = begin; i < end; ++i) {
          if (pieces[i].object == none) continue;
          const RigidMotion motion = common_.motion(pieces[i].object);
          for (std::size_t v = pieces[i].begin; v < pieces[i].end; ++v) {
            const bool near = (in.positions[v] - motion(references_[v])).squaredNorm() <= limit;
            touched_[v] = near ? 0 : 1;
            count += near ? 0 : 1;
          }
        }
        return count;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; }, partial_);
}

/// Where one vertex of a cluster has gone too far, the others soon will: all get new references. False if there are
/// too many.
bool PairCache::touch_clusters(Context& context, const bounds::In& in, Candidates& candidates) {
  return by_clusters() ? touch_clusters_of(context, std::span<const kernels::SurfaceCluster>(
                                                        candidates.search.clusters_of(context, in).clusters))
                       : touch_clusters_of(context, candidates.bvh.clusters());
}

template <class Cluster>
bool PairCache::touch_clusters_of(Context& context, std::span<const Cluster> clusters) {
  far_clusters_.resize(clusters.size());
  parallel_for(context.workers, clusters.size(), cluster_grain, [&](std::size_t p) {
    bool far = false;
    for (std::size_t v = 0; v < clusters[p].vertex_count; ++v) far = far || touched_[at(clusters[p].vertices[v])] != 0;
    far_clusters_[p] = far ? 1 : 0;
  });
  const auto count = std::count(far_clusters_.begin(), far_clusters_.end(), 1);
  if (static_cast<double>(count) > max_touched * static_cast<double>(clusters.size())) return false;
  for (std::size_t p = 0; p < clusters.size(); ++p) {
    if (far_clusters_[p] == 0) continue;
    for (std::size_t v = 0; v < clusters[p].vertex_count; ++v) touched_[at(clusters[p].vertices[v])] = 1;
  }
  return true;
}

/// Gives touched vertices new references and finds the pairs around them again.
void PairCache::repair(Context& context, const bounds::In& in, Candidates& candidates, narrow::Scratch& narrow,
                       PipelineStats& stats) {
  if (edited_) {
    const auto touch = [&](std::span<const Index> vertices) {
      for (const Index vertex : vertices)
        if (at(vertex) < touched_.size()) touched_[at(vertex)] = 1;
    };
    if (by_clusters()) {
      const AppliedEdit& edit = in.surface.last_edit();
      for (const Triangle& corners : edit.removed_corners) touch(corners);
      for (const Index triangle : edit.added) touch(in.surface.triangles()[at(triangle)]);
    } else {
      touch(candidates.bvh.edited_vertices());
    }
  }
  for (const bounds::Out::Piece& piece : candidates.bounds.pieces) {
    if (piece.object == none) continue;
    for (std::size_t v = piece.begin; v < piece.end; ++v)
      if (touched_[v] != 0) references_[v] = common_.motion(piece.object).back(in.positions[v]);
  }
  common_.sample(references_, reference_sample_);
  if (by_clusters()) {
    search(context, in, touched_, candidates, narrow, stats);
  } else {
    find_clusters(context, in, touched_, candidates, stats[Stage::mid]);
    find_features(context, in, candidates, narrow, stats[Stage::narrow]);
  }

  const std::span<const Triangle> triangles = in.surface.triangles();
  append_.run(context.workers, pairs_.size(), hit_grain, kept_,
              [&](std::size_t begin, std::size_t end, std::vector<Hit>& out, std::size_t) {
                for (std::size_t i = begin; i < end; ++i)
                  if (!has_touched_vertex(pairs_[i], triangles, touched_)) out.push_back(pairs_[i]);
              });
  const std::size_t found = narrow.hits.size();
  std::erase_if(narrow.hits, [&](const Hit& hit) { return !has_touched_vertex(hit, triangles, touched_); });
  stats[Stage::narrow].in += kept_.size();
  stats[Stage::narrow].remembered += kept_.size();
  stats[Stage::narrow].add_culled("cached", found - narrow.hits.size());
  pairs_.resize(kept_.size() + narrow.hits.size());
  std::merge(kept_.begin(), kept_.end(), narrow.hits.begin(), narrow.hits.end(), pairs_.begin());
}

}  // namespace carom::detection
