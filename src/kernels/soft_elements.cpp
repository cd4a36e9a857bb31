#include "kernels/soft_elements.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/soft_elements.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "kernels/four_points-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using ElementLane = PointLane;
using ElementWide = PointWide;

HWY_INLINE ElementLane element_set(double value) {
  return hn::Set(PointTag(), value);
}
HWY_INLINE ElementLane element_load(const double* from) {
  return hn::Load(PointTag(), from);
}
HWY_INLINE ElementWide element_zero() {
  return {element_set(0), element_set(0), element_set(0)};
}

struct ElementMaterials {
  ElementLane shear, volume, inertia;
  ElementLane per_h2;
  ElementLane viscosity;
  ElementLane blend;
  ElementLane follow;
};

template <class Batch>
HWY_INLINE ElementMaterials element_materials(const Batch& batch, std::size_t at, const ElementStep& step,
                                              double per_h) {
  const ElementLane one = element_set(1);
  ElementMaterials m{element_load(batch.shear + at),
                     element_load(batch.volume + at),
                     element_load(batch.inertia + at),
                     element_set(per_h * per_h),
                     element_set(step.damping * per_h),
                     one,
                     one};
  const ElementLane rate =
      hn::Mul(m.inertia, hn::Add(hn::Mul(element_set(2), m.shear), hn::Mul(element_set(3), m.volume)));
  const ElementLane resolved =
      hn::Div(hn::Mul(element_set(step.resolved_rate), m.per_h2), hn::Max(rate, element_set(element_min_square)));
  m.blend = hn::Max(element_set(0), hn::Sub(one, resolved));
  m.follow = hn::Add(m.blend, hn::Mul(hn::Sub(one, m.blend), element_set(0.5 / step.resolved_rate)));
  return m;
}

HWY_INLINE ElementLane element_stiffness(const ElementMaterials& m, ElementLane curvature) {
  const ElementLane kept = hn::Mul(hn::Mul(element_set(0.5), m.blend), m.per_h2);
  return hn::Max(m.per_h2, hn::Add(kept, hn::Mul(m.inertia, hn::Mul(curvature, m.follow))));
}

/// Where an element sees its node.
HWY_INLINE ElementWide element_seen(const PointLanes& point, const ElementStep& step, const std::int32_t* nodes,
                                    ElementLane blend) {
  const ElementWide end = gather_points(step.ends, nodes).at;
  return add(end, scale(blend, sub(point.at, end)));
}

template <bool damped>
HWY_INLINE void element_solve(const ElementWide f[3], const ElementWide old[3], const ElementMaterials& m,
                              ElementWide multiplier[3]) {
  const ElementWide cof[3] = {cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1])};
  const ElementLane pressure = hn::Sub(hn::Mul(m.volume, hn::Sub(dot(f[0], cof[0]), element_set(1))), m.shear);
  const ElementLane square = hn::Add(hn::Add(dot(f[0], f[0]), dot(f[1], f[1])), dot(f[2], f[2]));
  const ElementLane curvature =
      hn::Add(m.shear, hn::Mul(hn::Abs(pressure), hn::Sqrt(hn::Mul(square, element_set(1.0 / 3)))));
  ElementWide gradient[3];
  for (int k = 0; k < 3; ++k) gradient[k] = add(scale(m.shear, f[k]), scale(pressure, cof[k]));
  const ElementLane along =
      hn::Add(hn::Add(dot(cof[0], gradient[0]), dot(cof[1], gradient[1])), dot(cof[2], gradient[2]));
  const ElementLane across = hn::Add(hn::Add(dot(cof[0], cof[0]), dot(cof[1], cof[1])), dot(cof[2], cof[2]));
  const ElementLane stiffness = element_stiffness(m, curvature);
  const ElementLane full = element_stiffness(m, hn::Add(curvature, hn::Mul(m.volume, across)));
  const ElementLane change = hn::Div(hn::Mul(along, hn::Sub(full, stiffness)),
                                     hn::Mul(full, hn::Add(across, element_set(element_min_square))));
  const ElementLane factor = hn::Div(element_set(-1), stiffness);
  for (int k = 0; k < 3; ++k) multiplier[k] = scale(factor, sub(gradient[k], scale(change, cof[k])));
  if constexpr (damped) {
    const ElementLane viscous = hn::Mul(m.shear, m.viscosity);
    const ElementLane slower =
        hn::Div(hn::Neg(viscous), element_stiffness(m, hn::Mul(viscous, hn::Mul(square, element_set(2.0 / 3)))));
    for (int k = 0; k < 3; ++k) {
      ElementWide sum = element_zero();
      for (int l = 0; l < 3; ++l) sum = add(sum, scale(hn::Sub(dot(f[k], f[l]), dot(old[k], old[l])), f[l]));
      multiplier[k] = add(multiplier[k], scale(slower, sum));
    }
  }
}

