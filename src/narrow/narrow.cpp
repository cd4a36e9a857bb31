#include "narrow/narrow.hpp"

#include <algorithm>

#include "bounds/bounds.hpp"
#include "core/stage_timer.hpp"
#include "narrow/batch.hpp"
#include "narrow/build_contacts.hpp"
#include "narrow/canonical_order.hpp"
#include "narrow/cluster_pairs.hpp"

namespace carom::narrow {

namespace {

constexpr std::size_t pair_grain = 512;
constexpr std::size_t sort_grain = 4096;
constexpr std::size_t select_grain = 8 * kernels::distance_bound_batch;

/// A box in double precision: these are made on the fly, so their size costs nothing.
struct Extent {
  Eigen::Array3d min;
  Eigen::Array3d max;
};

bool apart(const Extent& a, const Extent& b, double reach) {
  return (a.min > b.max + reach).any() || (b.min > a.max + reach).any();
}

/// What one triangle brings into a pair: itself, and the vertices and edges it owns.
struct Side {
  Index triangle;
  Triangle corners;
  Extent extent;
  int vertex_count = 0;
  int edge_count = 0;
  std::array<Index, 3> vertices;
  std::array<Edge, 3> edges;
  std::array<Extent, 3> edge_extents;
};

class PairTester {
 public:
  PairTester(const In& in, double distance, std::vector<Hit>& hits, Scratch::Counts& counts)
      : in_(in),
        distance_(distance),
        counts_(counts),
        batch_(in.positions, in.surface.triangles(), distance, hits, counts.distance) {}

  void test(const mid::TrianglePair& pair) {
    const Side a = side(pair.a);
    const Side b = side(pair.b);
    const double size = (a.extent.max - a.extent.min).sum() + (b.extent.max - b.extent.min).sum() + distance_;
    reach_ = distance_ + bounds::relative_slack * size;
    vertices_against_face(a, b);
    vertices_against_face(b, a);
    edges_against_edges(a, b);
  }

  void finish() { batch_.flush(); }

 private:
  const Eigen::Vector3d& at(Index vertex) const { return in_.positions[static_cast<std::size_t>(vertex)]; }

  Side side(Index triangle) const {
    Side s;
    const auto t = static_cast<std::size_t>(triangle);
    s.triangle = triangle;
    s.corners = in_.surface.triangles()[t];
    const auto& [a, b, c] = s.corners;
    s.extent.min = at(a).array().min(at(b).array()).min(at(c).array());
    s.extent.max = at(a).array().max(at(b).array()).max(at(c).array());
    const std::uint8_t owned = in_.surface.owned()[t];
    for (std::size_t k = 0; k < 3; ++k) {
      if (owns_vertex(owned, k)) s.vertices[static_cast<std::size_t>(s.vertex_count++)] = s.corners[k];
      if (owns_edge(owned, k)) {
        const auto [low, high] = std::minmax(s.corners[k], s.corners[(k + 1) % 3]);
        const Edge ends = {low, high};
        const auto n = static_cast<std::size_t>(s.edge_count++);
        s.edges[n] = ends;
        s.edge_extents[n].min = at(ends[0]).array().min(at(ends[1]).array());
        s.edge_extents[n].max = at(ends[0]).array().max(at(ends[1]).array());
      }
    }
    return s;
  }

  void vertices_against_face(const Side& from, const Side& face) {
    for (int i = 0; i < from.vertex_count; ++i) {
      const Index vertex = from.vertices[static_cast<std::size_t>(i)];
      ++counts_.tests;
      if (vertex == face.corners[0] || vertex == face.corners[1] || vertex == face.corners[2]) {
        ++counts_.adjacent;
      } else if (apart({at(vertex).array(), at(vertex).array()}, face.extent, reach_)) {
        ++counts_.box;
      } else {
        batch_.add_vertex_triangle(vertex, face.triangle);
      }
    }
  }

  void edges_against_edges(const Side& a, const Side& b) {
    for (int i = 0; i < a.edge_count; ++i) {
      const auto ea = static_cast<std::size_t>(i);
      for (int j = 0; j < b.edge_count; ++j) {
        const auto eb = static_cast<std::size_t>(j);
        const Edge& first = std::min(a.edges[ea], b.edges[eb]);
        const Edge& second = std::max(a.edges[ea], b.edges[eb]);
        ++counts_.tests;
        if (first[0] == second[0] || first[0] == second[1] || first[1] == second[0] || first[1] == second[1]) {
          ++counts_.adjacent;
        } else if (apart(a.edge_extents[ea], b.edge_extents[eb], reach_)) {
          ++counts_.box;
        } else {
          batch_.add_edge_edge(first, second);
        }
      }
    }
  }

