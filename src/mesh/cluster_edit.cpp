#include <algorithm>
#include <array>
#include <numeric>

#include "carom/mesh/surface.hpp"
#include "core/at.hpp"
#include "mesh/cluster_growth.hpp"
#include "mesh/cluster_record.hpp"
#include "mesh/surface_clusters.hpp"

namespace carom::mesh {

namespace {

/// Of all triangles: when that many have changed, making all again gives better clusters and blocks.
constexpr double max_edited_part = 0.125;

/// Clusters around an edit are dissolved; their triangles and the added ones, the pool, are grown into clusters again,
/// which take the places of the dissolved ones. All clusters that use a corner of a removed or an added triangle are
/// among the dissolved, so a feature that came or went is in none that stays.
class ClusterEditor {
 public:
  ClusterEditor(const Surface& surface, SurfaceClusters& clusters)
      : surface_(surface), edit_(surface.last_edit()), triangles_(surface.triangles()), out_(clusters) {}

  /// False: all has to be made again.
  bool run() {
    if (!out_.suitable || edit_.objects_renumbered) return false;
    out_.edited += edit_.removed.size() + edit_.added.size();
    if (static_cast<double>(out_.edited) > max_edited_part * static_cast<double>(surface_.live_triangle_count()))
      return false;
    dissolve_around();
    fill_pool();
    Workers one(1);
    local_edges_ =
        number_edges(one, local_triangles_, vertices_.size(), CornerLists(local_triangles_, vertices_.size()));
    std::vector<Index> order(local_triangles_.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<Index> grown_in(local_triangles_.size(), none);
    ClusterGrowth growth(local_triangles_, local_edges_, {order, {}, 0}, grown_in);
    growth.run();
    take_places(growth);
    renumber_edges();
    give_vertices();
    give_edges();
    fill_new();
    if (!find_neighbors()) return false;
    list_block_vertices();
    list_unused();
    mark_changed();
    return true;
  }

 private:
  struct NewCluster {
    std::vector<Index> members;  ///< triangles
    std::vector<Index> local;    ///< the same, in the pool
    Index number = none;
    std::size_t owned_vertices = 0, owned_edges = 0;
  };

  template <class Visit>
  void each_triangle_at(Index vertex, const Visit& visit) const {
    if (at(vertex) >= surface_.vertex_count()) return;
    for (Index corner = surface_.first_corner(vertex); corner != none; corner = surface_.next_corner(corner))
      visit(corner / 3);
  }
  bool has_vertex(Index triangle, Index vertex) const {
    const Triangle& c = triangles_[at(triangle)];
    return c[0] == vertex || c[1] == vertex || c[2] == vertex;
  }
  static std::size_t place_in(const std::vector<Index>& sorted, Index item) {
    return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), item) - sorted.begin());
  }
  static Edge side(const Triangle& corners, std::size_t k) {
    const auto [low, high] = std::minmax(corners[k], corners[k == 2 ? 0 : k + 1]);
    return {low, high};
  }

  void dissolve(Index cluster) {
    if (cluster == none || dissolved_[at(cluster)] != 0) return;
    dissolved_[at(cluster)] = 1;
    old_.push_back(cluster);
  }

  void dissolve_around() {
    dissolved_.assign(out_.clusters.size(), 0);
    for (const Index triangle : edit_.removed) {
      dissolve(out_.cluster_of[at(triangle)]);
      out_.cluster_of[at(triangle)] = none;
    }
    out_.cluster_of.resize(triangles_.size(), none);
    const auto dissolve_at = [&](const Triangle& corners) {
      for (const Index v : corners)
        each_triangle_at(v, [&](Index triangle) { dissolve(out_.cluster_of[at(triangle)]); });
    };
    for (const Triangle& corners : edit_.removed_corners) dissolve_at(corners);
    for (const Index triangle : edit_.added) dissolve_at(triangles_[at(triangle)]);
    std::sort(old_.begin(), old_.end());
  }

  void fill_pool() {
    for (const Index cluster : old_) {
      const kernels::SurfaceCluster& c = out_.clusters[at(cluster)];
      for (std::size_t i = 0; i < c.triangle_count; ++i)
        if (at(c.triangles[i]) < triangles_.size() && out_.cluster_of[at(c.triangles[i])] == cluster)
          pool_.push_back(c.triangles[i]);
    }
    pool_.insert(pool_.end(), edit_.added.begin(), edit_.added.end());
    std::sort(pool_.begin(), pool_.end());
    for (const Index triangle : pool_) {
      was_in_.push_back(out_.cluster_of[at(triangle)]);
      out_.cluster_of[at(triangle)] = none;
      for (const Index v : triangles_[at(triangle)]) vertices_.push_back(v);
    }
    std::sort(vertices_.begin(), vertices_.end());
    vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
    for (const Index triangle : pool_) {
      const auto& [a, b, c] = triangles_[at(triangle)];
      local_triangles_.push_back({static_cast<Index>(place_in(vertices_, a)),
                                  static_cast<Index>(place_in(vertices_, b)),
                                  static_cast<Index>(place_in(vertices_, c))});
    }
  }

