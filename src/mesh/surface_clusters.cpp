#include "mesh/surface_clusters.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "carom/mesh/surface.hpp"
#include "core/at.hpp"
#include "mesh/cluster_growth.hpp"
#include "mesh/cluster_record.hpp"

namespace carom::mesh {

namespace {

using kernels::cluster_lanes;
using kernels::SurfaceCluster;

/// Triangles a cluster on average: with fewer, and more than a handful of clusters, the surface is mostly loose.
constexpr double min_triangles = 6;
constexpr std::size_t always_suitable = 64;
class ClusterMaker {
 public:
  ClusterMaker(const Surface& surface, SurfaceClusters& out)
      : triangles_(surface.triangles()),
        surface_(surface),
        out_(out),
        growth_(surface.triangles(), surface.vertex_count()),
        edge_of_(growth_.edge_of()),
        cluster_of_(growth_.cluster_of()) {}

  void run() {
    growth_.run();
    out_.edges.swap(growth_.edges());
    out_.edges.shrink_to_fit();
    vertex_mark_.assign(surface_.vertex_count(), none);
    make_blocks();
    list_users();
    give_owners();
    fill_clusters();
    find_neighbors();
    for (kernels::ClusterBlock& block : out_.blocks) list_vertices_of(out_, block);
    out_.block_vertices.shrink_to_fit();
    out_.made_blocks = out_.blocks.size();
    out_.cluster_of.swap(cluster_of_);
    const auto count = static_cast<double>(out_.clusters.size());
    const auto live = static_cast<double>(surface_.live_triangle_count());
    if (out_.clusters.size() > always_suitable && live < min_triangles * count) out_.suitable = false;
  }

 private:
  std::span<const Index> members(std::size_t cluster) const {
    return {members_.data() + cluster_lanes * cluster, sizes_[cluster]};
  }

  /// Blocks grow over clusters as clusters do over triangles; clusters get their final numbers by block.
  void make_blocks() {
    std::vector<Index> block_of(growth_.count(), none);
    std::vector<Index> order;
    order.reserve(growth_.count());
    SeedQueue queue;
    const auto is_free = [&](Index cluster) { return block_of[at(cluster)] == none; };
    const auto each_neighbor = [&](Index cluster, const auto& visit) {
      for (const Index triangle : growth_.members(at(cluster)))
        for (std::size_t k = 0; k < 3; ++k)
          if (const Index other = growth_.beyond()[3 * at(triangle) + k];
              other != none && cluster_of_[at(other)] != cluster)
            visit(cluster_of_[at(other)]);
    };
    struct Waiting {
      Index cluster;
      int links;
    };
    std::vector<Waiting> front;
    for (std::size_t c = 0; c < growth_.count(); ++c) {
      if (growth_.members(c).empty() || !is_free(static_cast<Index>(c))) continue;
      for (Index seed = static_cast<Index>(c); seed != none; seed = queue.pop(is_free)) {
        const auto number = static_cast<Index>(out_.blocks.size());
        kernels::ClusterBlock block{};
        block.first = static_cast<std::int32_t>(order.size());
        block.object = surface_.object_index_of_triangle()[at(growth_.members(at(seed))[0])];
        front.clear();
        const auto take = [&](Index cluster) {
          block_of[at(cluster)] = number;
          order.push_back(cluster);
          ++block.count;
          each_neighbor(cluster, [&](Index other) {
            if (!is_free(other)) return;
            const auto found =
                std::find_if(front.begin(), front.end(), [&](const Waiting& w) { return w.cluster == other; });
            if (found == front.end()) {
              front.push_back({other, 1});
            } else {
              ++found->links;
            }
          });
        };
        take(seed);
        while (block.count < static_cast<std::int32_t>(cluster_lanes) && !front.empty()) {
          const auto best = std::max_element(front.begin(), front.end(),
                                             [](const Waiting& a, const Waiting& b) { return a.links < b.links; });
          const Index cluster = best->cluster;
          front.erase(best);
          take(cluster);
        }
        // Those most enclosed first, so that few are left over.
        for (const Waiting& waiting : front) {
          std::size_t open = 0;
          each_neighbor(waiting.cluster, [&](Index other) { open += is_free(other) ? 1U : 0U; });
          queue.push(waiting.cluster, open / 4);
        }
        out_.blocks.push_back(block);
      }
    }
    members_.assign(cluster_lanes * order.size(), none);
    sizes_.resize(order.size());
    for (std::size_t c = 0; c < order.size(); ++c) {
      const std::span<const Index> list = growth_.members(at(order[c]));
      sizes_[c] = static_cast<std::uint8_t>(list.size());
      std::copy(list.begin(), list.end(), members_.begin() + static_cast<std::ptrdiff_t>(cluster_lanes * c));
    }
    for (std::size_t c = 0; c < sizes_.size(); ++c)
      for (const Index triangle : members(c)) cluster_of_[at(triangle)] = static_cast<Index>(c);
  }

