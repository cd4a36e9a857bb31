#pragma once

#include <array>
#include <span>
#include <vector>

#include "bounds/moving_box.hpp"
#include "carom/detect/detect.hpp"
#include "narrow/hit.hpp"

namespace carom::narrow {

/// Vertices go straight from start to end.
struct MovingIn {
  const Surface& surface;
  std::span<const Eigen::Vector3d> start;
  std::span<const Eigen::Vector3d> end;
};

/// Takes pairs of features and keeps those whose boxes, which move with them, come within the distance in some part of
/// a step.
class MovingBoxes {
 public:
  /// `hits` gets what stays; `never` counts what does not.
  MovingBoxes(const MovingIn& in, double distance, std::vector<Hit>& hits, std::uint64_t& never)
      : in_(in), distance_(distance), hits_(hits), never_(never) {}

  /// For the pairs that follow.
  void set_interval(const bounds::Interval& part) { part_ = part; }

  void add_vertex_triangle(Index vertex, Index triangle) {
    const Triangle& corners = in_.surface.triangles()[static_cast<std::size_t>(triangle)];
    const std::array<Index, 1> point{vertex};
    keep(pack_vertex_face(vertex, triangle), meet(point, corners));
  }
  /// Each with the smaller index first.
  void add_edge_edge(const Edge& one, const Edge& other) {
    const Edge& a = other < one ? other : one;
    const Edge& b = other < one ? one : other;
    keep(pack_edge_edge(a, b), meet(a, b));
  }

 private:
  void keep(const Hit& hit, bool meets) {
    if (meets) {
      hits_.push_back(hit);
    } else {
      ++never_;
    }
  }

  template <class A, class B>
  bool meet(const A& a, const B& b) const {
    bounds::Interval part = part_;
    for (int k = 0; k < 3; ++k) {
      const Extent a0 = extent(a, in_.start, k);
      const Extent a1 = extent(a, in_.end, k);
      const Extent b0 = extent(b, in_.start, k);
      const Extent b1 = extent(b, in_.end, k);
      bounds::cut_where_apart(gap(a0.low, b0.high), gap(a1.low, b1.high), part);
      bounds::cut_where_apart(gap(b0.low, a0.high), gap(b1.low, a1.high), part);
    }
    return !part.empty();
  }

  struct Extent {
    double low, high;
  };
  template <class Vertices>
  static Extent extent(const Vertices& vertices, std::span<const Eigen::Vector3d> positions, int k) {
    Extent e{positions[static_cast<std::size_t>(vertices[0])][k], positions[static_cast<std::size_t>(vertices[0])][k]};
    for (std::size_t i = 1; i < vertices.size(); ++i) {
      const double x = positions[static_cast<std::size_t>(vertices[i])][k];
      e.low = x < e.low ? x : e.low;
      e.high = x > e.high ? x : e.high;
    }
    return e;
  }
  /// Coordinates are exact, so a difference is wrong by 2^-53 of itself; a gap that rounding could have made counts as
  /// none.
  double gap(double low, double high) const {
    const double between = low - high;
    return between - distance_ - 1e-15 * (between + distance_);
  }

  const MovingIn& in_;
  double distance_;
  std::vector<Hit>& hits_;
  std::uint64_t& never_;
  bounds::Interval part_;
};

}  // namespace carom::narrow
