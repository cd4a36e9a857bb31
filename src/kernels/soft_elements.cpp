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
  ElementLane blend;
  ElementLane follow;
};

template <class Batch>
HWY_INLINE ElementMaterials element_materials(const Batch& batch, std::size_t at, double per_h, const RestBatch* rest) {
  const ElementLane one = element_set(1);
  ElementLane inertia = element_load(batch.inertia + at);
  ElementLane rate = element_load(batch.rate + at);
  if (rest != nullptr) {
    inertia = hn::Mul(inertia, element_load(rest->scale + at));
    rate = hn::Mul(rate, element_load(rest->scale + at));
  }
  ElementMaterials m{
      element_load(batch.shear + at), element_load(batch.volume + at), inertia, element_set(per_h * per_h), one, one};
  const ElementLane resolved =
      hn::Div(hn::Mul(element_set(stable_rate), m.per_h2), hn::Max(rate, element_set(element_min_square)));
  m.blend = hn::Max(element_set(0), hn::Sub(one, resolved));
  m.follow = hn::Add(m.blend, hn::Mul(hn::Sub(one, m.blend), element_load(batch.follow + at)));
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

HWY_INLINE void element_solve(const ElementWide f[3], const ElementMaterials& m, ElementWide multiplier[3]) {
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
}

HWY_INLINE ElementLane element_damp(const ElementWide f[3], const ElementWide change[3], ElementLane shear,
                                    ElementLane inertia, const ElementStep& step, double per_h,
                                    ElementWide multiplier[3]) {
  const ElementLane viscous = hn::Mul(shear, element_set(step.damping * per_h));
  const ElementLane square = hn::Add(hn::Add(dot(f[0], f[0]), dot(f[1], f[1])), dot(f[2], f[2]));
  const ElementLane slower = hn::Div(
      hn::Neg(viscous),
      hn::Add(element_set(per_h * per_h), hn::Mul(inertia, hn::Mul(viscous, hn::Mul(square, element_set(2.0 / 3))))));
  for (int k = 0; k < 3; ++k) {
    ElementWide sum = element_zero();
    for (int l = 0; l < 3; ++l) sum = add(sum, scale(hn::Add(dot(f[k], change[l]), dot(change[k], f[l])), f[l]));
    multiplier[k] = scale(slower, sum);
  }
  return viscous;
}

/// element_solve() for a shape at rest that is not as made.
HWY_INLINE void element_solve_rest(const ElementWide f[3], const ElementMaterials& m, const RestBatch* rest,
                                   std::size_t at, ElementWide multiplier[3]) {
  if (rest == nullptr) return element_solve(f, m, multiplier);
  ElementLane g[3][3];
  for (int k = 0; k < 3; ++k) {
    for (int a = 0; a < 3; ++a) g[k][a] = element_load(rest->g[k][a] + at);
  }
  ElementWide shaped[3];
  for (int a = 0; a < 3; ++a) shaped[a] = add(add(scale(g[0][a], f[0]), scale(g[1][a], f[1])), scale(g[2][a], f[2]));
  ElementWide solved[3];
  element_solve(shaped, m, solved);
  for (int k = 0; k < 3; ++k)
    multiplier[k] = add(add(scale(g[k][0], solved[0]), scale(g[k][1], solved[1])), scale(g[k][2], solved[2]));
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

HWY_INLINE void element_voxels(const VoxelBatch& batch, std::size_t at, const ElementStep& step, double per_h,
                               const RestBatch* rest) {
  const ElementLane size = element_set(0.25 * step.inverse_size);
  const ElementMaterials m = element_materials(batch, at, per_h, rest);
  PointLanes points[8];
  ElementWide mode[8];
  for (int c = 0; c < 8; ++c) {
    points[c] = gather_points(step.points, batch.nodes[c] + at);
    mode[c] = element_seen(points[c], step, batch.nodes[c] + at, m.blend);
  }
  const ElementWide corner = mode[0];
  for (int c = 0; c < 8; ++c) mode[c] = sub(mode[c], corner);
  element_modes(mode);
  for (int c = 1; c < 8; ++c) mode[c] = scale(size, mode[c]);
  const ElementWide f[3] = {mode[1], mode[2], mode[4]};
  ElementWide multiplier[3];
  element_solve_rest(f, m, rest, at, multiplier);
  mode[0] = element_zero();
  mode[1] = multiplier[0];
  mode[2] = multiplier[1];
  mode[4] = multiplier[2];
  for (const int c : {3, 5, 6, 7}) {
    const ElementLane shear = hn::Mul(element_set(c == 7 ? hourglass_of_three : hourglass_of_two), m.shear);
    const ElementLane factor = hn::Div(hn::Neg(shear), element_stiffness(m, shear));
    mode[c] = scale(factor, mode[c]);
  }
  element_corners(mode);
  for (int c = 0; c < 8; ++c) {
    points[c].at = add(points[c].at, scale(hn::Mul(points[c].inverse_mass, size), mode[c]));
    scatter_points(points[c], step.points, batch.nodes[c] + at);
  }
}

HWY_INLINE void element_tetrahedra(const TetrahedronBatch& batch, std::size_t at, const ElementStep& step, double per_h,
                                   const RestBatch* rest) {
  const ElementMaterials m = element_materials(batch, at, per_h, rest);
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
  ElementWide multiplier[3];
  element_solve_rest(f, m, rest, at, multiplier);
  for (int k = 0; k < 4; ++k) {
    const ElementWide sum =
        add(add(scale(g[0][k], multiplier[0]), scale(g[1][k], multiplier[1])), scale(g[2][k], multiplier[2]));
    p[k].at = add(p[k].at, scale(p[k].inverse_mass, sum));
    scatter_points(p[k], step.points, batch.nodes[k] + at);
  }
}

void voxel_lanes(std::span<const VoxelBatch> batches, const ElementStep& step, const RestBatch* rest) {
  const double per_h = 1 / step.h;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const RestBatch* const own = rest == nullptr ? nullptr : rest + b;
    for (std::size_t at = 0; at < element_lanes; at += hn::Lanes(PointTag()))
      element_voxels(batches[b], at, step, per_h, own);
  }
}

void tetrahedron_lanes(std::span<const TetrahedronBatch> batches, const ElementStep& step, const RestBatch* rest) {
  const double per_h = 1 / step.h;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const RestBatch* const own = rest == nullptr ? nullptr : rest + b;
    for (std::size_t at = 0; at < element_lanes; at += hn::Lanes(PointTag()))
      element_tetrahedra(batches[b], at, step, per_h, own);
  }
}

