// Closest points of as many pairs of features as there are lanes, in double precision: the operations of
// geometry/closest_vertex_triangle.cpp and geometry/closest_edge_edge.cpp in the same order. Included once for each
// target, so there is no ordinary include guard.
#if defined(CAROM_KERNELS_CLOSEST_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLOSEST_INL_HPP
#undef CAROM_KERNELS_CLOSEST_INL_HPP
#else
#define CAROM_KERNELS_CLOSEST_INL_HPP
#endif

#include "hwy/highway.h"
#include "kernels/wide_vec3-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using Double = hn::Vec<D>;
using Mask = hn::Mask<D>;
using Wide3 = Wide3Of<D>;

// detail::smallest_safe and detail::largest_safe of math/safe_range.hpp.
constexpr double smallest_safe = 1e-60;
constexpr double largest_safe = 1e70;

HWY_INLINE Double largest(const Wide3& a) {
  return hn::Max(hn::Max(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z));
}

/// Where lengths need not be scaled before they are squared.
HWY_INLINE Mask in_safe_range(Double size) {
  const D d;
  return hn::And(hn::Ge(size, hn::Set(d, smallest_safe)), hn::Le(size, hn::Set(d, largest_safe)));
}

/// geometry/point_segment.hpp
struct SegmentPoint {
  Double weight_u;
  Double weight_v;
  Wide3 point;
  Double squared;
};

HWY_INLINE SegmentPoint closest_to_origin(const Wide3& u, const Wide3& v) {
  const D d;
  const Double zero = hn::Zero(d);
  const Double one = hn::Set(d, 1.0);
  const Wide3 along = sub(v, u);
  const Double past_u = hn::Neg(dot(u, along));
  const Double before_v = dot(v, along);
  const Mask inside = hn::And(hn::Gt(past_u, zero), hn::Gt(before_v, zero));
  const Mask u_is_nearer = hn::Le(dot(u, u), dot(v, v));
  const Double sum = hn::IfThenElse(inside, hn::Add(past_u, before_v), one);
  const Double end_u = hn::IfThenElse(u_is_nearer, one, zero);
  const Double end_v = hn::IfThenElse(u_is_nearer, zero, one);
  SegmentPoint result;
  result.weight_u = hn::IfThenElse(inside, hn::Div(before_v, sum), end_u);
  result.weight_v = hn::IfThenElse(inside, hn::Div(past_u, sum), end_v);
  result.point = add(scale(result.weight_u, u), scale(result.weight_v, v));
  result.squared = dot(result.point, result.point);
  return result;
}

/// Point of a triangle, by the weights of its corners.
struct TrianglePoint {
  Double w0, w1, w2;
  Double squared;
  Double size;  ///< largest coordinate of what was measured
};

HWY_INLINE TrianglePoint closest_in_triangle(const Wide3& p, const Wide3* corner) {
  const D d;
  const Double zero = hn::Zero(d);
  const Double one = hn::Set(d, 1.0);
  const Wide3 c[3] = {sub(corner[0], p), sub(corner[1], p), sub(corner[2], p)};
  const Double size = hn::Max(hn::Max(largest(c[0]), largest(c[1])), largest(c[2]));

  // The nearest point of the three edges; on a tie the first.
  const SegmentPoint e0 = closest_to_origin(c[0], c[1]);
  const SegmentPoint e1 = closest_to_origin(c[1], c[2]);
  const SegmentPoint e2 = closest_to_origin(c[2], c[0]);
  const Mask second = hn::Lt(e1.squared, e0.squared);
  const Double squared01 = hn::IfThenElse(second, e1.squared, e0.squared);
  const Mask third = hn::Lt(e2.squared, squared01);
  const Double edge_squared = hn::IfThenElse(third, e2.squared, squared01);
  const Wide3 edge_point = if_then_else(third, e2.point, if_then_else(second, e1.point, e0.point));
  const Double edge0 = hn::IfThenElse(third, e2.weight_v, hn::IfThenElse(second, zero, e0.weight_u));
  const Double edge1 = hn::IfThenElse(third, zero, hn::IfThenElse(second, e1.weight_u, e0.weight_v));
  const Double edge2 = hn::IfThenElse(third, e2.weight_u, hn::IfThenElse(second, e1.weight_v, zero));

  // One step from there to the foot on the face.
  const Wide3 ab = sub(c[1], c[0]);
  const Wide3 ac = sub(c[2], c[0]);
  const Wide3 normal = cross(ab, ac);
  const Double normal2 = dot(normal, normal);
  const Wide3 to_origin = {hn::Neg(edge_point.x), hn::Neg(edge_point.y), hn::Neg(edge_point.z)};
  const Double face1 = hn::Add(edge1, hn::Div(dot(normal, cross(to_origin, ac)), normal2));
  const Double face2 = hn::Add(edge2, hn::Div(dot(normal, cross(ab, to_origin)), normal2));
  const Double face0 = hn::Sub(hn::Sub(one, face1), face2);
  const Wide3 face_point = add(add(scale(face0, c[0]), scale(face1, c[1])), scale(face2, c[2]));
  const Double face_squared = dot(face_point, face_point);
  const Mask on_face = hn::And(hn::And(hn::Ge(face0, zero), hn::And(hn::Ge(face1, zero), hn::Ge(face2, zero))),
                               hn::Lt(face_squared, edge_squared));

  const Double w0 = hn::IfThenElse(on_face, face0, edge0);
  const Double w1 = hn::IfThenElse(on_face, face1, edge1);
  const Double w2 = hn::IfThenElse(on_face, face2, edge2);
  return {w0, w1, w2, hn::IfThenElse(on_face, face_squared, edge_squared), size};
}

