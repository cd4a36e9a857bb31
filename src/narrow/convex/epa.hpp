#pragma once

#include "narrow/convex/gjk.hpp"
#include "narrow/convex/polytope.hpp"

/// How deep two cores overlap: van den Bergen's expanding polytope, from the simplex GJK ended with.
///
/// For any unit vector n, moving b by the support h(n) of the difference along n separates the cores, so the smallest h
/// met is a true upper bound of the depth at any time; the closest face of the polytope, which is inside
/// the difference, is a lower one. Where rounding spoils the polytope, the best upper bound is the answer.
namespace carom::convex {

struct Epa {
  Vec3 n;            ///< unit, from a to b
  double depth = 0;  ///< h(n), at least 0
  double lower = 0;  ///< of the depth
  Simplex simplex;   ///< of the face, with the weights of its point closest to the origin
  bool limited = false;
  bool doubtful = false;  ///< thin faces of the polytope may have misled the search, see wide_epa()
  int iterations = 0;
};

/// Faces with twice this area, of the square of the size, or more have normals with digits enough.
inline constexpr double thin_area = 1e-3;

/// Any unit vector at right angles to d.
inline Vec3 across(const Vec3& d) {
  const double ax = std::abs(d.x);
  const double ay = std::abs(d.y);
  const double az = std::abs(d.z);
  const Vec3 e = ax <= ay && ax <= az ? Vec3{1, 0, 0} : ay <= az ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  const Vec3 c = cross(d, e);
  return (1 / std::sqrt(dot(c, c))) * c;
}

/// Adds vertices until the simplex is a tetrahedron. Where the difference is flat in some direction this cannot be:
/// then that direction is the answer, with a depth of 0 but for rounding, and `n` is set.
template <class P>
bool grow_to_tetrahedron(const P& pair, Simplex& s, double flat, Vec3& n) {
  const auto try_both = [&](const Vec3& d, auto&& size_with) {
    const Vertex up = pair.support(d);
    const Vertex down = pair.support(-d);
    const Vertex& w = size_with(up) >= size_with(down) ? up : down;
    if (!(size_with(w) > flat)) return false;
    s.vertices[static_cast<std::size_t>(s.count++)] = w;
    return true;
  };
  const std::array<Vec3, 3> axes{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
  if (s.count == 1) {
    const auto away = [&](const Vertex& w) {
      const Vec3 d = w.y - s.vertices[0].y;
      return std::sqrt(dot(d, d));
    };
    bool grown = false;
    for (const Vec3& d : axes) grown = grown || try_both(d, away);
    if (!grown) {
      n = axes[0];
      return false;
    }
  }
  if (s.count == 2) {
    Vec3 line = s.vertices[1].y - s.vertices[0].y;
    line = (1 / std::sqrt(dot(line, line))) * line;
    const auto off_line = [&](const Vertex& w) {
      const Vec3 d = cross(w.y - s.vertices[0].y, line);
      return std::sqrt(dot(d, d));
    };
    const Vec3 first = across(line);
    if (!try_both(first, off_line) && !try_both(cross(line, first), off_line)) {
      n = first;
      return false;
    }
  }
  if (s.count == 3) {
    Vec3 normal = cross(s.vertices[1].y - s.vertices[0].y, s.vertices[2].y - s.vertices[0].y);
    normal = (1 / std::sqrt(dot(normal, normal))) * normal;
    const auto off_plane = [&](const Vertex& w) { return std::abs(dot(w.y - s.vertices[0].y, normal)); };
    if (!try_both(normal, off_plane)) {
      n = normal;
      return false;
    }
  }
  return true;
}

template <class P>
Epa epa(const P& pair, const Gjk& g) {
  Epa result;
  Simplex s = g.simplex;
  const double scale = pair.scale();
  // Duplicate vertices, or a tetrahedron without volume, are begun again from what is sound of them.
  if (s.count == 4) {
    const Vec3 a = s.vertices[1].y - s.vertices[0].y;
    const Vec3 b = s.vertices[2].y - s.vertices[0].y;
    const Vec3 c = s.vertices[3].y - s.vertices[0].y;
    const Vec3 ab = cross(a, b);
    if (!(std::abs(dot(ab, c)) > 1e-12 * scale * std::sqrt(dot(ab, ab)))) s.count = 3;
  }
  if (s.count == 3) {
    const Vec3 n = cross(s.vertices[1].y - s.vertices[0].y, s.vertices[2].y - s.vertices[0].y);
    if (!(std::sqrt(dot(n, n)) > 1e-12 * scale * scale)) s.count = 1;
  } else if (s.count == 2) {
    const Vec3 d = s.vertices[1].y - s.vertices[0].y;
    if (!(std::sqrt(dot(d, d)) > 1e-12 * scale)) s.count = 1;
  }
  result.depth = INFINITY;
  // Keeps the smallest support along a unit vector.
  const auto offer = [&](const Vec3& n, const Vertex& w) {
    const double h = dot(n, w.y);
    if (!(h < result.depth)) return false;
    result.depth = h;
    result.n = n;
    return true;
  };
  const auto point_at = [&](const Vertex& w) {
    result.simplex.vertices[0] = w;
    result.simplex.weights[0] = 1;
    result.simplex.count = 1;
  };
  if (Vec3 n; !grow_to_tetrahedron(pair, s, 1e-13 * scale, n)) {
    for (const Vec3& d : {n, -n}) {
      const Vertex w = pair.support(d);
      if (offer(d, w)) point_at(w);
    }
    // Points of both in common, from the simplex that held the origin.
    result.simplex = g.simplex;
    result.depth = std::max(result.depth, 0.0);
    return result;
  }
  Polytope polytope(s.vertices, 1e-14 * scale);
  // The polytope of round shapes is a first approximation only: it would need thousands of faces.
  const double tolerance = pair.polytopes() ? 1e-12 : 1e-5;
  const double small = tolerance * scale;
  std::uint16_t f = 0;
  bool done = false;
  std::array<std::uint16_t, 3> best{};
  double best_squared = INFINITY;  // of the smallest support
  while (polytope.pop(f)) {
    if (polytope.key(f) >= best_squared) {
      done = true;
      result.lower = INFINITY;
      break;
    }
    ++result.iterations;
    // Everything is compared squared and times |n|: no square root before the end.
    const Polytope::Face& face = polytope.face(f);
    const Vertex w = pair.support(face.n);
    const double h = dot(face.n, w.y);
    const double squared = h > 0 ? h * h * face.inverse : 0;
    const double beyond = h - face.offset;
    done = !(beyond > 0) || beyond * beyond * face.inverse <= small * small;
    if (squared < best_squared || done) {
      best_squared = squared;
      best = face.vertex;
      result.n = face.n;
      result.depth = h;
    }
    result.lower = std::max(face.offset, 0.0) * std::sqrt(face.inverse);
    if (done || polytope.full()) break;
    if (!polytope.expand(f, w, best_squared * (1 + 1e-9))) break;
  }
  const double length = 1 / std::sqrt(dot(result.n, result.n));
  result.n = length * result.n;
  result.depth = std::max(length * result.depth, 0.0);
  const auto take = [&](const std::array<std::uint16_t, 3>& corners) {
    for (std::size_t k = 0; k < 3; ++k) result.simplex.vertices[k] = polytope.vertex(corners[k]);
    result.simplex.count = 3;
    return closest_to_origin(result.simplex);
  };
  // A face of the difference may be cut into several triangles, and the best one found may be gone: the points come
  // from the triangle that gets nearest to where the normal leaves the difference.
  const Vec3 exit = result.depth * result.n;
  const auto off = [&](const Closest& c) { return dot(c.v - exit, c.v - exit); };
  Closest foot = take(best);
  std::array<std::uint16_t, 3> chosen = best;
  const auto search_better = [&](auto&& closest_of) {
    polytope.for_each_face([&](std::uint16_t other) {
      const Polytope::Face& face = polytope.face(other);
      const double beside = dot(face.n, exit) - face.offset;
      if (beside * beside * face.inverse > 1e-14 * scale * scale) return;
      take(face.vertex);
      const Closest c = closest_of(result.simplex);
      if (!(off(c) < off(foot))) return;
      foot = c;
      chosen = face.vertex;
    });
    take(chosen);
  };
  if (off(foot) > 1e-20 * scale * scale) search_better(closest_to_origin);
  // Slivers again.
  if (off(foot) > 1e-18 * scale * scale) search_better(robust_closest_to_origin);
  keep(result.simplex, foot);
  result.limited = !done;
  if (pair.polytopes() && polytope.thinnest() < thin_area * thin_area * scale * scale * scale * scale) {
    result.lower = std::min(result.lower, polytope.sure_distance());
    result.doubtful = result.lower < result.depth - 1e-14 * scale;
  }
  if (result.lower > result.depth) result.lower = result.depth;
  return result;
}

}  // namespace carom::convex
