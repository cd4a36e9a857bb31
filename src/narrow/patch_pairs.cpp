#include "narrow/patch_pairs.hpp"

#include "narrow/batch.hpp"

namespace carom::narrow {

namespace {

constexpr std::size_t grain = 128;

using mid::Patch;

class PatchTester {
 public:
  PatchTester(std::span<const Eigen::Vector3d> positions, const Surface& surface, const mid::Bvh& bvh,
              const Options& options, std::vector<Hit>& hits, Scratch::Counts& counts)
      : surface_(surface),
        bvh_(bvh),
        counts_(counts),
        batch_(positions, surface.triangles(), options.distance, hits, counts.distance) {}

  void test(std::size_t a, std::size_t b) {
    vertices_against_triangles(a, b);
    if (a != b) vertices_against_triangles(b, a);
    edges_against_edges(a, b);
  }
  void finish() { batch_.flush(); }

 private:
  std::span<const kernels::BoxPair> overlapping(const kernels::BoxRows& rows_a, std::size_t a,
                                                const kernels::BoxRows& rows_b, std::size_t b) {
    const std::size_t found = kernels::overlapping(rows_a, bvh_.hull(a), rows_b, bvh_.hull(b), found_.data());
    const std::uint64_t all = std::uint64_t{rows_a.count} * rows_b.count;
    counts_.tests += all;
    counts_.box += all - found;
    return {found_.data(), found};
  }

  void vertices_against_triangles(std::size_t a, std::size_t b) {
    const Patch& from = bvh_.patches()[a];
    const Patch& to = bvh_.patches()[b];
    for (const auto [i, j] : overlapping(bvh_.vertices(a), a, bvh_.triangles(b), b)) {
      const Index vertex = from.vertices[i];
      const Index triangle = to.triangles[j];
      const auto& [c0, c1, c2] = to.corners[j];
      if (vertex == to.vertices[c0] || vertex == to.vertices[c1] || vertex == to.vertices[c2]) {
        ++counts_.adjacent;
      } else {
        batch_.add_vertex_triangle(vertex, triangle);
      }
    }
  }

  void edges_against_edges(std::size_t a, std::size_t b) {
    const Patch& first = bvh_.patches()[a];
    const Patch& second = bvh_.patches()[b];
    std::span<const kernels::BoxPair> pairs;
    if (a == b) {
      const kernels::BoxRows rows = bvh_.edges(a);
      const std::uint64_t all = std::uint64_t{rows.count} * (rows.count - std::uint64_t{rows.count > 0}) / 2;
      pairs = {found_.data(), kernels::overlapping(rows, found_.data())};
      counts_.tests += all;
      counts_.box += all - pairs.size();
    } else {
      pairs = overlapping(bvh_.edges(a), a, bvh_.edges(b), b);
    }
    for (const auto [i, j] : pairs) {
      const Edge e = first.edge(i);
      const Edge f = second.edge(j);
      if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) {
        ++counts_.adjacent;
      } else {
        batch_.add_edge_edge(e, f);
      }
    }
  }

  const Surface& surface_;
  const mid::Bvh& bvh_;
  Scratch::Counts& counts_;
  Batch batch_;
  std::array<kernels::BoxPair, std::size_t{kernels::most_boxes} * kernels::most_boxes> found_;
};

}  // namespace

void find_in_patches(Context& context, std::span<const Eigen::Vector3d> positions, const Surface& surface,
                     const mid::Bvh& bvh, const Options& options, Scratch& scratch) {
  const auto pairs = bvh.pairs();
  scratch.counts.assign(chunk_count(pairs.size(), grain), {});
  scratch.append.run(context.workers, pairs.size(), grain, scratch.hits,
                     [&](std::size_t begin, std::size_t end, std::vector<Hit>& hits, std::size_t chunk) {
                       PatchTester tester(positions, surface, bvh, options, hits, scratch.counts[chunk]);
                       for (std::size_t i = begin; i < end; ++i) tester.test(pairs[i].a, pairs[i].b);
                       tester.finish();
                     });
}

}  // namespace carom::narrow
