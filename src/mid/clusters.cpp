#include "mid/clusters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/at.hpp"
#include "kernels/node_pairs.hpp"

namespace carom::mid {

namespace {

constexpr std::size_t clustering_grain = 2048;

/// Spreads the low 21 bits so that two zeros follow each.
std::uint64_t spread_bits(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32U) & 0x1f00000000ffffULL;
  x = (x | x << 16U) & 0x1f0000ff0000ffULL;
  x = (x | x << 8U) & 0x100f00f00f00f00fULL;
  x = (x | x << 4U) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2U) & 0x1249249249249249ULL;
}

/// Place along the curve of a point of the box, in 3 * bits bits. Cells are cubes, so that a flat
/// box is not cut across its thickness. Any finite box is fine; what is out of range is clamped.
std::uint64_t morton(const Eigen::Array3d& p, const Eigen::Array3d& low, const Eigen::Array3d& high, unsigned bits) {
  const double cells = static_cast<double>(1ULL << bits);
  // Halves, so that the width of a box from -1e308 to 1e308 is a number.
  const double width = (0.5 * high - 0.5 * low).maxCoeff();
  std::uint64_t code = 0;
  for (int k = 0; k < 3; ++k) {
    const double t = width > 0 ? 0.5 * ((0.5 * p[k] - 0.5 * low[k]) / width) * 2 * cells : 0;
    const double cell = std::clamp(t, 0.0, cells - 1);
    code |= spread_bits(static_cast<std::uint64_t>(cell)) << static_cast<unsigned>(k);
  }
  return code;
}

}  // namespace

Cluster make_cluster(const Surface& surface, std::span<const Index> triangles) {
  Cluster cluster;
  cluster.triangle_count = static_cast<std::uint8_t>(triangles.size());
  cluster.object = triangles.empty() ? none : surface.object_index_of_triangle()[at(triangles[0])];
  const auto place_of = [&cluster](Index vertex) -> std::uint8_t {
    const auto end = cluster.vertices.begin() + cluster.vertex_count;
    const auto found = std::find(cluster.vertices.begin(), end, vertex);
    if (found == end) cluster.vertices[cluster.vertex_count++] = vertex;
    return static_cast<std::uint8_t>(found - cluster.vertices.begin());
  };
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    cluster.triangles[i] = triangles[i];
    const std::uint8_t owned = surface.owned()[at(triangles[i])];
    for (std::size_t k = 0; k < 3; ++k)
      if (owns_vertex(owned, k)) cluster.vertices[cluster.vertex_count++] = surface.triangles()[at(triangles[i])][k];
  }
  cluster.owned_vertex_count = cluster.vertex_count;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& corners = surface.triangles()[at(triangles[i])];
    const std::uint8_t owned = surface.owned()[at(triangles[i])];
    for (std::size_t k = 0; k < 3; ++k) cluster.corners[i][k] = place_of(corners[k]);
    for (std::size_t k = 0; k < 3; ++k) {
      if (!owns_edge(owned, k)) continue;
      const std::size_t next = k == 2 ? 0 : k + 1;
      const bool ascending = corners[k] < corners[next];
      cluster.edges[cluster.edge_count++] = {cluster.corners[i][ascending ? k : next],
                                             cluster.corners[i][ascending ? next : k]};
    }
  }
  return cluster;
}

