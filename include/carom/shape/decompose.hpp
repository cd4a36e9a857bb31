#pragma once

#include <vector>

#include "carom/shape/shape.hpp"

namespace carom {

struct DecomposeOptions {
  /// Excess that is accepted, as a fraction of the diagonal of the mesh's box: how far the convex parts may reach
  /// beyond the solid. 0.02 keeps the holes and notches of a machine part that are wider than a twentieth of it.
  double tolerance = 0.02;
  /// Parts at most. Each costs a rigid body about as much as a body of its own in contact.
  int max_parts = 64;

  bool operator==(const DecomposeOptions&) const = default;
};

/// A solid as the union of convex parts that contains it.
struct Decomposition {
  std::vector<Shape> parts;  ///< hulls, in the frame of the mesh
  /// Excess, m: no point of the union of the parts is farther than this from the solid. An upper bound; 0
  /// if the solid is exactly the union of the parts, as of a mesh that is convex or made of boxes.
  double error = 0;
  bool limited = false;  ///< max_parts was reached before the tolerance

  /// The union of the parts.
  Shape compound() const;
};

/// Approximate convex decomposition of the solid of a mesh by planes: every part is the convex hull of what one convex
/// cell cuts out of the solid, so that the union contains the solid to rounding. Parts are cut until none reaches
/// beyond the solid by more than the tolerance, and merged where a common hull does not either. The result does not
/// depend on the order of the triangles' corners, on threads or on the machine. It is kept with the mesh for each
/// options: a second call, with this shape, a copy of it or one with another margin, returns the same parts at once.
/// The margin of the shape is left out; see Shape::with_margin.
/// Throws Error(bad_mesh) if a piece of the mesh is open or has no volume, or if the mesh is a room (see MeshSolid),
/// Error(invalid_argument) for options out of range, Error(unsupported) for a shape that is not a mesh.
Decomposition decompose(const Shape& mesh, const DecomposeOptions& options = {});

}  // namespace carom
