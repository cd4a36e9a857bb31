#include "narrow/overlap/overlap.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "narrow/mesh/point_queries.hpp"

namespace carom::overlap {
namespace {

constexpr int max_attempts = 4;
/// Triangles of the depth search for all pieces of one side.
constexpr std::size_t pieces_of_a_side = 60000;
constexpr std::size_t min_pieces = 200;
/// Starting points of the search for a ball, and its steps.
constexpr std::size_t ball_starts = 24;
constexpr int ball_steps = 24;

/// Length of the sum of the area vectors over the area, above which the overlap is on one side of both.
constexpr double one_sided = 0.5;

class Meter {
 public:
  Meter(const GeneralPosition& g, const Curves& curves, double fine, const std::function<bool()>& go_on)
      : g_(g), curves_(curves), fine_(std::max(fine, 2 * g.shift_length)), go_on_(go_on) {
    for (std::size_t side = 0; side < 2; ++side) {
      crosses_[side].assign(g.mesh(side).mesh.triangles.size(), 0);
      bound_[side].assign(g.mesh(side).mesh.positions.size(), unset);
      left_[side] = pieces_of_a_side;
    }
    for (const CurveSegment& s : curves.segments) crosses_[0][at(s.a)] = crosses_[1][at(s.b)] = 1;
  }

  Overlap measure(const Piece& piece) {
    Overlap o;
    o.low = piece.low;
    o.high = piece.high;
    o.area = piece.sides[0].area + piece.sides[1].area;
    const double least = std::min(piece.sides[0].area, piece.sides[1].area);
    const Vec3& across = piece.sides[0].area_vector;
    if (math::length(across) > one_sided * least) o.normal = math::unit_or_zero(across);
    o.volume = piece.volume;
    // By the shift, and by the rounding of points and sums.
    double surface = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      surface += std::abs(piece.sides[side].area);
      o.triangles[side] = piece.sides[side].triangles;
      // What lies on the other surface is inside or not by the shift alone.
      for (const Index t : o.triangles[side]) {
        if (crosses_[side][at(t)] != 0) surface += area_in_box(side, t, piece);
      }
    }
    o.volume_error = surface * (g_.shift_length + mesh::rounding(g_.a, g_.b, g_.pose));
    for (std::size_t side = 0; side < 2; ++side) o.depths[1 - side] = sink(piece, side);
    if (g_.a.any_closed && g_.b.any_closed) {
      find_ball(o);
    } else {
      find_crossing(piece, o);
    }
    return o;
  }

 private:
  Vec3 vertex(std::size_t side, Index v) const {
    const Vec3 p = math::to_vec3(g_.mesh(side).mesh.positions[at(v)]);
    return side == 0 ? p : g_.pose.rotate(p) + g_.pose.t;
  }
  std::array<Vec3, 3> corners(std::size_t side, Index t) const {
    return {vertex(side, g_.vertex(side, t, 0)), vertex(side, g_.vertex(side, t, 1)),
            vertex(side, g_.vertex(side, t, 2))};
  }

  /// Area of the part of a triangle that can be in a box: no more than the product of the sides of the box allows.
  double area_in_box(std::size_t side, Index t, const Piece& piece) const {
    const std::array<Vec3, 3> c = corners(side, t);
    const Vec3 n = 0.5 * math::cross(c[1] - c[0], c[2] - c[0]);
    const Vec3 size = piece.high - piece.low;
    const double faces = std::sqrt(dot(size, size)) * std::sqrt(dot(size, size));
    return std::min(math::length(n), faces);
  }

  /// Depths of the vertices inside: those that a neighbor shows to be no deeper than the best are not searched.
  LocalDepth deepest_vertex(const Piece& piece, std::size_t side) {
    const MeshData& own = g_.mesh(side);
    const MeshData& solid = g_.mesh(1 - side);
    LocalDepth best;
    std::size_t count = 0;
    for (const Index v : piece.sides[side].vertices) {
      if (++count % 64 == 0 && go_on_ && !go_on_()) break;
      const Vec3 p = vertex(side, v);
      double bound = INFINITY;
      for (const Index t : own.vertex_triangles[at(v)]) {
        for (std::size_t k = 0; k < 3; ++k) {
          const Index u = g_.vertex(side, t, k);
          if (u == v || !(bound_[side][at(u)] < INFINITY)) continue;
          bound = std::min(bound, bound_[side][at(u)] + math::length(vertex(side, u) - p));
        }
      }
      if (bound > best.depth) {
        const Vec3 local = g_.into(1 - side, p);
        // The bound of a neighbor, and more than rounding, is where the search begins.
        const mesh::NearestPoint near = mesh::nearest(solid, local, 1.000001 * bound + fine_, true);
        bound = near.distance;
        if (near.triangle != none && (near.distance > best.depth || !best.found)) {
          best.found = true;
          best.depth = near.distance;
          best.point = local;
          best.exit = near.point;
          best.other = near.triangle;
          best.triangle = own.vertex_triangles[at(v)].front();
        }
      }
      bound_[side][at(v)] = bound;
    }
    return best;
  }

