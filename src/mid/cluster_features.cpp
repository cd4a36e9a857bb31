#include "mid/cluster_features.hpp"

#include <algorithm>

#include "bounds/box.hpp"
#include "core/at.hpp"

namespace carom::mid {

namespace {

constexpr std::size_t feature_grain = 64;

}  // namespace

std::size_t ClusterFeatures::box_floats(const Place& place) {
  return std::size_t{6} * (stride(place.edges) + stride(place.owned) + stride(place.triangles));
}

std::size_t ClusterFeatures::vertex_numbers(const Place& place) {
  return std::size_t{2} * stride(place.edges) + stride(place.owned) + std::size_t{3} * stride(place.triangles);
}

ClusterFeatures::Place ClusterFeatures::counted(const Cluster& cluster) {
  Place place;
  place.edges = cluster.edge_count;
  place.owned = cluster.owned_vertex_count;
  place.triangles = cluster.triangle_count;
  return place;
}

void ClusterFeatures::lay_out(Context& context, std::span<const Cluster> clusters) {
  places_.resize(clusters.size());
  std::size_t boxes = 0;
  std::size_t vertices = 0;
  for (std::size_t p = 0; p < clusters.size(); ++p) {
    places_[p] = counted(clusters[p]);
    places_[p].boxes = boxes;
    places_[p].vertices = vertices;
    boxes += box_floats(places_[p]);
    vertices += vertex_numbers(places_[p]);
  }
  boxes_.resize(boxes + kernels::feature_lanes);
  vertices_.resize(vertices + kernels::feature_lanes);
  parallel_for(context.workers, clusters.size(), feature_grain,
               [&](std::size_t p) { list_vertices(places_[p], clusters[p]); });
}

void ClusterFeatures::list_vertices(const Place& place, const Cluster& cluster) {
  Index* out = vertices_.data() + place.vertices;
  for (std::size_t k = 0; k < 2; ++k, out += stride(place.edges))
    for (std::size_t e = 0; e < cluster.edge_count; ++e) out[e] = cluster.vertices[cluster.edges[e][k]];
  std::copy_n(cluster.vertices.begin(), cluster.owned_vertex_count, out);
  out += stride(place.owned);
  for (std::size_t k = 0; k < 3; ++k, out += stride(place.triangles))
    for (std::size_t t = 0; t < cluster.triangle_count; ++t) out[t] = cluster.vertices[cluster.corners[t][k]];
}

void ClusterFeatures::fill(std::size_t cluster, const Cluster& of, const In& in, bool triangles_only) {
  float low[3][cluster_features];
  float high[3][cluster_features];
  for (std::size_t v = 0; v < of.vertex_count; ++v) {
    const double* x = in.positions[at(of.vertices[v])].data();
    for (std::size_t k = 0; k < 3; ++k) {
      const double o = in.origin[static_cast<Eigen::Index>(k)];
      low[k][v] = round_down((x[k] - o) - in.margin);
      high[k][v] = round_up((x[k] - o) + in.margin);
    }
  }
  for (std::size_t v = 0; v < of.vertex_count && !in.end.empty(); ++v) {
    const double* x = in.end[at(of.vertices[v])].data();
    for (std::size_t k = 0; k < 3; ++k) {
      const double o = in.origin[static_cast<Eigen::Index>(k)];
      low[k][v] = std::min(low[k][v], round_down((x[k] - o) - in.margin));
      high[k][v] = std::max(high[k][v], round_up((x[k] - o) + in.margin));
    }
  }
  float* out = boxes_.data() + places_[cluster].boxes;
  for (std::size_t k = 0; k < 3 && !triangles_only; ++k) {
    const std::size_t row = stride(of.edge_count);
    for (std::size_t e = 0; e < of.edge_count; ++e) {
      const auto [i, j] = of.edges[e];
      out[k * row + e] = std::min(low[k][i], low[k][j]);
      out[(k + 3) * row + e] = std::max(high[k][i], high[k][j]);
    }
  }
  out += std::size_t{6} * stride(of.edge_count);
  for (std::size_t k = 0; k < 3 && !triangles_only; ++k) {
    const std::size_t row = stride(of.owned_vertex_count);
    std::copy_n(low[k], of.owned_vertex_count, out + k * row);
    std::copy_n(high[k], of.owned_vertex_count, out + (k + 3) * row);
  }
  out += std::size_t{6} * stride(of.owned_vertex_count);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t row = stride(of.triangle_count);
    for (std::size_t t = 0; t < of.triangle_count; ++t) {
      const auto [a, b, c] = of.corners[t];
      out[k * row + t] = std::min(std::min(low[k][a], low[k][b]), low[k][c]);
      out[(k + 3) * row + t] = std::max(std::max(high[k][a], high[k][b]), high[k][c]);
    }
  }
}

}  // namespace carom::mid
