#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "carom/mesh/mesh.hpp"

/// Material of a closed mesh in the cells of a regular grid.
namespace carom::mesh {

using Cell = std::array<std::int32_t, 3>;

/// Material of one cell, in units of the cell: integral of the trilinear weight of each corner over what is inside.
struct CellMaterial {
  Cell cell{};
  std::array<double, 8> weight{};

  double volume() const {
    double sum = 0;
    for (const double w : weight) sum += w;
    return sum;
  }
};

/// All cells that a triangle meets, and those whose inside is full; ascending by z, then y, then x. `mesh` is closed,
/// in units of cells, and within [0, count] along each axis.
std::vector<CellMaterial> cell_materials(const TriangleMesh& mesh, const Cell& count);

}  // namespace carom::mesh
