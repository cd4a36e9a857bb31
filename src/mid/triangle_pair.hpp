#pragma once

#include "carom/mesh/mesh.hpp"

namespace carom::mid {

/// a < b. Triangles that share vertices are not left out: whether two features are neighbours is
/// for the narrow phase to say, feature by feature.
struct TrianglePair {
  Index a = none;
  Index b = none;
};

}  // namespace carom::mid
