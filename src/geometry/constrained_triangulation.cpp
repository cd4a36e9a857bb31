#include "geometry/constrained_triangulation.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "core/at.hpp"
#include "math/orientation.hpp"

namespace carom::geometry {
namespace {

using Eigen::Vector3d;
using HalfEdge = Index;  // 3 t + k: from corner k of triangle t to the next

/// Triangles of the convex hull of points, with their neighbors.
class Triangulation {
 public:
  explicit Triangulation(const PlanarRegion& region)
      : points_(region.points), axis_(region.axis), flipped_(region.flipped) {}

  /// Every point, by a sweep in the order of the first coordinate. False if two coincide or all are on a line.
  bool sweep() {
    std::vector<Index> order(points_.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      if (key(order[i]) == key(order[i + 1])) return false;
    }
    std::size_t first = 2;
    while (first < order.size() && turn(order[0], order[1], order[first]) == 0) ++first;
    if (first >= order.size()) return false;
    at_.assign(points_.size(), none);
    next_.assign(points_.size(), none);
    previous_.assign(points_.size(), none);
    outer_.assign(points_.size(), none);
    begin(order, first);
    for (std::size_t i = first + 1; i < order.size(); ++i) add(order[i], order[i - 1]);
    return true;
  }

  /// Makes an edge of two points and keeps it. False if a point or an edge that is kept is in its way.
  bool insert(Index a, Index b) {
    HalfEdge edge = find_either(a, b);
    if (edge == none && cross(a, b)) edge = find_either(a, b);
    if (edge == none) return false;
    keep(edge);
    return true;
  }

  /// Flips edges that are not kept towards Delaunay's condition; some less than it may remain, by rounding.
  void improve() {
    std::vector<HalfEdge> stack(corners_.size());
    std::iota(stack.begin(), stack.end(), HalfEdge{0});
    std::size_t left = 32 * corners_.size() + 64;
    while (!stack.empty() && left-- > 0) {
      const HalfEdge edge = stack.back();
      stack.pop_back();
      if (kept_[at(edge)] != 0 || mates_[at(edge)] == none || !is_convex(edge) || !is_better_flipped(edge)) continue;
      const HalfEdge other = mates_[at(edge)];
      flip(edge);
      for (const HalfEdge e :
           {edge, next_in(edge), next_in(next_in(edge)), other, next_in(other), next_in(next_in(other))})
        stack.push_back(e);
    }
  }

  /// Triangles that can be reached from the left of the border without crossing it; nothing if one is on its right.
  std::optional<std::vector<Triangle>> left_of(std::span<const std::array<Index, 2>> border) const {
    std::vector<std::uint8_t> side(corners_.size(), 0);  // of kept half-edges: 1 left of the border, 2 right
    std::vector<std::uint8_t> inside(corners_.size() / 3, 0);
    std::vector<Index> stack;
    for (const auto& [a, b] : border) {
      const HalfEdge edge = find(a, b);
      if (edge == none) return {};
      side[at(edge)] |= 1;
      if (mates_[at(edge)] != none) side[at(mates_[at(edge)])] |= 2;
      stack.push_back(edge / 3);
    }
    std::vector<Triangle> found;
    while (!stack.empty()) {
      const Index t = stack.back();
      stack.pop_back();
      if (inside[at(t)] != 0) continue;
      inside[at(t)] = 1;
      for (Index k = 0; k < 3; ++k) {
        const HalfEdge edge = 3 * t + k;
        if (side[at(edge)] == 1) continue;
        if (side[at(edge)] != 0 || mates_[at(edge)] == none) return {};
        stack.push_back(mates_[at(edge)] / 3);
      }
    }
    for (std::size_t t = 0; t < inside.size(); ++t) {
      if (inside[t] != 0) found.push_back({corners_[3 * t], corners_[3 * t + 1], corners_[3 * t + 2]});
    }
    return found;
  }

 private:
  std::array<double, 2> key(Index i) const {
    const Vector3d& p = points_[at(i)];
    const double u = p[(axis_ + 1) % 3];
    const double v = p[(axis_ + 2) % 3];
    return flipped_ ? std::array{v, u} : std::array{u, v};
  }
  int turn(Index a, Index b, Index c) const {
    const int sign = math::orient2d(points_[at(a)], points_[at(b)], points_[at(c)], axis_);
    return flipped_ ? -sign : sign;
  }

  static HalfEdge next_in(HalfEdge e) { return e % 3 == 2 ? e - 2 : e + 1; }
  Index from(HalfEdge e) const { return corners_[at(e)]; }
  Index to(HalfEdge e) const { return corners_[at(next_in(e))]; }
  Index opposite(HalfEdge e) const { return corners_[at(next_in(next_in(e)))]; }