  const In& in_;
  double distance_;
  Scratch::Counts& counts_;
  Batch batch_;
  double reach_ = 0;  // beyond this two features cannot be closer than the distance, rounding included
};

void find_in_triangles(Context& context, const In& in, double distance, Scratch& scratch) {
  scratch.counts.assign(chunk_count(in.pairs.size(), pair_grain), {});
  scratch.append.run(context.workers, in.pairs.size(), pair_grain, scratch.hits,
                     [&](std::size_t begin, std::size_t end, std::vector<Hit>& hits, std::size_t chunk) {
                       PairTester tester(in, distance, hits, scratch.counts[chunk]);
                       for (std::size_t i = begin; i < end; ++i) tester.test(in.pairs[i]);
                       tester.finish();
                     });
}

}  // namespace

/// By radix as far as the kind and the first vertex, by comparing from there on: few hits share these, and
/// the other digits would cost three times as many passes over all hits.
void sort_hits(Context& context, std::vector<Hit>& hits, Scratch& scratch) {
  const auto first_vertex = [](const Hit& hit) { return hit.a >> 32U; };
  scratch.sort.run(context.workers, hits, 32, first_vertex);
  // Where the first run of equal ones begins in each chunk; found before anything is moved.
  const std::size_t chunks = chunk_count(hits.size(), sort_grain);
  constexpr std::size_t no_run = ~std::size_t{0};
  scratch.run_begin.assign(chunks + 1, hits.size());
  parallel_chunks(context.workers, hits.size(), sort_grain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    while (begin > 0 && begin < end && first_vertex(hits[begin]) == first_vertex(hits[begin - 1])) ++begin;
    scratch.run_begin[chunk] = begin < end ? begin : no_run;
  });
  // A run that goes on through a whole chunk is sorted with the chunk that it begins in.
  for (std::size_t chunk = chunks; chunk-- > 0;)
    if (scratch.run_begin[chunk] == no_run) scratch.run_begin[chunk] = scratch.run_begin[chunk + 1];
  parallel_for(context.workers, chunks, 1, [&](std::size_t chunk) {
    const std::size_t end = scratch.run_begin[chunk + 1];
    for (std::size_t begin = scratch.run_begin[chunk]; begin < end;) {
      std::size_t stop = begin + 1;
      while (stop < end && first_vertex(hits[stop]) == first_vertex(hits[begin])) ++stop;
      std::sort(hits.begin() + static_cast<std::ptrdiff_t>(begin), hits.begin() + static_cast<std::ptrdiff_t>(stop));
      begin = stop;
    }
  });
}

void find(Context& context, const In& in, double distance, Scratch& scratch, StageStats& stats) {
  const StageTimer timer(stats);
  if (in.bvh != nullptr) {
    find_in_clusters(context, in.positions, in.surface, *in.bvh, distance, scratch);
  } else {
    find_in_triangles(context, in, distance, scratch);
  }
  sort_hits(context, scratch.hits, scratch);
  for (const Scratch::Counts& counts : scratch.counts) {
    stats.in += counts.tests;
    stats.add_culled("adjacent", counts.adjacent);
    stats.add_culled("box", counts.box);
    stats.add_culled("distance", counts.distance);
  }
}

void select(Context& context, const In& in, std::span<const Hit> pairs, double distance, Scratch& scratch,
            StageStats& stats) {
  const StageTimer timer(stats);
  scratch.counts.assign(chunk_count(pairs.size(), select_grain), {});
  scratch.append.run(context.workers, pairs.size(), select_grain, scratch.hits,
                     [&](std::size_t begin, std::size_t end, std::vector<Hit>& hits, std::size_t chunk) {
                       Batch batch(in.positions, in.surface.triangles(), distance, hits,
                                   scratch.counts[chunk].distance);
                       std::size_t i = begin;
                       for (; i < end && kind_of(pairs[i]) == ContactKind::vertex_face; ++i)
                         batch.add_vertex_triangle(vertex_of(pairs[i]), triangle_of(pairs[i]));
                       batch.flush();  // before the first edge, so that the order stays
                       for (; i < end; ++i) batch.add_edge_edge(edge_a_of(pairs[i]), edge_b_of(pairs[i]));
                       batch.flush();
                     });
  stats.add_culled("distance", pairs.size() - scratch.hits.size());
}

void sift(Context& context, const In& in, const Excludes& excludes, Scratch& scratch, StageStats& stats) {
  const StageTimer timer(stats);
  exclude(context, {in.surface, in.positions}, excludes, scratch.exclude, scratch.hits, stats);
  stats.out += scratch.hits.size();
  stats.set_units("pairs of features", "contacts");
}

void report(Context& context, const In& in, const Excludes* excludes, Scratch& scratch, std::vector<Contact>& contacts,
            StageStats& stats) {
  const StageTimer timer(stats);
  if (excludes != nullptr)
    exclude(context, {in.surface, in.positions}, *excludes, scratch.exclude, scratch.hits, stats);
  build_contacts(context, in.surface.triangles(), in.positions, scratch.hits, contacts);
  stats.out += contacts.size();
  stats.set_units("pairs of features", "contacts");
}

void report(Context& context, const In& in, const Excludes* excludes, Scratch& scratch, CompactContacts& contacts,
            StageStats& stats) {
  const StageTimer timer(stats);
  if (excludes != nullptr)
    exclude(context, {in.surface, in.positions}, *excludes, scratch.exclude, scratch.hits, stats);
  const std::span<const Edge> edges = in.surface.edges();
  number_features(context, scratch.hits, edges, scratch.numbers);
  build_contacts(context, feature_pairs(scratch.numbers, edges), in.surface.triangles(), in.positions, contacts);
  stats.out += contacts.size();
  stats.set_units("pairs of features", "contacts");
}

}  // namespace carom::narrow

namespace carom {

bool canonical_less(const Contact& left, const Contact& right) {
  return canonically_before(left, right);
}

}  // namespace carom
