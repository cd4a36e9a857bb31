#include "mesh/surface_clusters.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "carom/mesh/generate.hpp"
#include "carom/mesh/surface.hpp"
#include "core/at.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

using mesh::make_clusters;
using mesh::make_clusters_by_place;
using mesh::SurfaceClusters;

/// What clusters have to be for any surface, told from its triangles alone.
void expect_clusters_of(const Surface& surface, const SurfaceClusters& c) {
  std::set<Edge> edges;
  std::set<Index> used;
  std::set<Index> live;
  for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
    const Triangle& corners = surface.triangles()[t];
    if (is_dead(corners)) continue;
    live.insert(static_cast<Index>(t));
    for (std::size_t k = 0; k < 3; ++k) {
      used.insert(corners[k]);
      const auto [low, high] = std::minmax(corners[k], corners[(k + 1) % 3]);
      if (low != high) edges.insert({low, high});
    }
  }
  ASSERT_EQ(c.edges, std::vector<Edge>(edges.begin(), edges.end()));
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    const auto vertex = static_cast<Index>(v);
    ASSERT_EQ(used.count(vertex) == 0, std::binary_search(c.unused_vertices.begin(), c.unused_vertices.end(), vertex));
  }

  std::multiset<Index> triangles;
  std::multiset<Index> owned_vertices;
  std::multiset<Index> owned_edges;
  std::map<Index, std::set<Index>> users;
  for (std::size_t n = 0; n < c.clusters.size(); ++n) {
    const kernels::SurfaceCluster& cluster = c.clusters[n];
    ASSERT_LE(cluster.triangle_count, 16);
    ASSERT_LE(cluster.vertex_count, 16);
    ASSERT_LE(cluster.edge_count, 32);
    std::array<std::uint32_t, 16> edges_at{};
    std::array<std::uint32_t, 16> triangles_at{};
    std::set<Index> vertices;
    for (std::size_t t = 0; t < cluster.triangle_count; ++t) {
      triangles.insert(cluster.triangles[t]);
      ASSERT_EQ(c.cluster_of[at(cluster.triangles[t])], static_cast<Index>(n));
      ASSERT_EQ(surface.object_index_of_triangle()[at(cluster.triangles[t])], cluster.object);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint8_t place = cluster.corner[k][t];
        ASSERT_LT(place, cluster.vertex_count);
        ASSERT_EQ(cluster.vertices[place], surface.triangles()[at(cluster.triangles[t])][k]);
        triangles_at[place] |= 1U << t;
        vertices.insert(cluster.vertices[place]);
        users[cluster.vertices[place]].insert(static_cast<Index>(n));
      }
    }
    ASSERT_EQ(vertices, std::set<Index>(cluster.vertices, cluster.vertices + cluster.vertex_count));
    for (std::size_t v = 0; v < cluster.owned_vertex_count; ++v) owned_vertices.insert(cluster.vertices[v]);
    for (std::size_t e = 0; e < cluster.edge_count; ++e) {
      owned_edges.insert(cluster.edges[e]);
      const Edge ends{cluster.vertices[cluster.edge_from[e]], cluster.vertices[cluster.edge_to[e]]};
      ASSERT_EQ(ends, c.edges[at(cluster.edges[e])]);
      edges_at[cluster.edge_from[e]] |= 1U << e;
      edges_at[cluster.edge_to[e]] |= 1U << e;
    }
    for (std::size_t v = 0; v < cluster.vertex_count; ++v) {
      ASSERT_EQ(cluster.edges_at[v], edges_at[v]);
      ASSERT_EQ(cluster.triangles_at[v], triangles_at[v]);
    }
  }
  // Everything once.
  ASSERT_EQ(triangles, std::multiset<Index>(live.begin(), live.end()));
  ASSERT_EQ(owned_vertices, std::multiset<Index>(used.begin(), used.end()));
  std::multiset<Index> numbers;
  for (std::size_t e = 0; e < c.edges.size(); ++e) numbers.insert(static_cast<Index>(e));
  ASSERT_EQ(owned_edges, numbers);

  std::vector<Index> block_of(c.clusters.size(), none);
  for (std::size_t b = 0; b < c.blocks.size(); ++b) {
    std::set<Index> vertices;
    ASSERT_LE(c.blocks[b].count, 16);
    for (Index i = 0; i < c.blocks[b].count; ++i) {
      const kernels::SurfaceCluster& cluster = c.clusters[at(c.blocks[b].first + i)];
      block_of[at(c.blocks[b].first + i)] = static_cast<Index>(b);
      ASSERT_EQ(cluster.object, c.blocks[b].object);
      vertices.insert(cluster.vertices, cluster.vertices + cluster.vertex_count);
    }
    const auto first = c.block_vertices.begin() + c.blocks[b].first_vertex;
    ASSERT_EQ(std::vector<Index>(first, first + c.blocks[b].vertex_count),
              std::vector<Index>(vertices.begin(), vertices.end()));
  }
  ASSERT_EQ(std::count(block_of.begin(), block_of.end(), none), 0);

  std::vector<std::set<Index>> neighbors(c.clusters.size());
  for (std::size_t n = 0; n < c.clusters.size(); ++n)
    if (c.clusters[n].triangle_count > 0) neighbors[n].insert(static_cast<Index>(n));
  bool hubs = false;
  for (const auto& [vertex, list] : users) {
    if (list.size() > mesh::max_clusters_at_vertex) {
      hubs = true;
      continue;
    }
    for (const Index a : list)
      for (const Index b : list) neighbors[at(a)].insert(b);
  }
  ASSERT_EQ(c.hubs, hubs);
  for (std::size_t n = 0; n < c.clusters.size(); ++n) {
    std::set<Index> listed;
    for (std::uint32_t i = c.neighbor_begin[n]; i < c.neighbor_begin[n + 1]; ++i) {
      const kernels::ClusterNeighbor& neighbor = c.neighbors[i];
      listed.insert(neighbor.cluster);
      const kernels::SurfaceCluster& a = c.clusters[n];
      const kernels::SurfaceCluster& b = c.clusters[at(neighbor.cluster)];
      for (std::size_t v = 0; v < 16; ++v) {
        const auto* found = std::find(b.vertices, b.vertices + b.vertex_count, a.vertices[v]);
        const bool shared = v < a.vertex_count && found != b.vertices + b.vertex_count;
        ASSERT_EQ(neighbor.place[v], shared ? found - b.vertices : kernels::no_place);
        const auto* back = std::find(a.vertices, a.vertices + a.vertex_count, b.vertices[v]);
        const bool also = v < b.vertex_count && back != a.vertices + a.vertex_count;
        ASSERT_EQ(neighbor.reverse[v], also ? back - a.vertices : kernels::no_place);
      }
    }
    std::set<Index> higher = neighbors[n];
    std::erase_if(higher, [&](Index other) { return other < static_cast<Index>(n); });
    ASSERT_EQ(listed, higher);
    std::set<Index> around;
    for (std::uint32_t i = c.around_begin[n]; i < c.around_begin[n + 1]; ++i)
      for (Index bit = 0; bit < 16; ++bit)
        if ((c.around[i].clusters >> bit & 1U) != 0) around.insert(c.blocks[at(c.around[i].block)].first + bit);
    ASSERT_EQ(around, neighbors[n]);
  }
}