  /// A new cluster takes the place of one that its triangles were in, or one in a block at the end.
  void take_places(const ClusterGrowth& growth) {
    std::vector<std::uint8_t> taken(old_.size(), 0);
    for (std::size_t c = 0; c < growth.count(); ++c) {
      if (growth.members(c).empty()) continue;
      NewCluster& cluster = new_.emplace_back();
      for (const Index local : growth.members(c)) {
        cluster.local.push_back(local);
        cluster.members.push_back(pool_[at(local)]);
      }
      for (const Index local : cluster.local) {
        const Index before = was_in_[at(local)];
        if (before == none || cluster.number != none) continue;
        const std::size_t place = place_in(old_, before);
        if (taken[place] != 0) continue;
        taken[place] = 1;
        cluster.number = before;
      }
    }
    for (std::size_t i = 0; i < old_.size(); ++i)
      if (taken[i] == 0) empty_cluster(out_.clusters[at(old_[i])].object, out_.clusters[at(old_[i])]);
    for (NewCluster& cluster : new_) {
      if (cluster.number == none) cluster.number = add_place(object_of(cluster));
      for (const Index triangle : cluster.members) out_.cluster_of[at(triangle)] = cluster.number;
    }
    is_new_.assign(out_.clusters.size(), 0);
    for (const NewCluster& cluster : new_) is_new_[at(cluster.number)] = 1;
  }

  Index object_of(const NewCluster& cluster) const {
    return surface_.object_index_of_triangle()[at(cluster.members[0])];
  }

  Index add_place(Index object) {
    const bool fits = out_.blocks.size() > out_.made_blocks && out_.blocks.back().object == object &&
                      out_.blocks.back().count < static_cast<std::int32_t>(kernels::cluster_lanes);
    const auto number = static_cast<Index>(out_.clusters.size());
    if (!fits) {
      kernels::ClusterBlock block{};
      block.first = number;
      block.object = object;
      out_.blocks.push_back(block);
    }
    ++out_.blocks.back().count;
    empty_cluster(object, out_.clusters.emplace_back());
    return number;
  }

  void renumber_edges() {
    std::vector<Edge> gone;
    std::vector<Edge> came;
    const auto each_edge = [&](const Triangle& corners, const auto& visit) {
      for (std::size_t k = 0; k < 3; ++k)
        if (const Edge edge = side(corners, k); edge[0] != edge[1]) visit(edge);
    };
    for (const Triangle& corners : edit_.removed_corners) {
      each_edge(corners, [&](const Edge& edge) {
        bool there = false;
        each_triangle_at(edge[0], [&](Index triangle) { there = there || has_vertex(triangle, edge[1]); });
        if (!there) gone.push_back(edge);
      });
    }
    for (const Index triangle : edit_.added) {
      each_edge(triangles_[at(triangle)], [&](const Edge& edge) {
        if (!std::binary_search(out_.edges.begin(), out_.edges.end(), edge)) came.push_back(edge);
      });
    }
    for (std::vector<Edge>* list : {&gone, &came}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    if (gone.empty() && came.empty()) return;
    std::vector<Edge> edges;
    edges.reserve(out_.edges.size() + came.size());
    std::vector<Index> to(out_.edges.size(), none);
    auto next_gone = gone.begin();
    auto next_came = came.begin();
    for (std::size_t e = 0; e < out_.edges.size(); ++e) {
      while (next_came != came.end() && *next_came < out_.edges[e]) edges.push_back(*next_came++);
      if (next_gone != gone.end() && *next_gone == out_.edges[e]) {
        ++next_gone;
        continue;
      }
      to[e] = static_cast<Index>(edges.size());
      edges.push_back(out_.edges[e]);
    }
    edges.insert(edges.end(), next_came, came.end());
    out_.edges.swap(edges);
    for (std::size_t c = 0; c < out_.clusters.size(); ++c) {
      kernels::SurfaceCluster& cluster = out_.clusters[c];
      if (c < dissolved_.size() && dissolved_[c] != 0) continue;
      for (std::size_t e = 0; e < cluster.edge_count; ++e) cluster.edges[e] = to[at(cluster.edges[e])];
    }
  }

  /// What a cluster that stays owns, it keeps; the rest belongs to the new one that owns fewest so far.
  void give_vertices() {
    vertex_owner_.assign(vertices_.size(), none);
    std::vector<std::vector<Index>> users(vertices_.size());
    for (std::size_t n = 0; n < new_.size(); ++n)
      for (const Index local : new_[n].local)
        for (const Index v : local_triangles_[at(local)])
          if (users[at(v)].empty() || users[at(v)].back() != static_cast<Index>(n))
            users[at(v)].push_back(static_cast<Index>(n));
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      bool owned = false;
      each_triangle_at(vertices_[v], [&](Index triangle) {
        const Index cluster = out_.cluster_of[at(triangle)];
        if (is_new_[at(cluster)] != 0) return;
        const kernels::SurfaceCluster& c = out_.clusters[at(cluster)];
        owned = owned || std::find(c.vertices, c.vertices + c.owned_vertex_count, vertices_[v]) !=
                             c.vertices + c.owned_vertex_count;
      });
      if (owned) continue;
      Index best = users[v][0];
      for (const Index n : users[v])
        if (new_[at(n)].owned_vertices < new_[at(best)].owned_vertices) best = n;
      vertex_owner_[v] = best;
      ++new_[at(best)].owned_vertices;
    }
  }

