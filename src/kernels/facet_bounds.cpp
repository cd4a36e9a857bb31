#include "kernels/facet_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/facet_bounds.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, facet_lanes>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;

// No fused multiply-add: targets without it would keep other facets.
HWY_INLINE V dot(V x, V y, V z, V a, V b, V c) {
  return hn::Add(hn::Add(hn::Mul(x, a), hn::Mul(y, b)), hn::Mul(z, c));
}

HWY_INLINE V dot(D d, V x, V y, V z, const float* a) {
  return dot(x, y, z, hn::Set(d, a[0]), hn::Set(d, a[1]), hn::Set(d, a[2]));
}

/// What the ball leaves behind planes, or behind those on the ways to their neighbours.
HWY_INLINE V behind(V middle, V spread, V radius) {
  return hn::Add(hn::Min(middle, hn::Mul(middle, spread)), radius);
}

/// No face of the group is left less.
HWY_INLINE V behind_groups(D d, const FanRows& faces, std::size_t i, const FacetFrame& frame) {
  const float* row = faces.groups + i;
  const std::size_t stride = faces.group_stride;
  const V along = dot(d, hn::LoadU(d, row), hn::LoadU(d, row + stride), hn::LoadU(d, row + 2 * stride), frame.travel);
  const V off = hn::Mul(hn::Set(d, frame.distance), hn::LoadU(d, row + 4 * stride));
  const V middle = hn::Sub(hn::Sub(hn::LoadU(d, row + 3 * stride), along), off);
  return behind(middle, hn::LoadU(d, row + 5 * stride), hn::Set(d, frame.radius));
}

/// False if the ball leaves none of it below the limit.
HWY_INLINE bool put_group(D d, const float* block, const FacetFrame& frame, V radius, V limit, FacetGroup& out) {
  const DI di;
  const std::size_t lanes = hn::Lanes(d);
  bool any = false;
  for (std::size_t k = 0; k < facet_lanes; k += lanes) {
    const V nx = hn::LoadU(d, block + k);
    const V ny = hn::LoadU(d, block + facet_lanes + k);
    const V nz = hn::LoadU(d, block + 2 * facet_lanes + k);
    const V offset = hn::LoadU(d, block + 3 * facet_lanes + k);
    const V ball =
        behind(hn::Sub(offset, dot(d, nx, ny, nz, frame.centre)), hn::LoadU(d, block + 4 * facet_lanes + k), radius);
    any = any || !hn::AllFalse(d, hn::Lt(ball, limit));
    hn::Store(dot(d, nx, ny, nz, frame.x), d, out.x + k);
    hn::Store(dot(d, nx, ny, nz, frame.y), d, out.y + k);
    hn::Store(dot(d, nx, ny, nz, frame.z), d, out.z + k);
    hn::Store(hn::Sub(offset, dot(d, nx, ny, nz, frame.t)), d, out.base + k);
    hn::Store(ball, d, out.ball + k);
    hn::Store(ball, d, out.bound + k);
    hn::Store(hn::Set(di, -1), di, out.corner + k);
  }
  return any;
}

HWY_INLINE std::uint32_t first_of_smallest(D d, V smallest, V at) {
  const V min_value = hn::MinOfLanes(d, smallest);
  const V where = hn::IfThenElse(hn::Eq(smallest, min_value), at, hn::Set(d, 1e9F));
  return static_cast<std::uint32_t>(hn::GetLane(hn::MinOfLanes(d, where)));
}

/// The smallest bound so far and where it is, by lanes.
struct Smallest {
  explicit Smallest(D d) : value(hn::Set(d, std::numeric_limits<float>::infinity())), place(hn::Zero(d)) {}
  HWY_INLINE void offer(V bound, V at) {
    const auto smaller = hn::Lt(bound, value);
    value = hn::IfThenElse(smaller, bound, value);
    place = hn::IfThenElse(smaller, at, place);
  }
  V value;
  V place;
};

bool select_facets(const FanRows& faces, const FacetFrame& frame, float limit, Facets& out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V largest = hn::Set(d, limit);
  const V radius = hn::Set(d, frame.radius);
  std::size_t count = 0;
  for (std::size_t i = 0; i < faces.group_stride; i += lanes) {
    const auto within = hn::Lt(behind_groups(d, faces, i, frame), largest);
    if (hn::AllFalse(d, within)) continue;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, within, bits);
    for (unsigned left = bits[0]; left != 0; left &= left - 1) {
      const std::size_t g = i + static_cast<std::size_t>(__builtin_ctz(left));
      if (count == max_facets / facet_lanes) return false;
      out.groups[count++].number = static_cast<std::uint32_t>(g);
      // All of them are on their way while the first is worked on.
      const float* block = faces.blocks + g * 5 * facet_lanes;
      hwy::Prefetch(block);
      hwy::Prefetch(block + 2 * facet_lanes);
      hwy::Prefetch(block + 4 * facet_lanes);
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t g = out.groups[i].number;
    out.groups[kept].number = g;
    const float* block = faces.blocks + static_cast<std::size_t>(g) * 5 * facet_lanes;
    if (put_group(d, block, frame, radius, largest, out.groups[kept])) ++kept;
  }
  out.count = static_cast<std::uint32_t>(kept);
  return true;
}

