#include "narrow/convex/minkowski_faces.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/facet_bounds.hpp"

namespace carom::convex {
namespace {

using kernels::facet_lanes;
using kernels::FacetGroup;
using kernels::Facets;
using shapes::HullData;

/// Error of the floats of the bounds, as a fraction of the size.
constexpr double float_slack = 2e-6;
/// Depths below this, of the size, are left to others: bounds are no bounds where the depth is 0.
constexpr double min_depth = 1e-9;
/// Hulls with no more corners than this are small.
constexpr std::uint32_t max_tried_corners = 40;
/// Few faces are looked at in one go.
constexpr std::uint32_t max_few_faces = 3 * facet_lanes;
/// Larger than any depth, and less than what fills up rows of faces.
constexpr double no_limit = 1e30;
constexpr std::uint32_t max_first_corners = 24;
constexpr int max_cuts = 40;
/// Squared sines of the angle of two edges. Below the first they span a face of the difference that is thinner than
/// what counts; below the second their normal is short of two digits or more, and the depth along it is checked.
constexpr double parallel_arcs = 1e-24;
constexpr double sure_normal = 1e-4;
/// Rounding of a depth, as a fraction of the size.
constexpr double depth_rounding = 4e-15;

/// One hull with its faces, and the other seen from its frame.
struct Side {
  const HullData& hull;
  const HullData& other;
  const RelativePose& pose;

  Vec3 seen(const Vec3& p) const { return pose.rotate(p) + pose.t; }
  const shapes::HullFan::Face& face(std::size_t f) const { return hull.fan.faces[f]; }
  Vec3 corner(std::size_t i) const { return math::to_vec3(hull.points[i]); }
  Vec3 other_corner(std::size_t i) const { return seen(math::to_vec3(other.points[i])); }
  /// Farthest corner of the other against a direction of this frame.
  shapes::SupportPoint behind(const Vec3& n) const { return shapes::hull_support(other, -pose.rotate_back(n)); }
};

/// A face of the difference, in the frame of the side that it was found from.
struct Best {
  double depth = INFINITY;
  Vec3 n;
  const Side* side = nullptr;
  bool edges = false;
  std::uint32_t face = 0;  ///< of the side
  std::uint16_t from = 0;  ///< or an edge of it
  std::uint16_t to = 0;
  std::uint32_t corner = 0;      ///< of the other
  std::uint32_t corner_too = 0;  ///< and the end of an edge there
  bool sure = true;              ///< the normal has enough digits
};

struct Search {
  double limit;  ///< the smallest support known
  double slack;
  Best best;
  int supports = 0;
  bool sound = true;
  /// Corners at the ends of arcs bound a depth up to this only. They are farthest but for floats, and so this is less
  /// than the depth only where several corners are nearly equally far.
  double sure_limit = no_limit;
  bool exact_ends = false;

  float bound() const { return static_cast<float>(limit + slack); }
};

void put(const Vec3& from, float* to) {
  to[0] = static_cast<float>(from.x);
  to[1] = static_cast<float>(from.y);
  to[2] = static_cast<float>(from.z);
}

kernels::FacetFrame frame_of(const Side& side) {
  kernels::FacetFrame frame;
  put(side.pose.x, frame.x);
  put(side.pose.y, frame.y);
  put(side.pose.z, frame.z);
  put(side.pose.t, frame.t);
  const Vec3 centre = side.seen(side.other.fan.centre);
  const Vec3 travel = centre - side.hull.fan.centre;
  put(centre, frame.centre);
  put(travel, frame.travel);
  frame.distance = static_cast<float>(std::sqrt(dot(travel, travel)));
  frame.radius = static_cast<float>(side.other.fan.radius);
  return frame;
}

/// Corners of the other hull that bound what is behind faces of this one.
struct Known {
  static constexpr std::uint32_t largest = 192;
  std::array<float, 4 * largest> points;
  std::array<std::uint32_t, largest> index;
  std::uint32_t count = 0;

