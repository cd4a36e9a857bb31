#include "narrow/overlap/local_depth.hpp"

#include <algorithm>
#include <cmath>

#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "narrow/mesh/triangle_pair.hpp"

namespace carom::overlap {
namespace {

/// Pieces between two calls of `go_on`.
constexpr std::size_t pieces_at_a_time = 16;
/// Neighbors count as one flat face with a triangle if they are out of its plane by no more than this fraction of it.
constexpr double flat = 1e-9;

double distance_to(const TriangleCorners& t, const Vec3& p) {
  return closest_vertex_triangle(math::to_eigen(p), math::to_eigen(t[0]), math::to_eigen(t[1]), math::to_eigen(t[2]))
      .distance;
}

/// Whether some triangle of the mesh meets t, all in the frame of the mesh.
bool meets_any(const MeshData& solid, const TriangleCorners& t) {
  const Vec3 low = math::lower(math::lower(t[0], t[1]), t[2]);
  const Vec3 high = math::higher(math::higher(t[0], t[1]), t[2]);
  const Vec3 center = 0.5 * (low + high);
  const double slack = 1e-14 * (solid.reach + math::length(center));
  const Vec3 half = 0.5 * (high - low) + Vec3{slack, slack, slack};
  const Vec3 n = math::unit_or_zero(math::cross(t[1] - t[0], t[2] - t[0]));
  const double offset = dot(n, t[0]);
  std::array<std::uint32_t, shapes::max_tree_depth + 2> waiting;
  std::size_t count = 0;
  waiting[count++] = 0;
  while (count > 0) {
    const std::uint32_t i = waiting[--count];
    const shapes::BoxVolume& box = solid.tree.boxes[i];
    const Vec3 d = box.center - center;
    if (std::abs(d.x) > box.half.x + half.x || std::abs(d.y) > box.half.y + half.y ||
        std::abs(d.z) > box.half.z + half.z)
      continue;
    const double reach = std::abs(n.x) * box.half.x + std::abs(n.y) * box.half.y + std::abs(n.z) * box.half.z + slack;
    if (std::abs(dot(n, box.center) - offset) > reach) continue;
    const shapes::TreeNode& node = solid.tree.nodes[i];
    if (!node.leaf()) {
      waiting[count++] = node.first + 1;
      waiting[count++] = node.first;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      if (mesh::meet(solid.tree.corners[k], t)) return true;
    }
  }
  return false;
}

class DepthFinder {
 public:
  DepthFinder(const MeshData& solid, const LocalDepth& start, const DepthLimits& limits)
      : solid_(solid), limits_(limits), best_(start) {}

  LocalDepth run(const std::vector<SunkTriangle>& triangles, const std::function<bool()>& go_on) {
    for (const SunkTriangle& triangle : triangles) clip(triangle);
    std::make_heap(heap_.begin(), heap_.end(), shallower);
    std::size_t count = 0;
    double upper = 0;
    while (!heap_.empty()) {
      const double bound = heap_.front().bound;
      if (bound <= target() || ++count > limits_.max_pieces || (count % pieces_at_a_time == 0 && go_on && !go_on())) {
        upper = bound;
        break;
      }
      std::pop_heap(heap_.begin(), heap_.end(), shallower);
      const SunkTriangle piece = heap_.back();
      heap_.pop_back();
      if (!settle(piece)) split(piece);
    }
    best_.error = std::max(std::max(upper, dropped_bound_) - best_.depth, 0.0);
    best_.pieces = count;
    return best_;
  }

 private:
  static bool shallower(const SunkTriangle& p, const SunkTriangle& q) { return p.bound < q.bound; }
  double target() const { return best_.depth + std::max(limits_.absolute, limits_.relative * best_.depth); }