void select_first_facets(const FanRows& faces, const FacetFrame& frame, Facets& out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  Smallest smallest(d);
  V at = hn::Iota(d, 0.0F);
  for (std::size_t i = 0; i < faces.group_stride; i += lanes) {
    smallest.offer(behind_groups(d, faces, i, frame), at);
    at = hn::Add(at, hn::Set(d, static_cast<float>(lanes)));
  }
  const std::uint32_t g = first_of_smallest(d, smallest.value, smallest.place);
  out.groups[0].number = g;
  const V radius = hn::Set(d, frame.radius);
  put_group(d, faces.blocks + static_cast<std::size_t>(g) * 5 * facet_lanes, frame, radius, radius, out.groups[0]);
  out.count = 1;
}

std::uint32_t tighten_facets(Facets& facets, const float* corners, std::uint32_t first, std::uint32_t last) {
  const D d;
  const DI di;
  const std::size_t lanes = hn::Lanes(d);
  Smallest smallest(d);
  V at = hn::Iota(d, 0.0F);
  const V step = hn::Set(d, static_cast<float>(lanes));
  for (std::size_t g = 0; g < facets.count; ++g) {
    FacetGroup& group = facets.groups[g];
    for (std::size_t k = 0; k < facet_lanes; k += lanes) {
      const V x = hn::Load(d, group.x + k);
      const V y = hn::Load(d, group.y + k);
      const V z = hn::Load(d, group.z + k);
      const V base = hn::Load(d, group.base + k);
      V bound = hn::Load(d, group.bound + k);
      VI corner = hn::Load(di, group.corner + k);
      for (std::size_t s = first; s < last; ++s) {
        const V value = hn::Sub(base, dot(d, x, y, z, corners + 4 * s));
        const auto better = hn::RebindMask(di, hn::Gt(value, bound));
        bound = hn::Max(value, bound);
        corner = hn::IfThenElse(better, hn::Set(di, static_cast<std::int32_t>(s)), corner);
      }
      hn::Store(bound, d, group.bound + k);
      hn::Store(corner, di, group.corner + k);
      smallest.offer(bound, at);
      at = hn::Add(at, step);
    }
  }
  return first_of_smallest(d, smallest.value, smallest.place);
}

