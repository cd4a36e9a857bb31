#include "kernels/lowest_vertices.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lowest_vertices.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, plane_lanes>;
using V = hn::Vec<D>;

// A plane in each lane. No fused multiply-add: targets without it would choose another point.
void lowest_vertices(const PlaneRows& planes, const PointRows& points, std::size_t count, const double* middle,
                     double* height, std::int32_t* at) {
  const D d;
  const hn::Rebind<std::int32_t, D> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto along = [&](V x, V y, V z, const double* px, const double* py, const double* pz) {
    return hn::Add(hn::Add(hn::Mul(x, hn::Set(d, *px)), hn::Mul(y, hn::Set(d, *py))), hn::Mul(z, hn::Set(d, *pz)));
  };
  for (std::size_t i = 0; i < planes.stride; i += lanes) {
    V x = hn::LoadU(d, planes.x + i);
    V y = hn::LoadU(d, planes.x + planes.stride + i);
    V z = hn::LoadU(d, planes.x + 2 * planes.stride + i);
    V offset = hn::LoadU(d, planes.x + 3 * planes.stride + i);
    const auto behind = hn::Lt(along(x, y, z, middle, middle + 1, middle + 2), offset);
    x = hn::IfThenElse(behind, hn::Neg(x), x);
    y = hn::IfThenElse(behind, hn::Neg(y), y);
    z = hn::IfThenElse(behind, hn::Neg(z), z);
    offset = hn::IfThenElse(behind, hn::Neg(offset), offset);
    const double* px = points.x;
    const double* py = px + points.stride;
    const double* pz = py + points.stride;
    V lowest = along(x, y, z, px, py, pz);
    V which = hn::Zero(d);
    for (std::size_t k = 1; k < count; ++k) {
      const V value = along(x, y, z, px + k, py + k, pz + k);
      const auto lower = hn::Lt(value, lowest);
      lowest = hn::IfThenElse(lower, value, lowest);
      which = hn::IfThenElse(lower, hn::Set(d, static_cast<double>(k)), which);
    }
    which = hn::IfThenElse(behind, hn::Sub(hn::Set(d, -1.0), which), which);
    hn::StoreU(hn::Sub(lowest, offset), d, height + i);
    hn::StoreU(hn::DemoteTo(di, which), di, at + i);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(lowest_vertices);

void lowest_vertices(const PlaneRows& planes, const PointRows& points, std::size_t count, const double* middle,
                     double* height, std::int32_t* at) {
  HWY_DYNAMIC_DISPATCH(lowest_vertices)(planes, points, count, middle, height, at);
}

void low_corners_reference(const PlaneRows& planes, const PointRows& points, std::size_t count, const double* middle,
                           double* height, std::int32_t* at) {
  for (std::size_t i = 0; i < planes.stride; ++i) {
    const double x = planes.x[i];
    const double y = planes.x[planes.stride + i];
    const double z = planes.x[2 * planes.stride + i];
    const double offset = planes.x[3 * planes.stride + i];
    const bool behind = x * middle[0] + y * middle[1] + z * middle[2] < offset;
    const double sign = behind ? -1 : 1;
    const auto along = [&](std::size_t k) {
      return sign * x * points.x[k] + sign * y * points.x[points.stride + k] +
             sign * z * points.x[2 * static_cast<std::size_t>(points.stride) + k];
    };
    std::size_t best = 0;
    for (std::size_t k = 1; k < count; ++k) {
      if (along(k) < along(best)) best = k;
    }
    height[i] = along(best) - sign * offset;
    at[i] = behind ? -1 - static_cast<std::int32_t>(best) : static_cast<std::int32_t>(best);
  }
}

}  // namespace carom::kernels
#endif
