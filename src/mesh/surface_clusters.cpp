#include "mesh/surface_clusters.hpp"

#include <algorithm>
#include <array>

#include "carom/mesh/surface.hpp"
#include "core/at.hpp"
#include "mesh/cluster_grouping.hpp"
#include "mesh/cluster_record.hpp"

namespace carom::mesh {

namespace {

using kernels::cluster_lanes;
using kernels::SurfaceCluster;

/// Triangles a cluster on average: with fewer, and more than a handful of clusters, the surface is mostly loose.
constexpr double min_triangles = 6;
constexpr std::size_t always_suitable = 64;

/// Triangles: smaller surfaces are made by one thread.
constexpr std::size_t parallel_size = 10'000;

constexpr std::size_t owner_grain = 4096;
constexpr std::size_t cluster_grain = 256;
constexpr std::size_t block_grain = 32;

/// Lists that chunks made, one after the other.
template <class Item>
void join_lists(Workers& workers, std::vector<std::vector<Item>>& lists, std::vector<Item>& out) {
  std::vector<std::size_t> starts(lists.size() + 1, 0);
  for (std::size_t i = 0; i < lists.size(); ++i) starts[i + 1] = starts[i] + lists[i].size();
  out.resize(starts.back());
  parallel_for(workers, lists.size(), 1, [&](std::size_t i) {
    std::copy(lists[i].begin(), lists[i].end(), out.begin() + static_cast<std::ptrdiff_t>(starts[i]));
    lists[i] = {};
  });
}

/// All but the edges, from clusters that are given as lists of triangles.
class ClusterMaker {
 public:
  ClusterMaker(Workers& workers, const Surface& surface, const EdgeNumbers& edges, const ClusterGrouping& grouping,
               SurfaceClusters& out)
      : workers_(workers),
        surface_(surface),
        triangles_(surface.triangles()),
        edges_(edges),
        grouping_(grouping),
        out_(out) {}

  void run() {
    number_clusters();
    list_users();
    give_owners();
    fill_clusters();
    find_neighbors();
    list_block_vertices();
    out_.made_blocks = out_.blocks.size();
  }

 private:
  void number_clusters() {
    out_.cluster_of.assign(triangles_.size(), none);
    std::int32_t first = 0;
    for (const std::uint8_t count : grouping_.block_counts) {
      kernels::ClusterBlock& block = out_.blocks.emplace_back();
      block = {};
      block.first = first;
      block.count = count;
      block.object = surface_.object_index_of_triangle()[at(grouping_.cluster(at(first))[0])];
      first += count;
    }
    parallel_for(workers_, grouping_.ends.size(), cluster_grain, [&](std::size_t c) {
      for (const Index triangle : grouping_.cluster(c)) out_.cluster_of[at(triangle)] = static_cast<Index>(c);
    });
  }

  /// Which clusters use each vertex, ascending.
  void list_users() {
    const std::size_t vertices = surface_.vertex_count();
    user_begin_.assign(vertices + 1, 0);
    std::vector<std::vector<Index>> lists(chunk_count(vertices, owner_grain));
    parallel_chunks(workers_, vertices, owner_grain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
      std::vector<Index>& list = lists[chunk];
      for (std::size_t v = begin; v < end; ++v) {
        const std::size_t first = list.size();
        Index last = none;
        for (Index corner = surface_.first_corner(static_cast<Index>(v)); corner != none;
             corner = surface_.next_corner(corner)) {
          const Index cluster = out_.cluster_of[at(corner) / 3];
          if (cluster != last) list.push_back(cluster);
          last = cluster;
        }
        const auto here = list.begin() + static_cast<std::ptrdiff_t>(first);
        if (list.size() - first > 1) {
          std::sort(here, list.end());
          list.erase(std::unique(here, list.end()), list.end());
        }
        user_begin_[v + 1] = static_cast<std::uint32_t>(list.size() - first);
      }
    });
    for (std::size_t v = 0; v < vertices; ++v) {
      if (user_begin_[v + 1] == 0) out_.unused_vertices.push_back(static_cast<Index>(v));
      if (user_begin_[v + 1] > max_clusters_at_vertex) out_.hubs = true;
      user_begin_[v + 1] += user_begin_[v];
    }
    if (out_.hubs) out_.suitable = false;
    join_lists(workers_, lists, users_);
  }

