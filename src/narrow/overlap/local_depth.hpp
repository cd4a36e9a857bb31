#pragma once

#include <functional>
#include <span>

#include "narrow/mesh/mesh_mesh.hpp"
#include "shapes/mesh_tree.hpp"

/// How far a surface goes below the surface of a solid.
namespace carom::overlap {

using math::Vec3;
using mesh::MeshData;
using shapes::TriangleCorners;

/// Depth of the deepest point that was found. No point of the surface is deeper than depth + error.
struct LocalDepth {
  double depth = 0;
  double error = 0;
  Vec3 point;             ///< of the surface, inside the solid, in the frame of the solid
  Vec3 exit;              ///< nearest point of the surface of the solid
  Index triangle = none;  ///< number given with the piece
  Index other = none;     ///< triangle of the solid
  bool found = false;
  std::size_t pieces = 0;  ///< that were looked into
};

/// Triangle of which a part at least is inside the solid, in the frame of the solid.
struct SunkTriangle {
  TriangleCorners corners;
  Index number = none;
  bool whole = false;  ///< all of it is inside
  double bound = 0;    ///< no point of it that is inside is deeper
};

struct DepthLimits {
  double relative = 5e-3;                     ///< error, as a fraction of the depth, at which the search ends
  double absolute = 0;                        ///< error in metres at which it ends
  std::size_t max_pieces = 1500;              ///< of triangles that are looked into
  Vec3 low{-INFINITY, -INFINITY, -INFINITY};  ///< box in which depths count, in the frame of the solid
  Vec3 high{INFINITY, INFINITY, INFINITY};
};

/// Largest depth, by branch and bound over pieces of triangles: `start` is a point that is known to be inside, if any.
/// Three bounds: the distance of a point plus the radius of the piece; the distance of the corners of the piece from
/// one convex face of the solid, which is a convex function; and a translation that takes all of the piece out.
LocalDepth find_local_depth(const MeshData& solid, const std::vector<SunkTriangle>& triangles, const LocalDepth& start,
                            const DepthLimits& limits, const std::function<bool()>& go_on);

}  // namespace carom::overlap
