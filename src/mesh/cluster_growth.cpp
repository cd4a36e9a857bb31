#include "mesh/cluster_growth.hpp"

#include <algorithm>

#include "carom/mesh/surface.hpp"
#include "core/at.hpp"

namespace carom::mesh {

namespace {

/// Clusters of at most this many triangles join a neighbor that has room.
constexpr std::size_t small_cluster = 8;
constexpr std::size_t cluster_edge_lanes = kernels::cluster_edge_lanes;

}  // namespace

/// Half-edges in the order of their smaller vertex by counting, then in that of the larger one.
void ClusterGrowth::number_edges() {
  const std::size_t vertices = vertex_count_;
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
  edges_.clear();
  edges_.reserve(halves.size() / 2 + halves.size() / 8 + 16);
  const auto before = [](const HalfEdge& a, const HalfEdge& b) { return a.to != b.to ? a.to < b.to : a.side < b.side; };
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
      const auto number = static_cast<Index>(edges_.size());
      edges_.push_back({static_cast<Index>(v), i->to});
      for (HalfEdge* h = i; h < end; ++h) {
        edge_of_[at(h->side)] = number;
        // Around the edge, so that each of two is beyond it for the other.
        const Index other = (h + 1 < end ? h + 1 : i)->side / 3;
        if (other != h->side / 3) beyond_[at(h->side)] = other;
      }
      i = end;
    }
  }
  edges_.shrink_to_fit();
}

std::size_t ClusterGrowth::open_around(Index triangle) const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Index other = beyond_[3 * at(triangle) + k];
    count += other != none && is_open(other) ? 1U : 0U;
  }
  return count;
}

void ClusterGrowth::grow_clusters() {
  cluster_of_.assign(triangles_.size(), none);
  vertex_mark_.assign(vertex_count_, none);
  SeedQueue queue;
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    if (is_dead(triangles_[t]) || !is_open(static_cast<Index>(t))) continue;
    for (Index seed = static_cast<Index>(t); seed != none;
         seed = queue.pop([&](Index item) { return is_open(item); })) {
      grow_from(seed, queue);
    }
  }
}

void ClusterGrowth::grow_from(Index seed, SeedQueue& queue) {
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

void ClusterGrowth::join_small() {
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

std::size_t ClusterGrowth::edges_together(std::size_t a, std::size_t b) const {
  std::array<Index, 3 * cluster_lanes> found;
  std::size_t count = 0;
  for (const std::size_t c : {a, b})
    for (const Index triangle : members(c))
      for (std::size_t k = 0; k < 3; ++k)
        if (edge_of_[3 * at(triangle) + k] != none) found[count++] = edge_of_[3 * at(triangle) + k];
  std::sort(found.begin(), found.begin() + count);
  return static_cast<std::size_t>(std::unique(found.begin(), found.begin() + count) - found.begin());
}

}  // namespace carom::mesh
