#pragma once

#include <Eigen/Geometry>
#include <utility>

#include "carom/mesh/mesh.hpp"

namespace carom {

inline TriangleMesh placed(TriangleMesh mesh, const Eigen::Vector3d& by, const Eigen::Quaterniond& turn) {
  for (Eigen::Vector3d& p : mesh.positions) p = turn * p + by;
  return mesh;
}

inline TriangleMesh placed(TriangleMesh mesh, const Eigen::Vector3d& by) {
  for (Eigen::Vector3d& p : mesh.positions) p += by;
  return mesh;
}

}  // namespace carom
