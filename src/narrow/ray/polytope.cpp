#include "narrow/ray/polytope.hpp"

#include "narrow/ray/solids.hpp"
#include "shapes/support.hpp"

namespace carom::rays {
namespace {

Span at_time(double t, const Vec3& normal) {
  return {t, t, normal};
}

/// Where the line crosses a triangle moved by `by`.
void join_triangle(const TriangleTest& test, const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& by, Span& all) {
  const TriangleTest::Crossing crossing = test(p + by, q + by, r + by);
  if (crossing.hit) join(all, at_time(crossing.time, facing_normal(test.line(), p, q, r)));
}

/// The line against its edges: those of a face, or the one edge or point that there is.
void join_edges(const TriangleTest& test, const shapes::HullData& hull, double radius, Span& all) {
  const auto at = [&](Index i) { return shapes::corner(hull, static_cast<std::uint32_t>(i)); };
  if (hull.size() == 1) return join(all, ball(test.line(), at(0), radius));
  for (std::uint32_t i = 0; i < hull.size(); ++i) {
    for (const Index k : hull.neighbours[i]) {
      if (static_cast<std::uint32_t>(k) > i) join(all, capsule(test.line(), shapes::corner(hull, i), at(k), radius));
    }
  }
}

}  // namespace

Span rounded_triangle(const TriangleTest& test, const Vec3& p, const Vec3& q, const Vec3& r, double radius,
                      double rounding) {
  Span all;
  const Vec3 n = math::unit_or_zero(cross(q - p, r - p));
  join_triangle(test, p, q, r, radius * n, all);
  if (radius > 0) join_triangle(test, p, q, r, -radius * n, all);
  if (radius > 0 || (all.empty() && test(p, q, r).edge_on)) {
    const double within = radius > 0 ? radius : rounding;
    join(all, capsule(test.line(), p, q, within));
    join(all, capsule(test.line(), q, r, within));
    join(all, capsule(test.line(), r, p, within));
  }
  return all;
}

Span hull(const TriangleTest& test, const shapes::HullData& hull, double radius, double rounding) {
  Span all;
  const auto at = [&](Index i) { return shapes::corner(hull, static_cast<std::uint32_t>(i)); };
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const auto face = hull.faces[f];
    const Vec3& n = hull.face_normals[f];
    // The one face of a flat hull is the other one from behind.
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      const TriangleTest::Crossing crossing =
          test(at(face[0]) + radius * n, at(face[k]) + radius * n, at(face[k + 1]) + radius * n);
      if (crossing.hit) join(all, at_time(crossing.time, dot(n, test.line().direction) > 0 ? -n : n));
    }
  }
  if (radius > 0) {
    join_edges(test, hull, radius, all);
  } else if (hull.dimension < 3 && all.empty()) {
    join_edges(test, hull, rounding, all);
  }
  return all;
}

}  // namespace carom::rays
