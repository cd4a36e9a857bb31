#include "geometry/simple_polygon.hpp"

#include <algorithm>
#include <numeric>

#include "core/at.hpp"
#include "core/check.hpp"
#include "math/orientation.hpp"

namespace carom::geometry {
namespace {

using Eigen::Vector3d;

/// Corners of a polygon at most: every edge is compared with every other, which takes about a second then.
constexpr std::size_t max_corners = 10'000;

int turn_of(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  return math::orient2d(a, b, c, 2);
}

/// Whether p, on the line through a and b, is between them or one of them.
bool is_between(const Vector3d& a, const Vector3d& b, const Vector3d& p) {
  return (p.array() >= a.cwiseMin(b).array()).all() && (p.array() <= a.cwiseMax(b).array()).all();
}

bool segments_touch(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  const int ac = turn_of(a, b, c);
  const int ad = turn_of(a, b, d);
  const int ca = turn_of(c, d, a);
  const int cb = turn_of(c, d, b);
  if (ac * ad < 0 && ca * cb < 0) return true;
  return (ac == 0 && is_between(a, b, c)) || (ad == 0 && is_between(a, b, d)) || (ca == 0 && is_between(c, d, a)) ||
         (cb == 0 && is_between(c, d, b));
}

/// The lowest corner, the leftmost of several, is convex: the sign of the turn there is that of the area.
bool is_clockwise(const std::vector<Vector3d>& polygon) {
  const std::size_t n = polygon.size();
  const auto lowest = std::min_element(polygon.begin(), polygon.end(), [](const Vector3d& p, const Vector3d& q) {
    return p.y() != q.y() ? p.y() < q.y() : p.x() < q.x();
  });
  const auto i = static_cast<std::size_t>(lowest - polygon.begin());
  return turn_of(polygon[(i + n - 1) % n], polygon[i], polygon[(i + 1) % n]) < 0;
}

}  // namespace

std::vector<Vector3d> simple_polygon(const char* what, std::span<const Eigen::Vector2d> corners) {
  const std::size_t n = corners.size();
  require(n >= 3 && n <= max_corners, ErrorCode::invalid_argument, "{} has {} corners; expected 3 to {}", what, n,
          max_corners);
  std::vector<Vector3d> polygon;
  for (std::size_t i = 0; i < n; ++i) {
    require(corners[i].allFinite(), ErrorCode::not_finite, "{}: corner {} is not finite", what, i);
    polygon.emplace_back(corners[i].x(), corners[i].y(), 0);
  }
  const auto corner = [&](std::size_t i) -> const Vector3d& { return polygon[i % n]; };
  for (std::size_t i = 0; i < n; ++i) {
    require(corner(i) != corner(i + 1), ErrorCode::invalid_argument, "{}: corners {} and {} are at the same place",
            what, i, (i + 1) % n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    // Neighbors share a corner: they touch elsewhere if one runs back along the other.
    const bool folded =
        turn_of(corner(i), corner(i + 1), corner(i + 2)) == 0 &&
        (is_between(corner(i), corner(i + 1), corner(i + 2)) || is_between(corner(i + 1), corner(i + 2), corner(i)));
    require(!folded, ErrorCode::invalid_argument, "{}: the edge after corner {} runs back along the one before", what,
            (i + 1) % n);
    for (std::size_t j = i + 2; j < n && (i > 0 || j + 1 < n); ++j) {
      require(!segments_touch(corner(i), corner(i + 1), corner(j), corner(j + 1)), ErrorCode::invalid_argument,
              "{}: the edges after corners {} and {} touch; expected an outline that does not cross itself", what, i,
              j);
    }
  }
  if (is_clockwise(polygon)) std::reverse(polygon.begin(), polygon.end());
  return polygon;
}

std::vector<Triangle> triangulate(std::span<const Vector3d> polygon) {
  std::vector<Index> left(polygon.size());
  std::iota(left.begin(), left.end(), Index{0});
  std::vector<Triangle> triangles;
  // An ear is a corner that can be cut off: convex, and no other corner in its triangle. Every polygon has one.
  const auto is_ear = [&](std::size_t k) {
    const std::size_t n = left.size();
    const Triangle ear{left[(k + n - 1) % n], left[k], left[(k + 1) % n]};
    const auto point = [&](Index i) -> const Vector3d& { return polygon[at(i)]; };
    if (turn_of(point(ear[0]), point(ear[1]), point(ear[2])) <= 0) return false;
    return std::none_of(left.begin(), left.end(), [&](Index i) {
      if (i == ear[0] || i == ear[1] || i == ear[2]) return false;
      for (std::size_t e = 0; e < 3; ++e) {
        if (turn_of(point(ear[e]), point(ear[(e + 1) % 3]), point(i)) < 0) return false;
      }
      return true;
    });
  };
  std::size_t k = 0;
  while (left.size() > 3) {
    while (!is_ear(k)) k = (k + 1) % left.size();
    const std::size_t n = left.size();
    triangles.push_back({left[(k + n - 1) % n], left[k], left[(k + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
    k = (k + 1) % left.size();  // not the neighbor, so that triangles are less of a fan
  }
  triangles.push_back({left[0], left[1], left[2]});
  return triangles;
}

}  // namespace carom::geometry
