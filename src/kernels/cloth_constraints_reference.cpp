#include <algorithm>
#include <cmath>

#include "kernels/cloth_constraints.hpp"

// The operations of cloth_constraints.cpp, one by one and in the same order.
namespace carom::kernels {
namespace {

struct ClothVec {
  float x = 0, y = 0, z = 0;
};
ClothVec operator+(const ClothVec& a, const ClothVec& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
ClothVec operator-(const ClothVec& a, const ClothVec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
ClothVec operator*(float s, const ClothVec& a) {
  return {s * a.x, s * a.y, s * a.z};
}
float dot(const ClothVec& a, const ClothVec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
ClothVec cross(const ClothVec& a, const ClothVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ClothVec place(const ClothOffset& p) {
  return {p.x, p.y, p.z};
}
ClothVec lane_of(const float (&from)[3][cloth_lanes], std::size_t lane) {
  return {from[0][lane], from[1][lane], from[2][lane]};
}
void put(ClothOffset& p, const ClothVec& v) {
  p.x = v.x;
  p.y = v.y;
  p.z = v.z;
}

struct Column {
  ClothVec at;
  float excess = 0;
  float square = 0;
  float length = 0;
};

Column column_of(const StretchBase& base, std::size_t axis, std::size_t lane, const ClothVec& change) {
  const ClothVec start = lane_of(base.column[axis], lane);
  Column c;
  c.at = start + change;
  c.excess = base.excess[axis][lane] + dot(change, start + c.at);
  c.square = std::max(1 + c.excess, cloth_min_square);
  c.length = std::sqrt(c.square);
  return c;
}

struct ClothRow {
  float compliance = 0;
  float residual = 0;
};
/// Damping makes a constraint firmer, and adds its rate to what is to be taken away.
ClothRow damp(float residual, float compliance, float gamma, float rate) {
  const float firmer = 1 / (1 + gamma);
  return {compliance * firmer, (residual + gamma * rate) * firmer};
}

void project_triangle(const StretchBatch& batch, const StretchBase& base, std::size_t lane, const ClothStep& step) {
  ClothOffset* points[3];
  ClothVec p[3];
  float w[3];
  float g[2][3];
  for (int k = 0; k < 3; ++k) {
    points[k] = step.points + batch.corners[k][lane];
    p[k] = place(*points[k]);
    w[k] = points[k]->inverse_mass;
  }
  for (int axis = 0; axis < 2; ++axis) {
    g[axis][1] = batch.gradient[axis][0][lane];
    g[axis][2] = batch.gradient[axis][1][lane];
    g[axis][0] = -(g[axis][1] + g[axis][2]);
  }
  const auto change = [&](int axis, const ClothVec* of) {
    return g[axis][1] * (of[1] - of[0]) + g[axis][2] * (of[2] - of[0]);
  };
  const ClothVec change_u = change(0, p);
  const ClothVec change_v = change(1, p);
  const Column u = column_of(base, 0, lane, change_u);
  const Column v = column_of(base, 1, lane, change_v);
  const ClothVec start_u = lane_of(base.column[0], lane);
  const auto product = [&](const ClothVec& by_u, const ClothVec& by_v, const ClothVec& end_v) {
    return base.excess[2][lane] + dot(start_u, by_v) + dot(by_u, end_v);
  };
  const float uv = product(change_u, change_v, v.at);
  const float both_u = 1 / (u.length * (u.length + 1));
  const float both_v = 1 / (v.length * (v.length + 1));
  const float inverse_u = both_u * (u.length + 1);
  const float inverse_v = both_v * (v.length + 1);

  const auto per_h = static_cast<float>(1 / step.h);
  const float per_h2 = per_h * per_h;
  ClothRow rows[3] = {{batch.compliance[0][lane] * per_h2, u.excess * (both_u * u.length)},
                      {batch.compliance[1][lane] * per_h2, v.excess * (both_v * v.length)},
                      {batch.compliance[2][lane] * per_h2, uv}};
  if (step.damped) {
    ClothVec b[3];
    for (int k = 0; k < 3; ++k) b[k] = place(step.before[batch.corners[k][lane]]);
    const ClothVec before_u = change(0, b);
    const ClothVec before_v = change(1, b);
    const Column old_u = column_of(base, 0, lane, before_u);
    const Column old_v = column_of(base, 1, lane, before_v);
    const float rates[3] = {(u.excess - old_u.excess) / (u.length + old_u.length),
                            (v.excess - old_v.excess) / (v.length + old_v.length),
                            uv - product(before_u, before_v, old_v.at)};
    for (int k = 0; k < 3; ++k)
      rows[k] = damp(rows[k].residual, rows[k].compliance, batch.damping[k][lane] * per_h, rates[k]);
  }
  const float s00 = base.weight[0][lane];
  const float s01 = base.weight[1][lane];
  const float s11 = base.weight[2][lane];
  const float a00 = s00 + rows[0].compliance;
  const float a11 = s11 + rows[1].compliance;
  const float a22 = s00 * v.square + s01 * (uv + uv) + s11 * u.square + rows[2].compliance;
  const float a01 = s01 * (uv * (inverse_u * inverse_v));
  const float a02 = s00 * (uv * inverse_u) + s01 * u.length;
  const float a12 = s01 * v.length + s11 * (uv * inverse_v);
  const float i0 = 1 / a00;
  const float l1 = a01 * i0;
  const float l2 = a02 * i0;
  const float i1 = 1 / std::max(a11 - l1 * a01, cloth_min_pivot * a11);
  const float below = a12 - l1 * a02;
  const float m2 = below * i1;
  const float i2 = 1 / std::max(a22 - l2 * a02 - m2 * below, cloth_min_pivot * a22);
  const float y1 = l1 * rows[0].residual - rows[1].residual;
  const float y2 = l2 * rows[0].residual - m2 * y1 - rows[2].residual;
  const float x2 = y2 * i2;
  const float x1 = y1 * i1 - m2 * x2;
  const float x0 = -(rows[0].residual * i0 + (l1 * x1 + l2 * x2));
  const ClothVec push_u = (x0 * inverse_u) * u.at + x2 * v.at;
  const ClothVec push_v = (x1 * inverse_v) * v.at + x2 * u.at;
  for (int k = 0; k < 3; ++k) p[k] = p[k] + w[k] * (g[0][k] * push_u + g[1][k] * push_v);

  if (step.limited) {
    for (int axis = 0; axis < 2; ++axis) {
      const Column f = column_of(base, static_cast<std::size_t>(axis), lane, change(axis, p));
      const float excess = f.excess / (f.length + 1) - batch.limit[lane];
      const float weight = axis == 0 ? s00 : s11;
      if (!(excess > 0 && weight > 0)) continue;
      const ClothVec push = (-excess / (weight * f.length)) * f.at;
      for (int k = 0; k < 3; ++k) p[k] = p[k] + (w[k] * g[axis][k]) * push;
    }
  }
  for (int k = 0; k < 3; ++k) put(*points[k], p[k]);
}

void project_edge(const BendBatch& batch, const BendBase& base, const BendEdges* edges, std::size_t lane,
                  const ClothStep& step) {
  ClothOffset* points[4];
  ClothVec p[4];
  float w[4];
  float k[4];
  for (int i = 0; i < 4; ++i) {
    points[i] = step.points + batch.vertices[i][lane];
    p[i] = place(*points[i]);
    w[i] = points[i]->inverse_mass;
    if (i > 0) k[i] = batch.weight[i - 1][lane];
  }
  k[0] = -(k[1] + k[2] + k[3]);
  const ClothVec e1 = p[1] - p[0];
  const ClothVec e2 = p[2] - p[0];
  const ClothVec e3 = p[3] - p[0];
  const ClothVec start = lane_of(base.bend, lane);
  const ClothVec c = start + (k[1] * e1 + k[2] * e2 + k[3] * e3);
  const float weight = w[0] * (k[0] * k[0]) + w[1] * (k[1] * k[1]) + w[2] * (k[2] * k[2]) + w[3] * (k[3] * k[3]);
  const auto per_h = static_cast<float>(1 / step.h);
  const float compliance = batch.compliance[lane] * static_cast<float>(1 / (step.h * step.bend_interval));
  float factor = 0;
  const bool flat = edges == nullptr;
  if (flat && !step.damped) {
    factor = -1 / (weight + compliance);
  } else {
    const float length = std::sqrt(dot(c, c));
    const float inverse = length > cloth_min_length ? 1 / length : 0.0F;
    float value = length;
    if (!flat) {
      const ClothVec w1 = lane_of(edges->edge[0], lane) + e1;
      const ClothVec w2 = lane_of(edges->edge[1], lane) + e2;
      const ClothVec w3 = lane_of(edges->edge[2], lane) + e3;
      const ClothVec normals = cross(w1, w2) + cross(w3, w1);
      const float rest = batch.rest[lane];
      value = dot(c, normals) < 0 ? length + rest : length - rest;
    }
    float gamma = 0;
    if (step.damped) {
      gamma = batch.damping[lane] * per_h;
      const ClothVec b0 = place(step.before[batch.vertices[0][lane]]);
      const ClothVec b = start + (k[1] * (place(step.before[batch.vertices[1][lane]]) - b0) +
                                  k[2] * (place(step.before[batch.vertices[2][lane]]) - b0) +
                                  k[3] * (place(step.before[batch.vertices[3][lane]]) - b0));
      const float before = std::sqrt(dot(b, b));
      value = value + gamma * (dot(c, b) < 0 ? length + before : length - before);
    }
    factor = -value / ((1 + gamma) * weight + compliance) * inverse;
  }
  const ClothVec push = factor * c;
  for (int i = 0; i < 4; ++i) put(*points[i], p[i] + (w[i] * k[i]) * push);
}

struct StartVec {
  double x = 0, y = 0, z = 0;
};
StartVec between(const ClothPoint& from, const ClothPoint& to) {
  return {to.x - from.x, to.y - from.y, to.z - from.z};
}
double dot(const StartVec& a, const StartVec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
void put(const StartVec& v, float (&to)[3][cloth_lanes], std::size_t lane) {
  to[0][lane] = static_cast<float>(v.x);
  to[1][lane] = static_cast<float>(v.y);
  to[2][lane] = static_cast<float>(v.z);
}

}  // namespace

void note_stretch_reference(std::span<const StretchBatch> batches, const StretchGradient* gradients,
                            const ClothPoint* points, StretchBase* bases) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
      const ClothPoint* p[3];
      for (int k = 0; k < 3; ++k) p[k] = points + batches[i].corners[k][lane];
      const StartVec edge1 = between(*p[0], *p[1]);
      const StartVec edge2 = between(*p[0], *p[2]);
      double g[2][3];
      StartVec column[2];
      for (std::size_t axis = 0; axis < 2; ++axis) {
        g[axis][1] = gradients[i].gradient[axis][0][lane];
        g[axis][2] = gradients[i].gradient[axis][1][lane];
        g[axis][0] = -(g[axis][1] + g[axis][2]);
        column[axis] = {g[axis][1] * edge1.x + g[axis][2] * edge2.x, g[axis][1] * edge1.y + g[axis][2] * edge2.y,
                        g[axis][1] * edge1.z + g[axis][2] * edge2.z};
        put(column[axis], bases[i].column[axis], lane);
      }
      const auto sum = [&](int a, int b) {
        return p[0]->inverse_mass * (g[a][0] * g[b][0]) + p[1]->inverse_mass * (g[a][1] * g[b][1]) +
               p[2]->inverse_mass * (g[a][2] * g[b][2]);
      };
      bases[i].excess[0][lane] = static_cast<float>(dot(column[0], column[0]) - 1);
      bases[i].excess[1][lane] = static_cast<float>(dot(column[1], column[1]) - 1);
      bases[i].excess[2][lane] = static_cast<float>(dot(column[0], column[1]));
      bases[i].weight[0][lane] = static_cast<float>(sum(0, 0));
      bases[i].weight[1][lane] = static_cast<float>(sum(0, 1));
      bases[i].weight[2][lane] = static_cast<float>(sum(1, 1));
    }
  }
}

void note_bending_reference(std::span<const BendBatch> batches, const BendWeight* weights, const ClothPoint* points,
                            BendBase* bases, BendEdges* edges) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
      StartVec edge[3];
      for (std::size_t k = 0; k < 3; ++k) {
        edge[k] = between(points[batches[i].vertices[0][lane]], points[batches[i].vertices[k + 1][lane]]);
        if (edges != nullptr) put(edge[k], edges[i].edge[k], lane);
      }
      const double w[3] = {weights[i].weight[0][lane], weights[i].weight[1][lane], weights[i].weight[2][lane]};
      put({w[0] * edge[0].x + w[1] * edge[1].x + w[2] * edge[2].x,
           w[0] * edge[0].y + w[1] * edge[1].y + w[2] * edge[2].y,
           w[0] * edge[0].z + w[1] * edge[1].z + w[2] * edge[2].z},
          bases[i].bend, lane);
    }
  }
}

void project_stretch_reference(std::span<const StretchBatch> batches, const StretchBase* bases, const ClothStep& step) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane) project_triangle(batches[i], bases[i], lane, step);
  }
}

void project_bending_reference(std::span<const BendBatch> batches, const BendBase* bases, const BendEdges* edges,
                               const ClothStep& step) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane)
      project_edge(batches[i], bases[i], edges == nullptr ? nullptr : edges + i, lane, step);
  }
}

}  // namespace carom::kernels