  /// How far the surface of `side` goes below the other.
  LocalDepth sink(const Piece& piece, std::size_t side) {
    const MeshData& solid = g_.mesh(1 - side);
    if (!solid.any_closed) return {};
    const LocalDepth start = deepest_vertex(piece, side);
    std::vector<SunkTriangle> triangles;
    DepthLimits limits;
    limits.absolute = fine_;
    const double enough = start.depth + std::max(limits.absolute, limits.relative * start.depth);
    double skipped = 0;
    for (const Index t : piece.sides[side].triangles) {
      const std::array<Vec3, 3> c = corners(side, t);
      const double edges[3] = {math::length(c[1] - c[0]), math::length(c[2] - c[1]), math::length(c[0] - c[2])};
      const bool crossing = crosses_[side][at(t)] != 0;
      double bound = crossing ? std::max({edges[0], edges[1], edges[2]}) : INFINITY;
      for (std::size_t k = 0; k < 3; ++k) {
        const double at_vertex = bound_[side][at(g_.vertex(side, t, k))];
        if (at_vertex < INFINITY) bound = std::min(bound, at_vertex + std::max(edges[k], edges[(k + 2) % 3]));
      }
      if (bound <= enough) {
        skipped = std::max(skipped, bound);
        continue;
      }
      triangles.push_back(
          {{g_.into(1 - side, c[0]), g_.into(1 - side, c[1]), g_.into(1 - side, c[2])}, t, !crossing, bound});
    }
    box_in(1 - side, piece, limits);
    // Each triangle once, and some of them in pieces.
    limits.max_pieces = std::max(min_pieces, std::min(limits.max_pieces + 2 * triangles.size(), left_[side]));
    LocalDepth depth = find_local_depth(solid, triangles, start, limits, go_on_);
    left_[side] -= std::min(left_[side], depth.pieces);
    depth.error = std::max(depth.error, skipped - depth.depth) + g_.shift_length;
    if (1 - side == 1) {
      depth.point = g_.pose.rotate(depth.point) + g_.pose.t;
      depth.exit = g_.pose.rotate(depth.exit) + g_.pose.t;
    }
    return depth;
  }

  /// Box of the piece in the frame of a solid, grown by the shift.
  void box_in(std::size_t solid, const Piece& piece, DepthLimits& limits) const {
    limits.low = {INFINITY, INFINITY, INFINITY};
    limits.high = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 8; ++k) {
      const Vec3 p =
          g_.into(solid, {(k & 1) != 0 ? piece.high.x : piece.low.x, (k & 2) != 0 ? piece.high.y : piece.low.y,
                          (k & 4) != 0 ? piece.high.z : piece.low.z});
      limits.low = math::lower(limits.low, p);
      limits.high = math::higher(limits.high, p);
    }
    const double more = 4 * g_.shift_length;
    limits.low = limits.low - Vec3{more, more, more};
    limits.high = limits.high + Vec3{more, more, more};
  }

  /// Distance of p from both surfaces, the lesser, or -1 outside of one; `from` is the nearest point.
  double free_radius(const Vec3& p, Vec3& from) const {
    const Vec3 in_b = g_.into(1, p);
    if (!mesh::inside(g_.a, p) || !mesh::inside(g_.b, in_b)) return -1;
    const mesh::NearestPoint near_a = mesh::nearest(g_.a, p, INFINITY, true);
    const mesh::NearestPoint near_b = mesh::nearest(g_.b, in_b, INFINITY, true);
    from = near_a.distance < near_b.distance ? near_a.point : g_.pose.rotate(near_b.point) + g_.pose.t;
    return std::min(near_a.distance, near_b.distance);
  }

