#pragma once

#include "narrow/convex/pair.hpp"
#include "narrow/convex/polyhedron.hpp"

/// The directions that can separate two polytopes. The difference b - a is a polytope; they have a common point if the
/// origin is in it, that is within each of its faces. The faces of the difference of two solids are those of a, those
/// of b, and one for each pair of edges whose arcs cross on the sphere of normals (of b with opposite sign): then
/// one direction is a normal of both edges. Arcs that do not cross span no face.
namespace carom::convex {

/// In the frame of a, pointing from a to b, of any length: lengths cancel in times, and integers stay integers.
struct Axis {
  Vec3 n;
  double gap = 0;  ///< the lowest of b less the highest of a along n
  AxisKind kind = AxisKind::other;
  Index a = none;  ///< face or edge
  Index b = none;
};

/// Sines of the angle between two edges. Below the first they are parallel, and their axis is needless: the
/// parallelogram that they span in the difference is thinner than rounding. Below the second the axis may be off by
/// 1e-12, so that others than the two edges may be farthest along it.
inline constexpr double parallel_edges = 1e-13;
inline constexpr double nearly_parallel_edges = 1e-4;

inline double gap_along(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, const Vec3& n) {
  const Vec3 pa = shapes::support(*a.core, n).p;
  const Vec3 pb = pose.rotate(shapes::support(*b.core, -pose.rotate_back(n)).p) + pose.t;
  return dot(n, pb - pa);
}

/// Edges of b in the frame of a, kept from call to call.
struct AxisScratch {
  std::vector<Vec3> corners;
  std::vector<Vec3> normals;  ///< with the sign turned round
  std::vector<Vec3> edges;
  std::vector<double> sides;
};

template <class Visit>
void visit_edge_axes(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, AxisScratch& scratch,
                     Visit&& visit) {
  scratch.corners.clear();
  for (const Eigen::Vector3d& p : b.corners) scratch.corners.push_back(pose.rotate(math::to_vec3(p)) + pose.t);
  scratch.normals.clear();
  for (const Vec3& n : b.normals) scratch.normals.push_back(-pose.rotate(n));
  scratch.edges.clear();
  for (std::size_t f = 0; f < b.edges.size(); ++f) scratch.edges.push_back(pose.rotate(b.along(f)));
  scratch.sides.resize(b.normals.size());
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  for (std::size_t e = 0; e < a.edges.size(); ++e) {
    const Vec3 ea = a.along(e);
    const Vec3& left = a.normals[at(a.edge_faces[e][0])];
    const Vec3& right = a.normals[at(a.edge_faces[e][1])];
    for (std::size_t f = 0; f < b.normals.size(); ++f) scratch.sides[f] = dot(ea, scratch.normals[f]);
    for (std::size_t f = 0; f < b.edges.size(); ++f) {
      const double first = scratch.sides[at(b.edge_faces[f][0])];
      const double second = scratch.sides[at(b.edge_faces[f][1])];
      if (!(first * second < 0)) continue;
      const Vec3& eb = scratch.edges[f];
      const double on_left = dot(left, eb);
      const double on_right = dot(right, eb);
      // The arcs cross each other's great circles, and on the same side of the sphere.
      if (!(on_left * on_right < 0 && first * on_right > 0)) continue;
      Axis axis{cross(ea, eb), 0, AxisKind::edges, static_cast<Index>(e), static_cast<Index>(f)};
      // Out of a, between its two normals: left x right runs along ea, and (left x right) x eb is
      // on_left right - on_right left.
      if (on_left < 0) axis.n = -axis.n;
      const double squared = dot(axis.n, axis.n);
      const double lengths = dot(ea, ea) * dot(eb, eb);
      if (squared <= parallel_edges * parallel_edges * lengths) continue;
      axis.gap = squared < nearly_parallel_edges * nearly_parallel_edges * lengths
                     ? gap_along(a, b, pose, axis.n)
                     : dot(axis.n, scratch.corners[at(b.edges[f][0])] - a.corner(a.edges[e][0]));
      if (!visit(axis)) return;
    }
  }
}

/// For shapes without volume: every direction of a prism of no height over them, with every pair of edges.
template <class Visit>
void visit_flat_axes(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, Visit&& visit) {
  const auto both = [&](const Vec3& n) {
    if (!(dot(n, n) > 0)) return true;
    Axis axis{n, gap_along(a, b, pose, n), AxisKind::other, none, none};
    if (!visit(axis)) return false;
    axis.n = -n;
    axis.gap = gap_along(a, b, pose, axis.n);
    return visit(axis);
  };
  for (const Vec3& n : a.flat_normals) {
    if (!both(n)) return;
  }
  for (const Vec3& n : b.flat_normals) {
    if (!both(pose.rotate(n))) return;
  }
  const auto edge = [](const Polyhedron& p, std::size_t e) { return p.dimension == 3 ? p.along(e) : p.flat_edges[e]; };
  const auto count = [](const Polyhedron& p) { return p.dimension == 3 ? p.edges.size() : p.flat_edges.size(); };
  for (std::size_t e = 0; e < count(a); ++e) {
    for (std::size_t f = 0; f < count(b); ++f) {
      const Vec3 ea = edge(a, e);
      const Vec3 eb = pose.rotate(edge(b, f));
      const Vec3 n = cross(ea, eb);
      if (dot(n, n) <= parallel_edges * parallel_edges * dot(ea, ea) * dot(eb, eb)) continue;
      if (!both(n)) return;
    }
  }
}

/// visit(Axis) -> bool, false to end; faces first.
template <class Visit>
void visit_axes(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, AxisScratch& scratch,
                Visit&& visit) {
  bool go_on = true;
  const auto go = [&](const Axis& axis) { return go_on = visit(axis); };
  for (std::size_t f = 0; f < a.normals.size() && go_on; ++f) {
    const Vec3& n = a.normals[f];
    if (a.inverse_lengths[f] == 0) continue;
    const Vec3 pb = pose.rotate(shapes::support(*b.core, -pose.rotate_back(n)).p) + pose.t;
    go({n, dot(n, pb - a.corner(a.faces[f][0])), AxisKind::side_of_a, static_cast<Index>(f), none});
  }
  for (std::size_t f = 0; f < b.normals.size() && go_on; ++f) {
    const Vec3 n = -pose.rotate(b.normals[f]);
    if (b.inverse_lengths[f] == 0) continue;
    const Vec3 pa = shapes::support(*a.core, n).p;
    const Vec3 pb = pose.rotate(b.corner(b.faces[f][0])) + pose.t;
    go({n, dot(n, pb - pa), AxisKind::side_of_b, none, static_cast<Index>(f)});
  }
  if (!go_on) return;
  if (a.closed && b.closed) {
    visit_edge_axes(a, b, pose, scratch, go);
  } else {
    visit_flat_axes(a, b, pose, go);
  }
}

}  // namespace carom::convex
