#include "scenes/cloth_parts.hpp"

#include <utility>

namespace carom::scenes {

ClothSceneBody sheet_of(double size_x, double size_z, int vertices_x, int vertices_z) {
  ClothSceneBody sheet;
  sheet.source.shape =
      SheetSource{.size_x = size_x, .size_z = size_z, .segments_x = vertices_x - 1, .segments_z = vertices_z - 1};
  return sheet;
}

SheetGrid::SheetGrid(const ClothSceneBody& sheet) {
  const auto& source = std::get<SheetSource>(sheet.source.shape);
  columns = source.segments_x + 1;
  rows = source.segments_z + 1;
}

std::vector<Index> SheetGrid::row(int row, int every) const {
  std::vector<Index> vertices;
  for (int column = 0; column < columns; column += every) vertices.push_back(at(column, row));
  return vertices;
}

std::vector<Index> SheetGrid::column(int column) const {
  std::vector<Index> vertices;
  for (int row = 0; row < rows; ++row) vertices.push_back(at(column, row));
  return vertices;
}

std::vector<Index> SheetGrid::border() const {
  std::vector<Index> vertices;
  for (int row = 0; row < rows; ++row) {
    const bool outer = row == 0 || row == rows - 1;
    for (int column = 0; column < columns; column += outer ? 1 : columns - 1) vertices.push_back(at(column, row));
  }
  return vertices;
}

Scene cloth_scene(std::string name, std::string description, int steps, double thickness) {
  Scene scene;
  scene.name = std::move(name);
  scene.description = std::move(description);
  scene.steps = steps;
  scene.world.dt = 1.0 / 60;
  scene.world.contact.distance = thickness;
  scene.bounds = SceneBounds{.min = {-10, -10, -10}, .max = {10, 10, 10}};
  return scene;
}

}  // namespace carom::scenes