/// geometry/closest_edge_edge.cpp
struct EdgePair {
  Double a0, a1, b0, b1;
  Double squared;
  Double size;  ///< largest coordinate of what was measured
};

HWY_INLINE void take_nearer(EdgePair& best, Mask allowed, Double a0, Double a1, Double b0, Double b1, Double squared) {
  const Mask nearer = hn::And(allowed, hn::Lt(squared, best.squared));
  best.a0 = hn::IfThenElse(nearer, a0, best.a0);
  best.a1 = hn::IfThenElse(nearer, a1, best.a1);
  best.b0 = hn::IfThenElse(nearer, b0, best.b0);
  best.b1 = hn::IfThenElse(nearer, b1, best.b1);
  best.squared = hn::IfThenElse(nearer, squared, best.squared);
}

/// Where a segment with its ends at signed distances h0 and h1 from a plane crosses it, if it does.
HWY_INLINE Mask cross_plane(Double h0, Double h1, Double& weight0, Double& weight1) {
  const D d;
  const Double zero = hn::Zero(d);
  const Double one = hn::Set(d, 1.0);
  const Mask inside = hn::Or(hn::And(hn::Gt(h0, zero), hn::Lt(h1, zero)), hn::And(hn::Lt(h0, zero), hn::Gt(h1, zero)));
  const Double sum = hn::IfThenElse(inside, hn::Sub(h0, h1), one);
  weight0 = hn::IfThenElse(inside, hn::Div(hn::Neg(h1), sum), one);
  weight1 = hn::IfThenElse(inside, hn::Div(h0, sum), zero);
  return inside;
}

HWY_INLINE EdgePair closest_of_edges(const Wide3& a0, const Wide3& a1, const Wide3& b0, const Wide3& b1) {
  const D d;
  const Double zero = hn::Zero(d);
  const Double one = hn::Set(d, 1.0);
  const Mask all = hn::Eq(zero, zero);
  const Wide3 a0b0 = sub(a0, b0);
  const Wide3 a0b1 = sub(a0, b1);
  const Wide3 a1b0 = sub(a1, b0);
  const Wide3 a1b1 = sub(a1, b1);
  const Wide3 da = sub(a1, a0);
  const Wide3 db = sub(b1, b0);
  const Double size = hn::Max(hn::Max(hn::Max(largest(a0b0), largest(a0b1)), hn::Max(largest(a1b0), largest(a1b1))),
                              hn::Max(largest(da), largest(db)));

  const SegmentPoint from_a0 = closest_to_origin(a0b0, a0b1);
  EdgePair best = {one, zero, from_a0.weight_u, from_a0.weight_v, from_a0.squared, size};
  const SegmentPoint from_a1 = closest_to_origin(a1b0, a1b1);
  take_nearer(best, all, zero, one, from_a1.weight_u, from_a1.weight_v, from_a1.squared);
  const SegmentPoint from_b0 = closest_to_origin(a0b0, a1b0);
  take_nearer(best, all, from_b0.weight_u, from_b0.weight_v, one, zero, from_b0.squared);
  const SegmentPoint from_b1 = closest_to_origin(a0b1, a1b1);
  take_nearer(best, all, from_b1.weight_u, from_b1.weight_v, zero, one, from_b1.squared);

  const Wide3 n = cross(da, db);
  const Wide3 across_b = cross(db, n);
  Double w0;
  Double w1;
  const Mask on_a = cross_plane(dot(add(a0b0, a0b1), across_b), dot(add(a1b0, a1b1), across_b), w0, w1);
  const SegmentPoint from_a =
      closest_to_origin(add(scale(w0, a0b0), scale(w1, a1b0)), add(scale(w0, a0b1), scale(w1, a1b1)));
  take_nearer(best, on_a, w0, w1, from_a.weight_u, from_a.weight_v, from_a.squared);
  const Wide3 across_a = cross(da, n);
  const Mask on_b = cross_plane(dot(add(a0b0, a1b0), across_a), dot(add(a0b1, a1b1), across_a), w0, w1);
  const SegmentPoint from_b =
      closest_to_origin(add(scale(w0, a0b0), scale(w1, a0b1)), add(scale(w0, a1b0), scale(w1, a1b1)));
  take_nearer(best, on_b, from_b.weight_u, from_b.weight_v, w0, w1, from_b.squared);
  return best;
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