  /// The part of a triangle in the box, as triangles.
  void clip(const SunkTriangle& triangle) {
    const TriangleCorners& t = triangle.corners;
    if (counts(t[0]) && counts(t[1]) && counts(t[2])) {
      heap_.push_back(triangle);
      return;
    }
    std::vector<Vec3> polygon(t.begin(), t.end());
    for (const double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
      for (const double side : {-1.0, 1.0}) {
        const double limit = side < 0 ? -limits_.low.*axis : limits_.high.*axis;
        std::vector<Vec3> kept;
        for (std::size_t i = 0; i < polygon.size(); ++i) {
          const Vec3& p = polygon[i];
          const Vec3& q = polygon[(i + 1) % polygon.size()];
          const double over_p = side * (p.*axis) - limit;
          const double over_q = side * (q.*axis) - limit;
          if (over_p <= 0) kept.push_back(p);
          if ((over_p <= 0) != (over_q <= 0)) kept.push_back(p + (over_p / (over_p - over_q)) * (q - p));
        }
        polygon = std::move(kept);
      }
    }
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
      heap_.push_back({{polygon[0], polygon[i], polygon[i + 1]}, triangle.number, triangle.whole, triangle.bound});
  }

  bool counts(const Vec3& p) const {
    return p.x >= limits_.low.x && p.y >= limits_.low.y && p.z >= limits_.low.z && p.x <= limits_.high.x &&
           p.y <= limits_.high.y && p.z <= limits_.high.z;
  }

  void take(const Vec3& p, const mesh::NearestPoint& near, Index number) {
    if (!counts(p)) return;
    best_.found = true;
    best_.depth = near.distance;
    best_.point = p;
    best_.exit = near.point;
    best_.triangle = number;
    best_.other = near.triangle;
  }

  /// A sample at p: whether it is inside is asked only where that matters.
  void sample(const SunkTriangle& piece, const Vec3& p) {
    const mesh::NearestPoint near = mesh::nearest(solid_, p, INFINITY, true);
    if (near.distance > best_.depth && (piece.whole || mesh::inside(solid_, p))) take(p, near, piece.number);
  }

  /// A piece is settled if it is outside, or cannot be deeper than what is known.
  bool settle(SunkTriangle piece) {
    const TriangleCorners& t = piece.corners;
    const Vec3 c = (1.0 / 3) * (t[0] + t[1] + t[2]);
    const double radius = std::max({math::length(t[0] - c), math::length(t[1] - c), math::length(t[2] - c)});
    const Vec3 beside = math::higher(math::higher(limits_.low - c, c - limits_.high), {0, 0, 0});
    if (math::length(beside) > radius) return true;
    const mesh::NearestPoint near = mesh::nearest(solid_, c, INFINITY, true);
    if (near.triangle == none) return true;
    bool is_inside = piece.whole;
    if (!piece.whole && (near.distance > radius || near.distance > best_.depth)) {
      is_inside = mesh::inside(solid_, c);
      if (near.distance > radius) {
        if (!is_inside) return true;
        piece.whole = true;
      }
    }
    if (is_inside && near.distance > best_.depth) take(c, near, piece.number);
    bound_ = std::min({piece.bound, near.distance + radius, face_bound(t, near.triangle)});
    whole_ = piece.whole;
    return bound_ <= target() ? keep_bound() : moves_out(t, c, near);
  }

  /// Pieces that are left with a bound above the depth found make the error.
  bool keep_bound() {
    dropped_bound_ = std::max(dropped_bound_, bound_);
    return true;
  }

