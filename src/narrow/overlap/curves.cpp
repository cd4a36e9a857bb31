#include "narrow/overlap/curves.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "math/orientation.hpp"
#include "narrow/mesh/dispatch_volume.hpp"
#include "shapes/winding.hpp"

namespace carom::overlap {
namespace {

using Corners = std::array<Index, 3>;

/// Candidates between two calls of `go_on`.
constexpr std::size_t candidates_at_a_time = 1 << 14;

double height(const Eigen::Vector3d& n, const Eigen::Vector3d& origin, const Eigen::Vector3d& p) {
  return n.dot(p - origin);
}

/// Point in which the edge meets the plane of the triangle: the same numbers whichever triangle at the edge asks.
void place_crossing(const GeneralPosition& g, EdgeCrossing& c) {
  const std::size_t other = 1U - c.side;
  const Eigen::Vector3d& p = g.point(c.side, c.from);
  const Eigen::Vector3d& q = g.point(c.side, c.to);
  const Eigen::Vector3d& o = g.point(other, g.vertex(other, c.triangle, 0));
  const Eigen::Vector3d n =
      (g.point(other, g.vertex(other, c.triangle, 1)) - o).cross(g.point(other, g.vertex(other, c.triangle, 2)) - o);
  const double hp = std::abs(height(n, o, p));
  const double hq = std::abs(height(n, o, q));
  c.fraction = hp + hq > 0 ? hp / (hp + hq) : 0.5;
  c.point = math::to_vec3(p + c.fraction * (q - p));
}

class CurveFinder {
 public:
  CurveFinder(const GeneralPosition& g, const std::array<std::vector<int>, 2>& orientation, Curves& curves)
      : g_(g), orientation_(orientation), curves_(curves) {}

  /// False if the points are not in general position.
  bool test(Index ta, Index tb) {
    const Corners a = corners(0, ta);
    const Corners b = corners(1, tb);
    std::array<int, 3> over_b{};
    std::array<int, 3> over_a{};
    const bool flat_b = !sides(1, b, 0, a, over_b);
    if (flat_b && !is_degenerate(1, b)) return false;
    if (!flat_b && same(over_b)) return true;
    const bool flat_a = !sides(0, a, 1, b, over_a);
    if (flat_a && !is_degenerate(0, a)) return false;
    if ((!flat_a && same(over_a)) || (flat_a && flat_b)) return true;
    // Triangles without area are crossed by no edge. Their own edges do cross, and lead the curve, in a segment without
    // length, from one neighbor to the next: fans of them are common where a wall ends on many others.
    CurveSegment segment{ta, tb, none, none};
    if (!flat_b && !cross_edges(0, a, over_b, 1, b, tb, segment)) return false;
    if (!flat_a && !cross_edges(1, b, over_a, 0, a, ta, segment)) return false;
    if (segment.start == none && segment.end == none) return true;
    if (segment.start == none || segment.end == none) return false;
    curves_.segments.push_back(segment);
    return true;
  }

 private:
  Corners corners(std::size_t side, Index t) const {
    return {g_.vertex(side, t, 0), g_.vertex(side, t, 1), g_.vertex(side, t, 2)};
  }
  static bool same(const std::array<int, 3>& s) { return s[0] == s[1] && s[1] == s[2]; }

  /// Signs of the corners of t over the plane of p. False if one is 0.
  bool sides(std::size_t plane_side, const Corners& p, std::size_t side, const Corners& t,
             std::array<int, 3>& signs) const {
    for (std::size_t k = 0; k < 3; ++k) {
      signs[k] = math::orient3d(g_.point(plane_side, p[0]), g_.point(plane_side, p[1]), g_.point(plane_side, p[2]),
                                g_.point(side, t[k]));
      if (signs[k] == 0) return false;
    }
    return true;
  }

  /// Whether a triangle has no area.
  bool is_degenerate(std::size_t side, const Corners& t) const {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return true;
    for (int axis = 0; axis < 3; ++axis) {
      if (math::orient2d(g_.point(side, t[0]), g_.point(side, t[1]), g_.point(side, t[2]), axis) != 0) return false;
    }
    return true;
  }

  /// Edges of t, a triangle of `side`, that cross the triangle p. False if not in general position.
  bool cross_edges(std::size_t side, const Corners& t, const std::array<int, 3>& signs, std::size_t plane_side,
                   const Corners& p, Index plane, CurveSegment& segment) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      if (signs[k] == signs[next]) continue;
      const Eigen::Vector3d& from = g_.point(side, t[k]);
      const Eigen::Vector3d& to = g_.point(side, t[next]);
      int low = 1;
      int high = -1;
      for (std::size_t j = 0; j < 3; ++j) {
        const int turn = math::orient3d(from, to, g_.point(plane_side, p[j]), g_.point(plane_side, p[(j + 1) % 3]));
        if (turn == 0) return false;
        low = std::min(low, turn);
        high = std::max(high, turn);
      }
      if (low != high) continue;
      const bool enters = signs[k] > 0;
      const Index number = add(side, t[k], t[next], plane_side, plane, enters);
      // A boundary that enters the other solid along an edge comes from the segment; that of b runs the other way.
      const bool is_end = enters == (side == 0);
      Index& place = is_end ? segment.end : segment.start;
      if (place != none) return false;
      place = number;
    }
    return true;
  }

