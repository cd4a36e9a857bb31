#pragma once

#include "carom/query/query.hpp"
#include "narrow/convex/gjk.hpp"

/// GJK from where it ended the last time: the axis, and the corners of its simplex where they have numbers.
namespace carom::convex {

inline std::uint32_t corner_count(const Core& core) {
  switch (core.kind) {
    case shapes::CoreKind::point:
      return 1;
    case shapes::CoreKind::segment:
      return 2;
    case shapes::CoreKind::box:
      return 8;
    case shapes::CoreKind::hull:
      return core.hull->size();
    default:
      return 0;
  }
}

inline Vec3 corner_of(const Core& core, std::uint32_t i) {
  switch (core.kind) {
    case shapes::CoreKind::segment:
      return {0, 0, i == 0 ? core.size.z : -core.size.z};
    case shapes::CoreKind::box:
      return shapes::box_corner(core.size, i).p;
    case shapes::CoreKind::hull:
      return shapes::corner(*core.hull, i);
    default:
      return {};
  }
}

/// The simplex of a cache, where the shapes are now. Corners that are not there, from some other pair, are left out.
template <class P>
Simplex recall(const P& pair, const QueryCache& cache) {
  Simplex s;
  const int count = pair.polytopes() ? std::clamp(cache.corner_count, 0, 4) : 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto [ia, ib] = cache.corners[i];
    if (ia >= corner_count(pair.a.core) || ib >= corner_count(pair.b.core)) continue;
    const Vec3 a = corner_of(pair.a.core, ia);
    const Vertex w{a - (pair.pose.rotate(corner_of(pair.b.core, ib)) + pair.pose.t), a, ia, ib};
    if (!s.has(w)) s.vertices[static_cast<std::size_t>(s.count++)] = w;
  }
  return s;
}

template <class P>
void remember(const P& pair, const Gjk& g, QueryCache& cache) {
  const Vec3 axis = g.verdict == Verdict::apart && g.lower > 0 ? g.lower_axis : g.v;
  cache.axis = math::to_eigen(axis);
  cache.corner_count = pair.polytopes() ? g.simplex.count : 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(cache.corner_count); ++i) {
    cache.corners[i] = {g.simplex.vertices[i].ia, g.simplex.vertices[i].ib};
  }
}

template <class P>
Gjk warm_gjk(const P& pair, const Vec3& cold_axis, bool only_verdict, QueryCache& cache) {
  const Vec3 last = math::to_vec3(cache.axis);
  const double length = dot(last, last);
  const bool usable = length > 0 && length < INFINITY;
  if (only_verdict && usable) {
    // The axis of the last call separates still, as a rule: one support then answers.
    const Vertex w = pair.support(-last);
    const double gap = dot(last, w.y) / std::sqrt(length);
    if (gap > pair.radius() + 1e-15 * pair.scale()) {
      Gjk g;
      g.verdict = Verdict::apart;
      g.lower = gap;
      g.lower_axis = last;
      g.lower_vertex = w;
      g.iterations = 1;
      return g;
    }
  }
  const Simplex start = recall(pair, cache);
  const Gjk g = gjk(pair, usable ? last : cold_axis, only_verdict, &start);
  remember(pair, g, cache);
  return g;
}

}  // namespace carom::convex
