#pragma once

#include <vector>

#include "math/vec3.hpp"

namespace carom::mesh {

/// Adds a vector as a unit vector, unless it has no direction, one nearly like it is there, or there are `most` of
/// them.
inline void add_direction(const math::Vec3& v, std::size_t largest, std::vector<math::Vec3>& directions) {
  const math::Vec3 n = math::unit_or_zero(v);
  if (!(dot(n, n) > 0.5) || directions.size() == largest) return;
  for (const math::Vec3& known : directions) {
    if (dot(known, n) > 1 - 1e-8) return;
  }
  directions.push_back(n);
}

}  // namespace carom::mesh
