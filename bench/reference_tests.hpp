#pragma once

#include <Eigen/Core>

namespace carom::reference {

/// A point on a triangle, a + u (b - a) + v (c - a), and how far the vertex is from it.
struct VertexTriangle {
  double u = 0;
  double v = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  double squared_distance = 0;
};

/// Section 3.7.1, after Eberly: the plane of the triangle is cut in seven regions. With the
/// denominator ac - b^2 and the clamps at 0 that the text has wrong.
VertexTriangle vertex_triangle(const Eigen::Vector3d& p, const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                               const Eigen::Vector3d& c);

/// Points p1 + u (q1 - p1) and p2 + v (q2 - p2).
struct EdgeEdge {
  double u = 0;
  double v = 0;
  Eigen::Vector3d point_1 = Eigen::Vector3d::Zero();
  Eigen::Vector3d point_2 = Eigen::Vector3d::Zero();
  double squared_distance = 0;
};

/// Section 3.7.2, after Ericson; parallel edges meet in the middle of where they face each other.
EdgeEdge edge_edge(const Eigen::Vector3d& p1, const Eigen::Vector3d& q1, const Eigen::Vector3d& p2,
                   const Eigen::Vector3d& q2);

}  // namespace carom::reference