void mark_facets(const Facets& facets, const float* corners, std::uint32_t count, float limit, std::int32_t* marks) {
  const D d;
  const DI di;
  const std::size_t lanes = hn::Lanes(d);
  const V min_value = hn::Set(d, limit);
  for (std::size_t g = 0; g < facets.count; ++g) {
    const FacetGroup& group = facets.groups[g];
    for (std::size_t k = 0; k < facet_lanes; k += lanes) {
      const V x = hn::Load(d, group.x + k);
      const V y = hn::Load(d, group.y + k);
      const V z = hn::Load(d, group.z + k);
      const V base = hn::Load(d, group.base + k);
      VI bit = hn::Set(di, 1);
      VI all = hn::IfThenElseZero(hn::RebindMask(di, hn::Ge(hn::Load(d, group.ball + k), min_value)), bit);
      for (std::size_t s = 0; s < count; ++s) {
        bit = hn::Add(bit, bit);
        const V value = hn::Sub(base, dot(d, x, y, z, corners + 4 * s));
        all = hn::Or(all, hn::IfThenElseZero(hn::RebindMask(di, hn::Ge(value, min_value)), bit));
      }
      hn::StoreU(all, di, marks + static_cast<std::size_t>(group.number) * facet_lanes + k);
    }
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(select_first_facets);
HWY_EXPORT(select_facets);
HWY_EXPORT(tighten_facets);
HWY_EXPORT(mark_facets);

void select_first_facets(const FanRows& faces, const FacetFrame& frame, Facets& out) {
  HWY_DYNAMIC_DISPATCH(select_first_facets)(faces, frame, out);
}

bool select_facets(const FanRows& faces, const FacetFrame& frame, float limit, Facets& out) {
  return HWY_DYNAMIC_DISPATCH(select_facets)(faces, frame, limit, out);
}

std::uint32_t tighten_facets(Facets& facets, const float* corners, std::uint32_t first, std::uint32_t last) {
  return HWY_DYNAMIC_DISPATCH(tighten_facets)(facets, corners, first, last);
}

void mark_facets(const Facets& facets, const float* corners, std::uint32_t count, float limit, std::int32_t* marks) {
  HWY_DYNAMIC_DISPATCH(mark_facets)(facets, corners, count, limit, marks);
}

namespace {

float dot(const float* n, const float* a) {
  return n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
}

float behind_group(const FanRows& faces, std::size_t g, const FacetFrame& frame) {
  const std::size_t stride = faces.group_stride;
  const float* row = faces.groups + g;
  const float mean[3] = {row[0], row[stride], row[2 * stride]};
  const float nearest = row[3 * stride] - dot(mean, frame.travel) - frame.distance * row[4 * stride];
  return std::min(nearest, nearest * row[5 * stride]) + frame.radius;
}

bool put_group(const float* blocks, std::size_t g, const FacetFrame& frame, float limit, FacetGroup& group) {
  group.number = static_cast<std::uint32_t>(g);
  bool any = false;
  for (std::size_t k = 0; k < facet_lanes; ++k) {
    const float* block = blocks + g * 5 * facet_lanes + k;
    const float n[3] = {block[0], block[facet_lanes], block[2 * facet_lanes]};
    const float offset = block[3 * facet_lanes];
    const float middle = offset - dot(n, frame.centre);
    group.x[k] = dot(n, frame.x);
    group.y[k] = dot(n, frame.y);
    group.z[k] = dot(n, frame.z);
    group.base[k] = offset - dot(n, frame.t);
    group.ball[k] = std::min(middle, middle * block[4 * facet_lanes]) + frame.radius;
    group.bound[k] = group.ball[k];
    group.corner[k] = -1;
    any = any || group.ball[k] < limit;
  }
  return any;
}

float behind(const FacetGroup& group, std::size_t k, const float* corner) {
  const float n[3] = {group.x[k], group.y[k], group.z[k]};
  return group.base[k] - dot(n, corner);
}

}  // namespace

void select_first_facets_reference(const FanRows& faces, const FacetFrame& frame, Facets& out) {
  std::size_t best = 0;
  for (std::size_t g = 1; g < faces.group_stride; ++g) {
    if (behind_group(faces, g, frame) < behind_group(faces, best, frame)) best = g;
  }
  put_group(faces.blocks, best, frame, 0, out.groups[0]);
  out.count = 1;
}

bool select_facets_reference(const FanRows& faces, const FacetFrame& frame, float limit, Facets& out) {
  out.count = 0;
  std::uint32_t taken = 0;
  for (std::size_t g = 0; g < faces.group_stride; ++g) {
    if (!(behind_group(faces, g, frame) < limit)) continue;
    if (taken++ == max_facets / facet_lanes) return false;
    if (put_group(faces.blocks, g, frame, limit, out.groups[out.count])) ++out.count;
  }
  return true;
}

std::uint32_t tighten_facets_reference(Facets& facets, const float* corners, std::uint32_t first, std::uint32_t last) {
  std::uint32_t best = 0;
  float smallest = std::numeric_limits<float>::infinity();
  for (std::uint32_t g = 0; g < facets.count; ++g) {
    FacetGroup& group = facets.groups[g];
    for (std::uint32_t k = 0; k < facet_lanes; ++k) {
      for (std::uint32_t s = first; s < last; ++s) {
        const float value = behind(group, k, corners + 4 * static_cast<std::size_t>(s));
        if (!(value > group.bound[k])) continue;
        group.bound[k] = value;
        group.corner[k] = static_cast<std::int32_t>(s);
      }
      if (group.bound[k] < smallest) smallest = group.bound[k], best = g * facet_lanes + k;
    }
  }
  return best;
}

void mark_facets_reference(const Facets& facets, const float* corners, std::uint32_t count, float limit,
                           std::int32_t* marks) {
  for (std::uint32_t g = 0; g < facets.count; ++g) {
    const FacetGroup& group = facets.groups[g];
    for (std::uint32_t k = 0; k < facet_lanes; ++k) {
      std::uint32_t all = group.ball[k] >= limit ? 1 : 0;
      for (std::uint32_t s = 0; s < count; ++s) {
        if (behind(group, k, corners + 4 * static_cast<std::size_t>(s)) >= limit) all |= 2U << s;
      }
      marks[static_cast<std::size_t>(group.number) * facet_lanes + k] = static_cast<std::int32_t>(all);
    }
  }
}

}  // namespace carom::kernels
#endif
