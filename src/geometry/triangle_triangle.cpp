#include "geometry/triangle_triangle.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/check.hpp"
#include "math/collinear.hpp"
#include "math/orientation.hpp"

// The common part of two triangles is convex, so it is the hull of its extreme points. A point inside
// both triangles (a neighbourhood of it in each plane belongs to them) is not extreme: if the planes
// differ, their line runs through it in both. So every extreme point is one of these:
//
//   a corner of one triangle that is in the other one;
//   where an edge of one crosses the other triangle from side to side, inside both;
//   where two edges, one of each, cross inside both.
//
// No point is listed twice, so their number says what the triangles have in common: 0 nothing, 1 a
// point, 2 a segment, more an area. All that decides are signs of orientations. A triangle
// of no area is reduced to the segment or point it is, for which the same list holds.
namespace carom::geometry {

using namespace math;

namespace {

using Eigen::Vector3d;

bool before(const Vector3d& p, const Vector3d& q) {
  return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
}

/// A triangle, segment or point.
struct Simplex {
  std::size_t size = 0;
  std::array<Vector3d, 3> p;
  std::array<int, 3> side{};  ///< of each corner, against the plane of the other one
  int axis = -1;              ///< of a triangle: one along which its projection has an area

  explicit Simplex(const SidedTriangle& t) : p(t.corners), side(t.side) {
    for (int k = 0; k < 3 && axis < 0; ++k)
      if (orient2d(p[0], p[1], p[2], k) != 0) axis = k;
    if (axis >= 0) {
      size = 3;
      return;
    }
    // Along a line, the order of `before` is the order on the line.
    const auto [first, last] = std::minmax_element(t.corners.begin(), t.corners.end(), before);
    size = *first == *last ? 1 : 2;
    p = {*first, *last, *last};
    side = {t.side[static_cast<std::size_t>(first - t.corners.begin())],
            t.side[static_cast<std::size_t>(last - t.corners.begin())], 0};
  }

  std::size_t edge_count() const { return size == 3 ? 3 : size - 1; }
  const Vector3d& next(std::size_t k) const { return p[(k + 1) % size]; }
};

bool on_segment(const Vector3d& c, const Vector3d& p, const Vector3d& q) {
  const bool between = before(p, q) ? !before(c, p) && !before(q, c) : !before(c, q) && !before(p, c);
  return between && collinear(c, p, q);
}

/// `side` is the sign of c against the plane of s, if it has one.
bool contains(const Simplex& s, const Vector3d& c, int side) {
  if (s.size == 1) return c == s.p[0];
  if (s.size == 2) return on_segment(c, s.p[0], s.p[1]);
  if (side != 0) return false;
  const int turn = orient2d(s.p[0], s.p[1], s.p[2], s.axis);
  for (std::size_t k = 0; k < 3; ++k)
    if (orient2d(s.p[k], s.next(k), c, s.axis) == -turn) return false;
  return true;
}

/// Whether the segments pq and rs of one plane, on which the projection along `axis` is one-to-one, cross
/// inside both.
bool cross_in_plane(const Vector3d& p, const Vector3d& q, const Vector3d& r, const Vector3d& s, int axis) {
  return orient2d(p, q, r, axis) * orient2d(p, q, s, axis) < 0 && orient2d(r, s, p, axis) * orient2d(r, s, q, axis) < 0;
}

bool cross_in_space(const Vector3d& p, const Vector3d& q, const Vector3d& r, const Vector3d& s) {
  if (orient3d(p, q, r, s) != 0) return false;
  for (int axis = 0; axis < 3; ++axis)
    if (orient2d(p, q, r, axis) != 0) return cross_in_plane(p, q, r, s, axis);
  return false;  // r is on the line of pq, so the segments do not cross inside both
}

/// One of the list above.
struct Extreme {
  enum class Type { corner, edge_face, edge_edge };
  Type type = Type::corner;
  std::array<Vector3d, 2> edge;   ///< corner: the first is the point
  std::array<Vector3d, 3> other;  ///< edge_face: the triangle; edge_edge: the edge in the first two
};

/// Calls visit(extreme) for each, until one returns true; returns whether one did.
template <class Visit>
class Enumeration {
 public:
  Enumeration(const Simplex& a, const Simplex& b, Visit& visit) : a_(a), b_(b), visit_(visit) {}

  bool run() {
    if (one_side(a_) || one_side(b_)) return false;
    return corners() || edges_against(a_, b_, false) || edges_against(b_, a_, true) || edge_pairs();
  }

