#pragma once

#include <algorithm>
#include <array>

#include "narrow/convex/pair.hpp"

/// The point of a simplex of up to four vertices that is closest to the origin.
///
/// Candidates are judged by their own distance and are convex combinations of vertices, so a bad weight of a sliver
/// can make the answer farther than the truth but never nearer.
namespace carom::convex {

inline Vec3 unit(const Vec3& d) {
  // Scaled first: what is tiny would vanish when squared.
  const double largest = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  const Vec3 scaled = (1 / largest) * d;
  return (1 / std::sqrt(dot(scaled, scaled))) * scaled;
}

struct Simplex {
  std::array<Vertex, 4> vertices;
  std::array<double, 4> weights;
  int count = 0;

  const Vec3& y(int i) const { return vertices[static_cast<std::size_t>(i)].y; }

  Vec3 on_a() const {
    Vec3 sum = weights[0] * vertices[0].a;
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) sum = sum + weights[i] * vertices[i].a;
    return sum;
  }
  bool has(const Vertex& w) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (vertices[i].ia == w.ia && vertices[i].ib == w.ib) return true;
    }
    return false;
  }
};

/// The point closest to the origin of some face of a simplex. Places are numbers of vertices and ascend. Four
/// places are the whole tetrahedron, with the origin inside.
struct Closest {
  Vec3 v;
  double squared;
  int count;
  std::array<int, 4> places;
  std::array<double, 4> weights;
};

/// i < j
inline Closest closest_on_edge(const Simplex& s, int i, int j) {
  const Vec3& p = s.y(i);
  const Vec3& q = s.y(j);
  const Vec3 d = q - p;
  const double along = -dot(p, d);
  const double length = dot(d, d);
  if (!(along > 0)) return {p, dot(p, p), 1, {i}, {1}};
  if (!(along < length)) return {q, dot(q, q), 1, {j}, {1}};
  const double t = along / length;
  const Vec3 v = p + t * d;
  return {v, dot(v, v), 2, {i, j}, {1 - t, t}};
}

/// i < j < k, and k is the newest: the plane is measured from it.
inline Closest closest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Vec3& c = s.y(k);
  const Vec3 ca = s.y(i) - c;
  const Vec3 cb = s.y(j) - c;
  const Vec3 n = cross(ca, cb);
  const double nn = dot(n, n);
  const double wa = dot(n, cross(cb, c));
  const double wb = dot(n, cross(c, ca));
  const double wc = nn - wa - wb;
  if (wa > 0 && wb > 0 && wc > 0) {
    const double inverse = 1 / nn;
    const double h = dot(n, c);
    // The foot on the plane has more digits than a sum of far vertices, unless the triangle is a sliver.
    if (nn > 1e-8 * dot(ca, ca) * dot(cb, cb)) {
      return {(h * inverse) * n, h * h * inverse, 3, {i, j, k}, {wa * inverse, wb * inverse, wc * inverse}};
    }
    const Vec3 v = c + ((wa * inverse) * ca + (wb * inverse) * cb);
    return {v, dot(v, v), 3, {i, j, k}, {wa * inverse, wb * inverse, wc * inverse}};
  }
  Closest best = closest_on_edge(s, i, k);
  if (const Closest other = closest_on_edge(s, j, k); other.squared < best.squared) best = other;
  if (!(wc > 0)) {
    if (const Closest other = closest_on_edge(s, i, j); other.squared < best.squared) best = other;
  }
  return best;
}

inline Closest closest_in_tetrahedron(const Simplex& s) {
  const Vec3& d = s.y(3);
  const Vec3 da = s.y(0) - d;
  const Vec3 db = s.y(1) - d;
  const Vec3 dc = s.y(2) - d;
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
    return {{}, 0, 4, {0, 1, 2, 3}, {wa * inverse, wb * inverse, wc * inverse, wd * inverse}};
  }
  Closest best;
  best.squared = INFINITY;
  const auto offer = [&](int i, int j, int k) {
    if (const Closest other = closest_on_triangle(s, i, j, k); other.squared < best.squared) best = other;
  };
  if (wc < 0 || volume == 0) offer(0, 1, 3);
  if (wa < 0 || volume == 0) offer(1, 2, 3);
  if (wb < 0 || volume == 0) offer(0, 2, 3);
  if (wd < 0) offer(0, 1, 2);
  return best;
}

/// The last vertex is the newest.
inline Closest closest_to_origin(const Simplex& s) {
  switch (s.count) {
    case 1:
      return {s.y(0), dot(s.y(0), s.y(0)), 1, {0}, {1}};
    case 2:
      return closest_on_edge(s, 0, 1);
    case 3:
      return closest_on_triangle(s, 0, 1, 2);
    default:
      return closest_in_tetrahedron(s);
  }
}

/// Leaves the vertices that carry the closest point.
inline void keep(Simplex& s, const Closest& closest) {
  for (int i = 0; i < closest.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (closest.places[at] != i) s.vertices[at] = s.vertices[static_cast<std::size_t>(closest.places[at])];
    s.weights[at] = closest.weights[at];
  }
  s.count = closest.count;
}

}  // namespace carom::convex
