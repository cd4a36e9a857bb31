#pragma once

#include <array>

#include "field/cell_bounds.hpp"
#include "shapes/mesh_data.hpp"

namespace carom::field {

/// Sorts out the triangles of a mesh that matter for the distances of the points of a cell.
///
/// Nearest points. A point x of the cell has its nearest point p no farther away than any point q of the surface:
/// |x - p|^2 - |x - q|^2 is linear in x and not above 0 there, so |x_i - p| <= |x_i - q| for one of the corners x_i.
/// The points that are nearest to the corners and to the middle are such q.
///
/// Prism. All points of the cell moved along +n and -n by as far as the surface is from any of them.
///
/// Both are in the ball about the middle whose radius is the distance of the middle and twice that of the corners.
class NearTriangles {
 public:
  NearTriangles(const CellSamples& cell, const Vec3& n, double slack);

  double ball() const { return ball_; }

  /// Extent along n; empty if low is above high.
  struct Extent {
    double low = INFINITY;
    double high = -INFINITY;
    void add(const Extent& other) {
      low = std::min(low, other.low);
      high = std::max(high, other.high);
    }
  };
  /// Extent that holds every point of the triangle that is a nearest point of a point of the cell or in the prism.
  Extent extent_of(const shapes::TriangleCorners& t) const;

 private:
  bool may_be_nearest(const Vec3& center, double radius) const;
  bool may_be_in_prism(const Vec3& center, double radius) const;
  Extent extent_of_nearest(const shapes::TriangleCorners& t) const;
  Extent extent_in_prism(const shapes::TriangleCorners& t) const;

  const CellSamples& cell_;
  Vec3 n_;
  double slack_;
  double ball_;
  /// m; from each of nine points of the surface to each corner of the cell.
  std::array<std::array<double, 8>, 9> known_{};
  struct Axis {
    Vec3 direction;  ///< any length, divided out of `half` and `size`
    double half = 0;
    double size = 0;
  };
  std::array<Axis, 6> axes_{};
};

}  // namespace carom::field
