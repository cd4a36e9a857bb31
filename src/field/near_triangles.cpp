#include "field/near_triangles.hpp"

#include "carom/mesh/closest.hpp"

namespace carom::field {

using shapes::TriangleCorners;

namespace {

/// Height of a triangle over its base below which its normal is not trusted.
constexpr double min_height = 1e-3;
/// Sine of the angle by which the normal of any other triangle may be off.
constexpr double plane_rounding = 1e-11;

/// Extent along n of the part of a triangle in a ball.
NearTriangles::Extent extent_in_ball(const TriangleCorners& t, const Vec3& n, const Vec3& center, double radius) {
  NearTriangles::Extent extent;
  for (const Vec3& p : t) extent.add({dot(n, p), dot(n, p)});
  // The plane of the triangle cuts a disk out of the ball.
  const Vec3 u = t[1] - t[0];
  const Vec3 v = t[2] - t[0];
  const Vec3 area = cross(u, v);
  if (!(length(area) > min_height * std::max(dot(u, u), dot(v, v)))) return extent;
  const Vec3 m = (1 / length(area)) * area;
  const double above = dot(m, center - t[0]);
  const double square = radius * radius - above * above;
  const Vec3 foot = center - above * m;
  const double across =
      std::sqrt(std::max(0.0, square)) * length(n - dot(n, m) * m) + plane_rounding * (radius + std::abs(above));
  return {std::max(extent.low, dot(n, foot) - across), std::min(extent.high, dot(n, foot) + across)};
}

}  // namespace

NearTriangles::NearTriangles(const CellSamples& cell, const Vec3& n, double slack)
    : cell_(cell), n_(n), slack_(slack), ball_(std::abs(cell.middle_value) + 2 * cell.radius + slack) {
  for (std::size_t k = 0; k < 9; ++k) {
    const Vec3& q = k < 8 ? cell.nearest[k] : cell.middle_nearest;
    for (std::size_t i = 0; i < 8; ++i) known_[k][i] = length(cell.corners[i] - q) + slack;
  }
  const double half = 0.5 * (cell.corners[1].x - cell.corners[0].x);
  const double along = std::abs(cell.middle_value) + cell.radius;
  const std::array<Vec3, 3> units{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (std::size_t k = 0; k < 3; ++k) {
    axes_[k] = {units[k], half + along * std::abs(dot(units[k], n)), 1};
    const Vec3 across = cross(units[k], n);
    axes_[3 + k] = {across, half * (std::abs(across.x) + std::abs(across.y) + std::abs(across.z)), length(across)};
  }
}

bool NearTriangles::may_be_nearest(const Vec3& center, double radius) const {
  std::array<double, 8> from_corner{};
  for (std::size_t i = 0; i < 8; ++i) from_corner[i] = length(center - cell_.corners[i]) - radius;
  for (const std::array<double, 8>& known : known_) {
    bool nearer = false;
    for (std::size_t i = 0; i < 8; ++i) nearer = nearer || from_corner[i] <= known[i];
    if (!nearer) return false;
  }
  return true;
}

bool NearTriangles::may_be_in_prism(const Vec3& center, double radius) const {
  const Vec3 t = center - cell_.middle;
  for (const Axis& axis : axes_) {
    if (std::abs(dot(axis.direction, t)) > axis.half + axis.size * (radius + slack_)) return false;
  }
  return true;
}

NearTriangles::Extent NearTriangles::extent_of_nearest(const TriangleCorners& t) const {
  std::array<double, 8> from_corner{};
  for (std::size_t i = 0; i < 8; ++i) {
    from_corner[i] = closest_vertex_triangle(math::to_eigen(cell_.corners[i]), math::to_eigen(t[0]),
                                             math::to_eigen(t[1]), math::to_eigen(t[2]))
                         .distance;
  }
  Extent all{-INFINITY, INFINITY};
  for (const std::array<double, 8>& known : known_) {
    Extent one;
    for (std::size_t i = 0; i < 8; ++i) {
      if (from_corner[i] <= known[i]) one.add(extent_in_ball(t, n_, cell_.corners[i], known[i]));
    }
    all = {std::max(all.low, one.low), std::min(all.high, one.high)};
  }
  return all;
}

NearTriangles::Extent NearTriangles::extent_in_prism(const TriangleCorners& t) const {
  // Three corners, and one more for each of twelve planes at most.
  std::array<Vec3, 15> polygon{t[0] - cell_.middle, t[1] - cell_.middle, t[2] - cell_.middle};
  std::array<Vec3, 15> left;
  std::size_t count = 3;
  for (const Axis& axis : axes_) {
    const double offset = axis.half + axis.size * slack_;
    for (const double sign : {1.0, -1.0}) {
      const auto height = [&](const Vec3& p) { return sign * dot(axis.direction, p) - offset; };
      std::size_t kept = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Vec3& p = polygon[i];
        const Vec3& q = polygon[i + 1 == count ? 0 : i + 1];
        const double hp = height(p);
        const double hq = height(q);
        if (hp <= 0) left[kept++] = p;
        if ((hp < 0 && hq > 0) || (hp > 0 && hq < 0)) left[kept++] = p + hp / (hp - hq) * (q - p);
      }
      count = kept;
      if (count == 0) return {};
      polygon = left;
    }
  }
  Extent extent;
  const double along_middle = dot(n_, cell_.middle);
  for (std::size_t i = 0; i < count; ++i) {
    const double along = along_middle + dot(n_, polygon[i]);
    extent.add({along - slack_, along + slack_});
  }
  return extent;
}

NearTriangles::Extent NearTriangles::extent_of(const TriangleCorners& t) const {
  const Vec3 center = (1.0 / 3) * (t[0] + t[1] + t[2]);
  double square = 0;
  for (const Vec3& p : t) square = std::max(square, dot(p - center, p - center));
  const double radius = std::sqrt(square) + slack_;
  Extent extent;
  if (may_be_in_prism(center, radius)) extent = extent_in_prism(t);
  if (may_be_nearest(center, radius)) {
    const Extent nearest = extent_of_nearest(t);
    if (nearest.low <= nearest.high) extent.add(nearest);
  }
  return extent;
}

}  // namespace carom::field