  Index add(std::size_t side, Index from, Index to, std::size_t plane_side, Index plane, bool enters) {
    EdgeCrossing c;
    c.side = static_cast<std::uint8_t>(side);
    c.triangle = plane;
    c.winding = orientation_[plane_side][at(g_.mesh(plane_side).component[at(plane)])] * (enters ? 1 : -1);
    c.from = from;
    c.to = to;
    if (to < from) {
      std::swap(c.from, c.to);
      c.winding = -c.winding;
    }
    curves_.crossings.push_back(c);
    return static_cast<Index>(curves_.crossings.size() - 1);
  }

  const GeneralPosition& g_;
  const std::array<std::vector<int>, 2>& orientation_;
  Curves& curves_;
};

/// Each crossing once, in order, and the segments with the new numbers.
void sort_crossings(const GeneralPosition& g, Curves& curves) {
  std::vector<EdgeCrossing>& all = curves.crossings;
  for (EdgeCrossing& c : all) place_crossing(g, c);
  std::vector<Index> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  const auto key = [&](Index i) {
    const EdgeCrossing& c = all[at(i)];
    return std::tuple(c.side, c.from, c.to, c.fraction, c.triangle);
  };
  std::sort(order.begin(), order.end(), [&](Index p, Index q) { return key(p) < key(q); });
  std::vector<EdgeCrossing> sorted;
  std::vector<Index> number(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || key(order[i]) != key(order[i - 1])) sorted.push_back(all[at(order[i])]);
    number[at(order[i])] = static_cast<Index>(sorted.size() - 1);
  }
  all = std::move(sorted);
  for (CurveSegment& s : curves.segments) {
    s.start = number[at(s.start)];
    s.end = number[at(s.end)];
  }
  std::sort(curves.segments.begin(), curves.segments.end(),
            [](const CurveSegment& p, const CurveSegment& q) { return std::tie(p.a, p.b) < std::tie(q.a, q.b); });
}

}  // namespace

std::vector<int> orientation_of_components(const MeshData& mesh) {
  std::vector<double> volume(mesh.component_triangle.size(), 0);
  const Eigen::Vector3d origin = math::to_eigen(mesh.tree.boxes[0].center);
  for (std::size_t t = 0; t < mesh.mesh.triangles.size(); ++t) {
    const auto i = static_cast<Index>(t);
    volume[at(mesh.component[t])] +=
        (mesh.corner(i, 0) - origin).cross(mesh.corner(i, 1) - origin).dot(mesh.corner(i, 2) - origin);
  }
  std::vector<int> orientation(volume.size(), 0);
  for (std::size_t c = 0; c < volume.size(); ++c) {
    if (mesh.closed[c] == 0) continue;
    orientation[c] = 1;
    if (!(volume[c] < 0)) continue;
    std::vector<std::uint8_t> others = mesh.closed;
    others[c] = 0;
    const Vec3 p = math::to_vec3(mesh.corner(mesh.component_triangle[c], 0));
    const shapes::Winding winding = shapes::winding_number(mesh, p, others);
    if (winding.number == 0 && !winding.on_surface) orientation[c] = -1;
  }
  return orientation;
}

bool find_curves(const GeneralPosition& g, const std::array<std::vector<int>, 2>& orientation,
                 const std::function<bool()>& go_on, Curves& curves) {
  curves = {};
  CurveFinder finder(g, orientation, curves);
  RelativePose shifted = g.pose;
  shifted.t = g.pose.t + g.shift;
  const double reach = mesh::rounding(g.a, g.b, shifted);
  std::size_t count = 0;
  const bool failed = mesh::dispatch_volume(g.a, g.b, shifted, [&](const auto& view) {
    return mesh::traverse_near(g.a.tree, g.b.tree, view, reach, [&](std::uint32_t i, std::uint32_t j) {
      if (++count % candidates_at_a_time == 0 && go_on && !go_on()) {
        curves.ended = true;
        return true;
      }
      return !finder.test(g.a.tree.triangles[i], g.b.tree.triangles[j]);
    });
  });
  if (failed) return false;
  sort_crossings(g, curves);
  return true;
}

std::span<const EdgeCrossing> crossings_of(const Curves& curves, std::size_t side, Index from, Index to) {
  const auto key = [](const EdgeCrossing& c) { return std::tuple(std::size_t{c.side}, c.from, c.to); };
  const std::tuple wanted(side, from, to);
  const auto first = std::lower_bound(curves.crossings.begin(), curves.crossings.end(), wanted,
                                      [&](const EdgeCrossing& c, const auto& k) { return key(c) < k; });
  auto last = first;
  while (last != curves.crossings.end() && key(*last) == wanted) ++last;
  return {first, last};
}

}  // namespace carom::overlap
