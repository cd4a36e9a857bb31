#include "kernels/closest.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/closest.cpp"
#include "hwy/foreach_target.h"
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

HWY_INLINE Wide3 load(const ClosestBatch& batch, std::size_t point, std::size_t at) {
  const D d;
  return {hn::LoadU(d, batch.x[point] + at), hn::LoadU(d, batch.y[point] + at), hn::LoadU(d, batch.z[point] + at)};
}

HWY_INLINE void store(const Wide3& a, double (&out)[3][closest_batch], std::size_t at) {
  const D d;
  hn::StoreU(a.x, d, out[0] + at);
  hn::StoreU(a.y, d, out[1] + at);
  hn::StoreU(a.z, d, out[2] + at);
}

HWY_INLINE Double lower(Double a, Double b) {
  return hn::IfThenElse(hn::Lt(b, a), b, a);
}
HWY_INLINE Double higher(Double a, Double b) {
  return hn::IfThenElse(hn::Lt(a, b), b, a);
}
HWY_INLINE Wide3 lower(const Wide3& a, const Wide3& b) {
  return {lower(a.x, b.x), lower(a.y, b.y), lower(a.z, b.z)};
}
HWY_INLINE Wide3 higher(const Wide3& a, const Wide3& b) {
  return {higher(a.x, b.x), higher(a.y, b.y), higher(a.z, b.z)};
}

/// Unit vector from a to b, and where that is so easily told. See direction() in narrow/proximity.cpp.
HWY_INLINE Mask direction(const Wide3& a, const Wide3& b, Wide3& unit) {
  const D d;
  const Wide3 difference = sub(b, a);
  const Double size = largest(difference);
  unit = scale(hn::Div(hn::Set(d, 1.0), hn::Sqrt(dot(difference, difference))), difference);
  return hn::And(hn::Ge(size, hn::Set(d, smallest_safe)), hn::Le(size, hn::Set(d, largest_safe)));
}

HWY_INLINE void finish(const Wide3& point_a, const Wide3& point_b, Double squared, Double size, std::size_t at,
                       ClosestResults& results) {
  const D d;
  Wide3 normal;
  const Mask has_direction = direction(point_a, point_b, normal);
  const Mask safe = hn::And(hn::Ge(size, hn::Set(d, smallest_safe)), hn::Le(size, hn::Set(d, largest_safe)));
  store(point_a, results.point_a, at);
  store(point_b, results.point_b, at);
  store(normal, results.normal, at);
  hn::StoreU(hn::Sqrt(squared), d, results.distance + at);
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, hn::And(safe, has_direction), bits);
  for (std::size_t l = 0; l < hn::Lanes(d); ++l) results.valid[at + l] = bits[0] >> l & 1U;
}

void vertex_triangle(const ClosestBatch& batch, std::size_t count, ClosestResults& results) {
  const D d;
  const Double zero = hn::Zero(d);
  const Double one = hn::Set(d, 1.0);
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const Wide3 p = load(batch, 0, at);
    const Wide3 corner[3] = {load(batch, 1, at), load(batch, 2, at), load(batch, 3, at)};
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
    hn::StoreU(one, d, results.weights[0] + at);
    hn::StoreU(w0, d, results.weights[1] + at);
    hn::StoreU(w1, d, results.weights[2] + at);
    hn::StoreU(w2, d, results.weights[3] + at);
    const Wide3 raw = add(add(scale(w0, corner[0]), scale(w1, corner[1])), scale(w2, corner[2]));
    const Wide3 point = lower(higher(raw, lower(lower(corner[0], corner[1]), corner[2])),
                              higher(higher(corner[0], corner[1]), corner[2]));
    finish(p, point, hn::IfThenElse(on_face, face_squared, edge_squared), size, at, results);
  }
}

