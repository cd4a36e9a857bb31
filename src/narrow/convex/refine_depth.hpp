#pragma once

#include "narrow/convex/epa.hpp"

/// A better depth from a good one. Every direction gives a true upper bound of the depth, so what these find can only
/// improve the answer.
namespace carom::convex {

template <class P>
bool offer(const P& pair, Epa& e, const Vec3& n) {
  const Vertex w = pair.support(n);
  const double h = dot(n, w.y);
  if (!(h < e.depth)) return false;
  e.depth = std::max(h, 0.0);
  e.n = n;
  e.simplex.vertices[0] = w;
  e.simplex.weights[0] = 1;
  e.simplex.count = 1;
  return true;
}

/// Normals of the faces of either shape: where rounding spoils the polytope, shapes are thin, and then one of their
/// faces is as a rule the way out.
template <class P>
void try_face_normals(const P& pair, Epa& e) {
  const auto of = [&](const Core& core, auto&& into_a) {
    if (core.kind == shapes::CoreKind::hull) {
      for (const Vec3& n : core.hull->face_normals) {
        if (dot(n, n) > 0.5) offer(pair, e, into_a(n));
      }
    } else {
      for (const Vec3& n : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
        offer(pair, e, into_a(n));
        offer(pair, e, into_a(-n));
      }
    }
  };
  of(pair.a.core, [](const Vec3& n) { return n; });
  of(pair.b.core, [&](const Vec3& n) { return -pair.pose.rotate(n); });
}

inline constexpr int max_refinements = 40;

/// Joukhadar's iteration: b is moved out along n, the closest points there give a better n. It goes to a local
/// minimum, and stops when it no longer falls. This is what makes the depth of round shapes exact.
template <class P>
void refine(const P& pair, Epa& e) {
  const double beyond = 1e-3 * pair.scale();
  for (int i = 0; i < max_refinements; ++i) {
    RelativePose out = pair.pose;
    out.t = out.t + (e.depth + beyond) * e.n;
    const P moved{pair.a, pair.b, out};
    const Gjk g = gjk(moved, -e.n, false);
    e.iterations += g.iterations;
    if (!(g.upper > 0)) return;
    const Vec3 n = unit(-g.v);
    const double h = dot(n, pair.support(n).y);
    // The first time the points are wanted even where the depth is as good already.
    if (!(h < e.depth) && !(i == 0 && h <= e.depth + 1e-12 * pair.scale())) return;
    const bool settled = e.depth - h <= 1e-13 * pair.scale();
    e.depth = std::max(h, 0.0);
    e.n = n;
    e.simplex = g.simplex;
    if (settled) return;
  }
}

}  // namespace carom::convex
