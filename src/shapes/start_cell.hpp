#pragma once

#include <algorithm>
#include <cmath>

#include "math/vec3.hpp"

namespace carom::shapes {

using math::Vec3;

/// Directions by cells of a cube: face 2 k + (1 if negative) for the largest coordinate k, then the two others over it.
inline int cell_of_direction(const Vec3& d, int cells) {
  const double ax = std::abs(d.x);
  const double ay = std::abs(d.y);
  const double az = std::abs(d.z);
  int face = 0;
  double major = ax;
  double u = d.y;
  double v = d.z;
  double sign = d.x;
  if (ay > ax && ay >= az) {
    face = 2, major = ay, u = d.z, v = d.x, sign = d.y;
  } else if (az > ax) {
    face = 4, major = az, u = d.x, v = d.y, sign = d.z;
  }
  if (!(major > 0)) return 0;
  const double half = 0.5 * cells;
  const double scale = half / major;
  const int i = std::min(static_cast<int>(half + u * scale), cells - 1);
  const int j = std::min(static_cast<int>(half + v * scale), cells - 1);
  return ((face + (sign < 0 ? 1 : 0)) * cells + i) * cells + j;
}

inline Vec3 middle_of_cell(int cell, int cells) {
  const int j = cell % cells;
  const int i = cell / cells % cells;
  const int face = cell / (cells * cells);
  const double u = (2.0 * i + 1) / cells - 1;
  const double v = (2.0 * j + 1) / cells - 1;
  const double sign = face % 2 == 0 ? 1 : -1;
  switch (face / 2) {
    case 0:
      return {sign, u, v};
    case 1:
      return {v, sign, u};
    default:
      return {u, v, sign};
  }
}

}  // namespace carom::shapes