 private:
  static bool one_side(const Simplex& s) {
    const auto last = s.side.begin() + static_cast<std::ptrdiff_t>(s.size);
    return s.side[0] != 0 && std::all_of(s.side.begin(), last, [&](int side) { return side == s.side[0]; });
  }

  bool corners() {
    const auto corner_of_a = [&](const Vector3d& c) {
      return std::any_of(a_.p.begin(), a_.p.begin() + static_cast<std::ptrdiff_t>(a_.size),
                         [&](const Vector3d& p) { return p == c; });
    };
    for (std::size_t k = 0; k < a_.size; ++k)
      if (contains(b_, a_.p[k], a_.side[k]) && visit_(Extreme{Extreme::Type::corner, {a_.p[k], a_.p[k]}, {}}))
        return true;
    for (std::size_t k = 0; k < b_.size; ++k)
      if (!corner_of_a(b_.p[k]) && contains(a_, b_.p[k], b_.side[k]) &&
          visit_(Extreme{Extreme::Type::corner, {b_.p[k], b_.p[k]}, {}}))
        return true;
    return false;
  }

  /// Where edges of `s` cross the triangle `t`. Crossings of its edges are noted for later, as they may
  /// be found from both sides; those of its corners are in the list already.
  bool edges_against(const Simplex& s, const Simplex& t, bool swapped) {
    if (t.size != 3) return false;
    for (std::size_t i = 0; i < s.edge_count(); ++i) {
      const Vector3d& p = s.p[i];
      const Vector3d& q = s.next(i);
      const int from = s.side[i];
      const int to = s.side[(i + 1) % s.size];
      if (from == 0 && to == 0) {
        for (std::size_t k = 0; k < 3; ++k)
          if (cross_in_plane(p, q, t.p[k], t.next(k), t.axis)) note(i, k, swapped);
      } else if (from * to < 0) {
        // The line of pq meets the plane in one point, whose barycentric coordinates have these signs.
        std::array<int, 3> turn{};
        for (std::size_t k = 0; k < 3; ++k) turn[k] = orient3d(p, q, t.p[k], t.next(k));
        const auto [low, high] = std::minmax_element(turn.begin(), turn.end());
        if (*low < 0 && *high > 0) continue;
        const auto zeros = std::count(turn.begin(), turn.end(), 0);
        if (zeros == 0 && visit_(Extreme{Extreme::Type::edge_face, {p, q}, t.p})) return true;
        if (zeros == 1)
          note(i, static_cast<std::size_t>(std::find(turn.begin(), turn.end(), 0) - turn.begin()), swapped);
      }
    }
    return false;
  }

  void note(std::size_t i, std::size_t k, bool swapped) { crossed_[swapped ? k : i][swapped ? i : k] = true; }

  bool edge_pairs() {
    if (a_.size == 2 && b_.size == 2) crossed_[0][0] = cross_in_space(a_.p[0], a_.p[1], b_.p[0], b_.p[1]);
    for (std::size_t i = 0; i < a_.edge_count(); ++i)
      for (std::size_t k = 0; k < b_.edge_count(); ++k)
        if (crossed_[i][k] &&
            visit_(Extreme{Extreme::Type::edge_edge, {a_.p[i], a_.next(i)}, {b_.p[k], b_.next(k), b_.next(k)}}))
          return true;
    return false;
  }

