#include "mesh/surface_clusters.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "carom/mesh/surface.hpp"
#include "core/at.hpp"

namespace carom::mesh {

namespace {

using kernels::cluster_edge_lanes;
using kernels::cluster_lanes;
using kernels::SurfaceCluster;

/// Triangles a cluster on average: with fewer, and more than a handful of clusters, the surface is mostly loose.
constexpr double min_triangles = 6;
constexpr std::size_t always_suitable = 64;
/// Clusters at one vertex: each is a neighbor of all others.
constexpr std::size_t max_at_vertex = 48;

/// Clusters of at most this many triangles join a neighbor that has room.
constexpr std::size_t small_cluster = 8;

/// Items waiting to be begun with, those with the fewest open neighbors first, the oldest first among these. Items may
/// wait in several queues, or no longer be open.
class SeedQueue {
 public:
  void push(Index item, std::size_t open_neighbors) { waiting_[std::min(open_neighbors, levels - 1)].push_back(item); }

  template <class IsOpen>
  Index pop(const IsOpen& is_open) {
    for (std::size_t level = 0; level < levels; ++level) {
      while (first_[level] < waiting_[level].size()) {
        const Index item = waiting_[level][first_[level]++];
        if (is_open(item)) return item;
      }
      waiting_[level].clear();
      first_[level] = 0;
    }
    return none;
  }

 private:
  static constexpr std::size_t levels = 4;
  std::array<std::vector<Index>, levels> waiting_;
  std::array<std::size_t, levels> first_{};
};

class ClusterMaker {
 public:
  ClusterMaker(const Surface& surface, SurfaceClusters& out)
      : triangles_(surface.triangles()), surface_(surface), out_(out) {}

  void run() {
    number_edges();
    grow_clusters();
    join_small();
    make_blocks();
    list_users();
    give_owners();
    fill_clusters();
    find_neighbors();
    list_block_vertices();
    const auto count = static_cast<double>(out_.clusters.size());
    const auto live = static_cast<double>(surface_.live_triangle_count());
    if (out_.clusters.size() > always_suitable && live < min_triangles * count) out_.suitable = false;
  }

 private:
  struct HalfEdge {
    Index to;
    Index side;  ///< 3 t + k
  };

  std::span<const Index> members(std::size_t cluster) const {
    return {members_.data() + cluster_lanes * cluster, sizes_[cluster]};
  }

  /// Half-edges in the order of their smaller vertex by counting, then in that of the larger one.
  void number_edges() {
    const std::size_t vertices = surface_.vertex_count();
    std::vector<std::uint32_t> begin(vertices + 1, 0);
    const auto each_side = [&](const auto& visit) {
      for (std::size_t t = 0; t < triangles_.size(); ++t) {
        const Triangle& corners = triangles_[t];
        if (is_dead(corners)) continue;
        for (std::size_t k = 0; k < 3; ++k) {
          const Index a = corners[k];
          const Index b = corners[k == 2 ? 0 : k + 1];
          if (a != b) visit(std::min(a, b), std::max(a, b), static_cast<Index>(3 * t + k));
        }
      }
    };
    each_side([&](Index low, Index, Index) { ++begin[at(low) + 1]; });
    for (std::size_t v = 0; v < vertices; ++v) begin[v + 1] += begin[v];
    std::vector<HalfEdge> halves(begin[vertices]);
    {
      std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
      each_side([&](Index low, Index high, Index side) { halves[next[at(low)]++] = {high, side}; });
    }
    edge_of_.assign(3 * triangles_.size(), none);
    beyond_.assign(3 * triangles_.size(), none);
    out_.edges.clear();
    out_.edges.reserve(halves.size() / 2 + halves.size() / 8 + 16);
    const auto before = [](const HalfEdge& a, const HalfEdge& b) {
      return a.to != b.to ? a.to < b.to : a.side < b.side;
    };
    for (std::size_t v = 0; v < vertices; ++v) {
      HalfEdge* const first = halves.data() + begin[v];
      HalfEdge* const last = halves.data() + begin[v + 1];
      if (last - first > 24) {
        std::sort(first, last, before);
      } else {
        for (HalfEdge* i = first; i < last; ++i) {
          const HalfEdge moved = *i;
          HalfEdge* j = i;
          for (; j > first && before(moved, j[-1]); --j) *j = j[-1];
          *j = moved;
        }
      }
      for (HalfEdge* i = first; i < last;) {
        HalfEdge* end = i + 1;
        while (end < last && end->to == i->to) ++end;
        const auto number = static_cast<Index>(out_.edges.size());
        out_.edges.push_back({static_cast<Index>(v), i->to});
        for (HalfEdge* h = i; h < end; ++h) {
          edge_of_[at(h->side)] = number;
          // Around the edge, so that each of two is beyond it for the other.
          const Index other = (h + 1 < end ? h + 1 : i)->side / 3;
          if (other != h->side / 3) beyond_[at(h->side)] = other;
        }
        i = end;
      }
    }
    out_.edges.shrink_to_fit();
  }