  void add(const Vec3& p, std::uint32_t i) {
    put(p, points.data() + 4 * static_cast<std::size_t>(count));
    index[count++] = i;
  }
  bool full() const { return count == largest; }
};

/// The faces of one hull that can be closest.
///
/// Of a small hull all corners are tried on all faces, in floats, which tells the few that are worth a closer look.
/// With a large one, the most promising face is tried first; each support rules out others.
class FaceSearch {
 public:
  // The lists are filled as far as they are used, not before.
  FaceSearch(const Side& of, Search& in) : side(of), search(in), small_(of.other.size() <= max_tried_corners) {}

  const Side& side;
  Search& search;
  Facets facets;

  /// One face of the group that looks best, for a limit to go on with. `start` is some corner of the other hull.
  void begin(const shapes::SupportPoint& start) {
    frame_ = frame_of(side);
    if (!small_) {
      known_.add(start.p, start.index);
      for (const Index i : side.other.neighbours[start.index]) {
        if (known_.count == max_first_corners) break;
        known_.add(math::to_vec3(side.other.points[static_cast<std::size_t>(i)]), static_cast<std::uint32_t>(i));
      }
    }
    if (side.hull.fan.faces.size() <= max_few_faces) return;
    kernels::select_first_facets(rows(), frame_, facets);
    if (small_) {
      take_limit();
    } else {
      try_face(kernels::tighten_facets(facets, points(), 0, known_.count));
    }
  }

  bool run() {
    if (!kernels::select_facets(rows(), frame_, search.bound(), facets)) return false;
    if (facets.count == 0) return true;
    if (!small_) return try_faces(0);
    take_limit();
    return true;
  }

  /// Does what was left for the end.
  bool finish() { return !small_ || try_faces(side.other.size()); }

  const float* points() const { return small_ ? side.other.fan.corners.data() : known_.points.data(); }
  /// Number of corners that can rule out arcs.
  std::uint32_t marks() const { return std::min(small_ ? side.other.size() : known_.count, kernels::max_marks); }
  std::uint32_t corner(std::int32_t at) const {
    return small_ ? static_cast<std::uint32_t>(at) : known_.index[static_cast<std::size_t>(at)];
  }

 private:
  kernels::FanRows rows() const {
    const shapes::HullFan& fan = side.hull.fan;
    return {fan.groups.data(), fan.group_stride, fan.blocks.data()};
  }
  float bound(std::uint32_t at) const { return facets.groups[at / facet_lanes].bound[at % facet_lanes]; }

  /// With all corners, bounds are what they bound, but for rounding.
  void take_limit() {
    const std::uint32_t at = kernels::tighten_facets(facets, points(), 0, side.other.size());
    search.limit = std::min(search.limit, bound(at) + search.slack);
  }

  /// Faces that can be closest still, from the corner `first` of the list on.
  bool try_faces(std::uint32_t first) {
    if (facets.count == 0) return true;
    for (;;) {
      const std::uint32_t last = small_ ? first : known_.count;
      const std::uint32_t at = kernels::tighten_facets(facets, points(), first, last);
      if (!(bound(at) < search.bound())) return true;
      if (!small_ && known_.full()) return false;
      first = last;
      try_face(at);
    }
  }

  void try_face(std::uint32_t at) {
    FacetGroup& group = facets.groups[at / facet_lanes];
    const std::uint32_t lane = at % facet_lanes;
    const std::uint32_t f = group.number * facet_lanes + lane;
    const shapes::HullFan::Face& face = side.face(f);
    const shapes::SupportPoint s = side.behind(face.n);
    ++search.supports;
    const double depth = face.offset - dot(face.n, side.seen(s.p));
    if (depth < search.best.depth) search.best = {depth, face.n, &side, false, f, 0, 0, s.index, 0, true};
    search.limit = std::min(search.limit, depth);
    group.bound[lane] = INFINITY;
    if (small_) return;
    group.corner[lane] = static_cast<std::int32_t>(known_.count);
    known_.add(s.p, s.index);
  }

  bool small_;
  kernels::FacetFrame frame_;
  Known known_;
};

/// An edge of the side, and the part of its arc between two normals.
struct Arc {
  const Side& side;
  std::uint16_t from, to;
  Vec3 p;  ///< a corner of it
  Vec3 along;
};

struct End {
  Vec3 n;
  std::uint32_t corner = 0;  ///< of the other, farthest at this end or nearly
  Vec3 s;                    ///< seen from the side
  bool exact = false;        ///< farthest by doubles, not only by floats

