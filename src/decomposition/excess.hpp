#pragma once

#include <span>

#include "decomposition/piece.hpp"
#include "shapes/hull_data.hpp"
#include "shapes/mesh_data.hpp"

namespace carom::decomposition {

/// How far a convex hull reaches beyond a solid: the largest distance of a point of the hull from the solid, in m.
struct Excess {
  double lower = 0;  ///< the distance of `where`, a point of the hull
  double upper = 0;
  Vector3d where = Vector3d::Zero();
};

/// Branch and bound over cubes: the signed distance from a surface changes by no more than the way one goes, so that of
/// the middle of a cube bounds those of all of its points. Ends when the bounds tell on which side of `tolerance` the
/// excess is, and then, if it is below, refines them within a budget of cubes.
Excess measure_excess(const shapes::MeshData& solid, const shapes::HullData& hull, double tolerance);

double volume(const shapes::HullData& hull);  ///< m^3, 0 for a flat hull
double area(const shapes::HullData& hull);    ///< m^2, 0 for a segment

}  // namespace carom::decomposition
