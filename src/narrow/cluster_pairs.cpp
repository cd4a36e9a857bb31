#include "narrow/cluster_pairs.hpp"

#include "narrow/batch.hpp"
#include "narrow/moving_boxes.hpp"

namespace carom::narrow {

namespace {

constexpr std::size_t cluster_pair_grain = 128;

using mid::Cluster;

using PairsOf = kernels::FeatureCount (*)(const kernels::FeatureRows& a, kernels::Hull hull_a,
                                          const kernels::FeatureRows& b, kernels::Hull hull_b,
                                          kernels::FeaturePair* out);
/// Where nothing is shared, only boxes matter.
constexpr PairsOf box_pairs = kernels::box_pairs;

/// Hands the features of pairs of clusters whose boxes overlap and that share no vertex to a sink, one pair at a time.
template <class Sink>
class ClusterTester {
 public:
  ClusterTester(const mid::Bvh& bvh, Sink& sink, Scratch::Counts& counts) : bvh_(bvh), counts_(counts), sink_(sink) {}

  void test(std::size_t a, std::size_t b) {
    const Cluster& first = bvh_.clusters()[a];
    const Cluster& second = bvh_.clusters()[b];
    share_ = a == b || (first.object == second.object && kernels::have_common(used(first), used(second)));
    vertices_against_triangles(a, b);
    if (a != b) vertices_against_triangles(b, a);
    edges_against_edges(a, b);
  }

 private:
  static std::span<const Index> used(const Cluster& cluster) { return {cluster.vertices.data(), cluster.vertex_count}; }

  std::span<const kernels::FeaturePair> counted(std::uint64_t all, const kernels::FeatureCount& found) {
    counts_.tests += all;
    counts_.adjacent += found.adjacent;
    counts_.box += all - found.pairs - found.adjacent;
    return {found_.data(), found.pairs};
  }

  void vertices_against_triangles(std::size_t a, std::size_t b) {
    const kernels::FeatureRows vertices = bvh_.features().vertices(a);
    const kernels::FeatureRows triangles = bvh_.features().triangles(b);
    const Cluster& cluster = bvh_.clusters()[b];
    const std::uint64_t all = std::uint64_t{vertices.count} * triangles.count;
    const PairsOf sharing = kernels::vertex_triangle_pairs;
    const PairsOf pairs_of = share_ ? sharing : box_pairs;
    for (const auto [i, j] : counted(all, pairs_of(vertices, bvh_.hull(a), triangles, bvh_.hull(b), found_.data()))) {
      sink_.add_vertex_triangle(vertices.vertices[i], cluster.triangles[j]);
    }
  }

  void edges_against_edges(std::size_t a, std::size_t b) {
    const kernels::FeatureRows first = bvh_.features().edges(a);
    const kernels::FeatureRows second = bvh_.features().edges(b);
    const std::uint64_t n = first.count;
    if (a == b) {
      add_edges(first, second, counted(n * (n - (n > 0 ? 1 : 0)) / 2, kernels::edge_pairs(first, found_.data())));
      return;
    }
    const PairsOf edge_pairs = kernels::edge_pairs;
    const PairsOf pairs_of = share_ ? edge_pairs : box_pairs;
    add_edges(first, second,
              counted(n * second.count, pairs_of(first, bvh_.hull(a), second, bvh_.hull(b), found_.data())));
  }

  void add_edges(const kernels::FeatureRows& first, const kernels::FeatureRows& second,
                 std::span<const kernels::FeaturePair> pairs) {
    for (const auto [i, j] : pairs) {
      sink_.add_edge_edge({first.vertices[i], first.vertices[first.stride + i]},
                          {second.vertices[j], second.vertices[second.stride + j]});
    }
  }

  const mid::Bvh& bvh_;
  bool share_ = false;  ///< the clusters at hand use a vertex in common
  Scratch::Counts& counts_;
  Sink& sink_;
  std::array<kernels::FeaturePair, std::size_t{kernels::max_features} * kernels::max_features> found_;
};

}  // namespace

void find_in_clusters(Context& context, std::span<const Eigen::Vector3d> positions, const Surface& surface,
                      const mid::Bvh& bvh, double distance, Scratch& scratch) {
  const auto pairs = bvh.pairs();
  scratch.counts.assign(chunk_count(pairs.size(), cluster_pair_grain), {});
  scratch.append.run(context.workers, pairs.size(), cluster_pair_grain, scratch.hits,
                     [&](std::size_t begin, std::size_t end, std::vector<Hit>& hits, std::size_t chunk) {
                       Scratch::Counts& counts = scratch.counts[chunk];
                       Batch batch(positions, surface.triangles(), distance, hits, counts.distance);
                       ClusterTester tester(bvh, batch, counts);
                       for (std::size_t i = begin; i < end; ++i) tester.test(pairs[i].a, pairs[i].b);
                       batch.flush();
                     });
}

void find_moving_in_clusters(Context& context, const MovingIn& in, const mid::Bvh& bvh, double distance,
                             Scratch& scratch) {
  const auto pairs = bvh.pairs();
  scratch.counts.assign(chunk_count(pairs.size(), cluster_pair_grain), {});
  scratch.append.run(context.workers, pairs.size(), cluster_pair_grain, scratch.hits,
                     [&](std::size_t begin, std::size_t end, std::vector<Hit>& hits, std::size_t chunk) {
                       Scratch::Counts& counts = scratch.counts[chunk];
                       MovingBoxes boxes(in, distance, hits, counts.distance);
                       ClusterTester tester(bvh, boxes, counts);
                       for (std::size_t i = begin; i < end; ++i) {
                         boxes.set_interval(bvh.intervals()[i]);
                         tester.test(pairs[i].a, pairs[i].b);
                       }
                     });
}

}  // namespace carom::narrow