HWY_INLINE void element_modes(ElementWide mode[8]) {
  for (int axis = 1; axis < 8; axis *= 2) {
    for (int c = 0; c < 8; ++c) {
      if ((c & axis) != 0) continue;
      const ElementWide low = mode[c];
      const ElementWide high = mode[c + axis];
      mode[c] = add(low, high);
      mode[c + axis] = sub(high, low);
    }
  }
}

HWY_INLINE void element_corners(ElementWide mode[8]) {
  for (int axis = 1; axis < 8; axis *= 2) {
    for (int c = 0; c < 8; ++c) {
      if ((c & axis) != 0) continue;
      const ElementWide even = mode[c];
      const ElementWide odd = mode[c + axis];
      mode[c] = sub(even, odd);
      mode[c + axis] = add(even, odd);
    }
  }
}

template <bool damped>
HWY_INLINE void element_voxels(const VoxelBatch& batch, std::size_t at, const ElementStep& step, double per_h) {
  const ElementLane size = element_set(0.25 * step.inverse_size);
  const ElementMaterials m = element_materials(batch, at, step, per_h);
  PointLanes points[8];
  ElementWide mode[8];
  for (int c = 0; c < 8; ++c) {
    points[c] = gather_points(step.points, batch.nodes[c] + at);
    mode[c] = element_seen(points[c], step, batch.nodes[c] + at, m.blend);
  }
  const ElementWide corner = mode[0];
  for (int c = 0; c < 8; ++c) mode[c] = sub(mode[c], corner);
  element_modes(mode);
  ElementWide old[8];
  if constexpr (damped) {
    for (int c = 0; c < 8; ++c) old[c] = gather_points(step.before, batch.nodes[c] + at).at;
    const ElementWide first = old[0];
    for (int c = 0; c < 8; ++c) old[c] = sub(old[c], first);
    element_modes(old);
    for (int c = 1; c < 8; ++c) old[c] = scale(size, old[c]);
  }
  for (int c = 1; c < 8; ++c) mode[c] = scale(size, mode[c]);
  const ElementWide f[3] = {mode[1], mode[2], mode[4]};
  ElementWide old_f[3];
  if constexpr (damped) {
    old_f[0] = old[1];
    old_f[1] = old[2];
    old_f[2] = old[4];
  }
  ElementWide multiplier[3];
  element_solve<damped>(f, old_f, m, multiplier);
  mode[0] = element_zero();
  mode[1] = multiplier[0];
  mode[2] = multiplier[1];
  mode[4] = multiplier[2];
  for (const int c : {3, 5, 6, 7}) {
    const ElementLane shear = hn::Mul(element_set(c == 7 ? hourglass_of_three : hourglass_of_two), m.shear);
    ElementLane factor = hn::Div(hn::Neg(shear), element_stiffness(m, shear));
    if constexpr (damped) {
      const ElementLane length = hn::Sqrt(dot(mode[c], mode[c]));
      const ElementLane inverse =
          hn::IfThenElseZero(hn::Gt(length, element_set(element_min_length)), hn::Div(element_set(1), length));
      const ElementLane rate = hn::Sub(length, hn::Sqrt(dot(old[c], old[c])));
      const ElementLane viscous = hn::Mul(shear, m.viscosity);
      factor = hn::Sub(factor, hn::Mul(hn::Div(viscous, element_stiffness(m, viscous)), hn::Mul(rate, inverse)));
    }
    mode[c] = scale(factor, mode[c]);
  }
  element_corners(mode);
  for (int c = 0; c < 8; ++c) {
    points[c].at = add(points[c].at, scale(hn::Mul(points[c].inverse_mass, size), mode[c]));
    scatter_points(points[c], step.points, batch.nodes[c] + at);
  }
}