  /// Which clusters use each vertex, ascending.
  void list_users() {
    const std::size_t vertices = surface_.vertex_count();
    user_begin_.assign(vertices + 1, 0);
    const auto each_use = [&](const auto& visit) {
      std::fill(vertex_mark_.begin(), vertex_mark_.end(), none);
      for (std::size_t c = 0; c < sizes_.size(); ++c)
        for (const Index triangle : members(c))
          for (const Index v : triangles_[at(triangle)]) {
            if (vertex_mark_[at(v)] == static_cast<Index>(c)) continue;
            vertex_mark_[at(v)] = static_cast<Index>(c);
            visit(v, static_cast<Index>(c));
          }
    };
    each_use([&](Index v, Index) { ++user_begin_[at(v) + 1]; });
    for (std::size_t v = 0; v < vertices; ++v) {
      if (user_begin_[v + 1] == 0) out_.unused_vertices.push_back(static_cast<Index>(v));
      if (user_begin_[v + 1] > max_clusters_at_vertex) out_.suitable = false;
      user_begin_[v + 1] += user_begin_[v];
    }
    users_.resize(user_begin_[vertices]);
    std::vector<std::uint32_t> next(user_begin_.begin(), user_begin_.end() - 1);
    each_use([&](Index v, Index c) { users_[next[at(v)]++] = c; });
  }

  std::span<const Index> users(Index vertex) const {
    return {users_.data() + user_begin_[at(vertex)], user_begin_[at(vertex) + 1] - user_begin_[at(vertex)]};
  }

  /// What several clusters use belongs to the one that owns fewest so far.
  void give_owners() {
    const std::size_t vertices = surface_.vertex_count();
    vertex_owner_.assign(vertices, none);
    std::vector<std::uint8_t> owned(sizes_.size(), 0);
    for (const bool shared : {false, true}) {
      for (std::size_t v = 0; v < vertices; ++v) {
        const std::span<const Index> list = users(static_cast<Index>(v));
        if (list.empty() || (list.size() > 1) != shared) continue;
        Index best = list[0];
        for (const Index c : list) best = owned[at(c)] < owned[at(best)] ? c : best;
        vertex_owner_[v] = best;
        ++owned[at(best)];
      }
    }
    edge_owner_.assign(out_.edges.size(), none);
    std::vector<std::uint8_t> is_shared(out_.edges.size(), 0);
    std::fill(owned.begin(), owned.end(), std::uint8_t{0});
    const auto each_side = [&](const auto& visit) {
      for (std::size_t t = 0; t < triangles_.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k)
          if (const Index edge = edge_of_[3 * t + k]; edge != none) visit(edge, cluster_of_[t]);
    };
    each_side([&](Index edge, Index cluster) {
      if (edge_owner_[at(edge)] == none) edge_owner_[at(edge)] = cluster;
      if (edge_owner_[at(edge)] != cluster) is_shared[at(edge)] = 1;
    });
    for (std::size_t e = 0; e < out_.edges.size(); ++e)
      if (is_shared[e] == 0) ++owned[at(edge_owner_[e])];
    // The first to come is counted as the owner until one comes that owns fewer.
    std::vector<std::uint8_t> seen(out_.edges.size(), 0);
    each_side([&](Index edge, Index cluster) {
      if (is_shared[at(edge)] == 0) return;
      Index& owner = edge_owner_[at(edge)];
      if (seen[at(edge)] == 0) {
        seen[at(edge)] = 1;
        owner = cluster;
        ++owned[at(cluster)];
      } else if (owned[at(cluster)] + 1 < owned[at(owner)]) {
        --owned[at(owner)];
        owner = cluster;
        ++owned[at(cluster)];
      }
    });
  }

  void fill_clusters() {
    out_.clusters.resize(sizes_.size());
    for (std::size_t c = 0; c < sizes_.size(); ++c) {
      const auto number = static_cast<Index>(c);
      const ClusterOwner owner{[&](Index v) { return vertex_owner_[at(v)] == number; },
                               [&](Index triangle, std::size_t k) {
                                 const Index edge = edge_of_[3 * at(triangle) + k];
                                 return edge != none && edge_owner_[at(edge)] == number ? edge : none;
                               }};
      const Index object = surface_.object_index_of_triangle()[at(members(c)[0])];
      fill_cluster(members(c), triangles_, object, owner, out_.clusters[c]);
    }
  }

