#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>

#include "carom/core/id.hpp"
#include "carom/core/unset.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Tangle of a World: a contour along which two surfaces intersect, or one intersects itself.
struct WorldTangle {
  BodyId a;                                                   ///< the one of which a part has to go back
  BodyId b;                                                   ///< may be the same
  std::size_t pairs = 0;                                      ///< of triangles that intersect
  std::array<Index, 2> triangles{none, none};                 ///< one of these pairs, numbered within a and b
  Eigen::Vector3d center = Eigen::Vector3d::Constant(unset);  ///< m, mean of where they intersect
};

}  // namespace carom
