#pragma once

#include <array>

#include "narrow/convex/pair.hpp"

/// The point of a simplex of up to four vertices that is closest to the origin.
///
/// Candidates are judged by their own distance and are convex combinations of vertices, so a bad weight of a sliver
/// can make the answer farther than the truth but never nearer.
namespace carom::convex {

struct Simplex {
  std::array<Vertex, 4> vertices;
  std::array<double, 4> weights{};
  int count = 0;

  Vec3 on_a() const {
    Vec3 sum = weights[0] * vertices[0].a;
    for (int i = 1; i < count; ++i)
      sum = sum + weights[static_cast<std::size_t>(i)] * vertices[static_cast<std::size_t>(i)].a;
    return sum;
  }
  bool has(const Vertex& w) const {
    for (int i = 0; i < count; ++i) {
      const Vertex& v = vertices[static_cast<std::size_t>(i)];
      if (v.ia == w.ia && v.ib == w.ib) return true;
    }
    return false;
  }
};

/// Closest to the origin among some vertices, named by their places in the simplex.
struct Candidate {
  Vec3 v;
  double squared = INFINITY;
  std::array<int, 3> places{};
  std::array<double, 3> weights{};
  int count = 0;
};

inline Candidate closest_on_edge(const Simplex& s, int i, int j) {
  const Vec3& p = s.vertices[static_cast<std::size_t>(i)].y;
  const Vec3& q = s.vertices[static_cast<std::size_t>(j)].y;
  const Vec3 d = q - p;
  const double along = -dot(p, d);
  const double length = dot(d, d);
  if (!(along > 0)) return {p, dot(p, p), {i}, {1}, 1};
  if (!(along < length)) return {q, dot(q, q), {j}, {1}, 1};
  const double t = along / length;
  const Vec3 v = p + t * d;
  return {v, dot(v, v), {i, j}, {1 - t, t}, 2};
}

inline const Candidate& nearer(const Candidate& a, const Candidate& b) {
  return b.squared < a.squared ? b : a;
}

/// k is the newest vertex: the plane is measured from it.
inline Candidate closest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Vec3& c = s.vertices[static_cast<std::size_t>(k)].y;
  const Vec3 ca = s.vertices[static_cast<std::size_t>(i)].y - c;
  const Vec3 cb = s.vertices[static_cast<std::size_t>(j)].y - c;
  const Vec3 n = cross(ca, cb);
  const double nn = dot(n, n);
  const double wa = dot(n, cross(cb, c));
  const double wb = dot(n, cross(c, ca));
  const double wc = nn - wa - wb;
  if (wa > 0 && wb > 0 && wc > 0) {
    const double inverse = 1 / nn;
    const Vec3 v = (dot(n, c) * inverse) * n;
    return {v, dot(v, v), {i, j, k}, {wa * inverse, wb * inverse, wc * inverse}, 3};
  }
  Candidate best = nearer(closest_on_edge(s, k, i), closest_on_edge(s, k, j));
  if (!(wc > 0)) best = nearer(best, closest_on_edge(s, i, j));
  return best;
}

inline Vec3 keep(Simplex& s, const Candidate& best) {
  // Places ascend only for edges and faces named so; copy through a buffer.
  std::array<Vertex, 3> kept;
  for (int i = 0; i < best.count; ++i) {
    kept[static_cast<std::size_t>(i)] = s.vertices[static_cast<std::size_t>(best.places[static_cast<std::size_t>(i)])];
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(best.count); ++i) {
    s.vertices[i] = kept[i];
    s.weights[i] = best.weights[i];
  }
  s.count = best.count;
  return best.v;
}

/// Leaves the vertices of the smallest face that holds the closest point, with their weights. The last vertex is the
/// newest. Four are left if the origin is inside; then the point is the origin.
inline Vec3 closest_to_origin(Simplex& s) {
  switch (s.count) {
    case 1: {
      s.weights[0] = 1;
      return s.vertices[0].y;
    }
    case 2:
      return keep(s, closest_on_edge(s, 1, 0));
    case 3:
      return keep(s, closest_on_triangle(s, 0, 1, 2));
    default:
      break;
  }
  const Vec3& d = s.vertices[3].y;
  const Vec3 da = s.vertices[0].y - d;
  const Vec3 db = s.vertices[1].y - d;
  const Vec3 dc = s.vertices[2].y - d;
  const Vec3 nab = cross(da, db);
  const Vec3 nbc = cross(db, dc);
  const Vec3 nca = cross(dc, da);
  const double volume = dot(nab, dc);
  const double sign = volume < 0 ? -1.0 : 1.0;
  // Barycentric weights times the volume: negative where the origin is beyond the face opposite of the vertex.
  const double wc = -sign * dot(nab, d);
  const double wa = -sign * dot(nbc, d);
  const double wb = -sign * dot(nca, d);
  const double wd = std::abs(volume) - wa - wb - wc;
  if (volume != 0 && wa >= 0 && wb >= 0 && wc >= 0 && wd >= 0) {
    const double inverse = 1 / std::abs(volume);
    s.weights = {wa * inverse, wb * inverse, wc * inverse, wd * inverse};
    return {};
  }
  Candidate best;
  if (wc < 0 || volume == 0) best = closest_on_triangle(s, 0, 1, 3);
  if (wa < 0 || volume == 0) best = nearer(best, closest_on_triangle(s, 1, 2, 3));
  if (wb < 0 || volume == 0) best = nearer(best, closest_on_triangle(s, 2, 0, 3));
  if (wd < 0 || best.count == 0) best = nearer(best, closest_on_triangle(s, 0, 1, 2));
  return keep(s, best);
}

}  // namespace carom::convex