/// geometry/closest_edge_edge.cpp
struct EdgePair {
  Double a0, a1, b0, b1;
  Double squared;
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

HWY_INLINE Wide3 combine(Double w0, const Wide3& p0, Double w1, const Wide3& p1) {
  return lower(higher(add(scale(w0, p0), scale(w1, p1)), lower(p0, p1)), higher(p0, p1));
}

void edge_edge(const ClosestBatch& batch, std::size_t count, ClosestResults& results) {
  const D d;
  const Double zero = hn::Zero(d);
  const Double one = hn::Set(d, 1.0);
  const Mask all = hn::Eq(zero, zero);
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const Wide3 a0 = load(batch, 0, at);
    const Wide3 a1 = load(batch, 1, at);
    const Wide3 b0 = load(batch, 2, at);
    const Wide3 b1 = load(batch, 3, at);
    const Wide3 a0b0 = sub(a0, b0);
    const Wide3 a0b1 = sub(a0, b1);
    const Wide3 a1b0 = sub(a1, b0);
    const Wide3 a1b1 = sub(a1, b1);
    const Wide3 da = sub(a1, a0);
    const Wide3 db = sub(b1, b0);
    const Double size = hn::Max(hn::Max(hn::Max(largest(a0b0), largest(a0b1)), hn::Max(largest(a1b0), largest(a1b1))),
                                hn::Max(largest(da), largest(db)));

    const SegmentPoint from_a0 = closest_to_origin(a0b0, a0b1);
    EdgePair best = {one, zero, from_a0.weight_u, from_a0.weight_v, from_a0.squared};
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

    hn::StoreU(hn::Sub(one, best.a1), d, results.weights[0] + at);
    hn::StoreU(best.a1, d, results.weights[1] + at);
    hn::StoreU(hn::Sub(one, best.b1), d, results.weights[2] + at);
    hn::StoreU(best.b1, d, results.weights[3] + at);
    finish(combine(best.a0, a0, best.a1, a1), combine(best.b0, b0, best.b1, b1), best.squared, size, at, results);
  }
}

using D4 = hn::CappedTag<double, 4>;

#if HWY_TARGET == HWY_SCALAR

template <class Tag>
HWY_INLINE std::size_t gather_fours(Tag, const double*, std::size_t, const std::int32_t (*)[4], std::size_t,
                                    ClosestBatch&) {
  return 0;
}
template <class Tag>
HWY_INLINE std::size_t scatter_fours(Tag, const ClosestResults&, std::size_t, unsigned char*, std::size_t) {
  return 0;
}

#else

/// Rows of a square of four become its columns.
template <class Tag, class V>
HWY_INLINE void transpose(Tag d, V& a, V& b, V& c, V& e) {
  const V ab_low = hn::InterleaveLower(d, a, b);
  const V ab_high = hn::InterleaveUpper(d, a, b);
  const V ce_low = hn::InterleaveLower(d, c, e);
  const V ce_high = hn::InterleaveUpper(d, c, e);
  a = hn::ConcatLowerLower(d, ce_low, ab_low);
  b = hn::ConcatLowerLower(d, ce_high, ab_high);
  c = hn::ConcatUpperUpper(d, ce_low, ab_low);
  e = hn::ConcatUpperUpper(d, ce_high, ab_high);
}

template <class Tag>
HWY_INLINE std::size_t gather_fours(Tag d, const double* positions, std::size_t vertices,
                                    const std::int32_t (*numbers)[4], std::size_t count, ClosestBatch& batch) {
  std::size_t i = 0;
  if constexpr (hn::MaxLanes(Tag()) == 4) {
    // Four numbers are read for each vertex, of which the last has only three.
    const std::size_t last = vertices - 1;
    const double* end = positions + 3 * last;
    const double padded[4] = {end[0], end[1], end[2], 0};
    const auto from = [&](std::int32_t v) {
      return hn::LoadU(d, static_cast<std::size_t>(v) == last ? padded : positions + 3 * static_cast<std::size_t>(v));
    };
    for (; i + 4 <= count; i += 4) {
      for (std::size_t k = 0; k < 4; ++k) {
        auto x = from(numbers[i][k]);
        auto y = from(numbers[i + 1][k]);
        auto z = from(numbers[i + 2][k]);
        auto rest = from(numbers[i + 3][k]);
        transpose(d, x, y, z, rest);
        hn::StoreU(x, d, batch.x[k] + i);
        hn::StoreU(y, d, batch.y[k] + i);
        hn::StoreU(z, d, batch.z[k] + i);
      }
    }
  }
  return i;
}

