#pragma once

#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom::mesh {

/// Triangles over (columns + 1) x (rows + 1) vertices, numbered along i first: two for each square, with
/// alternating diagonals. They face the direction of j cross the direction of i.
inline std::vector<Triangle> lattice_triangles(int columns, int rows) {
  std::vector<Triangle> triangles;
  triangles.reserve(2 * static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      const Index a = j * (columns + 1) + i;
      const Index b = a + 1;
      const Index c = a + columns + 1;
      const Index d = c + 1;
      if ((i + j) % 2 == 0) {
        triangles.push_back({a, c, d});
        triangles.push_back({a, d, b});
      } else {
        triangles.push_back({a, c, b});
        triangles.push_back({b, c, d});
      }
    }
  return triangles;
}

}  // namespace carom::mesh
