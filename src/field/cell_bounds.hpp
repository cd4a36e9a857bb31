#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "math/vec3.hpp"

/// Bounds of the error of trilinear interpolation in a cell that hold for the distance from any set of points.
///
/// f is the interpolation, d the distance from the set, x_i the corners, w_i >= 0 the weights of a point x, so that
/// x = sum w_i x_i. r is half the diagonal of the cell: sum w_i |x - x_i|^2 <= r^2.
namespace carom::field {

using math::Vec3;

/// Cell with the exact distances at its corners and in its middle.
struct CellSamples {
  Vec3 middle;
  double radius = 0;  ///< m, half the diagonal
  std::array<Vec3, 8> corners;
  std::array<double, 8> values{};  ///< m, signed, at the corners
  double middle_value = 0;         ///< m, signed
  Vec3 middle_nearest;             ///< point of the surface that is nearest to the middle
  std::array<Vec3, 8> nearest;     ///< points of the surface that are nearest to the corners
  /// Whether the surface does not come into the cell: all of it is on one side.
  bool one_side() const { return std::abs(middle_value) > radius; }
  double smallest_value() const {
    double smallest = std::abs(values[0]);
    for (const double v : values) smallest = std::min(smallest, std::abs(v));
    return smallest;
  }
};

/// Largest error of any function that changes by no more than the distance between two points: |f - d| is at most
/// sum w_i |x - x_i| <= sqrt(sum w_i |x - x_i|^2) <= r.
inline double lipschitz_bound(const CellSamples& cell) {
  return cell.radius;
}

/// How far f is above |d| in a cell on one side of the surface. d^2 - |x|^2 is the lowest of linear functions, one for
/// each point of the set, and so concave: d^2(x) >= sum w_i d_i^2 - sum w_i |x - x_i|^2 >= f^2 - r^2, and f is not
/// below the smallest d_i; where f is not above r, f - d is not either.
inline double concave_bound(const CellSamples& cell) {
  const double smallest = cell.smallest_value();
  const double square = smallest * smallest - cell.radius * cell.radius;
  return square > 0 ? smallest - std::sqrt(square) : cell.radius;
}

/// How far |d| is above f in a cell on one side of the surface. The distance from one point of the set is convex and
/// not below d, so d(x) <= sum w_i |x_i - p|.
inline double nearest_bound(const CellSamples& cell) {
  double largest = -INFINITY;
  for (std::size_t i = 0; i < 8; ++i) {
    const double from_point = math::length(cell.corners[i] - cell.middle_nearest);
    largest = std::max(largest, from_point - std::abs(cell.values[i]));
  }
  return largest;
}

/// Gradient of the interpolation in the middle of the cell, without unit.
inline Vec3 middle_gradient(const CellSamples& cell) {
  const double h = cell.corners[1].x - cell.corners[0].x;
  Vec3 sum;
  for (std::size_t i = 0; i < 8; ++i) {
    const double v = cell.values[i];
    sum = sum + Vec3{(i & 1U) != 0 ? v : -v, (i & 2U) != 0 ? v : -v, (i & 4U) != 0 ? v : -v};
  }
  return (1 / (4 * h)) * sum;
}

}  // namespace carom::field