  void find_neighbors() {
    const std::vector<Index> block_of = blocks_of_clusters(out_);
    out_.neighbor_begin.assign(1, 0);
    out_.around_begin.assign(1, 0);
    out_.neighbors.reserve(out_.clusters.size() * 4);
    std::vector<Index> all;
    for (std::size_t c = 0; out_.suitable && c < out_.clusters.size(); ++c) {
      const SurfaceCluster& cluster = out_.clusters[c];
      all.clear();
      for (std::size_t i = 0; i < cluster.vertex_count; ++i)
        for (const Index user : users(cluster.vertices[i]))
          if (std::find(all.begin(), all.end(), user) == all.end()) all.push_back(user);
      std::sort(all.begin(), all.end());
      add_neighbors(out_, block_of, static_cast<Index>(c), all, out_.neighbors, out_.around);
      out_.neighbor_begin.push_back(static_cast<std::uint32_t>(out_.neighbors.size()));
      out_.around_begin.push_back(static_cast<std::uint32_t>(out_.around.size()));
    }
    out_.neighbors.shrink_to_fit();
  }

  std::span<const Triangle> triangles_;
  const Surface& surface_;
  SurfaceClusters& out_;
  ClusterGrowth growth_;
  const std::vector<Index>& edge_of_;  ///< number of the edge of each side
  std::vector<Index>& cluster_of_;     ///< each triangle
  std::vector<Index> members_;         ///< triangles, 16 places a cluster
  std::vector<std::uint8_t> sizes_;
  std::vector<Index> vertex_mark_;
  std::vector<std::uint32_t> user_begin_;
  std::vector<Index> users_;
  std::vector<Index> vertex_owner_, edge_owner_;  ///< clusters
};

}  // namespace

std::vector<Index> blocks_of_clusters(const SurfaceClusters& clusters) {
  std::vector<Index> block_of(clusters.clusters.size());
  for (std::size_t b = 0; b < clusters.blocks.size(); ++b)
    for (std::int32_t i = 0; i < clusters.blocks[b].count; ++i)
      block_of[at(clusters.blocks[b].first + i)] = static_cast<Index>(b);
  return block_of;
}

void add_neighbors(const SurfaceClusters& clusters, std::span<const Index> block_of, Index cluster,
                   std::span<const Index> users, std::vector<kernels::ClusterNeighbor>& neighbors,
                   std::vector<kernels::BlockNeighbors>& around) {
  const SurfaceCluster& own = clusters.clusters[at(cluster)];
  const std::size_t first = around.size();
  for (const Index user : users) {
    const Index block = block_of[at(user)];
    if (around.size() == first || around.back().block != block) around.push_back({block, 0});
    around.back().clusters |= 1U << static_cast<unsigned>(user - clusters.blocks[at(block)].first);
    if (user < cluster) continue;
    kernels::ClusterNeighbor neighbor;
    neighbor.cluster = user;
    std::fill_n(neighbor.place, cluster_lanes, kernels::no_place);
    std::fill_n(neighbor.reverse, cluster_lanes, kernels::no_place);
    const SurfaceCluster& other = clusters.clusters[at(user)];
    for (std::size_t i = 0; i < own.vertex_count; ++i)
      for (std::size_t j = 0; j < other.vertex_count; ++j)
        if (own.vertices[i] == other.vertices[j]) {
          neighbor.place[i] = static_cast<std::uint8_t>(j);
          neighbor.reverse[j] = static_cast<std::uint8_t>(i);
        }
    neighbors.push_back(neighbor);
  }
}

void list_vertices_of(SurfaceClusters& clusters, kernels::ClusterBlock& block) {
  std::vector<Index>& list = clusters.block_vertices;
  block.first_vertex = static_cast<std::uint32_t>(list.size());
  for (std::int32_t i = 0; i < block.count; ++i) {
    const SurfaceCluster& cluster = clusters.clusters[at(block.first + i)];
    list.insert(list.end(), cluster.vertices, cluster.vertices + cluster.vertex_count);
  }
  const auto first = list.begin() + block.first_vertex;
  std::sort(first, list.end());
  list.erase(std::unique(first, list.end()), list.end());
  block.vertex_count = static_cast<std::uint32_t>(list.size()) - block.first_vertex;
}

SurfaceClusters make_clusters(const Surface& surface) {
  SurfaceClusters clusters;
  ClusterMaker(surface, clusters).run();
  return clusters;
}

}  // namespace carom::mesh
