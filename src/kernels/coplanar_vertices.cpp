#include "kernels/coplanar_vertices.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/coplanar_vertices.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, farthest_lanes>;
using V = hn::Vec<D>;

// No fused multiply-add: targets without it would find others.
std::uint64_t coplanar_vertices(const PointRows& points, const double* p, const double* d, double max_squared) {
  const D tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t stride = points.stride;
  const V px = hn::Set(tag, p[0]);
  const V py = hn::Set(tag, p[1]);
  const V pz = hn::Set(tag, p[2]);
  const V dx = hn::Set(tag, d[0]);
  const V dy = hn::Set(tag, d[1]);
  const V dz = hn::Set(tag, d[2]);
  const V largest = hn::Set(tag, max_squared);
  std::uint64_t level = 0;
  for (std::size_t i = 0; i < stride; i += lanes) {
    const V x = hn::Sub(hn::LoadU(tag, points.x + i), px);
    const V y = hn::Sub(hn::LoadU(tag, points.x + stride + i), py);
    const V z = hn::Sub(hn::LoadU(tag, points.x + 2 * stride + i), pz);
    const V rise = hn::Add(hn::Add(hn::Mul(x, dx), hn::Mul(y, dy)), hn::Mul(z, dz));
    const V squared = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
    const auto flat = hn::Le(hn::Mul(rise, rise), hn::Mul(largest, squared));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(tag, flat, bits);
    level |= static_cast<std::uint64_t>(bits[0]) << i;
  }
  return level;
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(coplanar_vertices);

std::uint64_t coplanar_vertices(const PointRows& points, const double* p, const double* d, double max_squared) {
  return HWY_DYNAMIC_DISPATCH(coplanar_vertices)(points, p, d, max_squared);
}

std::uint64_t level_corners_reference(const PointRows& points, const double* p, const double* d, double max_squared) {
  std::uint64_t level = 0;
  for (std::size_t i = 0; i < points.stride; ++i) {
    const double x = points.x[i] - p[0];
    const double y = points.x[points.stride + i] - p[1];
    const double z = points.x[2 * static_cast<std::size_t>(points.stride) + i] - p[2];
    const double rise = x * d[0] + y * d[1] + z * d[2];
    const double squared = x * x + y * y + z * z;
    if (rise * rise <= max_squared * squared) level |= std::uint64_t{1} << i;
  }
  return level;
}

}  // namespace carom::kernels
#endif