  std::span<const Index> users(Index vertex) const {
    return {users_.data() + user_begin_[at(vertex)], user_begin_[at(vertex) + 1] - user_begin_[at(vertex)]};
  }

  /// What several clusters use belongs to the one that owns fewest so far.
  void give_owners() {
    vertex_owner_.assign(surface_.vertex_count(), none);
    edge_owner_.assign(edges_.edges.size(), none);
    std::vector<std::uint8_t> owned(grouping_.ends.size(), 0);
    for (const bool shared : {false, true}) {
      for (std::size_t v = 0; v < vertex_owner_.size(); ++v) {
        const std::span<const Index> list = users(static_cast<Index>(v));
        if (list.empty() || (list.size() > 1) != shared) continue;
        Index best = list[0];
        for (const Index c : list) best = owned[at(c)] < owned[at(best)] ? c : best;
        vertex_owner_[v] = best;
        ++owned[at(best)];
      }
    }
    std::fill(owned.begin(), owned.end(), std::uint8_t{0});
    for (const bool shared : {false, true}) {
      for (std::size_t e = 0; e < edge_owner_.size(); ++e) {
        const Index side = edges_.sides[e];
        const Index one = out_.cluster_of[at(side) / 3];
        const Index beyond = edges_.beyond[at(side)];
        const Index other = beyond == none ? one : out_.cluster_of[at(beyond)];
        if ((one != other) != shared) continue;
        edge_owner_[e] = owned[at(other)] < owned[at(one)] ? other : one;
        ++owned[at(edge_owner_[e])];
      }
    }
  }

  void fill_clusters() {
    out_.clusters.resize(grouping_.ends.size());
    parallel_for(workers_, out_.clusters.size(), cluster_grain, [&](std::size_t c) {
      const auto number = static_cast<Index>(c);
      const std::span<const Index> members = grouping_.cluster(c);
      ClusterFeatures owned;
      for (std::size_t i = 0; i < members.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          owned.vertex[i][k] = vertex_owner_[at(triangles_[at(members[i])][k])] == number;
          const Index edge = edges_.of[3 * at(members[i]) + k];
          owned.edge[i][k] = edge != none && edge_owner_[at(edge)] == number ? edge : none;
        }
      }
      fill_cluster(members, triangles_, surface_.object_index_of_triangle()[at(members[0])], owned, out_.clusters[c]);
    });
  }

  /// Vertices at which too many clusters meet make no neighbors.
  void find_neighbors() {
    const std::size_t count = out_.clusters.size();
    const std::vector<Index> block_of = blocks_of_clusters(out_);
    std::vector<std::vector<kernels::ClusterNeighbor>> neighbors(chunk_count(count, cluster_grain));
    std::vector<std::vector<kernels::BlockNeighbors>> around(neighbors.size());
    out_.neighbor_begin.assign(count + 1, 0);
    out_.around_begin.assign(count + 1, 0);
    parallel_chunks(workers_, count, cluster_grain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
      std::vector<Index> all;
      neighbors[chunk].reserve(4 * (end - begin));
      around[chunk].reserve(3 * (end - begin));
      for (std::size_t c = begin; c < end; ++c) {
        const SurfaceCluster& cluster = out_.clusters[c];
        all.assign(1, static_cast<Index>(c));
        for (std::size_t i = 0; i < cluster.vertex_count; ++i) {
          const std::span<const Index> list = users(cluster.vertices[i]);
          if (list.size() > max_clusters_at_vertex) continue;
          for (const Index user : list)
            if (std::find(all.begin(), all.end(), user) == all.end()) all.push_back(user);
        }
        std::sort(all.begin(), all.end());
        add_neighbors(out_, block_of, static_cast<Index>(c), all, neighbors[chunk], around[chunk]);
        out_.neighbor_begin[c + 1] = static_cast<std::uint32_t>(neighbors[chunk].size());
        out_.around_begin[c + 1] = static_cast<std::uint32_t>(around[chunk].size());
      }
    });
    for (std::vector<std::uint32_t>* begins : {&out_.neighbor_begin, &out_.around_begin}) {
      std::uint32_t before = 0;
      for (std::size_t c = 0; c < count; ++c) {
        if (c % cluster_grain == 0) before = (*begins)[c];
        (*begins)[c + 1] += before;
      }
    }
    join_lists(workers_, neighbors, out_.neighbors);
    join_lists(workers_, around, out_.around);
  }

  void list_block_vertices() {
    std::vector<std::vector<Index>> lists(chunk_count(out_.blocks.size(), block_grain));
    parallel_chunks(workers_, out_.blocks.size(), block_grain,
                    [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                      for (std::size_t b = begin; b < end; ++b)
                        list_vertices_of(out_.clusters, out_.blocks[b], lists[chunk]);
                    });
    std::uint32_t first = 0;
    for (kernels::ClusterBlock& block : out_.blocks) {
      block.first_vertex = first;
      first += block.vertex_count;
    }
    join_lists(workers_, lists, out_.block_vertices);
  }

  Workers& workers_;
  const Surface& surface_;
  std::span<const Triangle> triangles_;
  const EdgeNumbers& edges_;
  const ClusterGrouping& grouping_;
  SurfaceClusters& out_;
  std::vector<std::uint32_t> user_begin_;
  std::vector<Index> users_;
  std::vector<Index> vertex_owner_, edge_owner_;  ///< clusters
};