void ClusterBuilder::run(Context& context, const Surface& surface, std::span<const Eigen::Vector3d> positions,
                         std::vector<Cluster>& clusters) {
  const auto triangles = surface.triangles();
  const auto object_of = surface.object_index_of_triangle();
  const std::size_t objects = surface.objects().size();

  // Boxes of the objects, and where these are along the curve of the whole scene.
  const double infinity = std::numeric_limits<double>::infinity();
  low_.assign(objects + 1, Eigen::Array3d::Constant(infinity));
  high_.assign(objects + 1, Eigen::Array3d::Constant(-infinity));
  sizes_.assign(objects, 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (is_dead(triangles[t])) continue;
    const std::size_t o = at(object_of[t]);
    ++sizes_[o];
    for (const Index v : triangles[t]) {
      low_[o] = low_[o].min(positions[at(v)].array());
      high_[o] = high_[o].max(positions[at(v)].array());
    }
  }
  for (std::size_t o = 0; o < objects; ++o) {
    low_[objects] = low_[objects].min(low_[o]);
    high_[objects] = high_[objects].max(high_[o]);
  }
  object_order_.clear();
  for (std::size_t o = 0; o < objects; ++o) {
    if (sizes_[o] == 0) continue;
    object_order_.push_back(
        {morton(0.5 * low_[o] + 0.5 * high_[o], low_[objects], high_[objects], 21), static_cast<Index>(o)});
  }
  const auto by_key = [](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : a.object < b.object;
  };
  std::sort(object_order_.begin(), object_order_.end(), by_key);
  rank_.assign(objects, 0);
  for (std::size_t r = 0; r < object_order_.size(); ++r) rank_[at(object_order_[r].object)] = static_cast<Index>(r);

  // Triangles by object, and along the object's own curve. With a billion triangles in a billion objects no bit is left
  // for the curve; with a million in a thousand, eleven for each axis.
  const auto rank_bits = static_cast<unsigned>(std::bit_width(objects));
  const auto number_bits = static_cast<unsigned>(std::bit_width(triangles.size()));
  const unsigned curve_bits = std::min(21U, (64U - std::min(64U, rank_bits + number_bits)) / 3U);
  const std::uint64_t number_mask = (std::uint64_t{1} << number_bits) - 1;
  constexpr std::uint64_t dead = ~std::uint64_t{0};
  keyed_.resize(triangles.size());
  parallel_for(context.workers, triangles.size(), clustering_grain, [&](std::size_t t) {
    const Triangle& corners = triangles[t];
    if (is_dead(corners)) {
      keyed_[t] = dead;
      return;
    }
    const std::size_t o = at(object_of[t]);
    const Eigen::Array3d low =
        positions[at(corners[0])].array().min(positions[at(corners[1])].array()).min(positions[at(corners[2])].array());
    const Eigen::Array3d high =
        positions[at(corners[0])].array().max(positions[at(corners[1])].array()).max(positions[at(corners[2])].array());
    const std::uint64_t code = morton(0.5 * low + 0.5 * high, low_[o], high_[o], curve_bits);
    keyed_[t] = (static_cast<std::uint64_t>(rank_[o]) << 3 * curve_bits | code) << number_bits | t;
  });
  std::erase(keyed_, dead);
  sort_.run(context.workers, keyed_, 64, [&](std::uint64_t key) { return key >> number_bits; });

  // Where each cluster begins in `keyed_`; a place without triangles is one that begins where the next does.
  place_.clear();
  std::size_t first = 0;
  for (const Keyed& object : object_order_) {
    const std::size_t count = at(sizes_[at(object.object)]);
    if (count > cluster_triangles * kernels::node_children)
      while (place_.size() % kernels::node_children != 0) place_.push_back(first);
    for (std::size_t i = 0; i < count; i += cluster_triangles) place_.push_back(first + i);
    first += count;
  }
  place_.push_back(first);
  clusters.resize(place_.size() - 1);
  parallel_for(context.workers, clusters.size(), clustering_grain / cluster_triangles, [&](std::size_t p) {
    std::array<Index, cluster_triangles> members;
    const std::size_t count = place_[p + 1] - place_[p];
    for (std::size_t i = 0; i < count; ++i) members[i] = static_cast<Index>(keyed_[place_[p] + i] & number_mask);
    clusters[p] = make_cluster(surface, {members.data(), count});
  });
  // Sixteen bytes a triangle that are seldom needed again.
  keyed_ = {};
  sort_ = {};
}

}  // namespace carom::mid
