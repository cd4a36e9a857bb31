#include "narrow/convex/vclip.hpp"

#include <algorithm>
#include <cmath>

#include "carom/mesh/closest.hpp"
#include "core/at.hpp"

namespace carom::convex {
namespace {

using Kind = PolyhedronFeatureKind;

constexpr int max_steps = 256;

PolyhedronFeature vertex(Index i) {
  return {Kind::vertex, i};
}
PolyhedronFeature edge(Index i) {
  return {Kind::edge, i};
}
PolyhedronFeature face(Index i) {
  return {Kind::face, i};
}

/// One end of a clipped edge: where, and whose plane cut it there.
struct ClippedEnd {
  double place = 0;
  PolyhedronFeature neighbour;
  bool cut = false;
};

/// Part of an edge from `tail` to `head` that is within some planes.
struct Clipped {
  Vec3 tail, head;
  ClippedEnd low{0, {}, false};
  ClippedEnd high{1, {}, false};
  bool outside = false;  ///< all of it is beyond one plane, that of low.neighbour

  Vec3 along() const { return head - tail; }
  Vec3 point(double place) const { return tail + place * along(); }
  bool empty() const { return low.place > high.place; }

  /// Keeps the side where the distances of the two ends from the plane are not negative. False if nothing is left.
  bool cut(double from_tail, double from_head, const PolyhedronFeature& neighbour) {
    if (from_tail < 0 && from_head < 0) {
      low = high = {0, neighbour, true};
      outside = true;
      return false;
    }
    if (from_tail < 0) {
      const double place = from_tail / (from_tail - from_head);
      if (place > low.place) low = {place, neighbour, true};
    } else if (from_head < 0) {
      const double place = from_tail / (from_tail - from_head);
      if (place < high.place) high = {place, neighbour, true};
    }
    return !empty();
  }
};

class Walk {
 public:
  Walk(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose)
      : solids_{&a, &b},
        into_{pose, inverse(pose)},
        slack_(1e-14 * (a.size + b.size + std::abs(pose.t.x) + std::abs(pose.t.y) + std::abs(pose.t.z))) {}

  std::array<PolyhedronFeature, 2> features;

  enum class Step { go_on, done, overlap };

  Step step() {
    const std::size_t low = features[0].kind <= features[1].kind ? 0 : 1;
    const Kind first = features[low].kind;
    const Kind second = features[1 - low].kind;
    if (first == Kind::vertex) {
      if (second == Kind::vertex) return vertex_vertex();
      return second == Kind::edge ? vertex_edge(low) : vertex_face(low);
    }
    if (first == Kind::edge) return second == Kind::edge ? edge_edge() : edge_face(low);
    // Two faces, from a cache: their corners do as well.
    features[low] = vertex(solids_[low]->faces[at(features[low].index)][0]);
    return Step::go_on;
  }

  /// A point of solid 1 - i in the frame of solid i.
  Vec3 seen(std::size_t i, const Vec3& p) const { return into_[i].rotate(p) + into_[i].t; }

 private:
  std::array<const Polyhedron*, 2> solids_;
  std::array<RelativePose, 2> into_;  ///< [i] takes points of the other to the frame of i
  double slack_;

  Step move(std::size_t i, const PolyhedronFeature& to) {
    features[i] = to;
    return Step::go_on;
  }

  /// Unit, from a corner along one of its edges.
  Vec3 away(const Polyhedron& p, Index corner, Index e) const {
    const Vec3& d = p.edge_units[at(e)];
    return p.edges[at(e)][0] == corner ? d : -d;
  }

  /// Out of a face in its plane, at right angles to one of its edges; `side` tells which of the two faces of the edge.
  Vec3 out_of_face(const Polyhedron& p, Index e, int side) const {
    return p.edge_outs[at(e)][static_cast<std::size_t>(side)];
  }