  const Simplex& a_;
  const Simplex& b_;
  Visit& visit_;
  std::array<std::array<bool, 3>, 3> crossed_{};
};

template <class Visit>
bool any_extreme(const Simplex& a, const Simplex& b, Visit&& visit) {
  return Enumeration<std::remove_reference_t<Visit>>(a, b, visit).run();
}

/// Whether an extreme point is in the hull of the corners that both triangles share. One inside a
/// triangle with an area is not, as the hull is a corner or an edge of it. One inside two edges can only be
/// if the hull is a point and both triangles are segments through it: a triangle with an area has
/// no corner inside an edge, and two segments that both contain a third do not cross.
bool in_hull(const Extreme& x, std::span<const Vector3d> shared) {
  if (shared.empty()) return false;
  const Vector3d& first = shared.front();
  const Vector3d& last = shared.back();
  switch (x.type) {
    case Extreme::Type::corner:
      return on_segment(x.edge[0], first, last);
    case Extreme::Type::edge_face:
      return false;
    case Extreme::Type::edge_edge:
      return first == last && on_segment(first, x.edge[0], x.edge[1]) && on_segment(first, x.other[0], x.other[1]);
  }
  return false;
}

/// The point of pq with these (signed, not both zero) distances from p and q, in some unit.
Vector3d between(const Vector3d& p, const Vector3d& q, const Scaled& from_p, const Scaled& from_q) {
  const int exponent = std::max(from_p.exponent, from_q.exponent);
  const double to_p = std::ldexp(std::abs(from_p.mantissa), std::max(from_p.exponent - exponent, -2000));
  const double to_q = std::ldexp(std::abs(from_q.mantissa), std::max(from_q.exponent - exponent, -2000));
  const double share_of_q = to_p / (to_p + to_q);
  const double share_of_p = to_q / (to_p + to_q);
  const Vector3d x = share_of_p * p + share_of_q * q;
  return x.cwiseMax(p.cwiseMin(q)).cwiseMin(p.cwiseMax(q));
}

Vector3d place(const Extreme& x) {
  const auto& [p, q] = x.edge;
  const auto& [r, s, t] = x.other;
  switch (x.type) {
    case Extreme::Type::corner:
      return p;
    case Extreme::Type::edge_face:
      return between(p, q, exact_orient3d(r, s, t, p), exact_orient3d(r, s, t, q));
    case Extreme::Type::edge_edge:
      for (int axis = 0; axis < 3; ++axis)
        if (orient2d(r, s, p, axis) != 0)
          return between(p, q, exact_orient2d(r, s, p, axis), exact_orient2d(r, s, q, axis));
      break;
  }
  assert(false);
  return p;
}

void check_finite(const TrianglePoints& triangle, const char* name) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d& p = triangle[k];
    require(is_finite(p), ErrorCode::not_finite, "corner {} of triangle {} is ({}, {}, {}); expected finite", k, name,
            p.x(), p.y(), p.z());
  }
}

}  // namespace

std::array<int, 3> sides_of(const TrianglePoints& of, const TrianglePoints& plane) {
  std::array<int, 3> side{};
  for (std::size_t k = 0; k < 3; ++k) side[k] = orient3d(plane[0], plane[1], plane[2], of[k]);
  return side;
}

bool meet_beyond(const SidedTriangle& a, const SidedTriangle& b, std::span<const Vector3d> shared) {
  return any_extreme(Simplex(a), Simplex(b), [&](const Extreme& x) { return !in_hull(x, shared); });
}

bool meet_beyond(const TrianglePoints& a, const TrianglePoints& b, std::span<const Vector3d> shared) {
  return meet_beyond(SidedTriangle{a, sides_of(a, b)}, SidedTriangle{b, sides_of(b, a)}, shared);
}

TriangleIntersection intersection_of(const TrianglePoints& a, const TrianglePoints& b) {
  // Sorted, so that the order in which triangles and corners were given has no influence on anything.
  TrianglePoints low = a;
  TrianglePoints high = b;
  std::sort(low.begin(), low.end(), before);
  std::sort(high.begin(), high.end(), before);
  if (std::lexicographical_compare(high.begin(), high.end(), low.begin(), low.end(), before)) std::swap(low, high);
  const Simplex first({low, sides_of(low, high)});
  const Simplex second({high, sides_of(high, low)});
  std::array<Vector3d, 12> points;
  std::size_t count = 0;
  any_extreme(first, second, [&](const Extreme& x) {
    points[count++] = place(x);
    return false;
  });
  assert(count > 0);

  TriangleIntersection result;
  result.kind = count == 1   ? IntersectionKind::point
                : count == 2 ? IntersectionKind::segment
                             : IntersectionKind::coplanar;
  result.start = points[0];
  result.end = points[count == 2 ? 1 : 0];
  double longest = 0;
  for (std::size_t i = 0; count > 2 && i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j) {
      const double length = (0.5 * points[i] - 0.5 * points[j]).stableNorm();  // half, so that it cannot overflow
      if (length <= longest) continue;
      longest = length;
      result.start = points[i];
      result.end = points[j];
    }
  if (before(result.end, result.start)) std::swap(result.start, result.end);
  return result;
}

}  // namespace carom::geometry

namespace carom {

std::string_view to_string(IntersectionKind kind) {
  constexpr std::array<std::string_view, 3> names{"point", "segment", "coplanar"};
  return names[static_cast<std::size_t>(kind)];
}

bool intersects(const TrianglePoints& a, const TrianglePoints& b) {
  geometry::check_finite(a, "a");
  geometry::check_finite(b, "b");
  return geometry::meet_beyond(a, b, {});
}

std::optional<TriangleIntersection> intersection(const TrianglePoints& a, const TrianglePoints& b) {
  if (!intersects(a, b)) return std::nullopt;
  return geometry::intersection_of(a, b);
}

}  // namespace carom