template <class Tag>
HWY_INLINE std::size_t scatter_fours(Tag d, const ClosestResults& results, std::size_t count, unsigned char* out,
                                     std::size_t stride) {
  std::size_t i = 0;
  if constexpr (hn::MaxLanes(Tag()) == 4) {
    const auto put = [&](const double* p, const double* q, const double* r, const double* s, std::size_t place) {
      auto a = hn::LoadU(d, p + i);
      auto b = hn::LoadU(d, q + i);
      auto c = hn::LoadU(d, r + i);
      auto e = hn::LoadU(d, s + i);
      transpose(d, a, b, c, e);
      unsigned char* to = out + i * stride + place * sizeof(double);
      hn::StoreU(a, d, reinterpret_cast<double*>(to));
      hn::StoreU(b, d, reinterpret_cast<double*>(to + stride));
      hn::StoreU(c, d, reinterpret_cast<double*>(to + 2 * stride));
      hn::StoreU(e, d, reinterpret_cast<double*>(to + 3 * stride));
    };
    for (; i + 4 <= count; i += 4) {
      put(results.weights[0], results.weights[1], results.weights[2], results.weights[3], 0);
      put(results.distance, results.point_a[0], results.point_a[1], results.point_a[2], 4);
      put(results.point_b[0], results.point_b[1], results.point_b[2], results.normal[0], 8);
      put(results.point_b[2], results.normal[0], results.normal[1], results.normal[2], 10);
    }
  }
  return i;
}

#endif

void gather_all(const double* positions, std::size_t vertices, const std::int32_t (*numbers)[4], std::size_t count,
                ClosestBatch& batch) {
  for (std::size_t i = gather_fours(D4(), positions, vertices, numbers, count, batch); i < count; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      const double* p = positions + 3 * static_cast<std::size_t>(numbers[i][k]);
      batch.x[k][i] = p[0];
      batch.y[k][i] = p[1];
      batch.z[k][i] = p[2];
    }
  }
}

void scatter_all(const ClosestResults& results, std::size_t count, unsigned char* out, std::size_t stride) {
  for (std::size_t i = scatter_fours(D4(), results, count, out, stride); i < count; ++i) {
    double* to = reinterpret_cast<double*>(out + i * stride);
    for (std::size_t k = 0; k < 4; ++k) to[k] = results.weights[k][i];
    to[4] = results.distance[i];
    for (std::size_t k = 0; k < 3; ++k) {
      to[5 + k] = results.point_a[k][i];
      to[8 + k] = results.point_b[k][i];
      to[11 + k] = results.normal[k][i];
    }
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(vertex_triangle);
HWY_EXPORT(edge_edge);
HWY_EXPORT(gather_all);
HWY_EXPORT(scatter_all);

void gather_points(const double* positions, std::size_t vertices, const std::int32_t (*numbers)[4], std::size_t count,
                   ClosestBatch& batch) {
  HWY_DYNAMIC_DISPATCH(gather_all)(positions, vertices, numbers, count, batch);
}
void scatter_results(const ClosestResults& results, std::size_t count, unsigned char* out, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(scatter_all)(results, count, out, stride);
}

void closest_vertex_triangle(const ClosestBatch& batch, std::size_t count, ClosestResults& results) {
  HWY_DYNAMIC_DISPATCH(vertex_triangle)(batch, count, results);
}
void closest_edge_edge(const ClosestBatch& batch, std::size_t count, ClosestResults& results) {
  HWY_DYNAMIC_DISPATCH(edge_edge)(batch, count, results);
}

}  // namespace carom::kernels
#endif
