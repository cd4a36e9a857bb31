#pragma once

#include "carom/mesh/mesh.hpp"
#include "carom/shape/shape.hpp"

namespace carom {

struct SurfaceOptions {
  int around = 24;  ///< segments of a full circle, at least 3
  /// A half-space becomes a square of this side, m, in its plane around the point nearest to `half_space_centre`.
  double half_space_size = 100;
  Eigen::Vector3d half_space_centre = Eigen::Vector3d::Zero();
};

/// Triangles for looking at a shape, in its frame, oriented outward. Flat faces are exact, round ones have their
/// vertices on the surface. The parts of a compound are put side by side. A margin is drawn, but for that of a mesh.
TriangleMesh make_surface(const Shape& shape, const SurfaceOptions& options = {});

}  // namespace carom
