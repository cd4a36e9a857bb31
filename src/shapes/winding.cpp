#include "shapes/winding.hpp"

#include <algorithm>
#include <numbers>

#include "core/at.hpp"
#include "math/collinear.hpp"
#include "math/orientation.hpp"

namespace carom::shapes {
namespace {

/// Directions without small relations to anything a mesh may be built of.
constexpr std::array<Vec3, 12> ray_directions{{{0.9193, 0.3127, 0.2381},
                                               {-0.3371, 0.8912, -0.3033},
                                               {0.1733, -0.2917, 0.9406},
                                               {-0.8127, -0.4931, 0.3109},
                                               {0.4289, 0.6173, -0.6597},
                                               {-0.5477, 0.3779, 0.7463},
                                               {0.6353, -0.7411, -0.2171},
                                               {-0.2239, -0.6691, -0.7087},
                                               {0.7541, 0.1097, -0.6475},
                                               {-0.9311, 0.2713, 0.2437},
                                               {0.0619, 0.9871, 0.1477},
                                               {0.3947, -0.5153, 0.7607}}};

enum class Crossing { none, in, out, unclear, on };

/// How the segment from p to q, which is beyond the mesh, passes the triangle.
Crossing crossing_of(const TriangleCorners& t, const Eigen::Vector3d& p, const Eigen::Vector3d& q) {
  const std::array<Eigen::Vector3d, 3> c{math::to_eigen(t[0]), math::to_eigen(t[1]), math::to_eigen(t[2])};
  const int from = math::orient3d(c[0], c[1], c[2], p);
  const int to = math::orient3d(c[0], c[1], c[2], q);
  if (from == to && from != 0) return Crossing::none;
  if (from == 0 && to == 0) return math::collinear(c[0], c[1], c[2]) ? Crossing::none : Crossing::unclear;
  int low = 1;
  int high = -1;
  bool zero = false;
  for (std::size_t k = 0; k < 3; ++k) {
    const int side = math::orient3d(p, q, c[k], c[(k + 1) % 3]);
    low = std::min(low, side);
    high = std::max(high, side);
    zero = zero || side == 0;
  }
  if (low < 0 && high > 0) return Crossing::none;
  if (from == 0) return Crossing::on;
  if (zero) return Crossing::unclear;
  if (to == 0) return Crossing::unclear;
  return from < 0 ? Crossing::out : Crossing::in;
}

/// False if the ray does not tell.
bool wind_along(const MeshData& mesh, const Vec3& p, const Vec3& direction, std::span<const std::uint8_t> marked,
                Winding& winding) {
  const BoxVolume& box = mesh.tree.boxes[0];
  const Vec3 to_center = box.center - p;
  // Beyond the sphere around the box, from wherever p is.
  const double far = 2 * (std::sqrt(dot(to_center, to_center)) + mesh.tree.nodes[0].size);
  const Vec3 d = far * direction;
  const Eigen::Vector3d from = math::to_eigen(p);
  const Eigen::Vector3d to = math::to_eigen(p + d);
  const double slack = 1e-14 * (mesh.reach + std::sqrt(dot(p, p)) + far);
  winding = {};
  const bool unclear = walk_segment(mesh.tree, p, d, slack, [&](std::uint32_t i) {
    if (marked[at(mesh.component[at(mesh.tree.triangles[i])])] == 0) return false;
    switch (crossing_of(mesh.tree.corners[i], from, to)) {
      case Crossing::none:
        return false;
      case Crossing::in:
        --winding.number;
        return false;
      case Crossing::out:
        ++winding.number;
        return false;
      case Crossing::on:
        winding.on_surface = true;
        return true;
      case Crossing::unclear:
        return true;
    }
    return false;
  });
  return winding.on_surface || !unclear;
}

double solid_angle(const TriangleCorners& t, const Vec3& p) {
  const Vec3 a = t[0] - p;
  const Vec3 b = t[1] - p;
  const Vec3 c = t[2] - p;
  const double la = std::sqrt(dot(a, a));
  const double lb = std::sqrt(dot(b, b));
  const double lc = std::sqrt(dot(c, c));
  return 2 * std::atan2(dot(a, math::cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

}  // namespace

Winding winding_number(const MeshData& mesh, const Vec3& p, std::span<const std::uint8_t> marked) {
  Winding winding;
  const BoxVolume& box = mesh.tree.boxes[0];
  const Vec3 t = p - box.center;
  if (std::abs(t.x) > box.half.x || std::abs(t.y) > box.half.y || std::abs(t.z) > box.half.z) return winding;
  for (const Vec3& direction : ray_directions) {
    if (wind_along(mesh, p, direction, marked, winding)) return winding;
  }
  double sum = 0;
  for (std::size_t i = 0; i < mesh.tree.corners.size(); ++i) {
    if (marked[at(mesh.component[at(mesh.tree.triangles[i])])] != 0) sum += solid_angle(mesh.tree.corners[i], p);
  }
  winding = {};
  winding.number = static_cast<int>(std::lround(sum / (4 * std::numbers::pi)));
  return winding;
}

}  // namespace carom::shapes