/// Those of the surface; of a loose one, those by place.
void expect_clusters_of(const Surface& surface, std::span<const Eigen::Vector3d> positions = {}) {
  if (!surface.clusters().loose) return expect_clusters_of(surface, surface.clusters());
  EXPECT_FALSE(surface.clusters().suitable);
  EXPECT_TRUE(surface.clusters().clusters.empty());
  Workers workers(2);
  expect_clusters_of(surface, make_clusters_by_place(workers, surface, positions));
}

TEST(SurfaceClusters, HoldEveryFeatureOnce) {
  for (const TriangleMesh& mesh : {make_icosphere(1, 3), make_sheet(1, 1, 30, 20), make_box({1, 1, 1}, 5)}) {
    const Surface surface(mesh.positions.size(), mesh.triangles);
    ASSERT_NO_FATAL_FAILURE(expect_clusters_of(surface));
    EXPECT_TRUE(surface.clusters().suitable);
    EXPECT_GT(static_cast<double>(mesh.triangles.size()) / static_cast<double>(surface.clusters().clusters.size()), 11);
  }
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const oracle::Soup soup =
        oracle::make_soup(seed, {.vertices_per_object = 40, .triangles_per_object = 70, .repeated_corners = true});
    ASSERT_NO_FATAL_FAILURE(
        expect_clusters_of(Surface(soup.positions.size(), soup.triangles, soup.object_of_triangle), soup.positions));
  }
}

TEST(SurfaceClusters, OfLooseTrianglesAreMadeByPlace) {
  std::mt19937_64 random(3);
  std::vector<Triangle> loose;
  std::vector<Index> objects;
  std::vector<Eigen::Vector3d> positions;
  for (Index t = 0; t < 2000; ++t) {
    loose.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    objects.push_back(t % 3);
    const Eigen::Vector3d middle(oracle::uniform(random), oracle::uniform(random), oracle::uniform(random));
    for (int k = 0; k < 3; ++k) positions.push_back(middle + 0.01 * Eigen::Vector3d::Unit(k));
  }
  const Surface surface(positions.size(), loose, objects);
  ASSERT_TRUE(surface.clusters().loose);
  ASSERT_NO_FATAL_FAILURE(expect_clusters_of(surface, positions));
  Workers workers(1);
  const SurfaceClusters clusters = make_clusters_by_place(workers, surface, positions);
  EXPECT_EQ(clusters.clusters.size(), 3U * 134) << "five triangles each, but for the last of an object";
  // Five of 667 in a cube of 1 are about 0.2 apart; by number they would be all over it.
  double size = 0;
  for (const kernels::SurfaceCluster& cluster : clusters.clusters) {
    Eigen::AlignedBox3d box;
    for (std::size_t v = 0; v < cluster.vertex_count; ++v) box.extend(positions[at(cluster.vertices[v])]);
    size += box.diagonal().norm() / static_cast<double>(clusters.clusters.size());
  }
  EXPECT_LT(size, 0.5);
}

