#pragma once

#include <cmath>

#include "kernels/hull_support.hpp"
#include "shapes/core.hpp"
#include "shapes/hull_data.hpp"
#include "shapes/start_cell.hpp"

/// The farthest point of a core along a direction that need not have unit length; the zero direction gets some point
/// of the core. Of several the same one every time.
namespace carom::shapes {

struct SupportPoint {
  Vec3 p;
  std::uint32_t index = 0;  ///< of the corner; 0 for shapes without corners
};

inline Vec3 corner(const HullData& hull, std::uint32_t i) {
  const double* x = hull.rows.data() + i;
  return {x[0], x[hull.stride], x[2 * static_cast<std::size_t>(hull.stride)]};
}

inline SupportPoint box_corner(const Vec3& half, std::uint32_t i) {
  return {{(i & 1) != 0 ? -half.x : half.x, (i & 2) != 0 ? -half.y : half.y, (i & 4) != 0 ? -half.z : half.z}, i};
}

inline SupportPoint box_support(const Vec3& half, const Vec3& d) {
  return {{std::copysign(half.x, d.x), std::copysign(half.y, d.y), std::copysign(half.z, d.z)},
          (std::signbit(d.x) ? 1U : 0U) | (std::signbit(d.y) ? 2U : 0U) | (std::signbit(d.z) ? 4U : 0U)};
}

/// From a corner near the answer to ever better neighbours. On a convex polytope a corner without a better
/// neighbour is farthest; rounding can stop the climb at one that is short of it by rounding.
inline std::uint32_t climb(const HullData& hull, const Vec3& d) {
  const Eigen::Vector3d* points = hull.points.data();
  const std::uint32_t* offsets = hull.link_offsets.data();
  const std::uint16_t* links = hull.links.data();
  std::uint32_t best = hull.starts[static_cast<std::size_t>(cell_of_direction(d, hull.start_cells))];
  const auto value_at = [&](std::uint32_t i) {
    const Eigen::Vector3d& p = points[i];
    return p.x() * d.x + p.y() * d.y + p.z() * d.z;
  };
  double best_value = value_at(best);
  for (;;) {
    const std::uint32_t from = best;
    for (std::uint32_t k = offsets[from]; k < offsets[from + 1]; ++k) {
      const std::uint32_t i = links[k];
      const double value = value_at(i);
      if (value > best_value) {
        best = i;
        best_value = value;
      }
    }
    if (best == from) return best;
  }
}

inline SupportPoint hull_support(const HullData& hull, const Vec3& d) {
  if (hull.starts.empty()) {
    const std::uint32_t i = kernels::farthest({hull.rows.data(), hull.stride}, d.x, d.y, d.z);
    return {corner(hull, i), i};
  }
  // The climb has just read this point.
  const std::uint32_t i = climb(hull, d);
  return {math::to_vec3(hull.points[i]), i};
}

inline Vec3 cylinder_support(const Vec3& size, const Vec3& d) {
  const double s = std::sqrt(d.x * d.x + d.y * d.y);
  const double k = s > 0 ? size.x / s : 0.0;
  return {k * d.x, k * d.y, std::copysign(size.z, d.z)};
}

inline Vec3 cone_support(const Vec3& size, const Vec3& d) {
  const double s = std::sqrt(d.x * d.x + d.y * d.y);
  if (2 * size.z * d.z >= size.x * s) return {0, 0, size.z};
  const double k = s > 0 ? size.x / s : 0.0;
  return {k * d.x, k * d.y, -size.z};
}

inline Vec3 ellipsoid_support(const Vec3& radii, const Vec3& d) {
  const Vec3 r{radii.x * d.x, radii.y * d.y, radii.z * d.z};
  const double length = std::sqrt(dot(r, r));
  if (!(length > 0)) return {radii.x, 0, 0};
  const double k = 1 / length;
  return {k * r.x * radii.x, k * r.y * radii.y, k * r.z * radii.z};
}

inline SupportPoint support(const Core& core, const Vec3& d) {
  switch (core.kind) {
    case CoreKind::point:
      return {};
    case CoreKind::segment:
      return {{0, 0, std::copysign(core.size.z, d.z)}, std::signbit(d.z) ? 1U : 0U};
    case CoreKind::box:
      return box_support(core.size, d);
    case CoreKind::cylinder:
      return {cylinder_support(core.size, d)};
    case CoreKind::cone:
      return {cone_support(core.size, d)};
    case CoreKind::ellipsoid:
      return {ellipsoid_support(core.size, d)};
    case CoreKind::hull:
      return hull_support(*core.hull, d);
    case CoreKind::half_space:
      break;
  }
  return {};
}

}  // namespace carom::shapes
