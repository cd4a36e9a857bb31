#include "kernels/cloth_vertices.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cloth_vertices.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "kernels/wide_vec3-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using VertexTag = hn::CappedTag<double, cloth_sums>;
using VertexLane = hn::Vec<VertexTag>;
using VertexWide = Wide3Of<VertexTag>;
using VertexFloatTag = hn::Rebind<float, VertexTag>;

HWY_INLINE VertexWide vertex_load(const double* from) {
  VertexWide out;
  hn::LoadInterleaved3(VertexTag(), from, out.x, out.y, out.z);
  return out;
}
HWY_INLINE void vertex_store(const VertexWide& v, double* to) {
  hn::StoreInterleaved3(v.x, v.y, v.z, VertexTag(), to);
}
HWY_INLINE VertexWide vertex_set(const double (&v)[3]) {
  constexpr VertexTag d;
  return {hn::Set(d, v[0]), hn::Set(d, v[1]), hn::Set(d, v[2])};
}
HWY_INLINE VertexWide vertex_displacement(const ClothVertices& vertices, std::size_t i) {
  if (vertices.displacements != nullptr) return vertex_load(vertices.displacements + 3 * i);
  const VertexLane zero = hn::Zero(VertexTag());
  return {zero, zero, zero};
}
/// Adds to partial sums in memory: there are as many whatever the lanes.
HWY_INLINE void vertex_add(const VertexWide& v, double (&sums)[3][cloth_sums], std::size_t part) {
  constexpr VertexTag d;
  hn::Store(hn::Add(hn::Load(d, sums[0] + part), v.x), d, sums[0] + part);
  hn::Store(hn::Add(hn::Load(d, sums[1] + part), v.y), d, sums[1] + part);
  hn::Store(hn::Add(hn::Load(d, sums[2] + part), v.z), d, sums[2] + part);
}
/// kg; 0 of what does not move.
HWY_INLINE VertexLane vertex_mass(VertexLane inverse_mass) {
  constexpr VertexTag d;
  return hn::IfThenElseZero(hn::Gt(inverse_mass, hn::Zero(d)), hn::Div(hn::Set(d, 1), inverse_mass));
}

struct alignas(64) VertexSums {
  double linear[3][cloth_sums] = {};
  double angular[3][cloth_sums] = {};

  ClothImpulse all() const {
    ClothImpulse sum;
    for (std::size_t part = 0; part < cloth_sums; ++part) {
      for (std::size_t k = 0; k < 3; ++k) {
        sum.linear[k] += linear[k][part];
        sum.angular[k] += angular[k][part];
      }
    }
    return sum;
  }
};

struct VertexOffsets {
  hn::Vec<VertexFloatTag> x, y, z;
};
HWY_INLINE VertexOffsets vertex_ends(const ClothEnds& ends, const ClothVertices& vertices, std::size_t i,
                                     const VertexWide& velocity) {
  constexpr VertexTag d;
  constexpr VertexFloatTag df;
  const VertexWide at =
      sub(add(vertex_displacement(vertices, i), scale(hn::Set(d, ends.h), velocity)), vertex_set(ends.common));
  return {hn::DemoteTo(df, at.x), hn::DemoteTo(df, at.y), hn::DemoteTo(df, at.z)};
}

