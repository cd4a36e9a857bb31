#pragma once

#include <Eigen/Core>
#include <vector>

/// Approximate convex decomposition: a solid cut by planes into pieces, each of which stands for its convex hull.
namespace carom::decomposition {

using Eigen::Vector3d;
using Polygon = std::vector<Vector3d>;

/// All x with normal . x <= offset; the normal has unit length.
struct Plane {
  Vector3d normal;
  double offset = 0;

  double height(const Vector3d& p) const { return normal.dot(p) - offset; }
  Plane flipped() const { return {-normal, -offset}; }
};

/// Part of the surface: a triangle, or what planes left of one, with the outward normal of the triangle.
struct Facet {
  Polygon corners;
  Vector3d normal;
};

/// Piece that one convex cell cuts out of the solid. The cell is a box cut by planes, as the polygons of its faces.
struct Piece {
  std::vector<Polygon> cell;
  std::vector<Facet> surface;
  std::vector<Vector3d> cell_corners;  ///< those of the cell that are inside of the solid
};

/// The part of a piece below the plane. Points nearer to the plane than `thickness` count as on it; a facet in the
/// plane belongs to the side on which the solid is. `cell_corners` is left empty.
Piece cut(const Piece& piece, const Plane& plane, double thickness);

/// The convex hull of what a piece has of the solid is that of these points.
std::vector<Vector3d> extreme_points(const Piece& piece);

/// A box as polygons.
std::vector<Polygon> box_faces(const Vector3d& min, const Vector3d& max);

}  // namespace carom::decomposition
