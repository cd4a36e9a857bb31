#include "kernels/cloth_constraints.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cloth_start.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "kernels/cloth_points-inl.hpp"

// Triangles and edges of cloth at the start of a step: double precision, rounded to single at the end.
HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE void store_single(ClothLane value, float* to) {
  const hn::Rebind<float, ClothTag> single;
  hn::Store(hn::DemoteTo(single, value), single, to);
}
HWY_INLINE void store_single(const ClothWide& value, float (&to)[3][cloth_lanes], std::size_t at) {
  store_single(value.x, to[0] + at);
  store_single(value.y, to[1] + at);
  store_single(value.z, to[2] + at);
}

HWY_INLINE void start_of_triangles(const StretchBatch& batch, const StretchGradient& gradient, const ClothPoint* points,
                                   std::size_t at, StretchBase& base) {
  ClothPoints p[3];
  for (int k = 0; k < 3; ++k) p[k] = cloth_gather(points, batch.corners[k] + at);
  const ClothWide edge1 = sub(p[1].at, p[0].at);
  const ClothWide edge2 = sub(p[2].at, p[0].at);
  ClothLane g[2][3];
  ClothWide column[2];
  for (std::size_t axis = 0; axis < 2; ++axis) {
    g[axis][1] = cloth_load(gradient.gradient[axis][0] + at);
    g[axis][2] = cloth_load(gradient.gradient[axis][1] + at);
    g[axis][0] = hn::Neg(hn::Add(g[axis][1], g[axis][2]));
    column[axis] = add(scale(g[axis][1], edge1), scale(g[axis][2], edge2));
    store_single(column[axis], base.column[axis], at);
  }
  const ClothLane one = cloth_set(1);
  store_single(hn::Sub(dot(column[0], column[0]), one), base.excess[0] + at);
  store_single(hn::Sub(dot(column[1], column[1]), one), base.excess[1] + at);
  store_single(dot(column[0], column[1]), base.excess[2] + at);
  const auto sum = [&](int i, int j) HWY_ATTR {
    return hn::Add(hn::Add(hn::Mul(p[0].inverse_mass, hn::Mul(g[i][0], g[j][0])),
                           hn::Mul(p[1].inverse_mass, hn::Mul(g[i][1], g[j][1]))),
                   hn::Mul(p[2].inverse_mass, hn::Mul(g[i][2], g[j][2])));
  };
  store_single(sum(0, 0), base.weight[0] + at);
  store_single(sum(0, 1), base.weight[1] + at);
  store_single(sum(1, 1), base.weight[2] + at);
}

void stretch_starts(std::span<const StretchBatch> batches, const StretchGradient* gradients, const ClothPoint* points,
                    StretchBase* bases) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t at = 0; at < cloth_lanes; at += hn::Lanes(ClothTag()))
      start_of_triangles(batches[i], gradients[i], points, at, bases[i]);
  }
}

void bend_starts(std::span<const BendBatch> batches, const BendWeight* weights, const ClothPoint* points,
                 BendBase* bases, BendEdges* edges) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t at = 0; at < cloth_lanes; at += hn::Lanes(ClothTag())) {
      const ClothWide first = cloth_gather(points, batches[i].vertices[0] + at).at;
      ClothWide edge[3];
      for (std::size_t k = 0; k < 3; ++k) {
        edge[k] = sub(cloth_gather(points, batches[i].vertices[k + 1] + at).at, first);
        if (edges != nullptr) store_single(edge[k], edges[i].edge[k], at);
      }
      const ClothWide bend = add(add(scale(cloth_load(weights[i].weight[0] + at), edge[0]),
                                     scale(cloth_load(weights[i].weight[1] + at), edge[1])),
                                 scale(cloth_load(weights[i].weight[2] + at), edge[2]));
      store_single(bend, bases[i].bend, at);
    }
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(stretch_starts);
HWY_EXPORT(bend_starts);

void note_stretch(std::span<const StretchBatch> batches, const StretchGradient* gradients, const ClothPoint* points,
                  StretchBase* bases) {
  HWY_DYNAMIC_DISPATCH(stretch_starts)(batches, gradients, points, bases);
}
void note_bending(std::span<const BendBatch> batches, const BendWeight* weights, const ClothPoint* points,
                  BendBase* bases, BendEdges* edges) {
  HWY_DYNAMIC_DISPATCH(bend_starts)(batches, weights, points, bases, edges);
}

}  // namespace carom::kernels
#endif