  void settle(const Side& side, Search& search) {
    if (exact) return;
    const shapes::SupportPoint p = side.behind(n);
    ++search.supports;
    corner = p.index;
    s = side.seen(p.p);
    exact = true;
  }
};

/// The corners at the ends are farthest there, but for the floats that they were found by.
void search_arc(const Arc& arc, End& one, End& two, int cuts, Search& search) {
  const double one_at_one = dot(one.n, arc.p - one.s);
  const double one_at_two = dot(two.n, arc.p - one.s);
  const double two_at_one = dot(one.n, arc.p - two.s);
  const double two_at_two = dot(two.n, arc.p - two.s);
  if (cuts == 0) search.sure_limit = std::min({search.sure_limit, one_at_one, two_at_two});
  // Then one corner bounds the whole arc.
  if (std::max(one_at_two, two_at_one) >= search.limit) return;
  if ((one_at_one < two_at_one || two_at_two < one_at_two) && !(one.exact && two.exact)) {
    // Not farthest after all: they may be equally far somewhere beyond the arc.
    one.settle(arc.side, search);
    two.settle(arc.side, search);
    return search_arc(arc, one, two, cuts, search);
  }
  Vec3 m = cross(arc.along, two.s - one.s);
  if (dot(m, one.n) + dot(m, two.n) < 0) m = -m;
  const double mm = dot(m, m);
  const double value = dot(m, arc.p - one.s);
  if (value > 0 && value * value >= search.limit * search.limit * mm) return;
  // Edges that are all but parallel: the two corners are equally far all along the arc.
  const double parallel = mm / (dot(arc.along, arc.along) * dot(two.s - one.s, two.s - one.s));
  if (!(parallel > parallel_arcs)) return;
  const bool sure = parallel > sure_normal;
  // No digit that is left is lost along the edge, where it would count most.
  if (!sure) m = m - (dot(m, arc.along) / dot(arc.along, arc.along)) * arc.along;
  if (cuts == max_cuts) {
    search.sound = false;
    return;
  }
  const double length = std::sqrt(sure ? mm : dot(m, m));
  const Vec3 n = (1 / length) * m;
  const shapes::SupportPoint s = arc.side.behind(n);
  ++search.supports;
  End middle{n, s.index, arc.side.seen(s.p), true};
  const double known = dot(n, arc.p - one.s);
  const double found = std::max(dot(n, arc.p - middle.s), known);
  search.limit = std::min(search.limit, found);
  if (s.index == one.corner || s.index == two.corner || found <= known + 1e-9 * search.slack) {
    if (found < search.best.depth) {
      search.best = {found, n, &arc.side, true, 0, arc.from, arc.to, one.corner, two.corner, sure};
    }
    return;
  }
  search_arc(arc, one, middle, cuts + 1, search);
  search_arc(arc, middle, two, cuts + 1, search);
}

struct OpenArc {
  std::uint32_t face;
  std::uint32_t edge;
};
constexpr std::size_t max_open_arcs = 1024;

/// Edges that neither the ball nor any one corner of those known rules out at both ends.
std::size_t open_arcs(const shapes::HullFan& fan, const Facets& facets, const std::int32_t* marks, OpenArc* open) {
  std::size_t count = 0;
  for (std::uint32_t g = 0; g < facets.count; ++g) {
    const std::uint32_t first = facets.groups[g].number * facet_lanes;
    for (std::uint32_t f = first; f < first + facet_lanes; ++f) {
      const std::int32_t mark = marks[f];
      if ((mark & 1) != 0) continue;
      const shapes::HullFan::Face& face = fan.faces[f];
      if (count + face.count > max_open_arcs) return max_open_arcs + 1;
      for (std::uint32_t k = face.first; k < face.first + face.count; ++k) {
        const std::uint32_t beyond = fan.edges[k].beyond;
        // Arcs between two faces that are open both are met twice.
        const int again = static_cast<int>(beyond < f) & ~marks[beyond] & 1;
        open[count] = {f, k};
        count += static_cast<std::size_t>(1 - (again | static_cast<int>((mark & marks[beyond]) != 0)));
      }
    }
  }
  return count;
}

bool search_edges(const FaceSearch& faces, Search& search) {
  const Side& side = faces.side;
  const Facets& facets = faces.facets;
  const shapes::HullFan& fan = side.hull.fan;
  // Groups that are not in the list are ruled out by the ball.
  std::array<std::int32_t, shapes::max_fan_faces> marks;
  std::array<std::uint32_t, shapes::max_fan_faces / facet_lanes> places;
  std::fill_n(marks.begin(), fan.faces.size(), 1);
  for (std::uint32_t g = 0; g < facets.count; ++g) places[facets.groups[g].number] = g;
  kernels::mark_facets(facets, faces.points(), faces.marks(), search.bound(), marks.data());
  std::array<OpenArc, max_open_arcs> open;
  const std::size_t count = open_arcs(fan, facets, marks.data(), open.data());
  if (count > max_open_arcs) return false;
  // A corner known to be no nearer than the limit behind a face, or the support there.
  const auto end_at = [&](std::uint32_t f) {
    const Vec3& n = side.face(f).n;
    const std::uint32_t g = places[f / facet_lanes];
    if (g < facets.count && facets.groups[g].number == f / facet_lanes) {
      const std::int32_t corner = facets.groups[g].corner[f % facet_lanes];
      if (corner >= 0 && !search.exact_ends) {
        const std::uint32_t i = faces.corner(corner);
        return End{n, i, side.other_corner(i), false};
      }
    }
    const shapes::SupportPoint s = side.behind(n);
    ++search.supports;
    return End{n, s.index, side.seen(s.p), true};
  };
  End end;
  for (std::size_t at = 0; at < count; ++at) {
    const shapes::HullFan::Edge& edge = fan.edges[open[at].edge];
    const Vec3 p = side.corner(edge.from);
    // Arcs of one face follow each other.
    if (at == 0 || open[at].face != open[at - 1].face) end = end_at(open[at].face);
    End beyond = end_at(edge.beyond);
    search_arc({side, edge.from, edge.to, p, side.corner(edge.to) - p}, end, beyond, 0, search);
  }
  return search.sound;
}

/// Points where the normal leaves, if these are on the face or on both edges.
struct Points {
  bool there = false;
  Vec3 on_side;   ///< in the frame of the side
  Vec3 on_other;  ///< as well
  std::array<std::uint32_t, 3> of_side{};
  std::array<std::uint32_t, 3> of_other{};
  int corners = 0;
};

Points points_on_face(const Best& best, double scale) {
  const Side& side = *best.side;
  Points points;
  points.on_other = side.other_corner(best.corner);
  points.on_side = points.on_other + best.depth * best.n;
  const auto face = side.hull.faces[side.face(best.face).number];
  const auto at = [&](std::size_t k) { return side.corner(static_cast<std::size_t>(face[k])); };
  /// How far inside of the line from p to q, times its length.
  const auto inside = [&](const Vec3& p, const Vec3& q) { return dot(cross(best.n, q - p), points.on_side - p); };
  for (std::size_t k = 0; k < face.size(); ++k) {
    const Vec3 p = at(k);
    const Vec3 q = at((k + 1) % face.size());
    const double d = inside(p, q);
    if (d < 0 && d * d > 1e-18 * scale * scale * dot(q - p, q - p)) return points;
  }
  // The triangle of the fan round the first corner.
  std::size_t k = 1;
  while (k + 2 < face.size() && inside(at(0), at(k + 1)) > 0) ++k;
  const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(face[i]); };
  points.of_side = {number(0), number(k), number(k + 1)};
  points.of_other = {best.corner, best.corner, best.corner};
  points.corners = 3;
  points.there = true;
  return points;
}

Points points_on_edges(const Best& best) {
  const Side& side = *best.side;
  const Vec3 p = side.corner(best.from);
  const Vec3 e = side.corner(best.to) - p;
  const Vec3 q = side.other_corner(best.corner);
  const Vec3 g = side.other_corner(best.corner_too) - q;
  const Vec3 across_g = cross(g, best.n);
  const Vec3 across_e = cross(e, best.n);
  // p + u e - (q + v g) = depth n
  const double u = dot(q - p, across_g) / dot(e, across_g);
  const double v = dot(p - q, across_e) / dot(g, across_e);
  Points points;
  constexpr double beyond = 1e-9;
  if (!(u >= -beyond && u <= 1 + beyond && v >= -beyond && v <= 1 + beyond)) return points;
  points.on_other = q + v * g;
  points.on_side = points.on_other + best.depth * best.n;
  points.of_side = {best.from, best.to, best.to};
  points.of_other = {best.corner, best.corner_too, best.corner_too};
  points.corners = 2;
  points.there = true;
  return points;
}

void finish(const Search& search, const Side& of_a, double scale, HullDepth& result) {
  const Best& best = search.best;
  const Points points = best.edges ? points_on_edges(best) : points_on_face(best, scale);
  result.depth = best.depth;
  result.supports = search.supports;
  result.corners = points.corners;
  result.has_points = points.there;
  if (best.side == &of_a) {
    result.n = best.n;
    result.on_a = points.on_side;
    result.corners_a = points.of_side;
    result.corners_b = points.of_other;
  } else {
    result.n = -of_a.pose.rotate(best.n);
    result.on_a = of_a.seen(points.on_other);
    result.corners_a = points.of_other;
    result.corners_b = points.of_side;
  }
}

bool very_small(const HullData& hull) {
  return hull.fan.faces.size() <= max_few_faces && hull.size() <= max_tried_corners;
}

bool search_all(const Side& of_a, const Side& of_b, double scale, const Vec3& guess, Search& search) {
  shapes::SupportPoint start_a;
  shapes::SupportPoint start_b;
  const auto try_direction = [&](const Vec3& d) {
    const double length = dot(d, d);
    if (!(length > 0 && length < INFINITY)) return;
    const Vec3 n = (1 / std::sqrt(length)) * d;
    const shapes::SupportPoint pa = shapes::hull_support(of_a.hull, n);
    const shapes::SupportPoint pb = of_a.behind(n);
    ++search.supports;
    const double h = dot(n, pa.p - of_a.seen(pb.p));
    if (!(h < search.limit)) return;
    search.limit = h;
    start_a = pa;
    start_b = pb;
  };
  // All faces of very small hulls are looked at, whatever the limit.
  if (!very_small(of_a.hull) || !very_small(of_b.hull)) {
    try_direction(guess);
    if (!(search.limit < no_limit)) try_direction(of_a.seen(of_b.hull.fan.centre) - of_a.hull.fan.centre);
    if (!(search.limit < no_limit)) try_direction({1, 0, 0});
  }
  if (!(search.limit > min_depth * scale)) return false;
  FaceSearch faces_a(of_a, search);
  FaceSearch faces_b(of_b, search);
  faces_a.begin(start_b);
  faces_b.begin(start_a);
  if (!faces_a.run() || !faces_b.run()) return false;
  if (!(search.limit > min_depth * scale)) return false;
  FaceSearch& fewer = faces_a.facets.count <= faces_b.facets.count ? faces_a : faces_b;
  if (!search_edges(fewer, search)) return false;
  if (!faces_a.finish() || !faces_b.finish()) return false;
  if (search.sure_limit < search.best.depth - 1e-9 * search.slack) {
    // Without a depth there is no limit, and filler faces of a group would count.
    if (!(search.best.depth < no_limit)) return false;
    search.exact_ends = true;
    search.limit = search.best.depth;
    if (!search_edges(fewer, search)) return false;
  }
  // Every way out is also some direction tried, so these can differ by rounding only.
  return search.limit > min_depth * scale && search.best.depth <= search.limit + depth_rounding * scale;
}

}  // namespace

bool hull_depth(const HullData& a, const HullData& b, const RelativePose& pose, double scale, const Vec3& guess,
                HullDepth& result) {
  if (!a.fan.usable() || !b.fan.usable()) return false;
  const RelativePose back = inverse(pose);
  const Side of_a{a, b, pose};
  const Side of_b{b, a, back};
  Search search{no_limit, float_slack * scale, {}};
  if (!search_all(of_a, of_b, scale, guess, search)) return false;
  finish(search, of_a, scale, result);
  if (search.best.sure) return true;
  // The normal of two edges is short of digits where they are nearly parallel.
  const double h = dot(result.n, shapes::hull_support(a, result.n).p - of_a.seen(of_a.behind(result.n).p));
  return std::abs(h - result.depth) <= depth_rounding * scale;
}

}  // namespace carom::convex
