#include "mesh/cluster_record.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "core/at.hpp"

namespace carom::mesh {

namespace {

using kernels::cluster_lanes;
using kernels::SurfaceCluster;

/// Breadth-first distances within a cluster, from a set of places.
void distances(const SurfaceCluster& cluster, const std::array<std::uint16_t, cluster_lanes>& beside,
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
void choose_directions(SurfaceCluster& cluster) {
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
  std::array<std::uint8_t, cluster_lanes> from3;
  distances(cluster, beside, 1U << s, from3);
  const auto off_center = [&](std::size_t i) {
    return std::uint32_t{from0[i]} * from0[i] + std::uint32_t{from1[i]} * from1[i] +
           std::uint32_t{from2[i]} * from2[i] + std::uint32_t{from3[i]} * from3[i];
  };
  std::uint32_t least = ~0U;
  for (std::size_t t = 0; t < cluster.triangle_count; ++t) {
    const std::uint8_t corners[3] = {cluster.corner[0][t], cluster.corner[1][t], cluster.corner[2][t]};
    const std::uint32_t sum = off_center(corners[0]) + off_center(corners[1]) + off_center(corners[2]);
    if (sum >= least) continue;
    least = sum;
    std::copy_n(corners, 3, cluster.middle);
  }
}

}  // namespace

void fill_cluster(std::span<const Index> members, std::span<const Triangle> triangles, Index object,
                  const ClusterFeatures& features, SurfaceCluster& cluster) {
  std::memset(&cluster, 0, sizeof cluster);
  cluster.object = object;
  // Vertices in the order in which they are met, then those that are owned first.
  std::array<Index, cluster_lanes> met;
  std::array<bool, cluster_lanes> owned;
  std::array<std::array<std::uint8_t, 3>, cluster_lanes> met_at;
  std::size_t count = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index v = triangles[at(members[i])][k];
      std::size_t place = 0;
      while (place < count && met[place] != v) ++place;
      if (place == count) {
        met[count] = v;
        owned[count++] = features.vertex[i][k];
      }
      met_at[i][k] = static_cast<std::uint8_t>(place);
    }
  }
  std::array<std::uint8_t, cluster_lanes> place_of;
  for (const bool first : {true, false}) {
    for (std::size_t i = 0; i < count; ++i) {
      if (owned[i] != first) continue;
      place_of[i] = cluster.vertex_count;
      cluster.vertices[cluster.vertex_count++] = met[i];
    }
    if (first) cluster.owned_vertex_count = cluster.vertex_count;
  }
  std::fill(cluster.vertices + cluster.vertex_count, cluster.vertices + cluster_lanes, cluster.vertices[0]);
  for (std::size_t t = 0; t < members.size(); ++t) {
    const Triangle& corners = triangles[at(members[t])];
    cluster.triangles[t] = members[t];
    for (std::size_t k = 0; k < 3; ++k) {
      cluster.corner[k][t] = place_of[met_at[t][k]];
      cluster.triangles_at[cluster.corner[k][t]] |= 1U << t;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const Index edge = features.edge[t][k];
      if (edge == none) continue;
      if (std::find(cluster.edges, cluster.edges + cluster.edge_count, edge) != cluster.edges + cluster.edge_count)
        continue;
      const std::size_t e = cluster.edge_count++;
      const std::size_t next = k == 2 ? 0 : k + 1;
      const bool ascending = corners[k] < corners[next];
      cluster.edges[e] = edge;
      cluster.edge_from[e] = cluster.corner[ascending ? k : next][t];
      cluster.edge_to[e] = cluster.corner[ascending ? next : k][t];
      cluster.edges_at[cluster.edge_from[e]] |= 1U << e;
      cluster.edges_at[cluster.edge_to[e]] |= 1U << e;
    }
  }
  cluster.triangle_count = static_cast<std::uint8_t>(members.size());
  choose_directions(cluster);
}

void empty_cluster(Index object, SurfaceCluster& cluster) {
  std::memset(&cluster, 0, sizeof cluster);
  cluster.object = object;
}

}  // namespace carom::mesh
