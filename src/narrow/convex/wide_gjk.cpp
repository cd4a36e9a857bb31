#include <cmath>

#include "narrow/convex/gjk.hpp"
#include "narrow/convex/wide_pair.hpp"

namespace carom::convex {

void wide_gjk(const Core& a, const Core& b, const RelativePose& pose, Gjk& g) {
  const WidePair pair(a, b, pose);
  const double r = pair.radius();
  const double tiny = 1e-15 * pair.scale();
  Simplex s = pair.seen(g.simplex);
  if (s.count == 0) s.vertices[static_cast<std::size_t>(s.count++)] = pair.support(-g.v);
  WideClosest closest = wide_closest_to_origin(s);
  double length = 0;
  double lower = 0;
  bool overlap = false;
  Vertex w = s.vertices[0];
  int iterations = 0;
  for (;; ++iterations) {
    keep(s, closest);
    overlap = closest.count == 4;
    if (overlap) break;
    length = square_root(closest.squared).high;
    overlap = !(length > tiny);
    if (overlap || iterations == max_gjk_iterations) break;
    w = pair.support(-unit(closest.v.rounded()));
    lower = (dot(closest.v, WideVec3(w.y)) / length).high;
    if (!(length - lower > tiny) || s.has(w)) break;
    Simplex next = s;
    next.vertices[static_cast<std::size_t>(next.count++)] = w;
    const WideClosest nearer = wide_closest_to_origin(next);
    if (!(nearer.squared < closest.squared)) break;
    s = next;
    closest = nearer;
  }
  overlap = overlap || !(lower > tiny);
  g.iterations += iterations;
  // A bound that settled the verdict is true but for the rounding of a support.
  if (overlap && g.verdict == Verdict::apart) return;
  g.wide = true;
  g.limited = iterations == max_gjk_iterations;
  g.simplex = pair.unseen(s);
  g.overlap = overlap;
  if (overlap) {
    g.v = {};
    g.upper = g.lower = 0;
  } else {
    g.v = pair.size() * closest.v.rounded();
    g.upper = pair.size() * length;
    g.lower = std::min(pair.size() * (lower - tiny), g.upper);
    g.lower_axis = g.v;
    g.lower_vertex = pair.unseen(w);
  }
  if (g.verdict == Verdict::unknown) g.verdict = g.upper > r && !overlap ? Verdict::apart : Verdict::touching;
}

}  // namespace carom::convex