  Index make(Index a, Index b, Index c) {
    const auto t = static_cast<Index>(corners_.size() / 3);
    for (const Index v : {a, b, c}) {
      at_[at(v)] = static_cast<HalfEdge>(corners_.size());
      corners_.push_back(v);
      mates_.push_back(none);
      kept_.push_back(0);
    }
    return t;
  }
  void join(HalfEdge a, HalfEdge b) {
    if (a != none) mates_[at(a)] = b;
    if (b != none) mates_[at(b)] = a;
  }
  void keep(HalfEdge e) {
    kept_[at(e)] = 1;
    if (mates_[at(e)] != none) kept_[at(mates_[at(e)])] = 1;
  }
  void link(Index a, Index b, HalfEdge edge) {
    next_[at(a)] = b;
    previous_[at(b)] = a;
    outer_[at(a)] = edge;
  }

  /// The first points are on a line; the first beside it sees all of them.
  void begin(std::span<const Index> order, std::size_t first) {
    const Index tip = order[first];
    const bool left = turn(order[0], order[1], tip) > 0;
    HalfEdge before = none;
    for (std::size_t i = 0; i + 1 < first; ++i) {
      const Index a = left ? order[i] : order[first - 1 - i];
      const Index b = left ? order[i + 1] : order[first - 2 - i];
      const Index t = make(a, b, tip);
      join(3 * t + 2, before);  // tip to a
      if (before == none) link(tip, a, 3 * t + 2);
      before = 3 * t + 1;
      link(a, b, 3 * t);
      link(b, tip, before);
    }
  }

  void add(Index p, Index last) {
    // The point before is on the hull and is seen; the edges that are seen are next to each other around it.
    Index low = last;
    Index high = last;
    HalfEdge low_edge = none;
    HalfEdge high_edge = none;
    while (turn(high, next_[at(high)], p) < 0) {
      const Index u = high;
      const Index w = next_[at(u)];
      const Index t = make(u, p, w);
      join(3 * t + 2, outer_[at(u)]);
      if (high_edge != none) join(3 * t, high_edge);
      if (high_edge == none) low_edge = 3 * t;  // from `last` to p
      high_edge = 3 * t + 1;                    // from p to w
      high = w;
    }
    while (turn(previous_[at(low)], low, p) < 0) {
      const Index u = previous_[at(low)];
      const Index t = make(u, p, low);
      join(3 * t + 2, outer_[at(u)]);
      if (low_edge != none) join(3 * t + 1, low_edge);
      if (low_edge == none) high_edge = 3 * t + 1;
      low_edge = 3 * t;
      low = u;
    }
    link(low, p, low_edge);
    link(p, high, high_edge);
  }

  /// Half-edge of two points in either direction: at the hull there is one only.
  HalfEdge find_either(Index a, Index b) const {
    const HalfEdge found = find(a, b);
    return found != none ? found : find(b, a);
  }
  /// Half-edge from a to b; `none` if there is none.
  HalfEdge find(Index a, Index b) const {
    HalfEdge found = none;
    around(a, [&](HalfEdge e) {
      if (to(e) == b) found = e;
      return found != none;
    });
    return found;
  }

  /// Calls visit(e) for the half-edges that leave a point, until one returns true.
  template <class Visit>
  void around(Index a, Visit&& visit) const {
    const HalfEdge start = at_[at(a)];
    HalfEdge e = start;
    do {  // counter-clockwise
      if (visit(e)) return;
      e = mates_[at(next_in(next_in(e)))];
    } while (e != none && e != start);
    if (e != none) return;
    for (e = mates_[at(start)]; e != none; e = mates_[at(e)]) {  // clockwise, from the start
      e = next_in(e);
      if (visit(e)) return;
    }
  }

  bool is_convex(HalfEdge e) const {
    const HalfEdge other = mates_[at(e)];
    const Index c = opposite(e);
    const Index d = opposite(other);
    return turn(c, d, to(e)) > 0 && turn(d, c, from(e)) > 0;
  }

  /// Rounded: a flip either way is right.
  bool is_better_flipped(HalfEdge e) const {
    const auto a = key(from(e));
    const auto b = key(to(e));
    const auto c = key(opposite(e));
    const auto d = key(opposite(mates_[at(e)]));
    const auto cosine_sine = [](const std::array<double, 2>& p, const std::array<double, 2>& q,
                                const std::array<double, 2>& apex) {
      const double px = p[0] - apex[0];
      const double py = p[1] - apex[1];
      const double qx = q[0] - apex[0];
      const double qy = q[1] - apex[1];
      return std::pair{px * qx + py * qy, std::abs(px * qy - py * qx)};
    };
    const auto [cos_c, sin_c] = cosine_sine(a, b, c);
    const auto [cos_d, sin_d] = cosine_sine(a, b, d);
    // Sum of the angles at c and d above a half turn: sin(c + d) < 0.
    const double scale = std::hypot(cos_c, sin_c) * std::hypot(cos_d, sin_d);
    return sin_c * cos_d + cos_c * sin_d < -1e-12 * scale;
  }

