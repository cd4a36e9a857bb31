#pragma once

#include <cmath>

#include "narrow/convex/robust_simplex.hpp"
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
  bool wide = false;  ///< doubles were not enough, and the depth needs more digits as well
  int iterations = 0;
};

/// Goes on from where gjk() ended, for polytopes, with twice the digits. A verdict that is settled stands.
void wide_gjk(const Core& a, const Core& b, const RelativePose& pose, Gjk& g);

/// Whether rounding cannot have taken the origin into a tetrahedron.
inline bool surely_inside(const Simplex& s) {
  const Vec3& d = s.y(3);
  const Vec3 da = s.y(0) - d;
  const Vec3 db = s.y(1) - d;
  const Vec3 dc = s.y(2) - d;
  const Vec3 nab = cross(da, db);
  const Vec3 nbc = cross(db, dc);
  const Vec3 nca = cross(dc, da);
  const double volume = dot(nab, dc);
  const double sign = volume < 0 ? -1.0 : 1.0;
  const double wc = -sign * dot(nab, d);
  const double wa = -sign * dot(nbc, d);
  const double wb = -sign * dot(nca, d);
  const double wd = std::abs(volume) - wa - wb - wc;
  const double squared = std::max({dot(d, d), dot(da, da), dot(db, db), dot(dc, dc)});
  return std::min({wa, wb, wc, wd}) > 1e-14 * squared * std::sqrt(squared);
}

inline constexpr int max_gjk_iterations = 128;
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
    const Closest closest = closest_to_origin(g.simplex);
    if (closest.count == 4 && surely_inside(g.simplex)) {
      g.simplex.weights = closest.weights;
      g.overlap = true;
      g.verdict = Verdict::touching;
      return g;
    }
    if (closest.count < 4 && closest.squared > tiny * tiny) {
      keep(g.simplex, closest);
      g.v = closest.v;
      squared = closest.squared;
    } else {
      g.simplex.count = 0;
    }
  }
  double axis_squared = dot(g.v, g.v);
  bool sound = true;
  for (;;) {
    if (++g.iterations > max_gjk_iterations) {
      g.limited = true;
      break;
    }
    const Vertex w = pair.support(-g.v);
    const double vw = dot(g.v, w.y);
    if (vw > 0) {
      // Less what rounding can do, so that it is a bound in truth.
      const double bound = vw / std::sqrt(axis_squared) - tiny;
      if (bound > g.lower) {
        g.lower = bound;
        g.lower_axis = g.v;
        g.lower_vertex = w;
        if (g.verdict == Verdict::unknown && g.lower > r) {
          g.verdict = Verdict::apart;
          if (only_verdict) return g;
        }
      }
    }
    if (squared < INFINITY) {
      if (squared - vw <= gjk_tolerance * squared) break;
      if (polytopes && g.simplex.has(w)) {
        // Then v is not the closest point of its own simplex, which is thin.
        if (g.simplex.count < 3) break;
        const Closest closest = robust_closest_to_origin(g.simplex);
        if (!(closest.squared < squared)) break;
        keep(g.simplex, closest);
        g.v = closest.v;
        squared = closest.squared;
        axis_squared = squared;
        continue;
      }
    }
    g.simplex.vertices[static_cast<std::size_t>(g.simplex.count++)] = w;
    Closest closest = closest_to_origin(g.simplex);
    if (!(closest.squared < squared) && g.simplex.count > 2) closest = robust_closest_to_origin(g.simplex);
    if (closest.count == 4 && g.lower > 0) {
      // Known to be apart, so this is rounding: the gap that is known is the answer.
      g.simplex.weights = closest.weights;
      g.v = (g.lower / std::sqrt(dot(g.lower_axis, g.lower_axis))) * g.lower_axis;
      squared = g.lower * g.lower;
      sound = false;
      break;
    }
    if (closest.count == 4) {
      g.simplex.weights = closest.weights;
      g.v = {};
      squared = 0;
      g.overlap = true;
      sound = surely_inside(g.simplex);
      break;
    }
    if (!(closest.squared < squared)) {
      --g.simplex.count;
      break;
    }
    keep(g.simplex, closest);
    g.v = closest.v;
    squared = closest.squared;
    axis_squared = squared;
    if (!(squared > tiny * tiny)) {
      g.overlap = !(g.lower > 0);
      sound = false;
      break;
    }
    if (g.verdict == Verdict::unknown && r > 0 && squared <= r * r) {
      g.verdict = Verdict::touching;
      if (only_verdict) return g;
    }
  }
  g.upper = std::sqrt(squared);
  if (g.lower > g.upper) g.upper = g.lower;  // by rounding
  // Without an axis that separates them, cores are not apart: what kept v from 0 is rounding in a thin simplex.
  if (!(g.lower > 0) && !g.overlap) {
    g.overlap = true;
    sound = false;
  }
  sound = sound && g.upper - g.lower <= 4 * tiny + 4 * gjk_tolerance * g.upper;
  if (!sound && polytopes) wide_gjk(pair.a.core, pair.b.core, pair.pose, g);
  if (g.verdict == Verdict::unknown) g.verdict = g.upper > r && !g.overlap ? Verdict::apart : Verdict::touching;
  return g;
}

}  // namespace carom::convex