  void give_edges() {
    const std::size_t count = local_edges_.edges.size();
    edge_owner_.assign(count, none);
    edge_number_.resize(count);
    std::vector<std::vector<Index>> users(count);
    for (std::size_t n = 0; n < new_.size(); ++n)
      for (const Index local : new_[n].local)
        for (std::size_t k = 0; k < 3; ++k)
          if (const Index edge = local_edges_.of[3 * at(local) + k]; edge != none)
            if (users[at(edge)].empty() || users[at(edge)].back() != static_cast<Index>(n))
              users[at(edge)].push_back(static_cast<Index>(n));
    for (std::size_t e = 0; e < count; ++e) {
      const Edge edge = {vertices_[at(local_edges_.edges[e][0])], vertices_[at(local_edges_.edges[e][1])]};
      const auto number =
          static_cast<Index>(std::lower_bound(out_.edges.begin(), out_.edges.end(), edge) - out_.edges.begin());
      edge_number_[e] = number;
      bool owned = false;
      each_triangle_at(edge[0], [&](Index triangle) {
        if (!has_vertex(triangle, edge[1]) || is_new_[at(out_.cluster_of[at(triangle)])] != 0) return;
        const kernels::SurfaceCluster& c = out_.clusters[at(out_.cluster_of[at(triangle)])];
        owned = owned || std::find(c.edges, c.edges + c.edge_count, number) != c.edges + c.edge_count;
      });
      if (owned) continue;
      Index best = users[e][0];
      for (const Index n : users[e])
        if (new_[at(n)].owned_edges < new_[at(best)].owned_edges) best = n;
      edge_owner_[e] = best;
      ++new_[at(best)].owned_edges;
    }
  }