HWY_INLINE void element_damp_voxels(const VoxelBatch& batch, std::size_t at, const ElementStep& step, double per_h) {
  const ElementLane size = element_set(0.25 * step.inverse_size);
  const ElementLane inertia = element_load(batch.inertia + at);
  PointLanes points[8];
  ElementWide shape[8];
  ElementWide change[8];
  for (int c = 0; c < 8; ++c) {
    points[c] = gather_points(step.points, batch.nodes[c] + at);
    shape[c] = gather_points(step.before, batch.nodes[c] + at).at;
    change[c] = sub(points[c].at, shape[c]);
  }
  const ElementWide corner = shape[0];
  for (int c = 0; c < 8; ++c) shape[c] = sub(shape[c], corner);
  element_modes(shape);
  element_modes(change);
  for (int c = 1; c < 8; ++c) {
    shape[c] = scale(size, shape[c]);
    change[c] = scale(size, change[c]);
  }
  const ElementWide f[3] = {shape[1], shape[2], shape[4]};
  const ElementWide rate[3] = {change[1], change[2], change[4]};
  ElementWide multiplier[3];
  const ElementLane viscous = element_damp(f, rate, element_load(batch.shear + at), inertia, step, per_h, multiplier);
  ElementWide mode[8];
  mode[0] = element_zero();
  mode[1] = multiplier[0];
  mode[2] = multiplier[1];
  mode[4] = multiplier[2];
  for (const int c : {3, 5, 6, 7}) {
    const ElementLane own = hn::Mul(element_set(c == 7 ? hourglass_of_three : hourglass_of_two), viscous);
    const ElementLane factor = hn::Div(hn::Neg(own), hn::Add(element_set(per_h * per_h), hn::Mul(inertia, own)));
    mode[c] = scale(factor, change[c]);
  }
  element_corners(mode);
  for (int c = 0; c < 8; ++c) {
    points[c].at = add(points[c].at, scale(hn::Mul(points[c].inverse_mass, size), mode[c]));
    scatter_points(points[c], step.points, batch.nodes[c] + at);
  }
}

