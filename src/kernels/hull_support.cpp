#include "kernels/hull_support.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/hull_support.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, farthest_lanes>;
using V = hn::Vec<D>;

HWY_INLINE V along(D d, const double* x, std::uint32_t stride, std::size_t at, V dx, V dy, V dz) {
  // No fused multiply-add: targets without it would choose another point.
  const V sum = hn::Add(hn::Mul(hn::LoadU(d, x + at), dx), hn::Mul(hn::LoadU(d, x + stride + at), dy));
  return hn::Add(sum, hn::Mul(hn::LoadU(d, x + 2 * static_cast<std::size_t>(stride) + at), dz));
}

HWY_INLINE std::uint32_t search(const PointRows& points, double x, double y, double z) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V dx = hn::Set(d, x);
  const V dy = hn::Set(d, y);
  const V dz = hn::Set(d, z);
  V best = along(d, points.x, points.stride, 0, dx, dy, dz);
  V best_at = hn::Iota(d, 0.0);
  V at = best_at;
  const V step = hn::Set(d, static_cast<double>(lanes));
  for (std::size_t i = lanes; i < points.stride; i += lanes) {
    const V value = along(d, points.x, points.stride, i, dx, dy, dz);
    at = hn::Add(at, step);
    const auto better = hn::Gt(value, best);
    best = hn::IfThenElse(better, value, best);
    best_at = hn::IfThenElse(better, at, best_at);
  }
  // Each lane holds the first of its largest; the first of all is the smallest number among the equal lanes.
  const V largest = hn::MaxOfLanes(d, best);
  const V where = hn::IfThenElse(hn::Eq(best, largest), best_at, hn::Set(d, 1e9));
  return static_cast<std::uint32_t>(hn::GetLane(hn::MinOfLanes(d, where)));
}

std::uint32_t farthest(const PointRows& points, double x, double y, double z) {
  return search(points, x, y, z);
}

void farthest_of_both(const PointRows& a, const double* along_a, const PointRows& b, const double* along_b,
                      std::uint32_t* at) {
  at[0] = search(a, along_a[0], along_a[1], along_a[2]);
  at[1] = search(b, along_b[0], along_b[1], along_b[2]);
}

void extents(const PointRows& points, const double* axes, double* low, double* high) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (int k = 0; k < 3; ++k) {
    const V dx = hn::Set(d, axes[3 * k]);
    const V dy = hn::Set(d, axes[3 * k + 1]);
    const V dz = hn::Set(d, axes[3 * k + 2]);
    V smallest = along(d, points.x, points.stride, 0, dx, dy, dz);
    V max_value = smallest;
    for (std::size_t i = lanes; i < points.stride; i += lanes) {
      const V value = along(d, points.x, points.stride, i, dx, dy, dz);
      smallest = hn::Min(smallest, value);
      max_value = hn::Max(max_value, value);
    }
    low[k] = hn::GetLane(hn::MinOfLanes(d, smallest));
    high[k] = hn::GetLane(hn::MaxOfLanes(d, max_value));
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(farthest);

HWY_EXPORT(farthest_of_both);
HWY_EXPORT(extents);

void farthest_of_both(const PointRows& a, const double* along_a, const PointRows& b, const double* along_b,
                      std::uint32_t* at) {
  HWY_DYNAMIC_DISPATCH(farthest_of_both)(a, along_a, b, along_b, at);
}

std::uint32_t farthest(const PointRows& points, double dx, double dy, double dz) {
  return HWY_DYNAMIC_DISPATCH(farthest)(points, dx, dy, dz);
}

std::uint32_t farthest_reference(const PointRows& points, double dx, double dy, double dz) {
  std::uint32_t best = 0;
  double best_value = 0;
  for (std::uint32_t i = 0; i < points.stride; ++i) {
    const double value = points.x[i] * dx + points.x[points.stride + i] * dy + points.x[2 * points.stride + i] * dz;
    if (i == 0 || value > best_value) {
      best = i;
      best_value = value;
    }
  }
  return best;
}

void extents(const PointRows& points, const double* axes, double* low, double* high) {
  HWY_DYNAMIC_DISPATCH(extents)(points, axes, low, high);
}

void extents_reference(const PointRows& points, const double* axes, double* low, double* high) {
  const std::size_t stride = points.stride;
  for (int k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < stride; ++i) {
      const double value = points.x[i] * axes[3 * k] + points.x[stride + i] * axes[3 * k + 1] +
                           points.x[2 * stride + i] * axes[3 * k + 2];
      if (i == 0 || value < low[k]) low[k] = value;
      if (i == 0 || value > high[k]) high[k] = value;
    }
  }
}

}  // namespace carom::kernels
#endif
