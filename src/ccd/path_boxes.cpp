#include "ccd/path_boxes.hpp"

#include <algorithm>

#include "core/at.hpp"

namespace carom::ccd {
namespace {

using Eigen::Vector3d;
using kernels::SurfaceCluster;

/// Boxes of the features of a cluster.
struct ClusterBoxes {
  BoxRows<kernels::cluster_lanes> vertices;  ///< those that the cluster owns come first
  BoxRows<kernels::cluster_lanes> triangles;
  BoxRows<kernels::cluster_edge_lanes> edges;
  Index corner[kernels::cluster_lanes][3];
  Index end[kernels::cluster_edge_lanes][2];
};

/// Boxes of the paths of all vertices of a cluster.
void vertex_boxes(const StepPositions& step, const SurfaceCluster& c, const Vector3d& shift, const Vector3d& origin,
                  BoxRows<kernels::cluster_lanes>& out) {
  const Vector3d end_origin = shift + origin;
  const double far = motion_slack * origin.cwiseAbs().maxCoeff();
  for (std::size_t row = 0; row < c.vertex_count; ++row) {
    const Vector3d a = step.start[at(c.vertices[row])] - origin;
    const Vector3d b = step.end[at(c.vertices[row])] - end_origin;
    const Vector3d low = a.cwiseMin(b);
    const Vector3d high = a.cwiseMax(b);
    // Rounding of positions, and of what is left of them to single precision.
    const double slack = far + box_rounding * low.cwiseAbs().cwiseMax(high.cwiseAbs()).maxCoeff();
    for (std::size_t k = 0; k < 3; ++k) {
      out.low[k][row] = static_cast<float>(low[static_cast<Eigen::Index>(k)] - slack);
      out.high[k][row] = static_cast<float>(high[static_cast<Eigen::Index>(k)] + slack);
    }
  }
}

/// Box around the boxes of the vertices at these places.
template <std::size_t count, std::size_t rows>
void put_box(const BoxRows<kernels::cluster_lanes>& vertices, const std::uint8_t (&places)[count], std::size_t row,
             BoxRows<rows>& boxes) {
  for (std::size_t k = 0; k < 3; ++k) {
    float low = vertices.low[k][places[0]];
    float high = vertices.high[k][places[0]];
    for (std::size_t i = 1; i < count; ++i) {
      low = std::min(low, vertices.low[k][places[i]]);
      high = std::max(high, vertices.high[k][places[i]]);
    }
    boxes.low[k][row] = low;
    boxes.high[k][row] = high;
  }
}

void boxes_of(const StepPositions& step, const SurfaceCluster& c, const Vector3d& shift, const Vector3d& origin,
              ClusterBoxes& out) {
  vertex_boxes(step, c, shift, origin, out.vertices);
  for (std::size_t k = 0; k < c.triangle_count; ++k) {
    const std::uint8_t places[3] = {c.corner[0][k], c.corner[1][k], c.corner[2][k]};
    for (std::size_t i = 0; i < 3; ++i) out.corner[k][i] = c.vertices[places[i]];
    put_box(out.vertices, places, k, out.triangles);
  }
  for (std::size_t k = 0; k < c.edge_count; ++k) {
    const std::uint8_t places[2] = {c.edge_from[k], c.edge_to[k]};
    for (std::size_t i = 0; i < 2; ++i) out.end[k][i] = c.vertices[places[i]];
    put_box(out.vertices, places, k, out.edges);
  }
}

/// Box around the first `count` rows, as one row.
template <std::size_t rows>
BoxRows<1> around(const BoxRows<rows>& boxes, std::size_t count) {
  BoxRows<1> all;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    all.low[axis][0] = INFINITY;
    all.high[axis][0] = -INFINITY;
    for (std::size_t k = 0; k < count; ++k) {
      all.low[axis][0] = std::min(all.low[axis][0], boxes.low[axis][k]);
      all.high[axis][0] = std::max(all.high[axis][0], boxes.high[axis][k]);
    }
  }
  return all;
}

template <std::size_t rows>
bool rows_overlap(const BoxRows<rows>& boxes, std::size_t row, const BoxRows<1>& other) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (boxes.low[axis][row] > other.high[axis][0] || other.low[axis][0] > boxes.high[axis][row]) return false;
  }
  return true;
}

}  // namespace

void list_path_features(const StepPositions& step, const SurfaceCluster& one, const SurfaceCluster& other,
                        const Vector3d& shift, std::vector<std::array<Index, 4>>& vertex_face,
                        std::vector<std::array<Index, 4>>& edge_edge) {
  const Vector3d origin = step.start[at(one.vertices[0])];
  ClusterBoxes a{};
  boxes_of(step, one, shift, origin, a);
  const bool same = &one == &other;
  ClusterBoxes second{};
  if (!same) boxes_of(step, other, shift, origin, second);
  const ClusterBoxes& b = same ? a : second;
  const auto vertices_on_faces = [&](const SurfaceCluster& from, const ClusterBoxes& points, const SurfaceCluster& to,
                                     const ClusterBoxes& faces) {
    const BoxRows<1> all = around(faces.triangles, to.triangle_count);
    for (std::size_t v = 0; v < from.owned_vertex_count; ++v) {
      if (!rows_overlap(points.vertices, v, all)) continue;
      const Index vertex = from.vertices[v];
      each_overlap(points.vertices, v, faces.triangles, 0, to.triangle_count, [&](std::size_t t) {
        const Index(&corner)[3] = faces.corner[t];
        if (vertex == corner[0] || vertex == corner[1] || vertex == corner[2]) return;
        vertex_face.push_back({vertex, corner[0], corner[1], corner[2]});
      });
    }
  };
  vertices_on_faces(one, a, other, b);
  if (!same) vertices_on_faces(other, b, one, a);
  const BoxRows<1> all = around(b.edges, other.edge_count);
  for (std::size_t i = 0; i < one.edge_count; ++i) {
    if (!rows_overlap(a.edges, i, all)) continue;
    const Index(&p)[2] = a.end[i];
    each_overlap(a.edges, i, b.edges, same ? i + 1 : 0, other.edge_count, [&](std::size_t k) {
      const Index(&q)[2] = b.end[k];
      if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) return;
      edge_edge.push_back({p[0], p[1], q[0], q[1]});
    });
  }
}

}  // namespace carom::ccd