TEST(SurfaceClusters, HaveNoNeighborsAcrossHubs) {
  std::vector<Triangle> fan;
  for (Index t = 1; t < 2000; ++t) fan.push_back({0, t, t + 1});
  const Surface surface(2001, fan);
  EXPECT_FALSE(surface.clusters().suitable);
  EXPECT_TRUE(surface.clusters().hubs);
  EXPECT_LT(surface.clusters().neighbors.size(), 4 * surface.clusters().clusters.size());
  ASSERT_NO_FATAL_FAILURE(expect_clusters_of(surface));
}

/// A surface that is cut into parts, with nothing in the order of its triangles and vertices.
TEST(SurfaceClusters, DoNotDependOnTheNumberOfThreads) {
  TriangleMesh sheet = make_sheet(1, 1, 150, 150);
  std::mt19937_64 random(7);
  std::vector<Index> number(sheet.positions.size());
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), random);
  for (Triangle& t : sheet.triangles)
    for (Index& v : t) v = number[at(v)];
  std::shuffle(sheet.triangles.begin(), sheet.triangles.end(), random);
  const Surface surface(sheet.positions.size(), sheet.triangles);
  ASSERT_NO_FATAL_FAILURE(expect_clusters_of(surface));
  EXPECT_GT(45000.0 / static_cast<double>(surface.clusters().clusters.size()), 12);
  for (const int threads : {1, 2, 4}) {
    Workers workers(threads);
    const SurfaceClusters c = make_clusters(workers, surface);
    ASSERT_EQ(c.clusters.size(), surface.clusters().clusters.size());
    EXPECT_EQ(0, std::memcmp(c.clusters.data(), surface.clusters().clusters.data(),
                             c.clusters.size() * sizeof(kernels::SurfaceCluster)));
    EXPECT_EQ(c.edges, surface.clusters().edges);
    EXPECT_EQ(c.block_vertices, surface.clusters().block_vertices);
    EXPECT_EQ(c.neighbor_begin, surface.clusters().neighbor_begin);
    EXPECT_EQ(c.around_begin, surface.clusters().around_begin);
  }
}

TEST(SurfaceClusters, FollowAnyEdits) {
  std::mt19937_64 random(5);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(oracle::uniform(random) * n); };
  const TriangleMesh sheet = make_sheet(1, 1, 40, 40);
  Surface surface(sheet.positions.size(), sheet.triangles);
  const SurfaceClusters before = surface.clusters();
  const Surface copy = surface;
  std::size_t kept = 0;
  for (int round = 0; round < 60; ++round) {
    SurfaceEdit edit;
    std::set<Index> removed;
    const std::size_t near = below(surface.triangles().size());
    for (std::size_t i = 0; i < 1 + below(5); ++i) {
      const std::size_t t = std::min(near + below(6), surface.triangles().size() - 1);
      if (!is_dead(surface.triangles()[t])) removed.insert(static_cast<Index>(t));
    }
    edit.removed.assign(removed.begin(), removed.end());
    // Some come back over a new vertex, as a cut leaves them, and some join what was apart.
    edit.new_vertices = below(3);
    for (const Index t : edit.removed) {
      if (below(3) == 0) continue;
      Triangle corners = surface.triangles()[at(t)];
      if (edit.new_vertices > 0 && below(2) == 0)
        corners[below(3)] = static_cast<Index>(surface.vertex_count() + below(edit.new_vertices));
      if (below(8) == 0) corners[below(3)] = static_cast<Index>(below(surface.vertex_count()));
      edit.added.push_back(corners);
    }
    surface.edit(edit);
    ASSERT_NO_FATAL_FAILURE(expect_clusters_of(surface)) << "round " << round;
    kept += surface.clusters().edited > 0 ? 1U : 0U;
  }
  EXPECT_GT(kept, 40U) << "most edits are local";
  // A copy has what it had.
  EXPECT_EQ(copy.clusters().edges, before.edges);
  ASSERT_NO_FATAL_FAILURE(expect_clusters_of(copy));
}

}  // namespace
}  // namespace carom
