#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>

#include "carom/core/id.hpp"
#include "carom/core/unset.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Tangle of a World: a contour along which two surfaces intersect, or one intersects itself; or a surface that is in a
/// convex shape.
struct WorldTangle {
  BodyId a;               ///< the one of which a part has to go back
  BodyId b;               ///< may be the same
  std::size_t pairs = 0;  ///< of triangles that intersect; features of a that are in b, if that is a shape
  std::array<Index, 2> triangles{none, none};                 ///< one of these pairs, numbered within a and b
  Eigen::Vector3d center = Eigen::Vector3d::Constant(unset);  ///< m, mean of where they intersect
  double depth = 0;  ///< m, of the deepest feature in b, if that is a convex shape, which has no triangle; else 0
};

}  // namespace carom