  bool is_open(Index triangle) const { return cluster_of_[at(triangle)] == none; }

  std::size_t open_around(Index triangle) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index other = beyond_[3 * at(triangle) + k];
      count += other != none && is_open(other) ? 1U : 0U;
    }
    return count;
  }

  void grow_clusters() {
    cluster_of_.assign(triangles_.size(), none);
    vertex_mark_.assign(surface_.vertex_count(), none);
    SeedQueue queue;
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      if (is_dead(triangles_[t]) || !is_open(static_cast<Index>(t))) continue;
      for (Index seed = static_cast<Index>(t); seed != none;
           seed = queue.pop([&](Index item) { return is_open(item); })) {
        grow_from(seed, queue);
      }
    }
  }

  void grow_from(Index seed, SeedQueue& queue) {
    const auto number = static_cast<Index>(sizes_.size());
    sizes_.push_back(0);
    members_.resize(members_.size() + cluster_lanes, none);
    std::size_t vertices = 0;
    std::size_t edges = 0;
    std::array<Index, 3 * cluster_lanes> front;
    std::size_t front_size = 0;
    const auto inside = [&](Index triangle) { return triangle != none && cluster_of_[at(triangle)] == number; };
    const auto new_vertices = [&](const Triangle& c) {
      const auto is_new = [&](Index v) { return vertex_mark_[at(v)] != number; };
      return std::size_t{is_new(c[0])} + std::size_t{c[1] != c[0] && is_new(c[1])} +
             std::size_t{c[2] != c[0] && c[2] != c[1] && is_new(c[2])};
    };
    const auto sides_inside = [&](Index triangle) {
      std::size_t count = 0;
      for (std::size_t k = 0; k < 3; ++k) count += inside(beyond_[3 * at(triangle) + k]) ? 1U : 0U;
      return count;
    };
    const auto take = [&](Index triangle) {
      vertices += new_vertices(triangles_[at(triangle)]);
      edges += 3 - sides_inside(triangle);
      cluster_of_[at(triangle)] = number;
      members_[cluster_lanes * at(number) + sizes_[at(number)]++] = triangle;
      for (const Index v : triangles_[at(triangle)]) vertex_mark_[at(v)] = number;
      for (std::size_t k = 0; k < 3; ++k) {
        const Index other = beyond_[3 * at(triangle) + k];
        if (other == none || !is_open(other)) continue;
        if (std::find(front.begin(), front.begin() + front_size, other) == front.begin() + front_size)
          front[front_size++] = other;
      }
    };
    take(seed);
    while (sizes_[at(number)] < cluster_lanes && front_size > 0) {
      std::size_t best = front_size;
      std::size_t best_score = ~std::size_t{0};
      for (std::size_t i = 0; i < front_size; ++i) {
        const std::size_t added = new_vertices(triangles_[at(front[i])]);
        const std::size_t sides = sides_inside(front[i]);
        if (vertices + added > cluster_lanes || edges + 3 - sides > cluster_edge_lanes) continue;
        const std::size_t score = 64 * added + 16 * (3 - sides) + 4 * open_around(front[i]);
        if (score < best_score) {
          best_score = score;
          best = i;
        }
      }
      if (best == front_size) break;
      const Index triangle = front[best];
      std::copy(front.begin() + best + 1, front.begin() + front_size, front.begin() + best);
      --front_size;
      take(triangle);
    }
    for (std::size_t i = 0; i < front_size; ++i) queue.push(front[i], open_around(front[i]));
  }

  void join_small() {
    const auto marks = [&](std::size_t cluster, Index mark) {
      std::size_t count = 0;
      for (const Index triangle : members(cluster))
        for (const Index v : triangles_[at(triangle)]) {
          count += vertex_mark_[at(v)] != mark ? 1U : 0U;
          vertex_mark_[at(v)] = mark;
        }
      return count;
    };
    std::fill(vertex_mark_.begin(), vertex_mark_.end(), none);
    Index mark = 0;
    for (std::size_t c = 0; c < sizes_.size(); ++c) {
      if (sizes_[c] == 0 || sizes_[c] > small_cluster) continue;
      std::size_t best = c;
      std::size_t fewest = cluster_lanes + 1;
      Index last = none;
      for (const Index triangle : members(c)) {
        for (std::size_t k = 0; k < 3; ++k) {
          const Index other = beyond_[3 * at(triangle) + k];
          if (other == none) continue;
          const Index n = cluster_of_[at(other)];
          if (n == last || at(n) == c || sizes_[at(n)] + sizes_[c] > cluster_lanes) continue;
          last = n;
          const std::size_t together = marks(c, mark) + marks(at(n), mark);
          ++mark;
          if (together < fewest && edges_together(c, at(n)) <= cluster_edge_lanes) {
            fewest = together;
            best = at(n);
          }
        }
      }
      if (best == c) continue;
      for (const Index triangle : members(c)) {
        members_[cluster_lanes * best + sizes_[best]++] = triangle;
        cluster_of_[at(triangle)] = static_cast<Index>(best);
      }
      sizes_[c] = 0;
    }
  }

  std::size_t edges_together(std::size_t a, std::size_t b) const {
    std::array<Index, 3 * cluster_lanes> found;
    std::size_t count = 0;
    for (const std::size_t c : {a, b})
      for (const Index triangle : members(c))
        for (std::size_t k = 0; k < 3; ++k)
          if (edge_of_[3 * at(triangle) + k] != none) found[count++] = edge_of_[3 * at(triangle) + k];
    std::sort(found.begin(), found.begin() + count);
    return static_cast<std::size_t>(std::unique(found.begin(), found.begin() + count) - found.begin());
  }

  /// Blocks grow over clusters as clusters do over triangles; clusters get their final numbers by block.
  void make_blocks() {
    std::vector<Index> block_of(sizes_.size(), none);
    std::vector<Index> order;
    order.reserve(sizes_.size());
    SeedQueue queue;
    const auto is_free = [&](Index cluster) { return block_of[at(cluster)] == none; };
    const auto each_neighbor = [&](Index cluster, const auto& visit) {
      for (const Index triangle : members(at(cluster)))
        for (std::size_t k = 0; k < 3; ++k)
          if (const Index other = beyond_[3 * at(triangle) + k]; other != none && cluster_of_[at(other)] != cluster)
            visit(cluster_of_[at(other)]);
    };
    struct Waiting {
      Index cluster;
      int links;
    };
    std::vector<Waiting> front;
    for (std::size_t c = 0; c < sizes_.size(); ++c) {
      if (sizes_[c] == 0 || !is_free(static_cast<Index>(c))) continue;
      for (Index seed = static_cast<Index>(c); seed != none; seed = queue.pop(is_free)) {
        const auto number = static_cast<Index>(out_.blocks.size());
        kernels::ClusterBlock block{};
        block.first = static_cast<std::int32_t>(order.size());
        block.object = surface_.object_index_of_triangle()[at(members(at(seed))[0])];
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
    std::vector<Index> members(cluster_lanes * order.size(), none);
    std::vector<std::uint8_t> sizes(order.size());
    for (std::size_t c = 0; c < order.size(); ++c) {
      sizes[c] = sizes_[at(order[c])];
      std::copy_n(members_.begin() + static_cast<std::ptrdiff_t>(cluster_lanes * at(order[c])), sizes[c],
                  members.begin() + static_cast<std::ptrdiff_t>(cluster_lanes * c));
    }
    members_.swap(members);
    sizes_.swap(sizes);
    for (std::size_t c = 0; c < sizes_.size(); ++c)
      for (const Index triangle : this->members(c)) cluster_of_[at(triangle)] = static_cast<Index>(c);
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
      if (user_begin_[v + 1] > max_at_vertex) out_.suitable = false;
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
    for (std::size_t c = 0; c < sizes_.size(); ++c) fill(static_cast<Index>(c), out_.clusters[c]);
  }

  void fill(Index number, SurfaceCluster& cluster) const {
    std::memset(&cluster, 0, sizeof cluster);
    const std::span<const Index> list = members(at(number));
    cluster.object = surface_.object_index_of_triangle()[at(list[0])];
    const auto place_of = [&](Index vertex) {
      return static_cast<std::uint8_t>(std::find(cluster.vertices, cluster.vertices + cluster.vertex_count, vertex) -
                                       cluster.vertices);
    };
    for (const bool owned : {true, false}) {
      for (const Index triangle : list)
        for (const Index v : triangles_[at(triangle)]) {
          if ((vertex_owner_[at(v)] == number) != owned || place_of(v) < cluster.vertex_count) continue;
          cluster.vertices[cluster.vertex_count++] = v;
        }
      if (owned) cluster.owned_vertex_count = cluster.vertex_count;
    }
    std::fill(cluster.vertices + cluster.vertex_count, cluster.vertices + cluster_lanes, cluster.vertices[0]);
    for (const Index triangle : list) {
      const std::size_t t = cluster.triangle_count++;
      cluster.triangles[t] = triangle;
      for (std::size_t k = 0; k < 3; ++k) {
        cluster.corner[k][t] = place_of(triangles_[at(triangle)][k]);
        cluster.triangles_at[cluster.corner[k][t]] |= 1U << t;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const Index edge = edge_of_[3 * at(triangle) + k];
        if (edge == none || edge_owner_[at(edge)] != number) continue;
        if (std::find(cluster.edges, cluster.edges + cluster.edge_count, edge) != cluster.edges + cluster.edge_count)
          continue;
        const std::size_t e = cluster.edge_count++;
        cluster.edges[e] = edge;
        cluster.edge_from[e] = place_of(out_.edges[at(edge)][0]);
        cluster.edge_to[e] = place_of(out_.edges[at(edge)][1]);
        cluster.edges_at[cluster.edge_from[e]] |= 1U << e;
        cluster.edges_at[cluster.edge_to[e]] |= 1U << e;
      }
    }
    choose_directions(cluster);
  }

  /// Breadth-first distances within a cluster, from a set of places.
  static void distances(const SurfaceCluster& cluster, const std::array<std::uint16_t, cluster_lanes>& beside,
                        std::uint32_t from, std::array<std::uint8_t, cluster_lanes>& out) {
    out.fill(99);
    std::uint32_t seen = 0;
    for (std::uint8_t d = 0; from != 0; ++d) {
      seen |= from;
      std::uint32_t next = 0;
      for (std::size_t i = 0; i < cluster.vertex_count; ++i)
        if ((from >> i & 1U) != 0) {
          out[i] = d;
          next |= beside[i];
        }
      from = next & ~seen;
    }
  }

  /// Two diagonals that cross, and a triangle in the middle: whatever is chosen here is right, it only has to be good.
  static void choose_directions(SurfaceCluster& cluster) {
    std::array<std::uint16_t, cluster_lanes> beside{};
    for (std::size_t t = 0; t < cluster.triangle_count; ++t)
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          beside[cluster.corner[i][t]] =
              static_cast<std::uint16_t>(beside[cluster.corner[i][t]] | 1U << cluster.corner[j][t]);
    const auto farthest = [&](const std::array<std::uint8_t, cluster_lanes>& d) {
      std::size_t best = 0;
      for (std::size_t i = 0; i < cluster.vertex_count; ++i)
        if (d[i] < 99 && (d[best] == 99 || d[i] > d[best])) best = i;
      return best;
    };
    std::array<std::uint8_t, cluster_lanes> from0, from1, from2;
    distances(cluster, beside, 1, from0);
    const std::size_t p = farthest(from0);
    distances(cluster, beside, 1U << p, from0);
    const std::size_t q = farthest(from0);
    distances(cluster, beside, 1U << q, from1);
    // The ends of the other diagonal are as far from p as from q, and far from each other.
    const auto score = [&](std::size_t i, int apart) {
      return from0[i] == 99 ? -999 : 2 * apart - std::abs(int{from0[i]} - int{from1[i]});
    };
    std::size_t r = 0;
    for (std::size_t i = 1; i < cluster.vertex_count; ++i)
      if (score(i, std::min(from0[i], from1[i])) > score(r, std::min(from0[r], from1[r]))) r = i;
    distances(cluster, beside, 1U << r, from2);
    std::size_t s = r;
    for (std::size_t i = 0; i < cluster.vertex_count; ++i)
      if (from2[i] != 99 && score(i, from2[i]) > score(s, from2[s])) s = i;
    cluster.across[0] = static_cast<std::uint8_t>(p);
    cluster.across[1] = static_cast<std::uint8_t>(q);
    cluster.across[2] = static_cast<std::uint8_t>(r);
    cluster.across[3] = static_cast<std::uint8_t>(s);
    std::uint32_t least = ~0U;
    for (std::size_t t = 0; t < cluster.triangle_count; ++t) {
      const std::uint8_t corners[3] = {cluster.corner[0][t], cluster.corner[1][t], cluster.corner[2][t]};
      distances(cluster, beside, 1U << corners[0] | 1U << corners[1] | 1U << corners[2], from2);
      std::uint32_t sum = 0;
      for (std::size_t i = 0; i < cluster.vertex_count; ++i) sum += std::uint32_t{from2[i]} * from2[i];
      if (sum >= least) continue;
      least = sum;
      std::copy_n(corners, 3, cluster.middle);
    }
  }

  void find_neighbors() {
    std::vector<Index> block_of(out_.clusters.size());
    for (std::size_t b = 0; b < out_.blocks.size(); ++b)
      for (std::int32_t i = 0; i < out_.blocks[b].count; ++i)
        block_of[at(out_.blocks[b].first + i)] = static_cast<Index>(b);
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
      const std::size_t first = out_.around.size();
      for (const Index user : all) {
        const Index block = block_of[at(user)];
        if (out_.around.size() == first || out_.around.back().block != block) out_.around.push_back({block, 0});
        out_.around.back().clusters |= 1U << static_cast<unsigned>(user - out_.blocks[at(block)].first);
        if (user < static_cast<Index>(c)) continue;
        kernels::ClusterNeighbor neighbor;
        neighbor.cluster = user;
        std::fill_n(neighbor.place, cluster_lanes, kernels::no_place);
        std::fill_n(neighbor.reverse, cluster_lanes, kernels::no_place);
        const SurfaceCluster& other = out_.clusters[at(user)];
        for (std::size_t i = 0; i < cluster.vertex_count; ++i)
          for (std::size_t j = 0; j < other.vertex_count; ++j)
            if (cluster.vertices[i] == other.vertices[j]) {
              neighbor.place[i] = static_cast<std::uint8_t>(j);
              neighbor.reverse[j] = static_cast<std::uint8_t>(i);
            }
        out_.neighbors.push_back(neighbor);
      }
      out_.neighbor_begin.push_back(static_cast<std::uint32_t>(out_.neighbors.size()));
      out_.around_begin.push_back(static_cast<std::uint32_t>(out_.around.size()));
    }
    out_.neighbors.shrink_to_fit();
  }

  void list_block_vertices() {
    std::fill(vertex_mark_.begin(), vertex_mark_.end(), none);
    for (std::size_t b = 0; b < out_.blocks.size(); ++b) {
      kernels::ClusterBlock& block = out_.blocks[b];
      block.first_vertex = static_cast<std::uint32_t>(out_.block_vertices.size());
      for (std::int32_t i = 0; i < block.count; ++i) {
        const SurfaceCluster& cluster = out_.clusters[at(block.first + i)];
        for (std::size_t v = 0; v < cluster.vertex_count; ++v) {
          if (vertex_mark_[at(cluster.vertices[v])] == static_cast<Index>(b)) continue;
          vertex_mark_[at(cluster.vertices[v])] = static_cast<Index>(b);
          out_.block_vertices.push_back(cluster.vertices[v]);
        }
      }
      block.vertex_count = static_cast<std::uint32_t>(out_.block_vertices.size()) - block.first_vertex;
      std::sort(out_.block_vertices.begin() + block.first_vertex, out_.block_vertices.end());
    }
    out_.block_vertices.shrink_to_fit();
  }

  std::span<const Triangle> triangles_;
  const Surface& surface_;
  SurfaceClusters& out_;
  std::vector<Index> edge_of_;     ///< number of the edge of each side 3 t + k; none if its ends are one vertex
  std::vector<Index> beyond_;      ///< the triangle on the other side
  std::vector<Index> cluster_of_;  ///< each triangle
  std::vector<Index> members_;     ///< triangles, 16 places a cluster
  std::vector<std::uint8_t> sizes_;
  std::vector<Index> vertex_mark_;
  std::vector<std::uint32_t> user_begin_;
  std::vector<Index> users_;
  std::vector<Index> vertex_owner_, edge_owner_;  ///< clusters
};

}  // namespace

SurfaceClusters make_clusters(const Surface& surface) {
  SurfaceClusters clusters;
  ClusterMaker(surface, clusters).run();
  return clusters;
}

}  // namespace carom::mesh
