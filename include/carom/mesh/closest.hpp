#pragma once

#include <Eigen/Core>

#include "carom/core/unset.hpp"

namespace carom {

/// Closest points of two features. The distance is that between the two points returned, which
/// lie on the features to rounding; so it is never below the true distance by more than rounding.
///
/// The error of the distance is at most 1e-15 times the size of the problem, the largest distance
/// between the points given: whatever their place, scale and shape, slivers and nearly parallel
/// edges included. Where the true distance is more than a double can hold, it is infinite; it
/// is never NaN.
struct VertexTriangleClosest {
  Eigen::Vector3d weights =
      Eigen::Vector3d::Constant(unset);  ///< barycentric, of the point on the triangle; each in [0, 1], sum 1
  Eigen::Vector3d point = Eigen::Vector3d::Constant(unset);  ///< on the triangle
  double distance = unset;
};

struct EdgeEdgeClosest {
  double s = unset;  ///< point_a = a0 + s (a1 - a0), in [0, 1]
  double t = unset;  ///< point_b = b0 + t (b1 - b0), in [0, 1]
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);
  double distance = unset;
};

/// Closest point of a triangle to a vertex. Every finite input has an answer: triangles of zero area act as the segment
/// or point they are. Another order of the corners may change the last bits.
VertexTriangleClosest closest_vertex_triangle(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                                              const Eigen::Vector3d& b, const Eigen::Vector3d& c);

/// Closest points of two edges. Every finite input has an answer: parallel edges give one of the closest pairs, edges
/// of zero length act as the point they are. The distance is the same to the last bit for every order of the edges and
/// of their ends; the points may be others where several pairs are equally close.
EdgeEdgeClosest closest_edge_edge(const Eigen::Vector3d& a0, const Eigen::Vector3d& a1, const Eigen::Vector3d& b0,
                                  const Eigen::Vector3d& b1);

}  // namespace carom