  /// Balls in the overlap, from points below its surface, away from the nearest surface as long as that helps.
  void find_ball(Overlap& o) const {
    const double thickness = o.area > 0 ? 2 * o.volume / o.area : 0;
    const double sunk = std::max(o.depths[0].depth + o.depths[0].error, o.depths[1].depth + o.depths[1].error);
    if (!(thickness > 4 * sunk)) return;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::vector<Index>& list = o.triangles[side];
      const std::size_t step = std::max<std::size_t>(1, list.size() / ball_starts);
      for (std::size_t i = 0; i < list.size(); i += step) {
        const std::array<Vec3, 3> c = corners(side, list[i]);
        const Vec3 n = math::unit_or_zero(math::cross(c[1] - c[0], c[2] - c[0]));
        for (const double sign : {-0.5, 0.5}) {
          if (go_on_ && !go_on_()) return;
          climb((1.0 / 3) * (c[0] + c[1] + c[2]) + (sign * thickness) * n, o);
        }
      }
    }
  }

  /// Searches near the middle of a ball are slow, as all of the surface is equally far away: a climb that comes near
  /// the middle of the best ball ends there.
  static bool is_near_best(const Vec3& p, const Overlap& o) { return math::length(p - o.ball_center) < 0.5 * o.ball; }

  void climb(Vec3 p, Overlap& o) const {
    if (is_near_best(p, o)) return;
    Vec3 from;
    double radius = free_radius(p, from);
    if (radius < 0) return;
    double step = radius;
    for (int i = 0; i < ball_steps && step > 1e-3 * radius; ++i) {
      if (is_near_best(p, o) || (go_on_ && !go_on_())) break;
      const Vec3 next = p + step * math::unit_or_zero(p - from);
      Vec3 next_from;
      const double next_radius = free_radius(next, next_from);
      if (next_radius > radius) {
        p = next;
        radius = next_radius;
        from = next_from;
      } else {
        step *= 0.5;
      }
    }
    if (radius <= o.ball) return;
    o.ball = radius;
    o.ball_center = p;
  }

  /// How far a triangle reaches through the plane of another, on the side where it reaches less.
  static double reach_through(const std::array<Vec3, 3>& plane, const std::array<Vec3, 3>& t) {
    const Vec3 n = math::unit_or_zero(math::cross(plane[1] - plane[0], plane[2] - plane[0]));
    double low = INFINITY;
    double high = -INFINITY;
    for (const Vec3& p : t) {
      low = std::min(low, dot(n, p - plane[0]));
      high = std::max(high, dot(n, p - plane[0]));
    }
    return std::max(0.0, std::min(-low, high));
  }

  void find_crossing(const Piece& piece, Overlap& o) const {
    for (const Index i : piece.segments) {
      const CurveSegment& s = curves_.segments[at(i)];
      const std::array<Vec3, 3> ta = corners(0, s.a);
      const std::array<Vec3, 3> tb = corners(1, s.b);
      const double through = std::min(reach_through(ta, tb), reach_through(tb, ta));
      if (i != piece.segments.front() && through <= o.crossing) continue;
      o.crossing = through;
      o.crossing_point = 0.5 * (curves_.crossings[at(s.start)].point + curves_.crossings[at(s.end)].point);
      o.crossing_normal = math::unit_or_zero(math::cross(ta[1] - ta[0], ta[2] - ta[0]));
    }
  }

  const GeneralPosition& g_;
  const Curves& curves_;
  double fine_;
  const std::function<bool()>& go_on_;
  std::array<std::vector<std::uint8_t>, 2> crosses_;  ///< of each triangle
  std::array<std::vector<double>, 2> bound_;          ///< of each vertex inside: no deeper than this
  std::array<std::size_t, 2> left_{};
};

}  // namespace

OverlapSearch find_overlaps(const MeshData& a, const MeshData& b, const RelativePose& pose, double fine,
                            const std::function<bool()>& go_on) {
  OverlapSearch search;
  const std::array<std::vector<int>, 2> orientation{orientation_of_components(a), orientation_of_components(b)};
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const GeneralPosition g = general_position(a, b, pose, attempt);
    search.shift = g.shift_length;
    Curves curves;
    Windings windings;
    const bool general = find_curves(g, orientation, go_on, curves);
    search.ended = curves.ended;
    if (search.ended) return search;
    if (!general || !find_windings(g, curves, orientation, windings)) continue;
    const std::vector<Piece> pieces = find_pieces(g, curves, windings, orientation);
    Meter meter(g, curves, fine, go_on);
    for (const Piece& piece : pieces) {
      search.overlaps.push_back(meter.measure(piece));
      search.ended = go_on && !go_on();  // before the end of the measuring, perhaps
      if (search.ended) break;
    }
    return search;
  }
  search.degenerate = true;
  return search;
}

}  // namespace carom::overlap
