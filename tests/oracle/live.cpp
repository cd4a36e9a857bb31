#include "oracle/live.hpp"

namespace carom::oracle {

Live live(const Surface& surface) {
  Live result;
  for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
    if (surface.triangles()[t] == Triangle{none, none, none}) continue;
    result.triangles.push_back(surface.triangles()[t]);
    result.object_of_triangle.push_back(surface.object_of_triangle()[t]);
    result.number.push_back(static_cast<Index>(t));
  }
  return result;
}

std::vector<Pair> brute_force(const Surface& surface, std::span<const Eigen::Vector3d> positions, double distance,
                              PairScope scope) {
  const Live l = live(surface);
  std::vector<Pair> pairs =
      brute_force(surface.vertex_count(), l.triangles, l.object_of_triangle, positions, distance, scope);
  for (Pair& pair : pairs) {
    if (pair.kind == ContactKind::vertex_face) pair.b[0] = l.number[static_cast<std::size_t>(pair.b[0])];
  }
  return pairs;
}

}  // namespace carom::oracle