  void fill_new() {
    for (std::size_t n = 0; n < new_.size(); ++n) {
      const auto self = static_cast<Index>(n);
      ClusterFeatures owned;
      for (std::size_t i = 0; i < new_[n].local.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          const std::size_t local = at(new_[n].local[i]);
          owned.vertex[i][k] = vertex_owner_[at(local_triangles_[local][k])] == self;
          const Index edge = local_edges_.of[3 * local + k];
          owned.edge[i][k] = edge != none && edge_owner_[at(edge)] == self ? edge_number_[at(edge)] : none;
        }
      }
      fill_cluster(new_[n].members, triangles_, object_of(new_[n]), owned, out_.clusters[at(new_[n].number)]);
    }
  }

  /// Rows of the clusters that are new, of places that are empty now and of all that use a vertex of the pool; the
  /// others stay. False if too many clusters meet at a vertex.
  bool find_neighbors() {
    std::vector<std::uint8_t> again(out_.clusters.size(), 0);
    for (std::size_t c = 0; c < out_.clusters.size(); ++c)
      again[c] = c >= dissolved_.size() || dissolved_[c] != 0 || is_new_[c] != 0 ? 1 : 0;
    for (const Index v : vertices_)
      each_triangle_at(v, [&](Index triangle) { again[at(out_.cluster_of[at(triangle)])] = 1; });
    const std::vector<Index> block_of = blocks_of_clusters(out_);
    std::vector<kernels::ClusterNeighbor> neighbors;
    std::vector<kernels::BlockNeighbors> around;
    std::vector<std::uint32_t> neighbor_begin{0};
    std::vector<std::uint32_t> around_begin{0};
    neighbors.reserve(out_.neighbors.size() + 64);
    around.reserve(out_.around.size() + 64);
    std::vector<Index> users;
    for (std::size_t c = 0; c < out_.clusters.size(); ++c) {
      if (again[c] == 0) {
        neighbors.insert(neighbors.end(), out_.neighbors.begin() + out_.neighbor_begin[c],
                         out_.neighbors.begin() + out_.neighbor_begin[c + 1]);
        around.insert(around.end(), out_.around.begin() + out_.around_begin[c],
                      out_.around.begin() + out_.around_begin[c + 1]);
      } else {
        const kernels::SurfaceCluster& cluster = out_.clusters[c];
        users.clear();
        for (std::size_t i = 0; i < cluster.vertex_count; ++i) {
          std::array<Index, max_clusters_at_vertex + 1> here;
          std::size_t count = 0;
          each_triangle_at(cluster.vertices[i], [&](Index triangle) {
            const Index user = out_.cluster_of[at(triangle)];
            if (count < here.size() && std::find(here.begin(), here.begin() + count, user) == here.begin() + count)
              here[count++] = user;
          });
          if (count > max_clusters_at_vertex) return false;
          users.insert(users.end(), here.begin(), here.begin() + count);
        }
        std::sort(users.begin(), users.end());
        users.erase(std::unique(users.begin(), users.end()), users.end());
        add_neighbors(out_, block_of, static_cast<Index>(c), users, neighbors, around);
      }
      neighbor_begin.push_back(static_cast<std::uint32_t>(neighbors.size()));
      around_begin.push_back(static_cast<std::uint32_t>(around.size()));
    }
    out_.neighbors.swap(neighbors);
    out_.around.swap(around);
    out_.neighbor_begin.swap(neighbor_begin);
    out_.around_begin.swap(around_begin);
    return true;
  }

  /// Lists of blocks that changed go to the end, until too much of the whole is out of use.
  void list_block_vertices() {
    std::size_t in_use = 0;
    for (std::size_t b = 0; b < out_.blocks.size(); ++b) {
      kernels::ClusterBlock& block = out_.blocks[b];
      bool changed = false;
      for (std::int32_t i = 0; i < block.count; ++i) {
        const std::size_t c = at(block.first + i);
        changed = changed || c >= dissolved_.size() || dissolved_[c] != 0;
      }
      if (changed) list_vertices_of(out_.clusters, block, out_.block_vertices);
      in_use += block.vertex_count;
    }
    if (out_.block_vertices.size() <= 2 * in_use + 1024) return;
    out_.block_vertices.clear();
    for (kernels::ClusterBlock& block : out_.blocks) list_vertices_of(out_.clusters, block, out_.block_vertices);
  }

  void mark_changed() {
    out_.changed_after.resize(out_.clusters.size(), 0);
    for (const Index cluster : old_) out_.changed_after[at(cluster)] = edit_.before;
    for (const NewCluster& cluster : new_) out_.changed_after[at(cluster.number)] = edit_.before;
  }

  void list_unused() {
    out_.unused_vertices.clear();
    for (std::size_t v = 0; v < surface_.vertex_count(); ++v)
      if (surface_.first_corner(static_cast<Index>(v)) == none) out_.unused_vertices.push_back(static_cast<Index>(v));
  }

  const Surface& surface_;
  const AppliedEdit& edit_;
  std::span<const Triangle> triangles_;
  SurfaceClusters& out_;
  std::vector<std::uint8_t> dissolved_;    ///< clusters there were
  std::vector<Index> old_;                 ///< those dissolved, ascending
  std::vector<Index> pool_;                ///< triangles, ascending
  std::vector<Index> was_in_;              ///< cluster that each of the pool was in
  std::vector<Index> vertices_;            ///< of the pool, ascending
  std::vector<Triangle> local_triangles_;  ///< the pool, over places in `vertices_`
  EdgeNumbers local_edges_;                ///< of these
  std::vector<NewCluster> new_;
  std::vector<std::uint8_t> is_new_;  ///< clusters
  std::vector<Index> vertex_owner_;   ///< of `vertices_`: in `new_`; none if a cluster that stays owns it
  std::vector<Index> edge_owner_;     ///< the same of edges of the pool
  std::vector<Index> edge_number_;
};

}  // namespace

void edit_clusters(const Surface& surface, SurfaceClusters& clusters) {
  if (ClusterEditor(surface, clusters).run()) return;
  clusters = make_clusters(surface);
  clusters.made_after = surface.last_edit().before;
}

}  // namespace carom::mesh