/// Vertices from i on, as many as there are lanes.
template <bool any, bool noted, bool wanted>
HWY_INLINE void begin_vertices(const ClothLoads& loads, const ClothEnds& ends, const ClothVertices& vertices,
                               std::size_t i, std::size_t part, VertexSums& sums) {
  constexpr VertexTag d;
  const VertexLane inverse_mass = hn::LoadU(d, vertices.inverse_mass + i);
  VertexWide v = vertex_load(vertices.velocities + 3 * i);
  if constexpr (any) {
    const double lost_part = loads.interval * loads.air_damping;
    const VertexLane lost = hn::Set(d, lost_part);
    const VertexLane interval = hn::Set(d, loads.interval);
    const auto moves = hn::Gt(inverse_mass, hn::Zero(d));
    const VertexWide damped =
        scale(hn::Set(d, 1 / (1 + lost_part)), add(v, scale(interval, vertex_set(loads.gravity))));
    VertexWide blown{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    if (loads.wind != nullptr) blown = scale(interval, vertex_load(loads.wind + 3 * i));
    v = if_then_else(moves, add(damped, blown), v);
    vertex_store(v, vertices.velocities + 3 * i);
    if constexpr (noted) {
      const VertexWide momentum = scale(vertex_mass(inverse_mass), sub(blown, scale(lost, damped)));
      const VertexWide x = add(vertex_load(vertices.start + 3 * i), vertex_displacement(vertices, i));
      vertex_add(momentum, sums.linear, part);
      vertex_add(cross(x, momentum), sums.angular, part);
    }
  }
  if constexpr (wanted) {
    constexpr VertexFloatTag df;
    const VertexOffsets at = vertex_ends(ends, vertices, i, v);
    hn::StoreInterleaved4(at.x, at.y, at.z, hn::DemoteTo(df, inverse_mass), df, &ends.points[i].x);
  }
}

template <bool noted>
HWY_INLINE void end_vertices(const ClothEnds& ends, const ClothVertices& vertices, std::size_t i, std::size_t part,
                             VertexSums& sums) {
  constexpr VertexTag d;
  constexpr VertexFloatTag df;
  const VertexLane per_h = hn::Set(d, 1 / ends.h);
  const VertexWide v = vertex_load(vertices.velocities + 3 * i);
  const VertexOffsets from = vertex_ends(ends, vertices, i, v);
  VertexOffsets to;
  auto unused = hn::Zero(df);
  hn::LoadInterleaved4(df, &ends.points[i].x, to.x, to.y, to.z, unused);
  const VertexWide moved{hn::PromoteTo(d, hn::Sub(to.x, from.x)), hn::PromoteTo(d, hn::Sub(to.y, from.y)),
                         hn::PromoteTo(d, hn::Sub(to.z, from.z))};
  const VertexWide change = scale(per_h, moved);
  vertex_store(add(v, change), vertices.velocities + 3 * i);
  if constexpr (noted)
    vertex_add(scale(vertex_mass(hn::LoadU(d, vertices.inverse_mass + i)), change), sums.linear, part);
}

/// Calls visit(vertices, ends, wind, i, part) for all that are left over after whole groups of eight, as one group with
/// vertices that do not move behind them.
template <class Visit>
HWY_INLINE void visit_rest(const ClothEnds& ends, const ClothVertices& vertices, const double* wind, std::size_t begin,
                           std::size_t end, const Visit& visit) {
  const std::size_t count = end - begin;
  if (count == 0) return;
  double start[3 * cloth_sums] = {};
  double displacements[3 * cloth_sums] = {};
  double inverse_mass[cloth_sums] = {};
  double velocities[3 * cloth_sums] = {};
  double blowing[3 * cloth_sums] = {};
  ClothOffset points[cloth_sums];
  const auto copy = [&](const double* from, double* to) {
    if (from != nullptr) std::copy(from + 3 * begin, from + 3 * end, to);
  };
  copy(vertices.start, start);
  copy(vertices.displacements, displacements);
  copy(vertices.velocities, velocities);
  copy(wind, blowing);
  std::copy(vertices.inverse_mass + begin, vertices.inverse_mass + end, inverse_mass);
  ClothEnds own = ends;
  if (ends.points != nullptr) {
    std::copy(ends.points + begin, ends.points + end, points);
    own.points = points;
  }
  const ClothVertices rest{.start = start,
                           .displacements = vertices.displacements == nullptr ? nullptr : displacements,
                           .inverse_mass = inverse_mass,
                           .velocities = velocities};
  for (std::size_t part = 0; part < cloth_sums; part += hn::Lanes(VertexTag()))
    visit(own, rest, wind == nullptr ? nullptr : blowing, part);
  std::copy(velocities, velocities + 3 * count, vertices.velocities + 3 * begin);
  if (ends.points != nullptr) std::copy(points, points + count, ends.points + begin);
}

template <bool any, bool noted, bool wanted>
HWY_INLINE ClothImpulse begin_blocks(const ClothLoads& loads, const ClothEnds& ends, const ClothVertices& vertices,
                                     std::size_t begin, std::size_t end) {
  VertexSums sums;
  std::size_t i = begin;
  for (; i + cloth_sums <= end; i += cloth_sums) {
    for (std::size_t part = 0; part < cloth_sums; part += hn::Lanes(VertexTag()))
      begin_vertices<any, noted, wanted>(loads, ends, vertices, i + part, part, sums);
  }
  visit_rest(ends, vertices, loads.wind, i, end,
             [&](const ClothEnds& own, const ClothVertices& rest, const double* wind, std::size_t part) HWY_ATTR {
               ClothLoads same = loads;
               same.wind = wind;
               begin_vertices<any, noted, wanted>(same, own, rest, part, part, sums);
             });
  return sums.all();
}

template <bool noted>
HWY_INLINE ClothImpulse end_blocks(const ClothEnds& ends, const ClothVertices& vertices, std::size_t begin,
                                   std::size_t end) {
  VertexSums sums;
  std::size_t i = begin;
  for (; i + cloth_sums <= end; i += cloth_sums) {
    for (std::size_t part = 0; part < cloth_sums; part += hn::Lanes(VertexTag()))
      end_vertices<noted>(ends, vertices, i + part, part, sums);
  }
  visit_rest(ends, vertices, nullptr, i, end,
             [&](const ClothEnds& own, const ClothVertices& rest, const double*, std::size_t part)
                 HWY_ATTR { end_vertices<noted>(own, rest, part, part, sums); });
  return sums.all();
}

ClothImpulse begin_lanes(const ClothLoads& loads, const ClothEnds& ends, const ClothVertices& vertices,
                         std::size_t begin, std::size_t end) {
  const bool wanted = ends.points != nullptr;
  if (!loads.any) return wanted ? begin_blocks<false, false, true>(loads, ends, vertices, begin, end) : ClothImpulse();
  if (loads.noted) {
    return wanted ? begin_blocks<true, true, true>(loads, ends, vertices, begin, end)
                  : begin_blocks<true, true, false>(loads, ends, vertices, begin, end);
  }
  return wanted ? begin_blocks<true, false, true>(loads, ends, vertices, begin, end)
                : begin_blocks<true, false, false>(loads, ends, vertices, begin, end);
}

ClothImpulse end_lanes(const ClothEnds& ends, bool noted, const ClothVertices& vertices, std::size_t begin,
                       std::size_t end) {
  return noted ? end_blocks<true>(ends, vertices, begin, end) : end_blocks<false>(ends, vertices, begin, end);
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(begin_lanes);
HWY_EXPORT(end_lanes);

ClothImpulse begin_cloth_step(const ClothLoads& loads, const ClothEnds& ends, const ClothVertices& vertices,
                              std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(begin_lanes)(loads, ends, vertices, begin, end);
}
ClothImpulse end_cloth_step(const ClothEnds& ends, bool noted, const ClothVertices& vertices, std::size_t begin,
                            std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(end_lanes)(ends, noted, vertices, begin, end);
}

}  // namespace carom::kernels
#endif
