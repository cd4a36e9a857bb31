#include "narrow/overlap/general_position.hpp"

#include <algorithm>

namespace carom::overlap {
namespace {

/// Length of the shift over the size of the smaller mesh: a thousandth of a nanometre for a part of a centimetre, which
/// is far above the rounding of coordinates and far below what anybody measures.
constexpr double relative_shift = 1e-10;
/// Least length of the shift, in roundings of coordinates: so that heights over a plane have digits left.
constexpr double shift_in_roundings = 100;

constexpr std::array<Vec3, 4> shift_directions{{{0.61379, 0.42613, 0.66467},
                                                {-0.53561, 0.71837, 0.44381},
                                                {0.37423, -0.58111, 0.72269},
                                                {-0.67931, -0.39119, -0.62087}}};

}  // namespace

GeneralPosition general_position(const MeshData& a, const MeshData& b, const RelativePose& pose, int attempt) {
  GeneralPosition g{a, b, pose, {}, 0, {}};
  const double size = 2 * std::min(a.tree.nodes[0].size, b.tree.nodes[0].size);
  const double length = std::max(relative_shift * size, shift_in_roundings * mesh::rounding(a, b, pose));
  g.shift = length * shift_directions[static_cast<std::size_t>(attempt) % shift_directions.size()];
  g.shift_length = math::length(g.shift);
  g.points[0] = a.mesh.positions;
  g.points[1].reserve(b.mesh.positions.size());
  for (const Eigen::Vector3d& p : b.mesh.positions)
    g.points[1].push_back(math::to_eigen(pose.rotate(math::to_vec3(p)) + pose.t + g.shift));
  return g;
}

}  // namespace carom::overlap
