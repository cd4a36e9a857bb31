#include "narrow/convex/support_polygon.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "kernels/coplanar_vertices.hpp"
#include "shapes/support.hpp"

namespace carom::convex {
namespace {

using shapes::CoreKind;

constexpr int max_face_corners = SupportPolygon::max_points / 2;
constexpr double half_root = 0.70710678118654752;
constexpr std::array<double, 8> eighth_cos{1, half_root, 0, -half_root, -1, -half_root, 0, half_root};
constexpr std::array<double, 8> eighth_sin{0, half_root, 1, half_root, 0, -half_root, -1, -half_root};

void rim(double radius, double z, bool up, SupportPolygon& result) {
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t k = up ? i : (8 - i) % 8;
    result.push({radius * eighth_cos[k], radius * eighth_sin[k], z}, k);
  }
}

double& coordinate(Vec3& v, int k) {
  return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/// The face of a box whose normal is nearest to d, if near enough; else its edge, else its corner.
void of_box(const Vec3& half, const Vec3& d, double tilt, SupportPolygon& result) {
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

constexpr std::uint64_t bit(std::uint32_t i) {
  return std::uint64_t{1} << i;
}

/// The corners of a hull as seen from the farthest one along d.
struct Level {
  std::uint64_t seen = 0;           ///< at less than the tilt, so perhaps of an edge or a face that lies across d
  std::uint32_t smallest = 0;       ///< the one that is seen at the least tilt
  double squared_slope = INFINITY;  ///< of this one
};

Level search_around(const shapes::HullData& hull, std::uint32_t at, const Vec3& d, double tilt) {
  static_assert(shapes::max_searched_corners <= 64);
  const Vec3 p = shapes::corner(hull, at);
  const double from[3] = {p.x, p.y, p.z};
  const double along[3] = {d.x, d.y, d.z};
  const double largest = 1.0001 * tilt * tilt;  // room for rounding
  Level level;
  level.seen = kernels::coplanar_vertices({hull.rows.data(), hull.stride}, from, along, largest);
  // The copies that fill up the rows come after the corners.
  if (hull.size() < 64) level.seen &= bit(static_cast<std::uint32_t>(hull.size())) - 1;
  level.seen &= ~bit(at);
  for (std::uint64_t seen = level.seen; seen != 0; seen &= seen - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(seen));
    const Vec3 e = shapes::corner(hull, i) - p;
    const double rise = dot(e, d);
    const double slope = rise * rise / dot(e, e);
    if (slope >= level.squared_slope) continue;
    level.squared_slope = slope;
    level.smallest = i;
  }
  return level;
}

void push_face(const shapes::HullData& hull, Index f, SupportPolygon& result) {
  const auto face = hull.faces[static_cast<std::size_t>(f)];
  const auto step = (face.size() + max_face_corners - 1) / max_face_corners;
  for (std::size_t i = 0; i < face.size(); i += step) {
    const auto corner = static_cast<std::uint32_t>(face[i]);
    result.push(shapes::corner(hull, corner), corner);
  }
}

/// Unless it is there already, as a corner of two such faces.
void push_other(const shapes::HullData& hull, std::uint32_t corner, SupportPolygon& result) {
  const std::size_t place = result.all();
  if (place == SupportPolygon::max_points) return;
  for (auto i = static_cast<std::size_t>(result.count); i < place; ++i) {
    if (result.features[i] == corner) return;
  }
  result.points[place] = shapes::corner(hull, corner);
  result.features[place] = corner;
  ++result.others;
}

/// The face at a corner that is nearest to lying across d, if it is near enough.
Index level_face(const shapes::HullData& hull, std::uint32_t at, const Vec3& d, double tilt) {
  Index best = none;
  double best_slope = std::sqrt(1 - tilt * tilt);
  for (const Index f : hull.vertex_faces[at]) {
    const double slope = dot(hull.face_normals[static_cast<std::size_t>(f)], d);
    if (slope >= best_slope) {
      best = f;
      best_slope = slope;
    }
  }
  return best;
}

/// Looks at no more than the corners where that will do, as the rest is likely to be out of the cache. All corners of a
/// level face are level. And whatever corner is seen at the least tilt is at the other end of an edge: seen from the
/// farthest corner, all others are sums of edges with weights that are not negative, and so no less tilted than the
/// least tilted edge of these.
void of_small_hull(const shapes::HullData& hull, std::uint32_t at, const Vec3& d, double tilt, SupportPolygon& result) {
  const Level level = search_around(hull, at, d, tilt);
  std::uint64_t others = level.seen;
  const Index f = std::popcount(others) > 1 ? level_face(hull, at, d, tilt) : none;
  if (f != none) {
    push_face(hull, f, result);
    for (const Index corner : hull.faces[static_cast<std::size_t>(f)])
      others &= ~bit(static_cast<std::uint32_t>(corner));
  } else {
    result.push(shapes::corner(hull, at), at);
    if (!(level.squared_slope < tilt * tilt)) return;
    result.push(shapes::corner(hull, level.smallest), level.smallest);
    others &= ~bit(level.smallest);
  }
  for (; others != 0; others &= others - 1)
    push_other(hull, static_cast<std::uint32_t>(std::countr_zero(others)), result);
}

bool has(std::span<const Index> face, Index corner) {
  return std::find(face.begin(), face.end(), corner) != face.end();
}

/// Support polygon of a hull with too many corners to look at all of them: faces and edges at the farthest one.
void of_hull(const shapes::HullData& hull, std::uint32_t at, const Vec3& d, double tilt, SupportPolygon& result) {
  if (const Index f = level_face(hull, at, d, tilt); f != none) {
    push_face(hull, f, result);
    const auto chosen = hull.faces[static_cast<std::size_t>(f)];
    for (const Index g : hull.vertex_faces[at]) {
      if (g == f || dot(hull.face_normals[static_cast<std::size_t>(g)], d) < std::sqrt(1 - tilt * tilt)) continue;
      for (const Index corner : hull.faces[static_cast<std::size_t>(g)]) {
        if (!has(chosen, corner)) push_other(hull, static_cast<std::uint32_t>(corner), result);
      }
    }
    return;
  }
  const Vec3 p = shapes::corner(hull, at);
  // Squares of slopes, as fractions: there is no need of roots and quotients.
  double smallest = tilt * tilt;
  double of = 1;
  std::uint32_t other = at;
  for (const Index i : hull.neighbours[at]) {
    const Vec3 edge = shapes::corner(hull, static_cast<std::uint32_t>(i)) - p;
    const double rise = dot(edge, d) * dot(edge, d);
    const double squared = dot(edge, edge);
    if (!(rise * of < smallest * squared)) continue;
    smallest = rise;
    of = squared;
    other = static_cast<std::uint32_t>(i);
  }
  result.push(p, at);
  if (other != at) result.push(shapes::corner(hull, other), other);
}

}  // namespace

void support_polygon_at(const shapes::HullData& hull, std::uint32_t at, const Vec3& d, double tilt,
                        SupportPolygon& result) {
  result.count = 0;
  result.others = 0;
  hull.starts.empty() ? of_small_hull(hull, at, d, tilt, result) : of_hull(hull, at, d, tilt, result);
}

void support_polygon(const shapes::Core& core, const Vec3& d, double tilt, SupportPolygon& result) {
  result.count = 0;
  result.others = 0;
  const Vec3& s = core.size;
  switch (core.kind) {
    case CoreKind::point:
      return result.push({}, 0);
    case CoreKind::box:
      return of_box(s, d, tilt, result);
    case CoreKind::hull:
      return support_polygon_at(*core.hull, shapes::hull_support(*core.hull, d).index, d, tilt, result);
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
