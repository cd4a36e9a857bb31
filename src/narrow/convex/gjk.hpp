#pragma once

#include <cmath>

#include "narrow/convex/simplex.hpp"

/// Gilbert, Johnson and Keerthi's distance between two cores, as the distance of the origin from their difference.
///
/// Every iteration has two bounds: |v| from above, for v is a point of the difference, and v.w / |v| from below, for w
/// is farthest along -v. The first bound that settles whether the cores are within the sum of their radii settles it
/// for good, whoever asked: the boolean stops there, the distance goes on and may not contradict it. So
/// the answers agree even where rounding decides.
///
/// It ends: |v| falls strictly, or the vertex found is one we have, or the limit is met. Comparisons are written so
/// that NaN ends it as well.
namespace carom::convex {

enum class Verdict { unknown, apart, touching };

struct Gjk {
  Simplex simplex;
  Vec3 v;            ///< closest point found
  double upper = 0;  ///< |v|
  double lower = 0;  ///< best lower bound of the distance of the cores
  Vec3 lower_axis;   ///< v of that bound
  Vertex lower_vertex;
  Verdict verdict = Verdict::unknown;
  bool overlap = false;  ///< the cores themselves: v is 0 but for rounding
  bool limited = false;
  int iterations = 0;
};

inline constexpr int most_gjk_iterations = 128;
/// Bounds this close, relative to the distance, are equal.
inline constexpr double gjk_tolerance = 1e-12;

/// `axis` is where the search begins: some vector of the difference, not zero. `start` are vertices to begin with.
template <class P>
Gjk gjk(const P& pair, const Vec3& axis, bool only_verdict, const Simplex* start = nullptr) {
  Gjk g;
  const double r = pair.radius();
  const bool polytopes = pair.polytopes();
  const double scale = pair.scale();
  // Nearer to the origin than this is rounding.
  const double tiny = 1e-15 * scale;
  double squared = INFINITY;
  g.v = axis;
  if (start != nullptr && start->count > 0) {
    g.simplex = *start;
    g.v = closest_to_origin(g.simplex);
    squared = dot(g.v, g.v);
    if (g.simplex.count == 4) {
      g.overlap = true;
      g.verdict = Verdict::touching;
      return g;
    }
    if (!(squared > tiny * tiny)) {
      g.simplex.count = 0;
      g.v = axis;
      squared = INFINITY;
    }
  }
  double axis_squared = dot(g.v, g.v);
  for (;;) {
    if (++g.iterations > most_gjk_iterations) {
      g.limited = true;
      break;
    }
    const Vertex w = pair.support(-g.v);
    const double vw = dot(g.v, w.y);
    if (vw > 0 && vw * vw > g.lower * g.lower * axis_squared) {
      g.lower = vw / std::sqrt(axis_squared);
      g.lower_axis = g.v;
      g.lower_vertex = w;
      if (g.verdict == Verdict::unknown && g.lower > r) {
        g.verdict = Verdict::apart;
        if (only_verdict) return g;
      }
    }
    if (squared < INFINITY) {
      if (squared - vw <= gjk_tolerance * squared) break;
      if (polytopes && g.simplex.has(w)) break;
    }
    const Simplex before = g.simplex;
    g.simplex.vertices[static_cast<std::size_t>(g.simplex.count++)] = w;
    const Vec3 v = closest_to_origin(g.simplex);
    if (g.simplex.count == 4) {
      g.v = {};
      squared = 0;
      g.overlap = true;
      break;
    }
    const double now = dot(v, v);
    if (!(now < squared)) {
      g.simplex = before;
      break;
    }
    g.v = v;
    squared = now;
    axis_squared = now;
    if (!(squared > tiny * tiny)) {
      g.overlap = !(g.lower > 0);
      break;
    }
    if (g.verdict == Verdict::unknown && r > 0 && squared <= r * r) {
      g.verdict = Verdict::touching;
      if (only_verdict) return g;
    }
  }
  g.upper = std::sqrt(squared);
  if (g.lower > g.upper) g.upper = g.lower;  // by rounding
  // Where no bound settled it, the cores touch but for rounding, or the limit was met.
  if (!(g.lower > 0) && g.upper <= 1e-13 * scale) g.overlap = true;
  if (g.verdict == Verdict::unknown) g.verdict = g.upper > r && !g.overlap ? Verdict::apart : Verdict::touching;
  return g;
}

}  // namespace carom::convex
