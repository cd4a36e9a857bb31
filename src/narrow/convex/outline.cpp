#include "narrow/convex/outline.hpp"

#include <algorithm>
#include <cmath>

#include "shapes/support.hpp"

namespace carom::convex {
namespace {

using shapes::CoreKind;

constexpr int most_face_corners = Outline::most / 2;
constexpr double half_root = 0.70710678118654752;
constexpr std::array<double, 8> eighth_cos{1, half_root, 0, -half_root, -1, -half_root, 0, half_root};
constexpr std::array<double, 8> eighth_sin{0, half_root, 1, half_root, 0, -half_root, -1, -half_root};

void rim(double radius, double z, bool up, Outline& result) {
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t k = up ? i : (8 - i) % 8;
    result.push({radius * eighth_cos[k], radius * eighth_sin[k], z}, k);
  }
}

double& coordinate(Vec3& v, int k) {
  return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/// The face of a box whose normal is nearest to d, if near enough; else its edge, else its corner.
void of_box(const Vec3& half, const Vec3& d, double tilt, Outline& result) {
  const Vec3 corner{std::copysign(half.x, d.x), std::copysign(half.y, d.y), std::copysign(half.z, d.z)};
  const std::uint32_t number =
      (std::signbit(d.x) ? 1U : 0U) | (std::signbit(d.y) ? 2U : 0U) | (std::signbit(d.z) ? 4U : 0U);
  int free[3];
  int count = 0;
  if (std::abs(d.x) < tilt) free[count++] = 0;
  if (std::abs(d.y) < tilt) free[count++] = 1;
  if (std::abs(d.z) < tilt) free[count++] = 2;
  const auto push = [&](std::uint32_t flip_u, std::uint32_t flip_v) {
    Vec3 p = corner;
    std::uint32_t n = number;
    if (count > 0) {
      const auto u = static_cast<std::uint32_t>(free[0]);
      coordinate(p, free[0]) = flip_u != 0 ? -coordinate(p, free[0]) : coordinate(p, free[0]);
      n ^= flip_u << u;
    }
    if (count > 1) {
      const auto v = static_cast<std::uint32_t>(free[1]);
      coordinate(p, free[1]) = flip_v != 0 ? -coordinate(p, free[1]) : coordinate(p, free[1]);
      n ^= flip_v << v;
    }
    result.push(p, n);
  };
  if (count == 0) return push(0, 0);
  if (count == 1) {
    push(0, 0);
    return push(1, 0);
  }
  push(0, 0);
  push(1, 0);
  push(1, 1);
  push(0, 1);
  const Vec3 normal = cross(result.points[1] - result.points[0], result.points[2] - result.points[1]);
  if (dot(normal, d) < 0) {
    std::swap(result.points[1], result.points[3]);
    std::swap(result.features[1], result.features[3]);
  }
}

void of_hull(const shapes::HullData& hull, const Vec3& d, double tilt, Outline& result) {
  const std::uint32_t at = shapes::hull_support(hull, d).index;
  Index best = none;
  double best_slope = std::sqrt(1 - tilt * tilt);
  for (const Index f : hull.vertex_faces[at]) {
    const double slope = dot(hull.face_normals[static_cast<std::size_t>(f)], d);
    if (slope >= best_slope) {
      best = f;
      best_slope = slope;
    }
  }
  if (best != none) {
    const auto face = hull.faces[static_cast<std::size_t>(best)];
    const auto step = (face.size() + most_face_corners - 1) / most_face_corners;
    for (std::size_t i = 0; i < face.size(); i += step) {
      const auto corner = static_cast<std::uint32_t>(face[i]);
      result.push(shapes::corner(hull, corner), corner);
    }
    return;
  }
  const Vec3 p = shapes::corner(hull, at);
  double least = tilt;
  std::uint32_t other = at;
  for (const Index i : hull.neighbours[at]) {
    const Vec3 edge = shapes::corner(hull, static_cast<std::uint32_t>(i)) - p;
    const double slope = std::abs(dot(edge, d)) / std::sqrt(dot(edge, edge));
    if (slope >= least) continue;
    least = slope;
    other = static_cast<std::uint32_t>(i);
  }
  result.push(p, at);
  if (other != at) result.push(shapes::corner(hull, other), other);
}

}  // namespace

void outline(const shapes::Core& core, const Vec3& d, double tilt, Outline& result) {
  result.count = 0;
  const Vec3& s = core.size;
  switch (core.kind) {
    case CoreKind::point:
      return result.push({}, 0);
    case CoreKind::box:
      return of_box(s, d, tilt, result);
    case CoreKind::hull:
      return of_hull(*core.hull, d, tilt, result);
    case CoreKind::segment:
      if (std::abs(d.z) < tilt) {
        result.push({0, 0, s.z}, 0);
        return result.push({0, 0, -s.z}, 1);
      }
      break;
    case CoreKind::cylinder: {
      const double across = std::sqrt(d.x * d.x + d.y * d.y);
      if (across < tilt) return rim(s.x, std::copysign(s.z, d.z), d.z > 0, result);
      if (std::abs(d.z) < tilt) {
        const Vec3 side{s.x * d.x / across, s.x * d.y / across, 0};
        result.push({side.x, side.y, s.z}, 0);
        return result.push({side.x, side.y, -s.z}, 1);
      }
      break;
    }
    case CoreKind::cone: {
      const double across = std::sqrt(d.x * d.x + d.y * d.y);
      if (across < tilt && d.z < 0) return rim(s.x, -s.z, false, result);
      if (across > 0) {
        const Vec3 base{s.x * d.x / across, s.x * d.y / across, -s.z};
        const Vec3 slant = Vec3{0, 0, s.z} - base;
        if (std::abs(dot(slant, d)) < tilt * std::sqrt(dot(slant, slant))) {
          result.push({0, 0, s.z}, 0);
          return result.push(base, 1);
        }
      }
      break;
    }
    default:
      break;
  }
  const shapes::SupportPoint p = shapes::support(core, d);
  // Corners have numbers; the one point of a round shape is always the same one.
  result.push(p.p, core.kind == CoreKind::segment ? p.index : 0);
}

}  // namespace carom::convex
