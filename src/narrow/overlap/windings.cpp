#include <algorithm>

#include "core/at.hpp"
#include "math/orientation.hpp"
#include "narrow/overlap/pieces.hpp"
#include "shapes/winding.hpp"

namespace carom::overlap {
namespace {

/// Directions without small relations to what parts are built of.
constexpr std::array<Vec3, 4> directions{
    {{0.8127, 0.4931, 0.3109}, {-0.2917, 0.9406, 0.1733}, {0.3779, -0.5477, 0.7463}, {-0.6597, -0.4289, -0.6173}}};

/// Winding number of the mesh of `side` around a point of the other, by the signs of the shifted points. False if some
/// sign is 0.
bool wind_along(const GeneralPosition& g, std::size_t side, std::span<const int> orientation, const Vec3& p,
                const Vec3& direction, int& number) {
  const MeshData& m = g.mesh(side);
  const shapes::BoxVolume& box = m.tree.boxes[0];
  const Vec3 local = g.into(side, side == 1 ? p - g.shift : p);
  const Vec3 to_center = box.center - local;
  const double far = 2 * (math::length(to_center) + m.tree.nodes[0].size);
  const Eigen::Vector3d from = math::to_eigen(p);
  const Eigen::Vector3d to = math::to_eigen(p + far * direction);
  const Vec3 d = far * (side == 0 ? direction : g.pose.rotate_back(direction));
  const double slack = 1e-13 * (m.reach + math::length(local) + far) + g.shift_length;
  number = 0;
  return !shapes::walk_segment(m.tree, local, d, slack, [&](std::uint32_t i) {
    const Index t = m.tree.triangles[i];
    const int weight = orientation[at(m.component[at(t)])];
    if (weight == 0) return false;
    const Eigen::Vector3d& c0 = g.point(side, g.vertex(side, t, 0));
    const Eigen::Vector3d& c1 = g.point(side, g.vertex(side, t, 1));
    const Eigen::Vector3d& c2 = g.point(side, g.vertex(side, t, 2));
    const int start = math::orient3d(c0, c1, c2, from);
    const int end = math::orient3d(c0, c1, c2, to);
    if (start == end) return false;  // both 0 for a triangle without area
    const int s0 = math::orient3d(from, to, c0, c1);
    const int s1 = math::orient3d(from, to, c1, c2);
    const int s2 = math::orient3d(from, to, c2, c0);
    if (std::min({s0, s1, s2}) < 0 && std::max({s0, s1, s2}) > 0) return false;
    if (s0 == 0 || s1 == 0 || s2 == 0 || start == 0 || end == 0) return true;
    number += start < 0 ? weight : -weight;
    return false;
  });
}

bool wind(const GeneralPosition& g, std::size_t side, std::span<const int> orientation, const Vec3& p, int& number) {
  const MeshData& m = g.mesh(side);
  number = 0;
  if (!m.any_closed) return true;
  const Vec3 local = g.into(side, side == 1 ? p - g.shift : p) - m.tree.boxes[0].center;
  const Vec3& half = m.tree.boxes[0].half;
  const double slack = 2 * g.shift_length;
  if (std::abs(local.x) > half.x + slack || std::abs(local.y) > half.y + slack || std::abs(local.z) > half.z + slack)
    return true;
  return std::any_of(directions.begin(), directions.end(),
                     [&](const Vec3& d) { return wind_along(g, side, orientation, p, d, number); });
}

/// The number changes along an edge by what its crossings say, so one vertex of a component tells of all.
void spread(const GeneralPosition& g, const Curves& curves, std::size_t side, const std::vector<std::uint8_t>& crossed,
            Index from, std::vector<int>& number, std::vector<std::uint8_t>& known) {
  const MeshData& m = g.mesh(side);
  std::vector<Index> waiting{from};
  known[at(from)] = 1;
  while (!waiting.empty()) {
    const Index v = waiting.back();
    waiting.pop_back();
    for (const Index t : m.vertex_triangles[at(v)]) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Index u = g.vertex(side, t, k);
        if (known[at(u)] != 0) continue;
        known[at(u)] = 1;
        int change = 0;
        if (crossed[at(v)] != 0 && crossed[at(u)] != 0) {
          for (const EdgeCrossing& c : crossings_of(curves, side, std::min(u, v), std::max(u, v))) change += c.winding;
        }
        number[at(u)] = number[at(v)] + (v < u ? change : -change);
        waiting.push_back(u);
      }
    }
  }
}

}  // namespace

bool find_windings(const GeneralPosition& g, const Curves& curves, const std::array<std::vector<int>, 2>& orientation,
                   Windings& windings) {
  for (std::size_t side = 0; side < 2; ++side) {
    const MeshData& m = g.mesh(side);
    std::vector<int>& number = windings.of_vertex[side];
    number.assign(m.mesh.positions.size(), 0);
    std::vector<std::uint8_t> crossed(m.mesh.positions.size(), 0);
    for (const EdgeCrossing& c : curves.crossings) {
      if (c.side == side) crossed[at(c.from)] = crossed[at(c.to)] = 1;
    }
    std::vector<std::uint8_t> component_crossed(m.component_triangle.size(), 0);
    for (const CurveSegment& s : curves.segments) component_crossed[at(m.component[at(side == 0 ? s.a : s.b)])] = 1;
    std::vector<std::uint8_t> known(m.mesh.positions.size(), 0);
    for (std::size_t c = 0; c < component_crossed.size(); ++c) {
      const Index v = g.vertex(side, m.component_triangle[c], 0);
      if (known[at(v)] != 0) continue;
      if (!wind(g, 1 - side, orientation[1 - side], math::to_vec3(g.point(side, v)), number[at(v)])) return false;
      if (component_crossed[c] != 0 || number[at(v)] != 0) spread(g, curves, side, crossed, v, number, known);
    }
  }
  return true;
}

}  // namespace carom::overlap
