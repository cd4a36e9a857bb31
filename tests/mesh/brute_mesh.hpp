#pragma once

#include <Eigen/Geometry>

#include "carom/mesh/mesh.hpp"

/// Two meshes, every triangle against every other: the slow twins of the mesh queries.
namespace carom::test {

struct BrutePair {
  bool meet = false;    ///< some two triangles do
  double distance = 0;  ///< of the surfaces; 0 if they meet
  std::vector<std::array<Index, 2>> crossing;
};

BrutePair brute_pair(const TriangleMesh& a, const Eigen::Isometry3d& pose_a, const TriangleMesh& b,
                     const Eigen::Isometry3d& pose_b);

/// The sum of the solid angles of all triangles over 4 pi: how often the surface winds around the point.
double winding_number(const TriangleMesh& mesh, const Eigen::Isometry3d& pose, const Eigen::Vector3d& p);

TriangleMesh joined(const TriangleMesh& a, const TriangleMesh& b, const Eigen::Vector3d& offset_b);
/// No two triangles share a vertex, as in an STL file.
TriangleMesh torn(const TriangleMesh& mesh);
TriangleMesh inside_out(TriangleMesh mesh);

}  // namespace carom::test
