#include "narrow/batch.hpp"

#include "carom/mesh/closest.hpp"

namespace carom::narrow {

Batch::Batch(std::span<const Eigen::Vector3d> positions, std::span<const Triangle> triangles, double distance,
             std::vector<Hit>& hits, std::uint64_t& beyond)
    : positions_(positions),
      triangles_(triangles),
      distance_(distance),
      per_distance_(1 / distance),
      hits_(hits),
      beyond_(beyond) {}

void Batch::flush() {
  flush_faces();
  flush_edges();
}

void Batch::flush_faces() {
  kernels::distance_bound_vertex_triangle(faces_.points, faces_.size, reach_.data());
  settle(faces_);
  faces_.size = 0;
}

void Batch::flush_edges() {
  kernels::distance_bound_edge_edge(edges_.points, edges_.size, reach_.data());
  settle(edges_);
  edges_.size = 0;
}

void Batch::settle(const Waiting& waiting) {
  for (std::size_t i = 0; i < waiting.size; ++i) {
    const Hit& hit = waiting.hits[i];
    bool within = reach_[i] == kernels::DistanceBound::within;
    if (reach_[i] == kernels::DistanceBound::unsure) {
      if (kind_of(hit) == ContactKind::vertex_face) {
        const auto& [a, b, c] = triangles_[static_cast<std::size_t>(triangle_of(hit))];
        within = closest_vertex_triangle(at(vertex_of(hit)), at(a), at(b), at(c)).distance < distance_;
      } else {
        const Edge a = edge_a_of(hit);
        const Edge b = edge_b_of(hit);
        within = closest_edge_edge(at(a[0]), at(a[1]), at(b[0]), at(b[1])).distance < distance_;
      }
    }
    if (within) {
      hits_.push_back(hit);
    } else {
      ++beyond_;
    }
  }
}

}  // namespace carom::narrow
