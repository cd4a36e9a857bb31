#pragma once

#include <vector>

#include "carom/io/scene.hpp"

/// What scenes of cloth are put together from.
namespace carom::scenes {

/// Flat sheet of cloth, so many vertices along x and z.
ClothSceneBody sheet_of(double size_x, double size_z, int vertices_x, int vertices_z);

/// Vertices of a sheet, by their column along x and their row along z; both count from zero.
struct SheetGrid {
  int columns = 0;
  int rows = 0;

  explicit SheetGrid(const ClothSceneBody& sheet);
  Index at(int column, int row) const { return row * columns + column; }
  std::vector<Index> row(int row, int every = 1) const;
  std::vector<Index> column(int column) const;
  std::vector<Index> border() const;
};

/// World of cloth: 60 steps a second, features of surfaces kept apart by a thickness (m).
Scene cloth_scene(std::string name, std::string description, int steps, double thickness);

}  // namespace carom::scenes
