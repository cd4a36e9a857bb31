#include "kernels/closest.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/closest.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/closest-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

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
  return in_safe_range(size);
}

HWY_INLINE void finish(const Wide3& point_a, const Wide3& point_b, Double squared, Double size, std::size_t at,
                       ClosestResults& results) {
  const D d;
  Wide3 normal;
  const Mask has_direction = direction(point_a, point_b, normal);
  const Mask safe = in_safe_range(size);
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
  const Double one = hn::Set(d, 1.0);
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const Wide3 p = load(batch, 0, at);
    const Wide3 corner[3] = {load(batch, 1, at), load(batch, 2, at), load(batch, 3, at)};
    const TrianglePoint found = closest_in_triangle(p, corner);
    hn::StoreU(one, d, results.weights[0] + at);
    hn::StoreU(found.w0, d, results.weights[1] + at);
    hn::StoreU(found.w1, d, results.weights[2] + at);
    hn::StoreU(found.w2, d, results.weights[3] + at);
    const Wide3 raw = add(add(scale(found.w0, corner[0]), scale(found.w1, corner[1])), scale(found.w2, corner[2]));
    const Wide3 point = lower(higher(raw, lower(lower(corner[0], corner[1]), corner[2])),
                              higher(higher(corner[0], corner[1]), corner[2]));
    finish(p, point, found.squared, found.size, at, results);
  }
}

HWY_INLINE Wide3 combine(Double w0, const Wide3& p0, Double w1, const Wide3& p1) {
  return lower(higher(add(scale(w0, p0), scale(w1, p1)), lower(p0, p1)), higher(p0, p1));
}

void edge_edge(const ClosestBatch& batch, std::size_t count, ClosestResults& results) {
  const D d;
  const Double one = hn::Set(d, 1.0);
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const Wide3 a0 = load(batch, 0, at);
    const Wide3 a1 = load(batch, 1, at);
    const Wide3 b0 = load(batch, 2, at);
    const Wide3 b1 = load(batch, 3, at);
    const EdgePair best = closest_of_edges(a0, a1, b0, b1);
    hn::StoreU(hn::Sub(one, best.a1), d, results.weights[0] + at);
    hn::StoreU(best.a1, d, results.weights[1] + at);
    hn::StoreU(hn::Sub(one, best.b1), d, results.weights[2] + at);
    hn::StoreU(best.b1, d, results.weights[3] + at);
    finish(combine(best.a0, a0, best.a1, a1), combine(best.b0, b0, best.b1, b1), best.squared, best.size, at, results);
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