  /// Distance of the corners from a flat convex face: a triangle of the solid, alone or with one flat neighbor.
  double face_bound(const TriangleCorners& t, Index triangle) const {
    const std::array<Index, 3> v{vertex(triangle, 0), vertex(triangle, 1), vertex(triangle, 2)};
    const TriangleCorners f = corners(triangle);
    std::array<double, 3> own{};
    for (std::size_t k = 0; k < 3; ++k) own[k] = distance_to(f, t[k]);
    double best = std::max({own[0], own[1], own[2]});
    const Vec3 n = math::unit_or_zero(math::cross(f[1] - f[0], f[2] - f[0]));
    if (!(dot(n, n) > 0.5)) return best;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      for (const Index other : solid_.vertex_triangles[at(v[k])]) {
        if (other == triangle) continue;
        std::size_t corner = 3;
        for (std::size_t j = 0; j < 3; ++j) {
          if (vertex(other, j) == v[next] && vertex(other, (j + 1) % 3) == v[k]) corner = (j + 2) % 3;
        }
        if (corner == 3) continue;
        const Vec3 apex = corners(other)[corner];
        const double edge = math::length(f[next] - f[k]);
        const double height = std::abs(dot(n, apex - f[0]));
        if (height > flat * edge) continue;
        // Both angles along the common edge are below a straight one: the two together are convex.
        const Vec3& third = f[(k + 2) % 3];
        if (dot(n, math::cross(f[k] - third, apex - f[k])) < 0 || dot(n, math::cross(apex - f[next], third - apex)) < 0)
          continue;
        double both = 0;
        const TriangleCorners g = corners(other);
        for (std::size_t j = 0; j < 3; ++j) both = std::max(both, std::min(own[j], distance_to(g, t[j])));
        best = std::min(best, both + height);
      }
    }
    return best;
  }

  /// Moved by a little more than the depth found, along the shortest exit of its middle, the piece is outside: then no
  /// point of it is deeper.
  bool moves_out(const TriangleCorners& t, const Vec3& c, const mesh::NearestPoint& near) {
    const double h = target();
    if (!(h > 0)) return false;
    const TriangleCorners f = corners(near.triangle);
    const Vec3 face = math::unit_or_zero(math::cross(f[1] - f[0], f[2] - f[0]));
    Vec3 out = near.point - c;
    if (dot(out, face) < 0) out = -out;
    out = math::unit_or_zero(out);
    // Faces that coincide, at the end of a flush pin, part along their own normal.
    const Vec3 own = math::unit_or_zero(math::cross(t[1] - t[0], t[2] - t[0]));
    for (const Vec3& n : {out, own, -own, face, -face}) {
      if (!(dot(n, n) > 0.5)) continue;
      const TriangleCorners moved{t[0] + h * n, t[1] + h * n, t[2] + h * n};
      if (mesh::inside(solid_, c + h * n) || meets_any(solid_, moved)) continue;
      bound_ = h;
      return keep_bound();
    }
    return false;
  }

  /// Halves across the longest edge.
  void split(const SunkTriangle& piece) {
    const TriangleCorners& t = piece.corners;
    std::size_t longest = 0;
    double length = -1;
    for (std::size_t k = 0; k < 3; ++k) {
      const double l = math::length(t[(k + 1) % 3] - t[k]);
      if (l > length) {
        length = l;
        longest = k;
      }
    }
    const Vec3& p = t[longest];
    const Vec3& q = t[(longest + 1) % 3];
    const Vec3& r = t[(longest + 2) % 3];
    const Vec3 middle = 0.5 * (p + q);
    sample({piece.corners, piece.number, whole_, bound_}, middle);
    for (const TriangleCorners& half : {TriangleCorners{p, middle, r}, TriangleCorners{middle, q, r}}) {
      heap_.push_back({half, piece.number, whole_, bound_});
      std::push_heap(heap_.begin(), heap_.end(), shallower);
    }
  }

  Index vertex(Index triangle, std::size_t k) const {
    return solid_.vertex_at[at(solid_.mesh.triangles[at(triangle)][k])];
  }
  TriangleCorners corners(Index triangle) const {
    return {math::to_vec3(solid_.corner(triangle, 0)), math::to_vec3(solid_.corner(triangle, 1)),
            math::to_vec3(solid_.corner(triangle, 2))};
  }

  const MeshData& solid_;
  const DepthLimits& limits_;
  LocalDepth best_;
  std::vector<SunkTriangle> heap_;
  double bound_ = 0;  ///< of the piece that was looked into last
  bool whole_ = false;
  double dropped_bound_ = 0;
};

}  // namespace

LocalDepth find_local_depth(const MeshData& solid, const std::vector<SunkTriangle>& triangles, const LocalDepth& start,
                            const DepthLimits& limits, const std::function<bool()>& go_on) {
  return DepthFinder(solid, start, limits).run(triangles, go_on);
}

}  // namespace carom::overlap
