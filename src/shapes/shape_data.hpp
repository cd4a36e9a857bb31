#pragma once

#include <vector>

#include "carom/shape/shape.hpp"
#include "shapes/core.hpp"
#include "shapes/hull_data.hpp"
#include "shapes/mesh_data.hpp"

namespace carom::shapes {

struct ShapeData {
  ShapeKind kind = ShapeKind::sphere;
  double margin = 0;
  double own_radius = 0;  ///< of a sphere or capsule, without the margin
  /// Core of a convex shape. Its radius holds the margin as well; its hull points to `hull`.
  Core core;
  std::shared_ptr<const HullData> hull;
  std::shared_ptr<const MeshData> mesh;
  std::vector<Shape::Part> parts;    ///< with the margin of the compound added to theirs
  std::vector<double> part_margins;  ///< without it
};

}  // namespace carom::shapes
