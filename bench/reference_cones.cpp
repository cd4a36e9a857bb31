#include "bench/reference_cones.hpp"

#include <cmath>
#include <numbers>
#include <optional>

namespace carom::reference {

namespace {

struct Cone {
  Vector3d axis = Vector3d::UnitX();
  double angle = 0;
};

/// None if the cone opens too wide.
std::optional<Cone> cone_of(std::span<const Entry> cell, const std::vector<Vector3d>& normals) {
  if (cell.size() == 1) return Cone{normals[static_cast<std::size_t>(cell[0].triangle)], 0};
  const auto left = cone_of(cell.first(cell.size() / 2), normals);
  if (!left) return std::nullopt;
  const auto right = cone_of(cell.subspan(cell.size() / 2), normals);
  if (!right) return std::nullopt;
  const double between = std::acos(std::clamp(left->axis.dot(right->axis), -1.0, 1.0));
  const double angle = between / 2 + std::max(left->angle, right->angle);  // equation 3.3
  if (angle >= std::numbers::pi / 2) return std::nullopt;
  return Cone{(left->axis + right->axis).normalized(), angle};
}

}  // namespace

bool has_narrow_cone(std::span<const Entry> cell, const std::vector<Vector3d>& normals) {
  return cone_of(cell, normals).has_value();
}

}  // namespace carom::reference