template <bool damped>
HWY_INLINE void element_tetrahedra(const TetrahedronBatch& batch, std::size_t at, const ElementStep& step,
                                   double per_h) {
  const ElementMaterials m = element_materials(batch, at, step, per_h);
  PointLanes p[4];
  ElementWide seen[4];
  for (int k = 0; k < 4; ++k) {
    p[k] = gather_points(step.points, batch.nodes[k] + at);
    seen[k] = element_seen(p[k], step, batch.nodes[k] + at, m.blend);
  }
  ElementLane g[3][4];
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 1; k < 4; ++k) g[axis][k] = element_load(batch.gradient[axis][k - 1] + at);
    g[axis][0] = hn::Neg(hn::Add(hn::Add(g[axis][1], g[axis][2]), g[axis][3]));
  }
  const auto column = [&](int axis, const ElementWide& e1, const ElementWide& e2, const ElementWide& e3) HWY_ATTR {
    return add(add(scale(g[axis][1], e1), scale(g[axis][2], e2)), scale(g[axis][3], e3));
  };
  ElementWide f[3];
  {
    const ElementWide e1 = sub(seen[1], seen[0]);
    const ElementWide e2 = sub(seen[2], seen[0]);
    const ElementWide e3 = sub(seen[3], seen[0]);
    for (int axis = 0; axis < 3; ++axis) f[axis] = column(axis, e1, e2, e3);
  }
  ElementWide old[3];
  if constexpr (damped) {
    const ElementWide b0 = gather_points(step.before, batch.nodes[0] + at).at;
    const ElementWide e1 = sub(gather_points(step.before, batch.nodes[1] + at).at, b0);
    const ElementWide e2 = sub(gather_points(step.before, batch.nodes[2] + at).at, b0);
    const ElementWide e3 = sub(gather_points(step.before, batch.nodes[3] + at).at, b0);
    for (int axis = 0; axis < 3; ++axis) old[axis] = column(axis, e1, e2, e3);
  }
  ElementWide multiplier[3];
  element_solve<damped>(f, old, m, multiplier);
  for (int k = 0; k < 4; ++k) {
    const ElementWide sum =
        add(add(scale(g[0][k], multiplier[0]), scale(g[1][k], multiplier[1])), scale(g[2][k], multiplier[2]));
    p[k].at = add(p[k].at, scale(p[k].inverse_mass, sum));
    scatter_points(p[k], step.points, batch.nodes[k] + at);
  }
}

void voxel_lanes(std::span<const VoxelBatch> batches, const ElementStep& step) {
  const double per_h = 1 / step.h;
  for (const VoxelBatch& batch : batches) {
    for (std::size_t at = 0; at < element_lanes; at += hn::Lanes(PointTag()))
      step.damping > 0 ? element_voxels<true>(batch, at, step, per_h) : element_voxels<false>(batch, at, step, per_h);
  }
}

void tetrahedron_lanes(std::span<const TetrahedronBatch> batches, const ElementStep& step) {
  const double per_h = 1 / step.h;
  for (const TetrahedronBatch& batch : batches) {
    for (std::size_t at = 0; at < element_lanes; at += hn::Lanes(PointTag()))
      step.damping > 0 ? element_tetrahedra<true>(batch, at, step, per_h)
                       : element_tetrahedra<false>(batch, at, step, per_h);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(voxel_lanes);
HWY_EXPORT(tetrahedron_lanes);

void project_voxels(std::span<const VoxelBatch> batches, const ElementStep& step) {
  HWY_DYNAMIC_DISPATCH(voxel_lanes)(batches, step);
}
void project_tetrahedra(std::span<const TetrahedronBatch> batches, const ElementStep& step) {
  HWY_DYNAMIC_DISPATCH(tetrahedron_lanes)(batches, step);
}

}  // namespace carom::kernels
#endif