HWY_INLINE void element_damp_tetrahedra(const TetrahedronBatch& batch, std::size_t at, const ElementStep& step,
                                        double per_h) {
  PointLanes p[4];
  ElementWide before[4];
  ElementWide moved[4];
  for (int k = 0; k < 4; ++k) {
    p[k] = gather_points(step.points, batch.nodes[k] + at);
    before[k] = gather_points(step.before, batch.nodes[k] + at).at;
    moved[k] = sub(p[k].at, before[k]);
  }
  ElementLane g[3][4];
  ElementWide f[3];
  ElementWide rate[3];
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 1; k < 4; ++k) g[axis][k] = element_load(batch.gradient[axis][k - 1] + at);
    g[axis][0] = hn::Neg(hn::Add(hn::Add(g[axis][1], g[axis][2]), g[axis][3]));
    f[axis] = add(add(scale(g[axis][1], sub(before[1], before[0])), scale(g[axis][2], sub(before[2], before[0]))),
                  scale(g[axis][3], sub(before[3], before[0])));
    rate[axis] = add(add(scale(g[axis][1], sub(moved[1], moved[0])), scale(g[axis][2], sub(moved[2], moved[0]))),
                     scale(g[axis][3], sub(moved[3], moved[0])));
  }
  ElementWide multiplier[3];
  element_damp(f, rate, element_load(batch.shear + at), element_load(batch.inertia + at), step, per_h, multiplier);
  for (int k = 0; k < 4; ++k) {
    const ElementWide sum =
        add(add(scale(g[0][k], multiplier[0]), scale(g[1][k], multiplier[1])), scale(g[2][k], multiplier[2]));
    p[k].at = add(p[k].at, scale(p[k].inverse_mass, sum));
    scatter_points(p[k], step.points, batch.nodes[k] + at);
  }
}

void damp_voxel_lanes(std::span<const VoxelBatch> batches, const ElementStep& step) {
  const double per_h = 1 / step.h;
  for (const VoxelBatch& batch : batches) {
    for (std::size_t at = 0; at < element_lanes; at += hn::Lanes(PointTag()))
      element_damp_voxels(batch, at, step, per_h);
  }
}

void damp_tetrahedron_lanes(std::span<const TetrahedronBatch> batches, const ElementStep& step) {
  const double per_h = 1 / step.h;
  for (const TetrahedronBatch& batch : batches) {
    for (std::size_t at = 0; at < element_lanes; at += hn::Lanes(PointTag()))
      element_damp_tetrahedra(batch, at, step, per_h);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(voxel_lanes);
HWY_EXPORT(tetrahedron_lanes);
HWY_EXPORT(damp_voxel_lanes);
HWY_EXPORT(damp_tetrahedron_lanes);

void project_voxels(std::span<const VoxelBatch> batches, const ElementStep& step, const RestBatch* rest) {
  HWY_DYNAMIC_DISPATCH(voxel_lanes)(batches, step, rest);
}
void project_tetrahedra(std::span<const TetrahedronBatch> batches, const ElementStep& step, const RestBatch* rest) {
  HWY_DYNAMIC_DISPATCH(tetrahedron_lanes)(batches, step, rest);
}

void damp_voxels(std::span<const VoxelBatch> batches, const ElementStep& step) {
  HWY_DYNAMIC_DISPATCH(damp_voxel_lanes)(batches, step);
}
void damp_tetrahedra(std::span<const TetrahedronBatch> batches, const ElementStep& step) {
  HWY_DYNAMIC_DISPATCH(damp_tetrahedron_lanes)(batches, step);
}

}  // namespace carom::kernels
#endif
