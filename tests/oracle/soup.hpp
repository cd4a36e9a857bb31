#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "carom/mesh/mesh.hpp"

/// Triangles that no modeller would make, on purpose.
namespace carom::oracle {

struct Soup {
  std::vector<Eigen::Vector3d> positions;
  std::vector<Triangle> triangles;
  std::vector<Index> object_of_triangle;
};

struct SoupOptions {
  int objects = 3;
  int vertices_per_object = 12;
  int triangles_per_object = 20;
  double size = 1;  ///< of the cube the vertices are in
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  bool on_grid = false;  ///< many coincident, coplanar and collinear features
  bool repeated_corners = false;
  double outlier = 0;  ///< if not 0, some vertices are this far away: huge triangles among small ones
};

Soup make_soup(std::uint64_t seed, const SoupOptions& options);

/// In [0, 1), the same on every machine.
double uniform(std::mt19937_64& random);

}  // namespace carom::oracle
