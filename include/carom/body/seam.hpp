#pragma once

#include <vector>

#include "carom/core/id.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Seam between vertices of two bodies of particles or cloth, or of one and itself. With as many vertices on both sides
/// the first is sewn to the first, and so on. Otherwise both lists are chains: each vertex of the longer one is sewn to
/// the point of the other that is at the same fraction of its length.
struct Seam {
  BodyId a{};
  std::vector<Index> vertices_a{};
  BodyId b{};
  std::vector<Index> vertices_b{};
  double duration = 1;    ///< s, in which it is pulled together; then both sides are held as one
  double tear_force = 0;  ///< N, mean over a step, at which a stitch tears; 0 = never
};

}  // namespace carom