  Step vertex_vertex() {
    for (std::size_t i = 0; i < 2; ++i) {
      const Polyhedron& p = *solids_[i];
      const Index v = features[i].index;
      const Vec3 d = seen(i, solids_[1 - i]->corner(features[1 - i].index)) - p.corner(v);
      Index best = none;
      double largest = slack_;
      for (const Index e : p.vertex_edges[at(v)]) {
        const double beyond = dot(d, away(p, v, e));
        if (beyond > largest) {
          largest = beyond;
          best = e;
        }
      }
      if (best != none) return move(i, edge(best));
    }
    return Step::done;
  }

  /// i has the vertex.
  Step vertex_edge(std::size_t i) {
    const std::size_t j = 1 - i;
    const Polyhedron& p = *solids_[i];
    const Polyhedron& q = *solids_[j];
    const Index v = features[i].index;
    const Index e = features[j].index;
    const auto [tail, head] = q.edges[at(e)];
    const Vec3 x = seen(j, p.corner(v));
    const Vec3& d = q.edge_units[at(e)];
    if (dot(x - q.corner(tail), d) < -slack_) return move(j, vertex(tail));
    if (dot(x - q.corner(head), d) > slack_) return move(j, vertex(head));
    for (int side = 0; side < 2; ++side) {
      const Index f = q.edge_faces[at(e)][static_cast<std::size_t>(side)];
      if (f != none && dot(x - q.corner(tail), out_of_face(q, e, side)) < -slack_) return move(j, face(f));
    }
    Clipped c{seen(i, q.corner(tail)), seen(i, q.corner(head))};
    const Vec3 origin = p.corner(v);
    for (const Index g : p.vertex_edges[at(v)]) {
      const Vec3 u = away(p, v, g);
      if (!c.cut(-dot(c.tail - origin, u) + slack_, -dot(c.head - origin, u) + slack_, edge(g))) break;
    }
    if (c.outside) return move(i, c.low.neighbour);
    const auto slope = [&](double place) { return dot(c.along(), c.point(place) - origin); };
    return follow(i, c, slope);
  }

  /// Where the distance still falls beyond an end of what is left, the neighbour behind that end is nearer.
  template <class Slope>
  Step follow(std::size_t i, const Clipped& c, Slope&& slope) {
    if (c.empty()) {
      if (!c.low.cut || !c.high.cut) return move(i, (c.low.cut ? c.low : c.high).neighbour);
      return move(i, (slope(c.low.place) > 0 ? c.low : c.high).neighbour);
    }
    if (c.low.cut && slope(c.low.place) > 0) return move(i, c.low.neighbour);
    if (c.high.cut && slope(c.high.place) < 0) return move(i, c.high.neighbour);
    return Step::done;
  }

  /// i has the vertex.
  Step vertex_face(std::size_t i) {
    const std::size_t j = 1 - i;
    const Polyhedron& p = *solids_[i];
    const Polyhedron& q = *solids_[j];
    const Index v = features[i].index;
    const Index f = features[j].index;
    const Vec3 x = seen(j, p.corner(v));
    Index best = none;
    double largest = slack_;
    for (const Index e : q.face_edges[at(f)]) {
      const double beyond =
          dot(x - q.corner(q.edges[at(e)][0]), out_of_face(q, e, q.edge_faces[at(e)][0] == f ? 0 : 1));
      if (beyond > largest) {
        largest = beyond;
        best = e;
      }
    }
    if (best != none) return move(j, edge(best));
    const Vec3& n = q.units[at(f)];
    const double height = dot(n, x - q.corner(q.faces[at(f)][0]));
    if (std::abs(height) <= slack_) return Step::overlap;
    // Down towards the plane, from whichever side.
    const double sign = height > 0 ? 1 : -1;
    const Vec3 down = into_[j].rotate_back(-sign * n);
    double steepest = slack_;
    for (const Index e : p.vertex_edges[at(v)]) {
      const auto [first, second] = p.edges[at(e)];
      const double falls = dot(down, p.corner(first == v ? second : first) - p.corner(v));
      if (falls > steepest) {
        steepest = falls;
        best = e;
      }
    }
    if (best != none) return move(i, edge(best));
    if (height > 0) return Step::done;
    // Below the plane and nothing nearer to it: inside, or in front of another face.
    double highest = slack_;
    for (std::size_t g = 0; g < q.units.size(); ++g) {
      const double above = dot(q.units[g], x - q.corner(q.faces[g][0]));
      if (above > highest) {
        highest = above;
        best = static_cast<Index>(g);
      }
    }
    return best == none ? Step::overlap : move(j, face(best));
  }