  /// Turns the diagonal of the two triangles at an edge. The half-edge keeps its number and is the new diagonal.
  void flip(HalfEdge e) {
    const HalfEdge o = mates_[at(e)];
    const HalfEdge e1 = next_in(e);
    const HalfEdge e2 = next_in(e1);
    const HalfEdge o1 = next_in(o);
    const HalfEdge o2 = next_in(o1);
    const Index a = from(e);
    const Index b = to(e);
    const Index c = opposite(e);
    const Index d = opposite(o);
    const HalfEdge bc = mates_[at(e1)];
    const HalfEdge ca = mates_[at(e2)];
    const HalfEdge ad = mates_[at(o1)];
    const HalfEdge db = mates_[at(o2)];
    const auto kept_bc = kept_[at(e1)];
    const auto kept_ca = kept_[at(e2)];
    const auto kept_ad = kept_[at(o1)];
    const auto kept_db = kept_[at(o2)];
    // e's triangle becomes d, c, a; o's becomes c, d, b.
    corners_[at(e)] = d;
    corners_[at(e1)] = c;
    corners_[at(e2)] = a;
    corners_[at(o)] = c;
    corners_[at(o1)] = d;
    corners_[at(o2)] = b;
    join(e, o);
    join(e1, ca);
    join(e2, ad);
    join(o1, db);
    join(o2, bc);
    kept_[at(e)] = kept_[at(o)] = 0;
    kept_[at(e1)] = kept_ca;
    kept_[at(e2)] = kept_ad;
    kept_[at(o1)] = kept_db;
    kept_[at(o2)] = kept_bc;
    at_[at(a)] = e2;
    at_[at(b)] = o2;
    at_[at(c)] = e1;
    at_[at(d)] = o1;
  }

  /// Flips edges until none crosses that of a and b. False if a point or a kept edge is in the way.
  bool cross(Index a, Index b) {
    std::deque<std::array<Index, 2>> crossed;
    HalfEdge edge = none;
    bool blocked = false;
    around(a, [&](HalfEdge e) {
      const HalfEdge far = next_in(e);
      const int right = turn(a, b, from(far));
      const int left = turn(a, b, to(far));
      if (right < 0 && left > 0 && turn(from(far), to(far), b) <= 0) {
        edge = far;
        return true;
      }
      for (const auto& [point, side] : {std::pair{from(far), right}, std::pair{to(far), left}}) {
        if (side == 0 && is_between(a, b, point)) blocked = true;
      }
      return blocked;
    });
    if (blocked || edge == none) return false;
    while (true) {
      if (kept_[at(edge)] != 0) return false;
      crossed.push_back({from(edge), to(edge)});
      const HalfEdge other = mates_[at(edge)];
      if (other == none) return false;
      const Index apex = opposite(other);
      if (apex == b) break;
      const int side = turn(a, b, apex);
      if (side == 0) return false;
      // `other` runs from left to right of the line; go on through the edge that has ends on both sides.
      edge = side > 0 ? next_in(other) : next_in(next_in(other));
    }
    std::size_t left = 16 * crossed.size() * crossed.size() + 64;
    while (!crossed.empty()) {
      if (left-- == 0) return false;
      const auto [u, v] = crossed.front();
      crossed.pop_front();
      const HalfEdge e = find(u, v);
      if (e == none) return false;
      if (!is_convex(e)) {
        crossed.push_back({u, v});
        continue;
      }
      flip(e);
      const Index c = from(e);
      const Index d = to(e);
      const bool shares_end = c == a || c == b || d == a || d == b;
      if (!shares_end && turn(a, b, c) * turn(a, b, d) < 0) crossed.push_back({c, d});
    }
    return true;
  }

  bool is_between(Index a, Index b, Index p) const {
    const auto ka = key(a);
    const auto kb = key(b);
    const auto kp = key(p);
    return std::min(ka, kb) < kp && kp < std::max(ka, kb);
  }

  const std::vector<Vector3d>& points_;
  int axis_;
  bool flipped_;
  std::vector<Index> corners_;
  std::vector<HalfEdge> mates_;     // of each half-edge, across the edge; none at the hull
  std::vector<std::uint8_t> kept_;  // of each half-edge
  std::vector<HalfEdge> at_;        // a half-edge that leaves each point
  std::vector<Index> next_;         // along the hull, counter-clockwise, while sweeping
  std::vector<Index> previous_;
  std::vector<HalfEdge> outer_;  // half-edge of the hull that leaves each point
};

}  // namespace

int projection_axis(const Vector3d& normal) {
  Eigen::Index axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  return static_cast<int>(axis);
}

std::optional<std::vector<Triangle>> triangulate(const PlanarRegion& region) {
  Triangulation triangulation(region);
  if (!triangulation.sweep()) return {};
  for (const auto* list : {&region.border, &region.lines}) {
    for (const auto& [a, b] : *list) {
      if (!triangulation.insert(a, b)) return {};
    }
  }
  triangulation.improve();
  return triangulation.left_of(region.border);
}

}  // namespace carom::geometry
