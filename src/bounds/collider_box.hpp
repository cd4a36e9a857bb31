#pragma once

#include "math/vec3.hpp"

namespace carom::bounds {

/// Box of a collider along the axes of the world. Infinite for half-spaces; empty, and so overlapping nothing, where
/// there is no collider.
struct ColliderBox {
  math::Vec3 low;
  math::Vec3 high;

  bool overlaps(const ColliderBox& other) const {
    return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y &&
           low.z <= other.high.z && other.low.z <= high.z;
  }
};

}  // namespace carom::bounds