  Step edge_edge() {
    for (std::size_t i = 0; i < 2; ++i) {
      const Polyhedron& p = *solids_[i];
      const Polyhedron& q = *solids_[1 - i];
      const Index e = features[i].index;
      const auto [first, second] = p.edges[at(e)];
      const auto [tail, head] = q.edges[at(features[1 - i].index)];
      Clipped c{seen(i, q.corner(tail)), seen(i, q.corner(head))};
      const Vec3& d = p.edge_units[at(e)];
      const Vec3 from = p.corner(first);
      const Vec3 to = p.corner(second);
      bool left = c.cut(dot(c.tail - from, d) + slack_, dot(c.head - from, d) + slack_, vertex(first)) &&
                  c.cut(dot(to - c.tail, d) + slack_, dot(to - c.head, d) + slack_, vertex(second));
      if (c.outside) return move(i, c.low.neighbour);
      for (int side = 0; side < 2 && left; ++side) {
        const Index f = p.edge_faces[at(e)][static_cast<std::size_t>(side)];
        if (f == none) continue;
        const Vec3 out = out_of_face(p, e, side);
        left = c.cut(dot(c.tail - from, out) + slack_, dot(c.head - from, out) + slack_, face(f));
      }
      if (c.outside) return move(i, c.low.neighbour);
      bool touch = false;
      const auto slope = [&](const ClippedEnd& end) {
        const Vec3 x = c.point(end.place);
        if (end.neighbour.kind == Kind::vertex) return dot(c.along(), x - p.corner(end.neighbour.index));
        const Vec3& n = p.units[at(end.neighbour.index)];
        const double height = dot(n, x - from);
        touch = touch || height == 0;
        return height >= 0 ? dot(c.along(), n) : -dot(c.along(), n);
      };
      const Step step =
          follow(i, c, [&](double place) { return slope(place == c.low.place && c.low.cut ? c.low : c.high); });
      if (touch) return Step::overlap;
      if (step == Step::go_on) return step;
    }
    return Step::done;
  }

  /// i has the edge.
  Step edge_face(std::size_t i) {
    const std::size_t j = 1 - i;
    const Polyhedron& p = *solids_[i];
    const Polyhedron& q = *solids_[j];
    const auto [tail, head] = p.edges[at(features[i].index)];
    const Index f = features[j].index;
    Clipped c{seen(j, p.corner(tail)), seen(j, p.corner(head))};
    for (const Index e : q.face_edges[at(f)]) {
      const Vec3 out = out_of_face(q, e, q.edge_faces[at(e)][0] == f ? 0 : 1);
      const Vec3 origin = q.corner(q.edges[at(e)][0]);
      if (!c.cut(-dot(c.tail - origin, out), -dot(c.head - origin, out), edge(e))) break;
    }
    if (c.outside || c.empty()) return move(j, nearest_on_rim(q, f, c.tail, c.head));
    const Vec3& n = q.units[at(f)];
    const Vec3 origin = q.corner(q.faces[at(f)][0]);
    const double low = dot(n, c.point(c.low.place) - origin);
    const double high = dot(n, c.point(c.high.place) - origin);
    if (low * high <= 0) return Step::overlap;
    if (std::abs(high) >= std::abs(low)) return c.low.cut ? move(j, c.low.neighbour) : move(i, vertex(tail));
    return c.high.cut ? move(j, c.high.neighbour) : move(i, vertex(head));
  }

