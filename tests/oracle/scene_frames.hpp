#pragma once

#include <vector>

#include "carom/io/scene.hpp"

namespace carom::oracle {

/// The surfaces of all bodies of a world joined into one, as detection takes them.
struct Joined {
  std::vector<Triangle> triangles;
  std::vector<Index> object_of_triangle;
  std::vector<Eigen::Vector3d> positions;
};

inline Joined join(const World& world) {
  Joined joined;
  Index object = 0;
  for (const BodyId body : world.bodies()) {
    const auto first = static_cast<Index>(joined.positions.size());
    for (const Triangle& t : world.triangles(body)) {
      joined.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    joined.object_of_triangle.resize(joined.triangles.size(), object++);
    joined.positions.insert(joined.positions.end(), world.positions(body).begin(), world.positions(body).end());
  }
  return joined;
}

}  // namespace carom::oracle
