#pragma once

#include <vector>

#include "geometry/vec3.hpp"

namespace carom::mesh {

/// As a unit vector, unless it has no direction, one nearly like it is there, or there are `most` of them.
inline void add_direction(const detail::Vec3& v, std::size_t most, std::vector<detail::Vec3>& directions) {
  const detail::Vec3 n = detail::unit_or_zero(v);
  if (!(dot(n, n) > 0.5) || directions.size() == most) return;
  for (const detail::Vec3& known : directions) {
    if (dot(known, n) > 1 - 1e-8) return;
  }
  directions.push_back(n);
}

}  // namespace carom::mesh