  /// The edge or corner of a face that is nearest to a segment.
  PolyhedronFeature nearest_on_rim(const Polyhedron& q, Index f, const Vec3& tail, const Vec3& head) const {
    PolyhedronFeature best;
    double smallest = INFINITY;
    for (const Index e : q.face_edges[at(f)]) {
      const auto [first, second] = q.edges[at(e)];
      const EdgeEdgeClosest closest =
          closest_edge_edge(q.corners[at(first)], q.corners[at(second)], math::to_eigen(tail), math::to_eigen(head));
      if (!(closest.distance < smallest)) continue;
      smallest = closest.distance;
      best = closest.s <= 0 ? vertex(first) : closest.s >= 1 ? vertex(second) : edge(e);
    }
    return best;
  }
};

PolyhedronFeature valid(const Polyhedron& p, const PolyhedronFeature& f) {
  const std::size_t count = f.kind == Kind::vertex ? p.corners.size()
                            : f.kind == Kind::edge ? p.edges.size()
                                                   : p.faces.size();
  return f.index >= 0 && at(f.index) < count ? f : vertex(0);
}

/// Closest points of two features that are known to be closest: not of a face and an edge, nor of two faces.
void add_points(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, Vclip& v) {
  const auto on_b = [&](Index i) { return pose.rotate(b.corner(i)) + pose.t; };
  const PolyhedronFeature& fa = v.features[0];
  const PolyhedronFeature& fb = v.features[1];
  const auto foot = [](const Vec3& x, const Vec3& origin, const Vec3& n) { return x - dot(n, x - origin) * n; };
  const auto on_edge = [](const Vec3& x, const Vec3& tail, const Vec3& head) {
    const Vec3 d = head - tail;
    return tail + std::clamp(dot(x - tail, d) / dot(d, d), 0.0, 1.0) * d;
  };
  const auto ends_a = [&] { return std::pair{a.corner(a.edges[at(fa.index)][0]), a.corner(a.edges[at(fa.index)][1])}; };
  const auto ends_b = [&] { return std::pair{on_b(b.edges[at(fb.index)][0]), on_b(b.edges[at(fb.index)][1])}; };
  if (fa.kind == Kind::vertex) {
    v.point_a = a.corner(fa.index);
    if (fb.kind == Kind::vertex) v.point_b = on_b(fb.index);
    if (fb.kind == Kind::edge) v.point_b = on_edge(v.point_a, ends_b().first, ends_b().second);
    if (fb.kind == Kind::face) {
      v.point_b = foot(v.point_a, on_b(b.faces[at(fb.index)][0]), pose.rotate(b.units[at(fb.index)]));
    }
  } else if (fb.kind == Kind::vertex) {
    v.point_b = on_b(fb.index);
    if (fa.kind == Kind::edge) v.point_a = on_edge(v.point_b, ends_a().first, ends_a().second);
    if (fa.kind == Kind::face) v.point_a = foot(v.point_b, a.corner(a.faces[at(fa.index)][0]), a.units[at(fa.index)]);
  } else {
    const auto [a0, a1] = ends_a();
    const auto [b0, b1] = ends_b();
    const EdgeEdgeClosest closest =
        closest_edge_edge(math::to_eigen(a0), math::to_eigen(a1), math::to_eigen(b0), math::to_eigen(b1));
    v.point_a = math::to_vec3(closest.point_a);
    v.point_b = math::to_vec3(closest.point_b);
  }
}

}  // namespace

Vclip vclip(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, const FeatureCache& start) {
  Walk walk(a, b, pose);
  walk.features = {valid(a, start.a), valid(b, start.b)};
  Vclip v;
  Walk::Step step = Walk::Step::go_on;
  while (step == Walk::Step::go_on && v.iterations < max_steps) {
    ++v.iterations;
    step = walk.step();
  }
  v.features = walk.features;
  if (step == Walk::Step::overlap) v.ending = Vclip::Ending::overlap;
  if (step != Walk::Step::done) return v;
  v.ending = Vclip::Ending::apart;
  add_points(a, b, pose, v);
  return v;
}

}  // namespace carom::convex