/// Whether most triangles are in clusters of few.
bool is_loose(const Surface& surface, const ClusterGrouping& grouping) {
  return grouping.ends.size() > always_suitable &&
         static_cast<double>(surface.live_triangle_count()) < min_triangles * static_cast<double>(grouping.ends.size());
}

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
  // Most vertices of another cluster are not in this one, which one bit tells.
  const auto bit_of = [](Index vertex) { return static_cast<std::uint32_t>(vertex) * 2654435769U >> 26U; };
  std::uint64_t signature = 0;
  for (std::size_t i = 0; i < own.vertex_count; ++i) signature |= std::uint64_t{1} << bit_of(own.vertices[i]);
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
    for (std::size_t j = 0; j < other.vertex_count; ++j) {
      if ((signature >> bit_of(other.vertices[j]) & 1U) == 0) continue;
      for (std::size_t i = 0; i < own.vertex_count; ++i) {
        if (own.vertices[i] != other.vertices[j]) continue;
        neighbor.place[i] = static_cast<std::uint8_t>(j);
        neighbor.reverse[j] = static_cast<std::uint8_t>(i);
      }
    }
    neighbors.push_back(neighbor);
  }
}

void list_vertices_of(std::span<const SurfaceCluster> clusters, kernels::ClusterBlock& block,
                      std::vector<Index>& list) {
  block.first_vertex = static_cast<std::uint32_t>(list.size());
  for (std::int32_t i = 0; i < block.count; ++i) {
    const SurfaceCluster& cluster = clusters[at(block.first + i)];
    list.insert(list.end(), cluster.vertices, cluster.vertices + cluster.vertex_count);
  }
  const auto first = list.begin() + block.first_vertex;
  std::sort(first, list.end());
  list.erase(std::unique(first, list.end()), list.end());
  block.vertex_count = static_cast<std::uint32_t>(list.size()) - block.first_vertex;
}

SurfaceClusters make_clusters(const Surface& surface) {
  Workers workers(surface.triangles().size() >= parallel_size ? 0 : 1);
  return make_clusters(workers, surface);
}

SurfaceClusters make_clusters(Workers& workers, const Surface& surface) {
  EdgeNumbers edges = number_edges(workers, surface.triangles(), surface.vertex_count(), CornerLists(surface));
  const ClusterGrouping grouping = group_by_edges(workers, surface, edges);
  SurfaceClusters out;
  if (is_loose(surface, grouping)) {
    out.suitable = false;
    out.loose = true;
    for (std::size_t v = 0; v < surface.vertex_count(); ++v)
      if (surface.first_corner(static_cast<Index>(v)) == none) out.unused_vertices.push_back(static_cast<Index>(v));
  } else {
    ClusterMaker(workers, surface, edges, grouping, out).run();
  }
  out.edges = std::move(edges.edges);
  return out;
}

SurfaceClusters make_clusters_by_place(Workers& workers, const Surface& surface,
                                       std::span<const Eigen::Vector3d> positions) {
  SurfaceClusters out;
  EdgeNumbers edges = number_edges(workers, surface.triangles(), surface.vertex_count(), CornerLists(surface));
  ClusterMaker(workers, surface, edges, group_by_place(workers, surface, positions), out).run();
  out.edges = std::move(edges.edges);
  return out;
}

}  // namespace carom::mesh
