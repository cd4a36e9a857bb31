#include "mesh/cluster_growth.hpp"

#include "core/at.hpp"

namespace carom::mesh {

namespace {

/// Clusters of at most this many triangles join a neighbor that has room.
constexpr std::size_t small_cluster = 8;
constexpr std::size_t cluster_edge_lanes = kernels::cluster_edge_lanes;

}  // namespace

std::size_t ClusterGrowth::open_around(Index triangle) const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Index other = edges_.beyond[3 * at(triangle) + k];
    count += other != none && is_open(other) ? 1U : 0U;
  }
  return count;
}

void ClusterGrowth::grow_clusters() {
  SeedQueue queue;
  members_.reserve(part_.order.size() + part_.order.size() / 4);
  for (const Index first : part_.order) {
    if (!is_open(first)) continue;
    for (Index seed = first; seed != none; seed = queue.pop([&](Index item) { return is_open(item); }))
      grow_from(seed, queue);
  }
}

void ClusterGrowth::grow_from(Index seed, SeedQueue& queue) {
  const auto number = static_cast<Index>(sizes_.size());
  sizes_.push_back(0);
  members_.resize(members_.size() + cluster_lanes, none);
  Vertices vertices;
  std::size_t edges = 0;
  std::array<Index, 3 * cluster_lanes> front;
  std::size_t front_size = 0;
  const auto sides_inside = [&](Index triangle) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k) count += is_in(edges_.beyond[3 * at(triangle) + k], number) ? 1U : 0U;
    return count;
  };
  const auto take = [&](Index triangle) {
    vertices.add(triangles_[at(triangle)]);
    edges += 3 - sides_inside(triangle);
    cluster_of_[at(triangle)] = number;
    members_[cluster_lanes * at(number) + sizes_[at(number)]++] = triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index other = edges_.beyond[3 * at(triangle) + k];
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
      const std::size_t added = vertices.missing(triangles_[at(front[i])]);
      const std::size_t sides = sides_inside(front[i]);
      if (vertices.size() + added > cluster_lanes || edges + 3 - sides > cluster_edge_lanes) continue;
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
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (sizes_[c] == 0 || sizes_[c] > small_cluster) continue;
    std::size_t best = c;
    std::size_t fewest = cluster_lanes + 1;
    Index last = none;
    for (const Index triangle : members(c)) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Index other = edges_.beyond[3 * at(triangle) + k];
        if (other == none || !part_.has(other)) continue;
        const Index n = cluster_of_[at(other)];
        if (n == last || at(n) == c || sizes_[at(n)] + sizes_[c] > cluster_lanes) continue;
        last = n;
        const std::size_t together = vertices_together(c, at(n));
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

std::size_t ClusterGrowth::vertices_together(std::size_t a, std::size_t b) const {
  std::array<Index, 3 * cluster_lanes> found;
  std::size_t count = 0;
  for (const std::size_t c : {a, b})
    for (const Index triangle : members(c))
      for (const Index v : triangles_[at(triangle)]) found[count++] = v;
  std::sort(found.begin(), found.begin() + count);
  return static_cast<std::size_t>(std::unique(found.begin(), found.begin() + count) - found.begin());
}

std::size_t ClusterGrowth::edges_together(std::size_t a, std::size_t b) const {
  std::array<Index, 3 * cluster_lanes> found;
  std::size_t count = 0;
  for (const std::size_t c : {a, b})
    for (const Index triangle : members(c))
      for (std::size_t k = 0; k < 3; ++k)
        if (edges_.of[3 * at(triangle) + k] != none) found[count++] = edges_.of[3 * at(triangle) + k];
  std::sort(found.begin(), found.begin() + count);
  return static_cast<std::size_t>(std::unique(found.begin(), found.begin() + count) - found.begin());
}

}  // namespace carom::mesh
