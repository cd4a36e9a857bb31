#pragma once

#include <array>
#include <span>
#include <vector>

#include "carom/detect/detect.hpp"
#include "kernels/closest.hpp"
#include "kernels/distance_bounds.hpp"
#include "narrow/hit.hpp"

namespace carom::narrow {

/// Collects pairs of features until the vectors are full, then measures them together: first
/// quickly and roughly, then exactly what the quick look left open. Pairs come out as hits
/// if closest_vertex_triangle or closest_edge_edge finds them nearer than the distance.
class Batch {
 public:
  /// `hits` gets what is found; `beyond` counts what is not near enough.
  Batch(std::span<const Eigen::Vector3d> positions, std::span<const Triangle> triangles, double distance,
        std::vector<Hit>& hits, std::uint64_t& beyond);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void add_vertex_triangle(Index vertex, Index triangle) {
    const auto& [a, b, c] = triangles_[static_cast<std::size_t>(triangle)];
    faces_.hits[faces_.size] = pack_vertex_face(vertex, triangle);
    add(faces_, at(vertex), at(a), at(b), at(c));
    if (faces_.size == kernels::distance_bound_batch) flush_faces();
  }
  /// Each with the smaller index first.
  void add_edge_edge(const Edge& one, const Edge& other) {
    const Edge& a = other < one ? other : one;
    const Edge& b = other < one ? one : other;
    edges_.hits[edges_.size] = pack_edge_edge(a, b);
    add(edges_, at(a[0]), at(a[1]), at(b[0]), at(b[1]));
    if (edges_.size == kernels::distance_bound_batch) flush_edges();
  }
  /// To be called at the end.
  void flush();

 private:
  struct Waiting {
    kernels::DistanceBoundBatch points;
    std::array<Hit, kernels::distance_bound_batch> hits;
    std::size_t size = 0;
  };

  const Eigen::Vector3d& at(Index vertex) const { return positions_[static_cast<std::size_t>(vertex)]; }
  void add(Waiting& waiting, const Eigen::Vector3d& origin, const Eigen::Vector3d& p, const Eigen::Vector3d& q,
           const Eigen::Vector3d& r) const {
    const std::size_t i = waiting.size++;
    const Eigen::Vector3d* points[3] = {&p, &q, &r};
    for (std::size_t k = 0; k < 3; ++k) {
      waiting.points.x[k][i] = static_cast<float>((points[k]->x() - origin.x()) * per_distance_);
      waiting.points.y[k][i] = static_cast<float>((points[k]->y() - origin.y()) * per_distance_);
      waiting.points.z[k][i] = static_cast<float>((points[k]->z() - origin.z()) * per_distance_);
    }
  }
  void flush_faces();
  void flush_edges();
  void settle(const Waiting& waiting);

  std::span<const Eigen::Vector3d> positions_;
  std::span<const Triangle> triangles_;
  double distance_;
  double per_distance_;
  std::vector<Hit>& hits_;
  std::uint64_t& beyond_;
  Waiting faces_;
  Waiting edges_;
  std::array<kernels::DistanceBound, kernels::distance_bound_batch> reach_;
};

}  // namespace carom::narrow
