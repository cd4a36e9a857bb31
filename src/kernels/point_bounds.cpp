#include "kernels/point_bounds.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/point_bounds.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

PointBounds bound_points_of(const double* positions, std::size_t count) {
  const hn::CappedTag<double, 8> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  PointBounds bounds{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}, true};
  // As many points as there are lanes fill three vectors: number i of these is coordinate i % 3.
  auto low0 = hn::Set(d, infinity);
  auto low1 = low0;
  auto low2 = low0;
  auto high0 = hn::Set(d, -infinity);
  auto high1 = high0;
  auto high2 = high0;
  // What is not finite, minus itself, is not zero.
  auto odd = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto a = hn::LoadU(d, positions + 3 * i);
    const auto b = hn::LoadU(d, positions + 3 * i + lanes);
    const auto c = hn::LoadU(d, positions + 3 * i + 2 * lanes);
    low0 = hn::Min(low0, a);
    high0 = hn::Max(high0, a);
    low1 = hn::Min(low1, b);
    high1 = hn::Max(high1, b);
    low2 = hn::Min(low2, c);
    high2 = hn::Max(high2, c);
    odd = hn::Or(hn::Or(odd, hn::Sub(a, a)), hn::Or(hn::Sub(b, b), hn::Sub(c, c)));
  }
  bounds.finite = hn::AllTrue(d, hn::Eq(odd, hn::Zero(d)));
  double low[3 * lanes];
  double high[3 * lanes];
  hn::StoreU(low0, d, low);
  hn::StoreU(low1, d, low + lanes);
  hn::StoreU(low2, d, low + 2 * lanes);
  hn::StoreU(high0, d, high);
  hn::StoreU(high1, d, high + lanes);
  hn::StoreU(high2, d, high + 2 * lanes);
  for (std::size_t n = 0; n < 3 * lanes; ++n) {
    bounds.low[n % 3] = std::min(bounds.low[n % 3], low[n]);
    bounds.high[n % 3] = std::max(bounds.high[n % 3], high[n]);
  }
  double zeros = 0;
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = positions[3 * i + k];
      bounds.low[k] = std::min(bounds.low[k], x);
      bounds.high[k] = std::max(bounds.high[k], x);
      zeros += x - x;
    }
  }
  bounds.finite = bounds.finite && zeros == 0;
  return bounds;
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(bound_points_of);

PointBounds bound_points(const double* positions, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(bound_points_of)(positions, count);
}

}  // namespace carom::kernels
#endif
